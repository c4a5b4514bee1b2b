-- A placing, for -p easy:place=lua:gpu-packing.lua: jobs that ask GPUs go where fewest are left free, so that whole
-- nodes stay free for those that ask many; others go where no GPUs lie idle. The least score goes first.
function score(node, task)
	local left = node.gpus_free - task.gpus * task.tasks
	if task.gpus > 0 then
		return left
	end
	return node.gpus_free * 1000 + node.cpus_free
end
