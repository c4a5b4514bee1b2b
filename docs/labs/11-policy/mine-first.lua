-- Smaller scores go first. job: submit, size, limit, user (and more: schedlab-lua(7)); now: seconds.
function order(job, now)
	return job.submit
end
