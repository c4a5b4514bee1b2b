-- First come, first served: nobody overtakes.
summary = "first come, first served, in Lua"
paper = "Schwiegelshohn & Yahyapour, SODA 1998"

function pass(s)
	local job = s:first()
	while job and s:start(job) do
		job = s:first()
	end
	if job then
		s:head(job) -- It waits for resources, and all behind it for their turn.
	end
end
