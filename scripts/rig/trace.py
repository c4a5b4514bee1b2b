# SPDX-License-Identifier: GPL-3.0-or-later
"""A scenario out of a site's own files: slurm.conf (and gres.conf, topology.conf beside it), `sacct -P`, and, where
there is accounting, `sacctmgr -P show assoc` and `show qos`."""
import csv
import json
import os
import re
import shlex
from datetime import datetime

from . import scenario
from .replay import ASSOC, QOS
from .scenario import USERS, Bad

NODES_MAX = 400  # A slurmd each.
# Keys of slurm.conf that say where things are and who runs them, not what is decided.
ELSEWHERE = re.compile(
    r"(.*Port|.*Host|.*Addr|.*User|.*Pass|.*File|.*Loc(ation)?|.*Dir|.*Program|.*Prolog|.*Epilog|.*Debug.*|Auth.*|Cred.*|"
    r"ClusterName|ControlMachine|BackupController|Proctrack.*|Task.*|Mpi.*|JobComp.*|JobAcct.*|Switch.*|"
    r"Plug.*|Launch.*|Log.*|Health.*|Slurmctld.*|Slurmd.*|Tmp.*|Include|AccountingStorage(Type|Ext.*)|"
    r"SchedulerParameters|GresTypes|JobSubmitPlugins|X11.*|PrivateData|AcctGather.*|MailProg|Communication.*|"
    r"Licenses_|Federation.*|Cli.*|Job(Container|FileAppend).*|.*Timeout)$", re.I)
FLAGS = {"exclusive", "contiguous", "oversubscribe", "share", "overcommit", "spread-job", "use-min-nodes",
         "requeue", "no-requeue", "hold", "parsable", "quiet", "verbose"}
SHORT = {"N": "nodes", "n": "ntasks", "c": "cpus-per-task", "p": "partition", "t": "time", "q": "qos", "A": "account",
         "w": "nodelist", "x": "exclude", "C": "constraint", "G": "gpus", "L": "licenses", "d": "dependency",
         "a": "array", "b": "begin", "B": "extra-node-info", "m": "distribution", "H": "hold", "O": "overcommit",
         "s": "oversubscribe", "J": "job-name", "o": "output", "e": "error", "D": "chdir", "i": "input"}
# What places and times a job; anything else in a line is no matter.
KEPT = {"nodes", "ntasks", "ntasks-per-node", "ntasks-per-socket", "ntasks-per-core", "ntasks-per-gpu",
        "cpus-per-task", "cpus-per-gpu", "mincpus", "mem", "mem-per-cpu", "mem-per-gpu", "tmp", "switches",
        "partition", "gres", "gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "gres-flags", "constraint",
        "nodelist", "exclude", "distribution", "licenses", "exclusive", "oversubscribe", "overcommit", "contiguous",
        "spread-job", "use-min-nodes", "hint", "time", "time-min", "nice", "array", "requeue", "no-requeue", "qos",
        "sockets-per-node", "cores-per-socket", "threads-per-core", "extra-node-info"}


def pairs(line):
    """KEY=VALUE of a line; values may be quoted."""
    return re.findall(r'([A-Za-z]\w*)\s*=\s*("[^"]*"|\S+)', line)


