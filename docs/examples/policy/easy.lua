-- EASY backfilling (Lifka, JSSPP 1995): others may overtake the first in the queue if they do not delay it.
summary = "EASY backfilling, in Lua"

function pass(s)
	local head = s:first()
	while head and s:start(head) do head = s:first() end
	if not head then return end
	s:head(head) -- The first that does not fit.

	-- The earliest time at which it fits by the limits of what runs, and what it leaves over then.
	local shadow = s:shadow(head)
	s:plan(head, shadow.at)
	s:by("backfill", head)
	local job = s:next_fit(head, shadow)
	while job do
		s:start(job)
		job = s:next_fit(job, shadow)
	end
end
