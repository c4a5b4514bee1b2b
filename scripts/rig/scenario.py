# SPDX-License-Identifier: GPL-3.0-or-later
"""A scenario: cluster, jobs, what the operator did. Fields: docs/validate-slurm.md."""
import json
import os
import re

# A scenario's users -> users that exist on any Debian system.
USERS = {"u1": "games", "u2": "man", "u3": "lp", "u4": "mail", "u5": "news",
         "u6": "uucp", "u7": "proxy", "u8": "www-data", "u9": "daemon", "u10": "bin",
         "u11": "sys", "u12": "backup", "u13": "list", "u14": "irc", "u15": "nobody"}
NAMES = {v: k for k, v in USERS.items()}
# For what runs in real time, whatever clock Slurm sees.
UNFAKED = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD" and not k.startswith("FAKETIME")}
# Of a job, what is no option of sbatch.
NOT_SBATCH = {"id", "t", "run", "user", "exit", "comment_", "hetjob"}

CONF = {
    "ClusterName": "rig", "SlurmctldHost": "localhost", "ReturnToService": 2,
    "SlurmdParameters": "config_overrides", "SelectType": "select/cons_tres",
    "SelectTypeParameters": "CR_Core_Memory", "SchedulerType": "sched/backfill",
    "PriorityType": "priority/basic", "MinJobAge": 100000, "MessageTimeout": 100,
    "SlurmdTimeout": 60000, "InactiveLimit": 0, "KillWait": 5,
}
ACCOUNTING = {"AccountingStorageType": "accounting_storage/slurmdbd",
              "AccountingStorageEnforce": "associations,limits,qos"}
POWER = {"SuspendProgram": "/bin/true", "ResumeProgram": "/bin/true",
         "ResumeRate": 0, "SuspendRate": 0}
SCHED = {"bf_interval": "1", "bf_resolution": "1", "bf_continue": "", "bf_max_time": "60",
         "sched_interval": "1", "batch_sched_delay": "0", "sched_min_interval": "1"}


class Bad(Exception):
    """Something the user has to know; one line."""


def load(path):
    """The scenario of a folder or a file; its folder is kept as `folder`."""
    if os.path.isdir(path):
        path = os.path.join(path, "scenario.json")
    try:
        with open(path, encoding="utf-8") as f:
            scn = json.load(f)
    except OSError as e:
        raise Bad(f"{path}: {e.strerror}") from e
    except ValueError as e:
        raise Bad(f"{path}: not JSON: {e}") from e
    for key in ("cluster", "jobs"):
        if key not in scn:
            raise Bad(f"{path}: no {key}")
    folder = os.path.dirname(os.path.abspath(path))
    scn.setdefault("name", os.path.basename(folder))
    scn["folder"], scn["file"] = folder, os.path.basename(path)
    return scn


def expand(hosts):
    """n[1-3,5] -> list of names (one bracket a name)."""
    out = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", hosts):
        m = re.match(r"(.*)\[(.*)\]$", part)
        if not m:
            out.append(part)
            continue
        for r in m.group(2).split(","):
            a, _, b = r.partition("-")
            for i in range(int(a), int(b or a) + 1):
                out.append(m.group(1) + str(i).zfill(len(a)))
    return out


def value(v):
    """As slurm.conf and sbatch have it; None: it is not to be there. True is a flag: ''."""
    if v is None or v is False:
        return None
    return "" if v is True else str(v)


def scheduler_parameters(scn):
    given = scn["cluster"].get("sched", {})
    both = {k: v for k, v in SCHED.items() if k not in given}
    both.update(given)
    texts = [(k, value(v)) for k, v in both.items()]
    return ",".join(f"{k}={v}" if v else k for k, v in texts if v is not None)