def conf_lines(path):
    """Without comments; lines that end in a backslash go on in the next."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except OSError as e:
        raise Bad(f"{path}: {e.strerror}") from e
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        line = re.sub(r"(?<!\\)#.*", "", line).strip()
        m = re.match(r"include\s+(\S+)", line, re.I)
        if m:
            yield from conf_lines(os.path.join(os.path.dirname(path), m.group(1)))
        elif line:
            yield line


def whole(text, otherwise):
    return int(text) if re.fullmatch(r"\d+", text or "") else otherwise


def node_of(keys):
    sockets = whole(keys.get("sockets"), whole(keys.get("boards"), 1) * whole(keys.get("socketsperboard"), 1))
    cores, threads = whole(keys.get("corespersocket"), 0), whole(keys.get("threadspercore"), 1)
    cpus = whole(keys.get("cpus") or keys.get("procs"), sockets * max(cores, 1) * threads)
    node = {"name": keys["nodename"], "cpus": cpus, "mem": whole(keys.get("realmemory"), 1), "sockets": sockets,
            "cores": cores or cpus // sockets // threads, "threads": threads}
    if keys.get("gres"):
        node["gres"] = re.sub(r"\(.*?\)|:no_consume", "", keys["gres"])
    if keys.get("weight"):
        node["weight"] = whole(keys["weight"], 1)
    if keys.get("feature") or keys.get("features"):
        node["features"] = keys.get("feature") or keys.get("features")
    return node


def sched_of(text):
    """Just what the site says: the rig's own are taken out."""
    out = {k: False for k in scenario.SCHED}
    for part in filter(None, (text or "").split(",")):
        k, _, v = part.partition("=")
        out[k] = v
    return out


def cluster_of(folder):
    nodes, partitions, conf, defaults = [], [], {}, {"nodename": {}, "partitionname": {}}
    for line in conf_lines(os.path.join(folder, "slurm.conf")):
        found = [(k, v.strip('"')) for k, v in pairs(line)]
        if not found:
            continue
        kind, name = found[0][0].lower(), found[0][1]
        if kind in defaults and name == "DEFAULT":
            defaults[kind].update({k: v for k, v in found[1:]})
        elif kind == "nodename":
            keys = {k.lower(): v for k, v in defaults[kind].items()}
            keys.update({k.lower(): v for k, v in found})
            nodes.append(node_of(keys))
        elif kind == "partitionname":
            partitions.append({"name": name, **defaults[kind], **dict(found[1:])})
        else:
            conf.update(found)
    if not nodes or not partitions:
        raise Bad(f"{folder}/slurm.conf has no nodes, or no partitions")
    count = sum(len(scenario.expand(n["name"])) for n in nodes)
    if count > NODES_MAX:
        raise Bad(f"{folder}/slurm.conf has {count} nodes: a slurmd each is too much beyond {NODES_MAX}; "
                  "take a part of it")
    by_name = {k.lower(): v for k, v in conf.items()}
    cluster = {"nodes": nodes, "partitions": partitions, "sched": sched_of(by_name.get("schedulerparameters")),
               "conf": {k: v for k, v in conf.items() if not ELSEWHERE.match(k)}}
    if by_name.get("grestypes"):
        cluster["gres_types"] = by_name["grestypes"].split(",")
    topology = os.path.join(folder, "topology.conf")
    if os.path.exists(topology):
        cluster["topology"] = list(conf_lines(topology))
    return cluster


# ---- Jobs ----------------------------------------------------------------------------------------


def options_of(line):
    """What a line of sbatch asks, as a scenario's job has it."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:
        words = line.split()[1:]
    out, i = {}, 0
    while i < len(words) and words[i].startswith("-"):
        word, value, i = words[i], None, i + 1
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            value = value if equals else None
        else:
            name, value = SHORT.get(word[1], ""), word[2:] or None
        if value is None and name not in FLAGS and i < len(words) and not words[i].startswith("-"):
            value, i = words[i], i + 1
        if name in KEPT:
            out[name.replace("-", "_")] = True if value is None else value
    return out


def from_columns(row):
    """Where there is no line: what the columns say."""
    out = {}
    if row.get("ReqNodes") or row.get("NNodes"):
        out["nodes"] = row.get("ReqNodes") or row["NNodes"]
    if row.get("ReqCPUS"):
        out["ntasks"] = row["ReqCPUS"]
    m = re.match(r"([\d.]+[KMGT]?)([nc]?)$", row.get("ReqMem") or "")
    if m:
        out["mem_per_cpu" if m.group(2) == "c" else "mem"] = m.group(1)
    m = re.search(r"gres/gpu=(\d+)", row.get("ReqTRES") or "")
    if m:
        out["gpus"] = m.group(1)
    return out


def seconds_of(text):
    """Slurm's D-HH:MM:SS, or None."""
    m = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?", text or "")
    if not m:
        return None
    d, h, minutes, s = (int(x or 0) for x in m.groups())
    return ((d * 24 + h) * 60 + minutes) * 60 + s


