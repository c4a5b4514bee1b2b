# SPDX-License-Identifier: GPL-3.0-or-later
"""columns.py - schedlab.py against the files of the same run: usage: columns.py TRACE DIR POLICY [CLUSTER]"""
import sys

import numpy as np
import schedlab


def same(a, b):
    """Equal to the microsecond, nan where nan."""
    return np.allclose(a, b, rtol=0, atol=1.1e-6, equal_nan=True)


def check(claim, what):
    if not claim:
        sys.exit(f"columns: not so: {what}")


def refused(status, words, call):
    try:
        call()
    except schedlab.Error as error:
        check(error.status == status and words in str(error), f"{error.status} {error}")
    else:
        sys.exit(f"columns: not refused: {words}")


trace, folder, policy = sys.argv[1:4]
cluster = sys.argv[4] if len(sys.argv) > 4 else None
files = schedlab.load(folder)
world = schedlab.Scenario(trace, cluster)
run = world.run(policy)
order = np.argsort([str(i) for i in run.ids], kind="stable")
told = files.jobs["job_id"]
place = np.argsort([f"{i:.0f}" if isinstance(i, float) else i for i in told], kind="stable")
for name in ("submit", "eligible", "start", "end", "wait", "wait_total", "run_time", "suspended", "attempts",
             "time_limit", "cpus", "gpus", "nodes"):
    check(same(run.jobs[name][order].astype(float), files.jobs[name][place]), name)
check(list(run.states[order]) == list(files.jobs["state"][place]), "state")
for name, value in run.metrics.items():
    check(abs(value - files.metrics[name]) <= 1e-6 * max(1, abs(value)), name)
check(len(run.metrics) == len(files.metrics), "metrics")
check(run.digest == files.run["digest"].removeprefix("0x"), f"digest {run.digest} {files.run['digest']}")
charges = run.charges
total = np.nansum(run.jobs["wait_total"])
check(abs((charges["to"] - charges["from"]).sum() - total) < 1e-3, "charges add up")
check(np.all(np.diff(run.usage["time"]) >= 0) and len(run.usage["cpus_busy"]) == len(run.usage), "usage")
check("wait" in run.jobs and "nonsense" not in run.jobs and len(run.jobs) == len(told), "names")

step = world.start(policy)
half = np.nanmedian(run.jobs["submit"])
step.until(half)
started = ~np.isnan(step.jobs["start"]) & (step.jobs["start"] <= half)
check(same(step.jobs["start"][started], run.jobs["start"][started]), "the first half")
check(np.array_equal(started, run.jobs["start"] <= half), "who started")
check(set(step.queue()).isdisjoint(step.running()) and step.next > half, "queue and running")
busy = np.nansum(run.jobs["cpus"][step.running()])
check(step.free("cpus") + busy <= files.run["cluster"]["cpus"], "room")
while step.step():
    pass
check(step.next is None and step.end().digest == run.digest, "in steps as at once")

refused(2, "unknown policy", lambda: world.run("nonsense"))
refused(3, "cannot open", lambda: schedlab.Scenario("/nonexistent.swf"))
refused(2, "has no present state", lambda: step.free())
refused(2, "record=True", lambda: world.run(record=False).charges)
check(run.usage["suspended"].dtype == np.uint32, "suspended jobs are counted, not timed")
far = world.start()
far.until(1e30)
check(far.next is None, "beyond all times is the end")
for wrong in (lambda: far.until(float("nan")), lambda: world.run(seed=-1), lambda: world.run(seed=2**70)):
    try:
        wrong()
    except ValueError:
        continue
    check(False, "what is no time and no seed")
print(f"columns: {len(told)} jobs, {len(run.metrics)} metrics: as in the files")
