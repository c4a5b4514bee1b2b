# A week of `sacct -a -X -P`, made up: awk -f week.awk >week.txt
# SPDX-License-Identifier: GPL-3.0-or-later
function u() { seed = (seed * 1103515245 + 12345) % 2147483648; return (seed + 0.5) / 2147483648 }
function pick(list, n, parts) { n = split(list, parts, " "); return parts[1 + int(u() * n)] }
function two(x) { return x < 10 ? "0" x : x }
# Seconds since 2026-03-01T00:00:00; the month has 31 days.
function date(s, d) {
	d = int(s / 86400)
	s -= d * 86400
	return sprintf("2026-%02d-%02dT%02d:%02d:%02d", 3 + int(d / 31), d % 31 + 1, s / 3600, s % 3600 / 60, s % 60)
}
function span(s, d) {
	d = int(s / 86400)
	s -= d * 86400
	return (d ? d "-" : "") sprintf("%02d:%02d:%02d", s / 3600, s % 3600 / 60, s % 60)
}
function job(id, line, part, cpus, nodes, gpus, mem,   state, start, end, tres) {
	state = "COMPLETED"
	if (u() < 0.06) state = "FAILED"
	if (u() < 0.04) state = "CANCELLED by 1004"
	if (run >= limit) { run = limit; state = "TIMEOUT" }
	start = now + int(-log(u()) * 600)
	if (state ~ /CANCELLED/ && u() < 0.5) { start = 0; end = now + int(-log(u()) * 3600); run = 0 }
	else end = start + run
	tres = "billing=" cpus ",cpus=" cpus (gpus ? ",gres/gpu=" gpus : "") ",mem=" mem "M,node=" nodes
	sub(/cpus=/, "cpu=", tres)
	printf "%s|%s|%s|%s|normal|%s|%s|%s|%s|%d|%s|%s|0:0|%d|%d|%dM|%s|%s|%s|%s\n", id, user, account, part,
		date(now), date(now), start ? date(start) : "None", date(end), run, span(limit), state, nodes, cpus, mem,
		tres, start ? tres : "", line, name
}
BEGIN {
	seed = 20260301
	print "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|Timelimit|State|ExitCode|ReqNodes|ReqCPUS|ReqMem|ReqTRES|AllocTRES|SubmitLine|JobName"
	for (id = 1001; id <= 1400; id++) {
		now += int(-log(u()) * 1500)
		user = pick("ann bob cem dia eva fei")
		account = index("ann bob cem", user) ? "physics" : "vision"
		run = 60 + int(exp(6.5 + 4.5 * u()))
		limit = 3600 * pick("2 4 8 12 24 48")
		kind = u()
		if (kind < 0.35) {
			g = pick("1 1 1 2 2 4 8")
			name = "train"
			job(id, "sbatch -p gpu --gpus-per-node=" g " --ntasks=1 --cpus-per-task=" 8 * g " --time=" span(limit) " train.sh", "gpu", 8 * g, 1, g, 60000 * g)
		} else if (kind < 0.42) {
			name = "pretrain"
			job(id, "sbatch -p gpu --nodes=2 --gpus-per-node=8 --ntasks-per-node=8 --cpus-per-task=8 --exclusive --time=" span(limit) " pretrain.sh", "gpu", 160, 2, 16, 960000)
		} else if (kind < 0.72) {
			n = pick("1 1 2 4 8 16 32")
			name = "solve"
			job(id, "sbatch -n " n " --mem-per-cpu=3900 --time=" span(limit) " solve.sh", "batch", n, 1, 0, 3900 * n)
		} else if (kind < 0.86) {
			n = pick("2 2 4 8")
			name = "mpi"
			job(id, "sbatch --nodes=" n " --ntasks-per-node=32 --exclusive --switches=1 --time=" span(limit) " mpi.sh", "batch", 32 * n, n, 0, 126000 * n)
		} else if (kind < 0.92) {
			limit *= 3
			run *= 3
			name = "md"
			job(id, "sbatch -p long -N 1 -n 16 -C cascade --time=" span(limit) " md.sh", "long", 16, 1, 0, 62400)
		} else {
			name = "sweep"
			base = id
			for (task = 1; task <= 6; task++) {
				run = 30 + int(exp(5 + 4 * u()))
				job(base "_" task, "sbatch --array=1-6%3 -n 4 --time=" span(limit) " sweep.sh", "batch", 4, 1, 0, 15600)
			}
		}
	}
}
