# SPDX-License-Identifier: GPL-3.0-or-later
"""A scenario as a user's files (slurm.conf, what sacctmgr and sacct print, what the operator did), run by
schedlab -p slurm, and what came of it as an expected.csv."""
import csv
import os
import re
import shutil
import subprocess

from . import scenario
from .scenario import NAMES, UNFAKED, Bad, run_of, tasks_of

T0 = "2024-01-01T%02d:%02d:%02d"  # A whole minute, as the recording's.
COMPLETING = 1  # s in which a job whose script has ended may still have its nodes.
LASTS = 5  # s: a shorter reason may have been missed by the recording.

ASSOC = [("Cluster", ()), ("Account", ()), ("User", ()), ("Partition", ("partition",)), ("ParentName", ("parent",)),
         ("Share", ("fairshare", "share")), ("Priority", ("priority",)), ("GrpJobs", ("grpjobs",)),
         ("GrpTRES", ("grptres",)), ("GrpSubmit", ("grpsubmit", "grpsubmitjobs")), ("GrpWall", ("grpwall",)),
         ("GrpTRESMins", ("grptresmins",)), ("MaxJobs", ("maxjobs",)), ("MaxTRES", ("maxtres", "maxtresperjob")),
         ("MaxTRESPerNode", ("maxtrespernode",)), ("MaxSubmit", ("maxsubmit", "maxsubmitjobs")),
         ("MaxWall", ("maxwall", "maxwalldurationperjob")), ("MaxTRESMins", ("maxtresmins", "maxtresminsperjob")),
         ("QOS", ("qos", "qoslevel")), ("Def QOS", ("defaultqos", "defqos")), ("GrpTRESRunMins", ("grptresrunmins",))]
QOS = [("Name", ("name",)), ("Priority", ("priority",)), ("GraceTime", ("gracetime",)), ("Preempt", ("preempt",)),
       ("PreemptExemptTime", ("preemptexempttime",)), ("PreemptMode", ("preemptmode",)), ("Flags", ("flags",)),
       ("UsageThres", ("usagethreshold",)), ("UsageFactor", ("usagefactor",)), ("GrpTRES", ("grptres",)),
       ("GrpTRESMins", ("grptresmins",)), ("GrpTRESRunMins", ("grptresrunmins",)), ("GrpJobs", ("grpjobs",)),
       ("GrpSubmit", ("grpsubmit", "grpsubmitjobs")), ("GrpWall", ("grpwall",)),
       ("MaxTRES", ("maxtres", "maxtresperjob")), ("MaxTRESPerNode", ("maxtrespernode",)),
       ("MaxTRESMins", ("maxtresmins", "maxtresminsperjob")), ("MaxWall", ("maxwall", "maxwalldurationperjob")),
       ("MaxTRESPU", ("maxtrespu", "maxtresperuser")), ("MaxJobsPU", ("maxjobspu", "maxjobsperuser")),
       ("MaxSubmitPU", ("maxsubmitpu", "maxsubmitjobsperuser", "maxsubmitjobspu")),
       ("MaxTRESPA", ("maxtrespa", "maxtresperaccount")), ("MaxJobsPA", ("maxjobspa", "maxjobsperaccount")),
       ("MaxSubmitPA", ("maxsubmitpa", "maxsubmitjobsperaccount", "maxsubmitjobspa")),
       ("MinTRES", ("mintres", "mintresperjob"))]


