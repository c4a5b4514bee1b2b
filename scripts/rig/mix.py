# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios of random jobs, by kind and seed: some 30 to 40 jobs that keep a small cluster's queue full, over in ten minutes.

The same kind and seed give the same scenario, on any machine. Odd seeds are for looking at, even ones are set apart.
"""
import json
import math
import os
import random

from .scenario import USERS, Bad, tasks_of

RUNS = (10, 15, 20, 30, 45, 60, 90, 120)
TARGET = 300  # Seconds that all jobs together would keep the whole cluster busy.
RUN_LEAST = 8
LIMITS = (1, 2, 3, 5, 10)  # Minutes.


class Mix:
    def __init__(self, kind, seed):
        self.rng = random.Random(f"schedlab slurm mix {kind} {seed}")
        self.kind, self.name = kind, f"{kind}-{seed:03}"
        self.users = [f"u{i}" for i in range(1, 7)]
        self.nodes, self.cpus, self.gpus = self.of(4, 5, 6, 8), self.of(4, 8, 16), 0
        self.partitions = [{"name": "p", "Nodes": "ALL", "Default": "YES", "State": "UP"}]
        self.conf, self.sched, self.events, self.accounting = {}, {}, [], None
        self.jobs, self.now = [], 0
        self.target = TARGET

    # ---- chance -----------------------------------------------------------------------------------

    def of(self, *choices):
        return choices[int(self.rng.random() * len(choices))]

    def between(self, least, most):
        return least + int(self.rng.random() * (most - least + 1))

    def happens(self, chance):
        return self.rng.random() < chance

    # ---- jobs -------------------------------------------------------------------------------------

    def job(self, **more):
        self.now += self.between(2, 9)
        job = {"id": f"J{len(self.jobs):02}", "t": self.now, "run": self.of(*RUNS), "mem": 100,
               "user": self.of(*self.users), **more}
        self.jobs.append(job)
        return job

    def some_cpus(self):
        """A job of a few cores, or of more than a node has."""
        form = self.between(0, 5)
        if form < 3:
            return {"ntasks": self.of(1, 1, 2, 3, self.cpus // 2, self.cpus)}
        if form == 3:
            return {"ntasks": self.of(1, 2), "cpus_per_task": self.of(2, self.cpus // 2)}
        if form == 4:
            return {"ntasks": self.cpus + self.of(1, 2, self.cpus // 2)}
        return {"nodes": 2, "ntasks_per_node": self.of(1, 2, self.cpus // 2)}

    def some_nodes(self):
        return {"nodes": min(self.of(1, 1, 2, 2, 3, self.nodes // 2, self.nodes - 1, self.nodes), self.nodes),
                "exclusive": True}

    def after_another(self, job, chance=0.1):
        if len(self.jobs) > 4 and self.happens(chance):
            job["dependency"] = "afterany:@" + self.jobs[self.between(0, len(self.jobs) - 2)]["id"]

    def accounts(self, qos=(), names=("A", "B")):
        q = {"qos": ",".join(["normal"] + [x["name"] for x in qos if x["name"] != "normal"])} if qos else {}
        self.accounting = {
            "qos": list(qos), "accounts": [{"name": n, "fairshare": self.of(10, 20, 40)} for n in names],
            "users": [{"name": u, "account": names[i * len(names) // len(self.users)], "fairshare": self.of(1, 2, 5), **q}
                      for i, u in enumerate(self.users)]}

    def multifactor(self, **weights):
        self.conf.update({"PriorityType": "priority/multifactor", "PriorityMaxAge": "0-00:20",
                          "PriorityDecayHalfLife": "0-01:00", "PriorityCalcPeriod": 1})
        for factor in ("Age", "JobSize", "Fairshare", "QOS", "Partition"):
            self.conf["PriorityWeight" + factor] = weights.get(factor, 0)

    def count(self):
        return self.between(32, 40)

    # ---- kinds ------------------------------------------------------------------------------------

    def cpu(self):
        for _ in range(self.count()):
            job = self.job(**(self.some_nodes() if self.happens(0.25) else self.some_cpus()))
            if self.happens(0.15):
                job["mem"] = self.of(self.cpus * 250, self.cpus * 600)
            self.after_another(job)

    def prio(self):
        qos = [{"name": "high", "priority": 100}, {"name": "low", "priority": 10}]
        self.accounts(qos)
        self.multifactor(Age=self.of(500, 2000), JobSize=self.of(0, 1000, 3000), QOS=self.of(1000, 3000))
        if self.happens(0.3):
            self.conf["PriorityFavorSmall"] = "YES"
        for _ in range(self.count()):
            job = self.job(qos=self.of("normal", "high", "low"),
                           **(self.some_nodes() if self.happens(0.3) else self.some_cpus()))
            if self.happens(0.15):
                job["nice"] = self.of(50, 300, 1000)

    def qos(self):
        qos = [{"name": "high", "priority": 100, "MaxTRESPerUser": f"cpu={2 * self.cpus}"},
               {"name": "low", "priority": 10, "GrpTRES": f"cpu={self.of(2, 3) * self.cpus}"},
               {"name": "short", "priority": 50, "MaxJobsPerUser": self.of(1, 2), "MaxWall": 2}]
        self.accounts(qos)
        self.multifactor(Age=500, QOS=3000, Fairshare=self.of(0, 5000))
        for _ in range(self.count()):
            self.job(qos=self.of("normal", "normal", "high", "low", "short"),
                     **(self.some_nodes() if self.happens(0.15) else self.some_cpus()))

    def part(self):
        self.nodes = self.of(6, 8)
        half = self.nodes // 2
        tier = self.of(1, 1, 10)
        self.partitions = [
            {"name": "p", "Nodes": "ALL", "Default": "YES", "State": "UP", "PriorityTier": 1},
            {"name": "q", "Nodes": f"n[1-{half}]", "Default": "NO", "State": "UP", "PriorityTier": tier},
            {"name": "r", "Nodes": f"n[{half}-{self.nodes}]", "Default": "NO", "State": "UP", "PriorityTier": 1,
             "MaxTime": 3, "MaxNodes": 2}]
        for _ in range(self.count()):
            name = self.of("p", "p", "q", "r", "q,p", "r,p")
            wide = {"nodes": self.of(1, 1, 2, half if name in ("p", "q", "q,p") else 2), "exclusive": True}
            job = self.job(partition=name, **(wide if self.happens(0.3) else self.some_cpus()))
            if "r" in name:
                job["run"] = min(job["run"], 90)
            self.after_another(job)

    def gpu(self):
        self.cpus, self.gpus = self.of(8, 16), self.of(2, 4, 8)
        for _ in range(self.count()):
            form = self.between(0, 7)
            if form < 2:
                asked = self.some_cpus()
            elif form < 4:
                asked = {"nodes": 1, "ntasks": self.of(1, 2), "gres": f"gpu:{self.between(1, self.gpus)}"}
            elif form == 4:
                asked = {"ntasks": 1, "gpus": self.between(1, self.gpus), "cpus_per_gpu": self.of(1, 2)}
            elif form == 5:
                asked = {"nodes": 2, "ntasks_per_node": 1, "gpus_per_node": self.between(1, self.gpus)}
            elif form == 6:
                asked = {"ntasks": self.of(1, 2, 3), "gpus_per_task": 1, "cpus_per_task": self.of(1, 2)}
            else:
                asked = self.some_nodes()
            self.after_another(self.job(**asked))

    def exclusive(self):
        for _ in range(self.count()):
            job = self.job(**(self.some_nodes() if self.happens(0.6) else self.some_cpus()))
            form = self.between(0, 11)
            if form == 0 and job.get("nodes") == 1:
                job["nodelist"] = f"n{self.between(1, self.nodes)}"
            elif form == 1 and job.get("nodes", 1) < self.nodes:
                job["exclude"] = f"n{self.between(1, self.nodes)}"
            elif form == 2 and job.get("exclusive") and job["nodes"] < self.nodes:
                job["nodes"] = f"{job['nodes']}-{self.nodes}"

    def fair(self):
        self.accounts(names=("A", "B", "C"))
        self.multifactor(Fairshare=10000, Age=self.of(0, 0, 500))
        for _ in range(self.count()):
            self.after_another(self.job(**(self.some_nodes() if self.happens(0.25) else self.some_cpus())))

    def preempt(self):
        """By partition or by QOS; what is taken away begins anew."""
        self.target = TARGET * 2 // 3
        by_qos = self.happens(0.5)
        if by_qos:
            self.accounts([{"name": "high", "priority": 100, "preempt": "low"}, {"name": "low", "priority": 10}])
            self.multifactor(QOS=3000)
            self.conf.update({"PreemptType": "preempt/qos", "PreemptMode": "REQUEUE"})
        else:
            self.partitions = [
                {"name": "low", "Nodes": "ALL", "Default": "YES", "State": "UP", "PriorityTier": 1},
                {"name": "high", "Nodes": "ALL", "Default": "NO", "State": "UP", "PriorityTier": 10, "PreemptMode": "off"}]
            self.conf.update({"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE"})
        for _ in range(self.count()):
            level = self.of("low", "low", "low", "high")
            asked = self.some_nodes() if self.happens(0.4) else self.some_cpus()
            self.job(**{"qos" if by_qos else "partition": level}, **asked)

    def array(self):
        tasks, most = 0, self.count()
        while tasks < most:
            asked = self.some_nodes() if self.happens(0.15) else self.some_cpus()
            job = self.job(**asked)
            if self.happens(0.3):
                size = self.between(2, 5)
                job["array"] = f"1-{size}" + self.of("", "", "%1", "%2")
                if self.happens(0.5):
                    job["run"] = {str(i): self.of(*RUNS) for i in range(1, size + 1)}
                tasks += size - 1
            tasks += 1
            self.now += self.between(0, 4)
            if self.happens(0.1):
                job["exit"] = 1
            elif len(self.jobs) > 3 and self.happens(0.35):
                other = self.jobs[self.between(max(0, len(self.jobs) - 8), len(self.jobs) - 2)]
                kind = self.of("afterany", "afterany", "afterok", "after", "afternotok")
                if kind == "afternotok" and not other.get("exit"):
                    kind = "afterok"
                elif kind == "afterok" and other.get("exit"):
                    kind = "afternotok"
                job["dependency"] = f"{kind}:@{other['id']}"

    def resv(self):
        """One for maintenance, one for two users, announced while jobs run."""
        wide = self.between(1, max(1, self.nodes // 2))
        start, first = self.between(150, 220), self.between(1, self.nodes - wide + 1)
        at = self.between(20, 60)
        self.events.append({"t": at, "cmd": "scontrol create reservation ReservationName=m "
                            f"StartTime=now+{start - at} Duration={self.of(1, 2)} Users=root Flags=maint,ignore_jobs "
                            f"Nodes=n[{first}-{first + wide - 1}]"})
        at, owners = self.between(70, 110), self.users[:2]
        self.events.append({"t": at, "cmd": "scontrol create reservation ReservationName=r "
                            f"StartTime=now+{self.of(0, 30, 60) or 1} Duration={self.of(2, 3)} "
                            f"Users={','.join(USERS[u] for u in owners)} NodeCnt={self.of(1, 2)} PartitionName=p "
                            "Flags=ignore_jobs"})
        for _ in range(self.count()):
            job = self.job(**({"nodes": self.of(1, 1, 2, self.nodes // 2), "exclusive": True} if self.happens(0.3)
                              else self.some_cpus()))
            if job["t"] > at + 5 and job["user"] in owners and self.happens(0.5):
                job["reservation"] = "r"
                for k in [k for k in job if k in ("nodes", "ntasks", "cpus_per_task", "ntasks_per_node", "exclusive")]:
                    del job[k]
                job["ntasks"] = self.of(1, 2, self.cpus)

    def whole(self):
        """Whole nodes whatever is asked, and priority by size."""
        if self.happens(0.4):
            self.conf.update({"SelectType": "select/linear", "SelectTypeParameters": "CR_Memory"})
        else:
            self.partitions[0]["OverSubscribe"] = "EXCLUSIVE"
        if self.happens(0.6):
            self.accounts()
            self.multifactor(JobSize=self.of(1000, 3000), Age=self.of(0, 1000))
        self.nodes = self.of(8, 10, 12)
        for _ in range(self.count()):
            size = self.of(1, 1, 2, 3, 4, self.nodes // 2, self.nodes)
            form = self.between(0, 5)
            asked = {"ntasks": size * self.cpus - self.of(0, 1)} if form == 0 else {"nodes": size}
            if form == 1 and size < self.nodes:
                asked = {"nodes": f"{size}-{min(size + 2, self.nodes)}"}
            self.after_another(self.job(**asked))

    # ---- the whole ----------------------------------------------------------------------------------

    def share(self, job):
        """Of the cluster, that a job takes."""
        cpus, nodes = self.nodes * self.cpus, int(str(job.get("nodes", 0)).split("-", maxsplit=1)[0])
        ntasks = job.get("ntasks", max(1, nodes) * job.get("ntasks_per_node", 1))
        cores = ntasks * job.get("cpus_per_task", 1)
        out = cores / cpus
        if self.gpus:
            per_node = job.get("gpus_per_node", int(str(job.get("gres", "gpu:0")).rpartition(":")[2])) * max(1, nodes)
            gpus = max(per_node, job.get("gpus", 0), job.get("gpus_per_task", 0) * ntasks)
            out = max(out, gpus / (self.nodes * self.gpus))
        out = max(out, job["mem"] * max(1, nodes) / (self.nodes * self.cpus * 1000))
        if self.kind == "whole":
            return max(nodes, math.ceil(cores / self.cpus)) / self.nodes
        return max(out, nodes / self.nodes) if job.get("exclusive") else out

    def scale(self):
        """Run times, so that all are over in time; then limits."""
        work = 0.0
        for j in self.jobs:
            runs = j["run"].values() if isinstance(j["run"], dict) else [j["run"]] * len(tasks_of(j.get("array", "1")))
            work += self.share(j) * sum(runs)
        by = min(1.5, self.target / work)
        for j in self.jobs:
            if isinstance(j["run"], dict):
                j["run"] = {k: max(RUN_LEAST, round(v * by)) for k, v in j["run"].items()}
            else:
                j["run"] = max(RUN_LEAST, round(j["run"] * by))
            longest = max(j["run"].values()) if isinstance(j["run"], dict) else j["run"]
            most = 2 if j.get("qos") == "short" else 3 if "r" in j.get("partition", "") else LIMITS[-1]
            if longest > most * 60 - 5:
                j["run"] = longest = most * 60 - 5
            fits = [m for m in LIMITS if m * 60 >= longest and m <= most]
            j["time"] = self.of(*fits[:3])

    def scenario(self):
        getattr(self, self.kind)()
        self.scale()
        node = {"name": f"n[1-{self.nodes}]", "cpus": self.cpus, "mem": self.cpus * 1000}
        cluster = {"nodes": [node], "partitions": self.partitions}
        if self.gpus:
            node["gres"] = f"gpu:{self.gpus}"
            cluster["gres_types"] = ["gpu"]
        for key, v in (("conf", self.conf), ("sched", self.sched)):
            if v:
                cluster[key] = v
        out = {"name": self.name, "note": f"{len(self.jobs)} random jobs ({self.kind}) on {self.nodes} nodes.",
               "cluster": cluster, "max": 800, "jobs": self.jobs}
        if self.accounting:
            out["accounting"] = self.accounting
        if self.events:
            out["events"] = self.events
        return out


KINDS = ("cpu", "prio", "qos", "part", "gpu", "exclusive", "fair", "preempt", "array", "resv", "whole")


def make(kind, seed):
    if kind not in KINDS:
        raise Bad(f"kind of mix '{kind}' is none of {', '.join(KINDS)}")
    if seed < 0:
        raise Bad("a seed is 0 or more")
    return Mix(kind, seed).scenario()


def text(scn):
    """A line a job."""
    lines = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in scn.items() if k != "jobs"]
    lines.append(' "jobs": [\n  ' + ",\n  ".join(json.dumps(j) for j in scn["jobs"]) + "\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(kind, seed, folder):
    scn = make(kind, seed)
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/scenario.json", "w", encoding="utf-8") as f:
        f.write(text(scn))
    return len(scn["jobs"])
