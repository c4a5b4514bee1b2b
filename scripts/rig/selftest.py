# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be tested without Slurm: files, comparisons, scenarios out of a site's files."""
import csv
import hashlib
import json
import os
import shutil
import tempfile

from . import chroot, compare, mix, record, replay, scenario, setup, slurm, trace

GOLDEN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tests", "golden", "slurm")

SITE_CONF = """# A site's.
ClusterName=site
SlurmctldHost=ctl
SchedulerParameters=bf_window=2880,bf_continue
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/basic
NodeName=DEFAULT RealMemory=4000 Sockets=2 \\
  CoresPerSocket=4
NodeName=n[1-2] CPUs=8 Gres=gpu:a100:2(S:0-1) Weight=10
PartitionName=DEFAULT MaxTime=60
PartitionName=p Nodes=n[1-2] Default=YES # The only one.
"""
SITE_SACCT = """JobID|User|Submit|ElapsedRaw|Timelimit|ExitCode|SubmitLine
7|ann|2024-03-01T10:00:00|30|00:02:00|0:0|sbatch -N 1 --mem=100 -n2 --gres gpu:a100:1 --exclusive a.sh --nodes=9
7.batch||2024-03-01T10:00:00|30||0:0|
8_1|bob|2024-03-01T10:00:05|10|00:01:00|3:0|sbatch --array=1-2 -pp b.sh
9|bob|2024-03-01T10:00:06|0|00:01:00|0:0|sbatch c.sh
"""
ACCOUNTING = {"qos": [{"name": "high", "Priority": 100, "GraceTime": 20, "MaxJobsPerUser": 1}],
              "accounts": [{"name": "a", "fairshare": 3, "GrpTRES": "cpu=4"}, {"name": "b", "parent": "a", "MaxWall": 5}],
              "users": [{"name": "u1", "account": "b", "qos": "+high", "defaultqos": "high"}]}

# A digest of what mix.py makes of seeds 1 to 8.
MIXES = "c2638bf91736d1b3"


