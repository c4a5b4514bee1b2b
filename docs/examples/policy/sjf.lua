-- Shortest job first, by the time limit: an order, for -p sjf:order=lua:sjf.lua or -p easy:order=lua:sjf.lua.
-- It takes the job alone, so it is asked once, as the job is submitted. Smaller goes first.
function order(job)
	return job.limit
end