def stamp(text):
    try:
        return int(datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").timestamp())
    except (ValueError, TypeError):
        return None


def job_of(row, users):
    """A record as a job; None: it is a step, or says too little."""
    number, at = row.get("JobID", ""), stamp(row.get("Submit"))
    if "." in number or "+" in number or not number or at is None:
        return None
    run = whole(row.get("ElapsedRaw"), None)
    run = seconds_of(row.get("Elapsed")) if run is None else run
    if not run:
        return None
    job = {"id": "J" + number.replace("_", "t"), "t": at, "run": run}
    asked = options_of(row["SubmitLine"]) if row.get("SubmitLine") else from_columns(row)
    asked.pop("array", None)  # Each task is a row.
    limit = seconds_of(row.get("Timelimit"))
    if limit is not None:
        asked["time"] = max(1, limit // 60)
    for key, column in (("partition", "Partition"), ("qos", "QOS")):
        if row.get(column) and key not in asked:
            asked[key] = row[column]
    if row.get("User"):
        job["user"] = users.setdefault(row["User"], f"u{len(users) + 1}")
    if row.get("ExitCode", "0:0").split(":")[0] not in ("", "0"):
        job["exit"] = int(row["ExitCode"].split(":")[0])
    if row.get("Account"):
        job["account"] = row["Account"]
    return {**job, **asked}


def jobs_of(path, most):
    users = {}
    try:
        with open(path, newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f, delimiter="|", quoting=csv.QUOTE_NONE))
    except OSError as e:
        raise Bad(f"{path}: {e.strerror}") from e
    jobs = [j for j in (job_of(r, users) for r in rows) if j]
    if not jobs:
        raise Bad(f"{path}: no job with Submit and Elapsed in it: take it with sacct -P -X --format=JobID,User,Account,"
                  "Partition,QOS,Submit,ElapsedRaw,Timelimit,ExitCode,SubmitLine")
    jobs.sort(key=lambda j: j["t"])
    jobs = jobs[:most] if most else jobs
    if len(users) > len(USERS):
        raise Bad(f"{path}: {len(users)} users, and a rig has names for {len(USERS)}: take a part of it")
    zero = jobs[0]["t"]
    for j in jobs:
        j["t"] -= zero
    return jobs, users


def table(path, columns):
    """A table of sacctmgr -P as entries with sacctmgr's own keys."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="|"))
    key = {name: words[-1] if name != "Name" else "name" for name, words in columns if words}
    return [(r, {key[c]: v for c, v in r.items() if c in key and v}) for r in rows]


def accounting_of(assoc, qos, users):
    out = {"qos": [], "accounts": [], "users": []}
    for _, entry in table(qos, QOS) if qos else []:
        out["qos"].append({k: v for k, v in entry.items() if (k, v) != ("preemptmode", "cluster")})
    for row, entry in table(assoc, ASSOC):
        if row["Account"] == "root":
            continue
        entry = {k: v for k, v in entry.items() if k not in ("partition",) or v}
        if row.get("User"):
            if row["User"] in users:
                out["users"].append({"name": users[row["User"]], "account": row["Account"], **entry})
        else:
            out["accounts"].append({"name": row["Account"], **entry})
    return out


def make(folder, sacct, out, most=0, assoc=None, qos=None):
    """Writes out/scenario.json."""
    cluster = cluster_of(folder)
    jobs, users = jobs_of(sacct, most)
    scn = {"name": os.path.basename(os.path.abspath(out)), "note": "from a site's own files", "cluster": cluster,
           "jobs": jobs, "max": max(j["t"] + j["run"] for j in jobs) * 3 + 3600}
    if assoc:
        scn["accounting"] = accounting_of(assoc, qos, users)
    else:
        for j in jobs:  # Without accounting there are neither.
            j.pop("account", None)
            j.pop("qos", None)
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/scenario.json", "w", encoding="utf-8") as f:
        json.dump(scn, f, indent=1)
    return len(jobs)
