# SPDX-License-Identifier: GPL-3.0-or-later
"""A policy that is learned: which of the first eight waiting jobs starts, by a linear score of what is seen of it.

usage: PYTHONPATH=python python3 docs/examples/python/learn.py

REINFORCE with a running mean as its baseline (Williams, Machine Learning 8, 1992) on short logs of one model, each
episode another seed; then judged on logs that it has not seen, beside rules that need no learning.
"""
import os
import subprocess
import tempfile

import numpy as np
import schedlab

SLOTS, FEATURES, EPISODES = 8, 5, 80


def logs(folder, seeds):
    for seed in seeds:
        path = f"{folder}/{seed}.swf"
        subprocess.run([os.environ.get("SCHEDLAB", "schedlab"), "generate", "lublin", "--jobs", "150", "--cpus", "64",
                        "--load", "0.9", "--seed", str(seed), "-o", path], check=True)
        yield schedlab.SchedlabEnv(schedlab.Scenario(path), slots=SLOTS, reward="bounded_slowdown")


def rows(seen):
    return seen[:SLOTS * FEATURES].reshape(SLOTS, FEATURES)


def episode(env, choose):
    seen, info = env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        seen, reward, over, _, info = env.step(choose(seen, info["action_mask"]))
        total += reward
    return total


class Learner:
    """Softmax over w . features of what is offered; it never waits when something could start."""

    def __init__(self):
        self.w = np.zeros(FEATURES)
        self.rng = np.random.default_rng(1)
        self.gradient = np.zeros(FEATURES)
        self.greedy = False

    def choose(self, seen, mask):
        offered = np.flatnonzero(mask[:SLOTS])
        x = rows(seen)[offered]
        score = x @ self.w
        if self.greedy:
            return int(offered[np.argmax(score)])
        p = np.exp(score - score.max())
        p /= p.sum()
        k = self.rng.choice(len(offered), p=p)
        self.gradient += x[k] - p @ x
        return int(offered[k])

    def learn(self, env, mean):
        self.gradient[:] = 0
        total = episode(env, self.choose)
        size = np.linalg.norm(self.gradient)
        if size > 0:
            self.w += 0.3 * np.sign(total - mean) * self.gradient / size
        return total


def first(seen, mask):
    return int(np.flatnonzero(mask[:SLOTS])[0])


def shortest(seen, mask):
    offered = np.flatnonzero(mask[:SLOTS])
    return int(offered[np.argmin(rows(seen)[offered, 2])])


def main():
    with tempfile.TemporaryDirectory() as folder:
        train, test = list(logs(folder, range(1, 9))), list(logs(folder, range(101, 107)))
        learner = Learner()
        mean = [episode(env, first) for env in train]
        for i in range(EPISODES):
            k = i % len(train)
            mean[k] += 0.2 * (learner.learn(train[k], mean[k]) - mean[k])
        learner.greedy = True
        for name, rule in (("first that fits", first), ("shortest that fits", shortest), ("learned", learner.choose)):
            print(f"{name:20s} bounded slowdown {-np.mean([episode(env, rule) for env in test]):10.2f}")
        print("weights of there, waited, limit, size, offered:", np.round(learner.w, 2))


main()