def date(second):
    return T0 % (second // 3600, second // 60 % 60, second % 60)


def shown(column, text):
    """sacctmgr takes bare minutes (of a grace time, seconds), and shows hours, minutes and seconds."""
    if column not in ("MaxWall", "GrpWall", "GraceTime") or not str(text).isdigit():
        return str(text)
    s = int(text) * (1 if column == "GraceTime" else 60)
    return "%02d:%02d:%02d" % (s // 3600, s // 60 % 60, s % 60)


def cell(entry, column, words):
    return next((shown(column, v) for k, v in entry.items() if k.lower() in words), "")


def qos_list(accounts, entry, under):
    """Its own QOS, or that of the next account above that has some."""
    above = "normal"
    if under in accounts:
        above = qos_list(accounts, accounts[under], accounts[under].get("parent", "root"))
    own = cell(entry, "QOS", ("qos", "qoslevel"))
    return f"{above},{own[1:]}" if own.startswith("+") else own or above


def assoc_row(accounts, entry, account, user, parent):
    fixed = {"Cluster": "rig", "Account": account, "User": user, "ParentName": "" if user else parent,
             "QOS": qos_list(accounts, entry, account if user else parent)}
    row = [fixed.get(name, cell(entry, name, words)) for name, words in ASSOC]
    row[5] = row[5] or "1"
    return "|".join(row)


def accounts_lines(acc):
    accounts = {a["name"]: a for a in acc.get("accounts", [])}
    lines = ["|".join(n for n, _ in ASSOC), assoc_row({}, {}, "root", "", ""),
             assoc_row({}, {}, "root", "root", "")]

    def tree(a, parent):
        lines.append(assoc_row(accounts, a, a["name"], "", parent))
        lines.extend(assoc_row(accounts, u, a["name"], u["name"], a["name"])
                     for u in acc.get("users", []) if u.get("account") == a["name"])
        for b in acc.get("accounts", []):
            if b.get("parent") == a["name"]:
                tree(b, a["name"])
    for a in acc.get("accounts", []):
        if a.get("parent", "root") == "root":
            tree(a, "root")
    return lines


def qos_lines(acc):
    lines = ["|".join(n for n, _ in QOS)]
    entries = {q["name"]: q for q in acc.get("qos", [])}
    default = {"Priority": "0", "UsageFactor": "1.000000", "PreemptMode": "cluster"}
    for name in ["normal"] + [n for n in entries if n != "normal"]:
        row = [cell(entries.get(name, {}), n, w) or default.get(n, "") for n, w in QOS]
        lines.append("|".join([name] + row[1:]))
    return lines


class Replay:
    """rows: what the recording has, for run times and job numbers; version: of the Slurm that made it."""

    def __init__(self, scn, rows, folder, version=None):
        self.scn, self.rows, self.folder, self.version = scn, rows, folder, version
        self.ids, self.refused = {}, set()
        self.number_jobs()

    def number_jobs(self):
        known, top = {}, 0
        for (job, _), r in self.rows.items():
            if r["state"] == "REJECTED":
                self.refused.add(job)
            base = job.split("_")[0] if not self.by_label(job) else job
            if r["jobid"]:
                known[base] = min(known.get(base, 1 << 60), int(r["jobid"]))
                top = max(top, int(r["jobid"]))
        for i, j in enumerate(self.scn["jobs"]):
            self.ids[j["id"]] = known.get(j["id"], top + 1 + i if self.rows else i + 1)

    def by_label(self, label):
        return next((j for j in self.scn["jobs"] if j["id"] == label), None)

    # ---- files --------------------------------------------------------------------------------

    def run_time(self, label, job, task):
        """What it ran where it ended by itself, else what the scenario gave it."""
        own = [r for (n, _), r in self.rows.items() if n == label and r["state"] in ("COMPLETED", "FAILED")
               and r["start"] != "" and r["end"] != ""]
        given = run_of(job, task)
        if not own or self.scn.get("suspendable"):
            return given
        recorded = int(own[0]["end"]) - int(own[0]["start"])
        return recorded + (COMPLETING if recorded < given else 0)

    def submitted(self, label, job):
        rows = [r for (n, _), r in self.rows.items() if n == label]
        if len(rows) == 1 and rows[0]["submit"] != "" and job["t"] <= int(rows[0]["submit"]) <= job["t"] + 5:
            return int(rows[0]["submit"])
        return job["t"]

    def association(self, job):
        for u in self.scn.get("accounting", {}).get("users", []):
            if u["name"] == job.get("user") and job.get("account") in (None, u.get("account")):
                return u
        return {}

    def job_line(self, job, task=None, component=""):
        label = job["id"] if task is None else f"{job['id']}_{task}"
        number = self.ids[job["id"]] if task is None else f"{self.ids[job['id']]}_{task}"
        user, code = self.association(job), int(job.get("exit", 0))
        qos = job.get("qos") or cell(user, "Def QOS", ("defaultqos", "defqos")) or ("normal" if user else "")
        ids = {k: 0 if k in self.refused else v for k, v in self.ids.items()}
        line = ["sbatch", "--export=NIL"] + scenario.options(job, ids) + ["--wrap=true"]
        return "|".join(str(x) for x in (
            f"{number}{component}", job.get("job_name", job["id"]), job.get("user", "root"),
            job.get("account") or user.get("account", ""), "", qos, date(self.submitted(label, job)),
            "Unknown", "Unknown", self.run_time(label, job, task), "FAILED" if code else "COMPLETED",
            f"{code}:0", " ".join(line)))

    def sacct_lines(self):
        lines = ["JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine"]
        for job in self.scn["jobs"]:
            tasks = tasks_of(job["array"]) if "array" in job else [None]
            components = [f"+{k}" for k in range(len(job["hetjob"]) + 1)] if "hetjob" in job else [""]
            lines += [self.job_line(job, t, k) for t in tasks for k in components]
        return lines

    def command_lines(self):
        out, ids = [], {k: 0 if k in self.refused else v for k, v in self.ids.items()}
        for e in self.scn.get("events", []):
            text = re.sub(r"(?<=[=,])([a-z-]+)(?=[, ]|$)", lambda m: NAMES.get(m.group(1), m.group(1)),
                          scenario.numbered(e["cmd"], ids))
            out.append(f"{date(e['t'])} {text}")
        return out

    def write(self):
        """The files; the arguments of `schedlab run` for them."""
        f = self.folder
        os.makedirs(f, exist_ok=True)
        scenario.write_conf(self.scn, f)
        scenario.write_lines(f"{f}/sacct.txt", self.sacct_lines())
        args = [f"{f}/sacct.txt", "-c", f]
        boot = self.scn.get("power", {}).get("boot")
        asked = [f"boot={boot}"] * bool(boot) + [f"version={self.version}"] * bool(self.version)
        args += ["-p", "slurm" + (":" + ",".join(asked) if asked else "")]
        if "accounting" in self.scn:
            scenario.write_lines(f"{f}/accounts.txt", accounts_lines(self.scn["accounting"]))
            scenario.write_lines(f"{f}/qos.txt", qos_lines(self.scn["accounting"]))
            args += ["--set", f"cluster.accounts={f}/accounts.txt", "--set", f"cluster.qos={f}/qos.txt"]
        if self.scn.get("events"):
            scenario.write_lines(f"{f}/commands.txt", self.command_lines())
            args += ["--set", f"replay.commands={f}/commands.txt"]
        return args

    # ---- the run --------------------------------------------------------------------------------

    def read(self, name):
        path = f"{self.folder}/run/{name}"
        if not os.path.exists(path):
            return []
        with open(path, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f, delimiter="|" if name.endswith(".txt") else ","))

    def result(self):
        zero = min(j["t"] for j in self.scn["jobs"])
        label = {}
        for j in self.scn["jobs"]:
            for t in tasks_of(j["array"]) if "array" in j else [None]:
                number, own = str(self.ids[j["id"]]), j["id"]
                label[number if t is None else f"{number}_{t}"] = own if t is None else f"{own}_{t}"

        def at(text):
            return "" if text == "" else f"{float(text) + zero:g}"
        nodes = {r["jobid"]: r["nodelist"] for r in self.read("sacct.txt")}
        reasons, lasted, attempts = {}, {}, {}
        for r in self.read("reasons.csv"):
            reasons.setdefault(r["job_id"], []).append(r["reason"])
            if float(r["to"]) - float(r["from"]) > LASTS:
                lasted.setdefault(r["job_id"], []).append(r["reason"])
        for r in self.read("attempts.csv"):
            attempts.setdefault(r["job_id"], []).append(r)
        for r in self.read("jobs.csv"):
            number, name = r["job_id"], label.get(r["job_id"], r["job_id"])
            last = attempts.get(number, [r])
            refused = r["state"] == "CANCELLED" and r["start"] == "" and float(r["end"] or 0) == float(r["submit"])
            for n, one in enumerate(last):
                final = n == len(last) - 1
                yield {"job": name, "jobid": number, "attempt": n, "submit": at(r["submit"]),
                       "start": at(one["start"]), "end": at(one["end"]),
                       "state": ("REJECTED" if refused else r["state"]) if final else one["state"],
                       "nodelist": nodes.get(number, "") if final and one["start"] != "" else "",
                       "reasons_seen": "+".join(x for x in reasons.get(number, []) if x != "None"),
                       "reasons_long": "+".join(x for x in lasted.get(number, []) if x != "None")}

    def run(self, schedlab):
        """Runs it, and writes expected.csv into the folder. Raises Bad with what schedlab said."""
        args, run = self.write(), f"{self.folder}/run"
        for only in ([], ["--only", "sacct"]):
            out = run if not only else f"{self.folder}/sacct"
            said = subprocess.run([schedlab, "run"] + args + ["-o", out, "--force", "-q"] + only, text=True, env=UNFAKED,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if said.returncode:
                raise Bad(said.stderr.strip() or f"schedlab: exit code {said.returncode}")
        shutil.copy(f"{self.folder}/sacct/sacct.txt", f"{run}/sacct.txt")
        head = ["job", "jobid", "attempt", "submit", "start", "end", "state", "nodelist", "reasons_seen", "reasons_long"]
        with open(f"{self.folder}/expected.csv", "w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, head, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.result())