class Tests:
    def __init__(self, work):
        self.work, self.failed, self.passed = work, 0, 0

    def same(self, what, got, want):
        if got == want:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}: got {got!r}, want {want!r}")

    def words(self):
        self.same("hosts", scenario.expand("n[1-3,5],m,g[08-10]"),
                  ["n1", "n2", "n3", "n5", "m", "g08", "g09", "g10"])
        self.same("tasks", scenario.tasks_of("1-6:2,9%2"), [1, 3, 5, 9])
        self.same("options", scenario.options({"id": "B", "t": 0, "run": 5, "ntasks_per_node": 2, "exclusive": True,
                                               "dependency": "afterok:@A", "hold": False}, {"A": 7}),
                  ["--ntasks-per-node=2", "--exclusive", "--dependency=afterok:7"])
        self.same("a line", trace.options_of("sbatch -N 2-4 --mem 5G --hold -c4 --wrap=x -n 9 --begin=now run.sh -n 8"),
                  {"nodes": "2-4", "mem": "5G", "cpus_per_task": "4", "ntasks": "9"})
        self.same("a limit", trace.seconds_of("1-02:03:04"), 93784)

    def conf(self):
        scn = {"cluster": {"nodes": [{"name": "n[1-2]", "cpus": 8, "sockets": 2, "mem": 500, "gres": "gpu:t:2",
                                      "gres_cores": ["0-3", "4-7"], "weight": 5}],
                           "partitions": [{"name": "p", "Nodes": "ALL", "Default": "YES"}],
                           "conf": {"KillWait": 30}, "sched": {"bf_interval": 30, "bf_continue": False, "defer": ""},
                           "gres_types": ["gpu"]}, "jobs": []}
        scenario.write_conf(scn, self.work)
        with open(f"{self.work}/slurm.conf", encoding="utf-8") as f:
            lines = f.read().split("\n")
        self.same("parameters", [x for x in lines if x.startswith("SchedulerParameters")],
                  ["SchedulerParameters=bf_resolution=1,bf_max_time=60,sched_interval=1,batch_sched_delay=0,"
                   "sched_min_interval=1,bf_interval=30,defer"])
        self.same("KillWait", [x for x in lines if x.startswith("KillWait")], ["KillWait=30"])
        self.same("nodes", [x for x in lines if x.startswith("NodeName")],
                  ["NodeName=n[1-2] CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=500 Gres=gpu:t:2 "
                   "Weight=5"])
        self.same("devices", scenario.gres_lines(scn),
                  ["NodeName=n[1-2] Name=gpu Type=t File=/dev/gpu0 Cores=0-3",
                   "NodeName=n[1-2] Name=gpu Type=t File=/dev/gpu1 Cores=4-7"])

    def tables(self):
        def rows(lines):
            return list(csv.DictReader(lines, delimiter="|"))
        assoc = {(r["Account"], r["User"]): r for r in rows(replay.accounts_lines(ACCOUNTING))}
        self.same("tree", [(k, r["ParentName"]) for k, r in assoc.items()],
                  [(("root", ""), ""), (("root", "root"), ""), (("a", ""), "root"), (("b", ""), "a"), (("b", "u1"), "")])
        self.same("shares", [assoc["a", ""]["Share"], assoc["b", ""]["Share"]], ["3", "1"])
        self.same("a wall", assoc["b", ""]["MaxWall"], "00:05:00")
        self.same("a user", [assoc["b", "u1"]["QOS"], assoc["b", "u1"]["Def QOS"]], ["normal,high", "high"])
        qos = {r["Name"]: r for r in rows(replay.qos_lines(ACCOUNTING))}
        self.same("QOS", [qos["high"][k] for k in ("Priority", "GraceTime", "MaxJobsPU", "UsageFactor")],
                  ["100", "00:00:20", "1", "1.000000"])
        self.same("normal", "normal" in qos, True)

    def trace_lines(self):
        scn = {"name": "x", "cluster": {"nodes": [], "partitions": []}, "folder": self.work,
               "events": [{"t": 61, "cmd": "scontrol create reservation Users=games,u9 Nodes=@A"}],
               "jobs": [{"id": "A", "t": 3, "run": {"1": 20, "2": 40}, "array": "1-2", "user": "u1", "exit": 2},
                        {"id": "B", "t": 5, "run": 30, "time": 1}]}
        rows = {("A_1", 0): {"jobid": "5", "state": "COMPLETED", "submit": "3", "start": "4", "end": "23"},
                ("A_2", 0): {"jobid": "4", "state": "CANCELLED", "submit": "3", "start": "4", "end": "9"},
                ("B", 0): {"jobid": "6", "state": "TIMEOUT", "submit": "6", "start": "7", "end": "90"}}
        r = replay.Replay(scn, rows, self.work)
        lines = [x.split("|") for x in r.sacct_lines()[1:]]
        self.same("numbers", [x[0] for x in lines], ["4_1", "4_2", "6"])
        self.same("run times", [x[9] for x in lines], ["20", "40", "30"])
        self.same("submissions", [x[6] for x in lines],
                  ["2024-01-01T00:00:03", "2024-01-01T00:00:03", "2024-01-01T00:00:06"])
        self.same("exit", [x[10:12] for x in lines][1], ["FAILED", "2:0"])
        self.same("commands", r.command_lines(),
                  ["2024-01-01T00:01:01 scontrol create reservation Users=u1,u9 Nodes=4"])

    def comparisons(self):
        name = "04-backfill-basic"
        a, b = os.path.join(GOLDEN, name), os.path.join(self.work, name)
        if not os.path.isdir(a):
            return
        shutil.copytree(a, b)
        self.same("with itself", compare.compare(a, b).differences, [])
        shutil.copy(f"{b}/expected.csv", f"{b}/{compare.SECOND}")
        self.same("its second", [[(n, compare.compare(f, s).differences) for n, f, s in compare.twice(x)] for x in (b, self.work)],
                  [[(name, [])]] * 2)
        rows = compare.rows_of(b)
        first, *_, last = sorted(rows, key=lambda k: float(rows[k]["start"]))
        rows[last]["start"] = str(int(rows[last]["start"]) + 4)
        found = compare.Comparison(compare.rows_of(a), rows).differences
        self.same("4 s late", [len(found), last[0] in found[0][1]], [1, True])
        rows = compare.rows_of(b)
        rows[first]["nodelist"] = "n9"
        self.same("nodes", len(compare.Comparison(compare.rows_of(a), rows).differences), 1)
        self.same("nodes ignored", len(compare.Comparison(compare.rows_of(a), rows, nodes=False).differences), 0)
        rows[first]["nodelist"], rows[first]["state"] = compare.rows_of(a)[first]["nodelist"], "FAILED"
        self.same("state", len(compare.Comparison(compare.rows_of(a), rows).differences), 1)
        rows = {k: dict(r) for k, r in compare.rows_of(a).items()}
        rows[first]["start"] = str(int(rows[last]["start"]) + 50)
        self.same("order", any("before" in d[1] for d in compare.Comparison(compare.rows_of(a), rows).differences), True)
        del rows[first]
        self.same("missing", compare.Comparison(compare.rows_of(a), rows).differences[0][1].endswith("the first"), True)

    def releases(self):
        def of(*given):
            try:
                return chroot.release_of(*given)
            except scenario.Bad as e:
                return str(e).split(" ", maxsplit=1)[0]
        self.same("none", of(None, None), None)
        self.same("a release", of("trixie", None), "trixie")
        self.same("a version", [of(None, "22.05"), of(None, "26.05")], ["bookworm", "forky"])
        self.same("both", of("sid", "26.05"), "sid")
        self.same("both, at odds", of("bookworm", "24.11"), "no")
        self.same("unknown", [of("potato", None), of(None, "9.1")], ["release", "no"])
        self.same("its maker", chroot.maker("forky", "/x")[-3:], ["forky", "/x", chroot.MIRROR])
        self.same("packages", [p in chroot.packages() for p in ("slurmctld", "mariadb-server", "munge", "python3")], [True] * 4)
        c = chroot.Chroot("/nowhere", "trixie", "24.11")
        self.same("a command", c.command(["s", "w", "i", "o"], "x y", ["run"])[-7:],
                  ["/nowhere/trixie", "s", "w", "i", "o", "x y", "run"])
        self.same("versions", [setup.version_in(x) for x in ("slurm-wlm 24.11.5", "slurm 22.05.8\n", "?", None)],
                  [(24, 11, 5), (22, 5, 8), None, None])
        self.same("cgroups", [slurm.cgroup_lines(v)[0] for v in ((22, 5, 8), (23, 11, 0), (26, 5, 5), None)],
                  ["CgroupAutomount=no", "CgroupPlugin=disabled", "CgroupPlugin=disabled", "CgroupAutomount=no"])

    def spoiled(self):
        """What is said of a recording that a busy machine spoiled."""
        scn = {"jobs": [{"id": "A", "run": 10}, {"id": "B_x", "run": 10}, {"id": "C", "run": {"1": 5, "2": 7}, "array": "1-2"}]}
        rows = [[name, "1", n, "", "p", 0, 0, start, end, state] for name, n, start, end, state in (
            ("A", 0, 5, 16, "PREEMPTED"), ("A", 1, 20, 32, "COMPLETED"), ("B_x", 0, 5, 16, "COMPLETED"), ("C_1", 0, 5, 11, "FAILED"),
            ("C_2", 0, 5, 14, "COMPLETED"), ("C_2", 1, "", "", "PENDING"), ("D", 0, 5, 99, "COMPLETED"))]
        self.same("overlong", record.overlong(scn, rows), {"A (attempt 1)": 2, "C_2": 2})
        self.same("suspendable", record.overlong({**scn, "suspendable": True}, rows), {})
        path, meta = f"{self.work}/meta.json", {"slurm": "slurm-wlm 24.11.5", "submit_lateness_s_max": 0.1,
                                                "submit_lateness_s": [0.1, 0.0], "overlong": {}}
        record.write_meta(path, meta, False)
        self.same("the release of a recording", [record.version_of(self.work), record.version_of("/nowhere")], ["24.11", None])
        self.same("nothing against it", record.remarks(self.work), "")
        record.write_meta(path, {**meta, "submit_lateness_s_max": 0.5, "overlong": {"A": 2}}, True)
        self.same("nor against the first", record.remarks(self.work), "")
        self.same("against the second", record.remarks(self.work, True), "submitted up to 0.5 s late; ran longer than asked: A by 2 s")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.same("both in one", [json.loads(text)["overlong"], json.loads(text)["second"]["overlong"]], [{}, {"A": 2}])
        self.same("a list, a line", ' "submit_lateness_s": [ 0.1, 0.0 ],' in text.split("\n"), True)

    def mixes(self):
        """The same on any machine: what was recorded of a kind and seed stays what it makes."""
        texts = [mix.text(mix.make(kind, seed)) for kind in mix.KINDS for seed in range(1, 9)]
        self.same("mixes", hashlib.sha256("".join(texts).encode()).hexdigest()[:16], MIXES)
        self.same("unlike", len(set(texts)), len(texts))
        scns = [json.loads(t) for t in texts]
        counts = [sum(len(scenario.tasks_of(j.get("array", "1"))) for j in s["jobs"]) for s in scns]
        self.same("how many", [min(counts) >= 30, max(counts) <= 45], [True, True])

        def bad(s, j):
            runs = j["run"].values() if isinstance(j["run"], dict) else [j["run"]]
            parts = {p["name"]: int(p.get("MaxTime", 60)) for p in s["cluster"]["partitions"]}
            most = min(parts[p] for p in j.get("partition", s["cluster"]["partitions"][0]["name"]).split(","))
            return max(runs) > 60 * j["time"] or j["time"] > most or j["t"] > 300
        self.same("ends within its limit", [(s["name"], j["id"]) for s in scns for j in s["jobs"] if bad(s, j)], [])
        ids = [(s["name"], j["id"]) for s in scns for n, j in enumerate(s["jobs"])
               if "dependency" in j and j["dependency"].rpartition("@")[2] not in [x["id"] for x in s["jobs"][:n]]]
        self.same("after earlier ones", ids, [])
        made = f"{self.work}/mix"
        self.same("written", mix.write("resv", 4, made), len(scenario.load(made)["jobs"]))
        said = replay.Replay(scenario.load(made), {}, f"{self.work}/files", "24.11").write()
        self.same("by release", said[said.index("-p") + 1], "slurm:version=24.11")

    def site(self):
        site, out = f"{self.work}/site", f"{self.work}/made"
        os.makedirs(site)
        for name, text in (("slurm.conf", SITE_CONF), ("sacct.txt", SITE_SACCT)):
            with open(f"{site}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        self.same("jobs of a site", trace.make(site, f"{site}/sacct.txt", out), 2)
        scn = scenario.load(out)
        self.same("node of a site", scn["cluster"]["nodes"],
                  [{"name": "n[1-2]", "cpus": 8, "mem": 4000, "sockets": 2, "cores": 4, "threads": 1,
                    "gres": "gpu:a100:2", "weight": 10}])
        self.same("partition", scn["cluster"]["partitions"],
                  [{"name": "p", "MaxTime": "60", "Nodes": "n[1-2]", "Default": "YES"}])
        self.same("no path or host", "SlurmctldHost" in scn["cluster"]["conf"], False)
        self.same("its parameters alone", scenario.scheduler_parameters(scn), "bf_continue,bf_window=2880")
        self.same("first job", scn["jobs"][0],
                  {"id": "J7", "t": 0, "run": 30, "user": "u1", "nodes": "1", "mem": "100", "ntasks": "2",
                   "gres": "gpu:a100:1", "exclusive": True, "time": 2})
        self.same("task", scn["jobs"][1],
                  {"id": "J8t1", "t": 5, "run": 10, "user": "u2", "exit": 3, "partition": "p", "time": 1})

    def golden(self):
        """Every scenario's files can be written."""
        count = 0
        for name in sorted(os.listdir(GOLDEN)) if os.path.isdir(GOLDEN) else []:
            folder = os.path.join(GOLDEN, name)
            if os.path.exists(f"{folder}/scenario.json"):
                scn = scenario.load(folder)
                replay.Replay(scn, compare.rows_of(folder), f"{self.work}/files").write()
                count += 1
        self.same("scenarios written", count > 50 or not os.path.isdir(GOLDEN), True)


def run():
    """How many failed."""
    with tempfile.TemporaryDirectory() as work:
        t = Tests(work)
        for test in (t.words, t.conf, t.tables, t.trace_lines, t.comparisons, t.releases, t.spoiled, t.mixes, t.site, t.golden):
            test()
    print(f"{t.passed} passed, {t.failed} failed")
    return t.failed
