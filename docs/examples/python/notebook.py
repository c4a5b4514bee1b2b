# SPDX-License-Identifier: GPL-3.0-or-later
# A notebook as text: cells begin at "# %%" (VS Code, Spyder and Jupytext open it as one); it runs as a program too.

# %% [markdown]
# # Who waits, and when backfill helps
# A workload of 10 000 jobs on 256 processors, under two schedulers. Times are seconds.

# %%
import os
import sys

import numpy as np

here = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else os.getcwd()
for folder in ("../../../python", "../../python"):  # In the source tree; where it is installed.
    sys.path.insert(0, os.path.join(here, folder))
import schedlab

trace = os.environ.get("SCHEDLAB_TRACE", os.path.join(here, "../../../traces/bundled/lublin-256.swf"))

# %% [markdown]
# ## Two runs
# The trace is read once. `run` goes to the end; `metrics` has what metrics.json has.

# %%
world = schedlab.Scenario(trace)
runs = {policy: world.run(policy) for policy in ("fcfs", "easy")}
for policy, run in runs.items():
    print(f"{policy:5} wait {run.metrics['wait.mean']:>9.0f} s on average, utilization {run.metrics['utilization']:.3f}")

# %% [markdown]
# ## Who gains
# Columns are numpy arrays, a value a job, and rows are the same jobs in both runs.

# %%
wait = {policy: run.jobs["wait"] for policy, run in runs.items()}
cpus = runs["easy"].jobs["cpus"]
for low, high in ((1, 1), (2, 15), (16, 63), (64, 256)):
    some = (cpus >= low) & (cpus <= high)
    print(f"{low:>3} to {high:>3} cpus: {some.sum():>5} jobs, "
          f"{np.mean(wait['fcfs'][some]) / 3600:6.1f} h under fcfs, {np.mean(wait['easy'][some]) / 3600:5.1f} h under easy")

# %% [markdown]
# ## Why they waited
# Each second of a wait is charged to a reason.

# %%
charges = runs["easy"].charges
hours = (charges["to"] - charges["from"]) / 3600
for word in np.unique(charges["reason"]):
    print(f"{word:10} {hours[charges['reason'] == word].sum():9.0f} h")

# %% [markdown]
# ## A run in steps
# `step` goes to the next instant; between steps one can look at what is free, waits and runs.

# %%
step = world.start("easy", record=False)
longest = 0
while step.step():
    if len(queue := step.queue()) > longest:
        longest, at, idle = len(queue), step.now, step.free("cpus")
step.end()
print(f"most wait at {at:.0f} s: {longest} jobs, with {idle} processors idle")
print("the same run:", step.digest == runs["easy"].digest)
