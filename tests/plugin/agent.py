# SPDX-License-Identifier: GPL-3.0-or-later
"""agent.py - SchedlabEnv: agents that are policies by digest, rewards, masks, by gymnasium's own rules of environments

usage: agent.py TRACE CHOICES GPU_TRACE GPU_CLUSTER (written: those of the fcfs agent)
"""
import sys
import threading

import numpy as np
import schedlab


def check(claim, what):
    if not claim:
        sys.exit(f"agent: not so: {what}")


def episode(env, choose, seed=1):
    """Its info at the end, and the sum of its rewards; each step by the rules of gymnasium.utils.env_checker."""
    seen, info = env.reset(seed=seed)
    total = 0.0
    over = False
    while not over:
        mask = info["action_mask"]
        check(env.observation_space.contains(seen) and seen.dtype == np.float32, "an observation of the space")
        check(mask.dtype == bool and mask.shape == (env.action_space.n,) and mask.any(), "a mask with a true")
        check(np.array_equal(mask, env.action_masks()), "one mask")
        action = choose(mask, seen)
        check(env.action_space.contains(action), "an action of the space")
        seen, reward, over, cut, info = env.step(action)
        check(isinstance(reward, float) and np.isfinite(reward) and over in (True, False) and cut is False, "a step")
        total += reward
    return info, total


def first(mask, _seen):
    """Whoever is first of those that are offered."""
    return int(np.argmax(mask))


def strict(mask, _seen):
    """The first in the queue or nobody."""
    return 0 if mask[0] else len(mask) - 1


trace, written, gpu_trace, gpu_cluster = sys.argv[1:5]
world = schedlab.Scenario(trace)
many = len(world.run("fcfs").jobs)  # No queue is longer.
greedy = schedlab.SchedlabEnv(world, slots=min(many, 4096))
info, total = episode(greedy, first)
check(info["digest"] == world.run("greedy").digest, "the first that fits is greedy")
check(abs(total + info["metrics"]["wait.mean"]) < 1e-5, f"rewards are the wait: {total}")
easy = schedlab.SchedlabEnv(world, slots=min(many, 4096), reward="bounded_slowdown", mask="easy")
info, total = episode(easy, first)
check(info["digest"] == world.run("easy").digest, "the first that delays not the head is easy")
check(abs(total + info["metrics"]["bounded_slowdown.mean"]) < 1e-5, f"rewards are the slowdown: {total} {info['metrics']['bounded_slowdown.mean']}")
fcfs = schedlab.SchedlabEnv(world, slots=8, reward="utilization")
info, total = episode(fcfs, strict)
check(info["digest"] == world.run("fcfs").digest, "strictly the head is fcfs")
check(abs(total - info["metrics"]["utilization.cpus"]) < 1e-5, f"rewards are the utilization: {total}")
fcfs.save_choices(written)
again = world.run(f"agent:slots=8,choices={written}", check=True)
check(again.digest == info["digest"], "recorded choices, each pass twice")

# The same seed, the same first observation and episode; another environment beside it, on a thread.
one, _ = fcfs.reset(seed=7)
two, _ = fcfs.reset(seed=7)
check(np.array_equal(one, two), "reset is reproducible")
found = []
agents = [threading.Thread(target=lambda: found.append(
    episode(schedlab.SchedlabEnv(world, slots=8), strict)[0]["digest"])) for _ in range(3)]
for agent in agents:
    agent.start()
for agent in agents:
    agent.join()
check(found == [info["digest"]] * 3, "three at once")

# What is refused leaves the question open.
_, now = fcfs.reset()
masked = int(np.argmin(now["action_mask"]))
for wrong in (masked, 99, -1):
    try:
        fcfs.step(wrong)
    except ValueError:
        continue
    sys.exit(f"agent: action {wrong} is taken")
try:
    fcfs.run.end()
except schedlab.Error as error:
    check(error.status == 2 and "awaits a decision" in str(error), str(error))
else:
    sys.exit("agent: a run ends at a question")
fcfs.step(first(now["action_mask"], None))

# Nodes with GPUs: what is free of each adds up, and what runs has the rest; what jobs ask is told.
nodes = schedlab.SchedlabEnv(schedlab.Scenario(gpu_trace, gpu_cluster), slots=8)
_, now = nodes.reset()
over = False
while not over:
    at, asked = nodes.run.nodes, nodes.run.jobs
    check(nodes.run.free("gpus") == at["gpus_free"].sum() and np.all(at["gpus_free"] <= at["gpus"]), "free GPUs")
    check(np.all(at["cpus_free"] >= 0) and nodes.run.free("cpus") == at["cpus_free"].sum(), "free cpus")
    held = asked["asks_gpus"][nodes.run.running()].sum()
    check(held == (at["gpus"] - at["gpus_free"]).sum(), "GPUs are free or held by what runs")
    _, _, over, _, now = nodes.step(first(now["action_mask"], None))
check(nodes.run.jobs["asks_gpus"].max() > 0, "some ask for GPUs")