def global_keys(scn, more=None):
    """slurm.conf's keys of the whole cluster; more: what a rig adds, stronger than the defaults."""
    c = scn["cluster"]
    conf = dict(CONF)
    if "power" in scn:
        conf.update(POWER)
    if "accounting" in scn:
        conf.update(ACCOUNTING)
        if c.get("gres_types"):
            conf["AccountingStorageTRES"] = "gres/gpu"
    conf.update(more or {})
    conf.update(c.get("conf", {}))
    params = scheduler_parameters(scn)
    if params:
        conf["SchedulerParameters"] = params
    if c.get("gres_types"):
        conf["GresTypes"] = ",".join(c["gres_types"])
    return [f"{k}={value(v)}" for k, v in conf.items() if value(v) is not None]


def node_line(n, extra=""):
    sockets, threads = n.get("sockets", 1), n.get("threads", 1)
    cores = n.get("cores", n["cpus"] // sockets // threads)
    line = (f"NodeName={n['name']}{extra} CPUs={n['cpus']} Sockets={sockets} CoresPerSocket={cores} "
            f"ThreadsPerCore={threads} RealMemory={n.get('mem', 1000)}")
    for key, word in (("gres", "Gres"), ("weight", "Weight"), ("features", "Feature")):
        v = n.get(key)
        if v:
            line += f" {word}=" + (",".join(v) if isinstance(v, list) else str(v))
    return line + (" " + n["extra"] if n.get("extra") else "")


def partition_lines(scn):
    return ["PartitionName=" + p["name"] + "".join(
        f" {k}={value(v)}" for k, v in p.items() if k != "name" and value(v) is not None)
            for p in scn["cluster"]["partitions"]]


def devices(n):
    """(name, type or None, first index, count) for each entry of a node's gres."""
    first = 0
    for g in (n.get("gres") or "").split(","):
        if not g:
            continue
        f = g.split(":")
        kind, count = (f[1], int(f[2])) if len(f) == 3 else (None, int(f[1]) if len(f) > 1 else 1)
        yield f[0], kind, first, count
        first += count


def gres_lines(scn, dev="/dev"):
    lines = []
    for n in scn["cluster"]["nodes"]:
        cores = n.get("gres_cores")
        for name, kind, first, count in devices(n):
            line = f"NodeName={n['name']} Name={name}" + (f" Type={kind}" if kind else "")
            if cores:
                lines += [f"{line} File={dev}/{name}{i} Cores={cores[i]}"
                          for i in range(first, first + count)]
            else:
                lines.append(f"{line} File={dev}/{name}[{first}-{first + count - 1}]")
    return lines


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(line + "\n" for line in lines))


def write_conf(scn, folder):
    """slurm.conf, gres.conf, topology.conf: the cluster as a site would have it."""
    write_lines(f"{folder}/slurm.conf", global_keys(scn)
                + [node_line(n) for n in scn["cluster"]["nodes"]] + partition_lines(scn))
    if gres_lines(scn):
        write_lines(f"{folder}/gres.conf", gres_lines(scn))
    if scn["cluster"].get("topology"):
        write_lines(f"{folder}/topology.conf", scn["cluster"]["topology"])


def options(job, ids):
    """The options of sbatch that the job has; ids: of jobs by label, for @LABEL."""
    out = []
    for k, v in job.items():
        v = value(v)
        if k in NOT_SBATCH or v is None:
            continue
        word = "--" + k.replace("_", "-")
        out.append(f"{word}={numbered(v, ids)}" if v else word)
    for component in job.get("hetjob", []):
        out += [":"] + options(component, ids)
    return out


def numbered(text, ids):
    return re.sub(r"@(\w+)", lambda m: str(ids.get(m.group(1), 0)), str(text))


def run_of(job, task=None):
    run = job.get("run", 10)
    return run.get(str(task), 10) if isinstance(run, dict) else run


def tasks_of(spec):
    """Indices of --array's 1-6:2,9%2."""
    out = []
    for part in str(spec).split("%")[0].split(","):
        m = re.match(r"(\d+)(?:-(\d+))?(?::(\d+))?$", part)
        if not m:
            raise Bad(f"array '{spec}' cannot be read")
        first = int(m.group(1))
        out += range(first, int(m.group(2) or first) + 1, int(m.group(3) or 1))
    return out
