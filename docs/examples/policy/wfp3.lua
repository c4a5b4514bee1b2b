-- WFP3 (Tang et al., CLUSTER 2009): who has waited long for its limit goes first, large jobs sooner.
-- It takes the time too, so it is asked in each pass.
function order(job, now)
	local ratio = (now - job.submit) / job.limit
	return -(ratio * ratio * ratio * job.size)
end
