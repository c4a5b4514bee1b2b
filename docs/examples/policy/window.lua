-- EASY with a bound and a priority: a parameter that --set and `schedlab list` know, a count that a pass keeps in a
-- ledger, what is learnt in on_event, and a metric of its own.
summary = "EASY that looks at so many candidates a pass, users with short jobs first"
params = {
	window = { default = 50, min = 1, max = 100000, help = "so many jobs may overtake the first in one pass" },
}
ledgers = { overtook = 1 }

local mean = {} -- By user: of the run times so far.

function on_event(e, s)
	if e.type ~= "end" or not e.job.start then return end
	local user = e.job.user or 0
	local m = mean[user] or { count = 0, sum = 0 }
	m.count, m.sum = m.count + 1, m.sum + (e.time - e.job.start)
	mean[user] = m
end

function order(job)
	local m = mean[job.user or 0]
	return m and m.sum / m.count or job.limit
end

function pass(s)
	local head = s:first()
	while head and s:start(head) do head = s:first() end
	if not head then return end
	s:head(head)
	local shadow = s:shadow(head)
	s:by("backfill", head)
	local job, tried = s:next_fit(head, shadow), 0
	while job and tried < params.window do
		if s:start(job) then s:add("overtook", 1, 1) end
		job, tried = s:next_fit(job, shadow), tried + 1
	end
end

function tell(s)
	s:metric("overtook.jobs", s:get("overtook", 1))
end
