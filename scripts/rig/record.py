# SPDX-License-Identifier: GPL-3.0-or-later
"""Submits a scenario's jobs to a Slurm, looks what becomes of them, and writes it down.

A job waits at a fifo; when its recorded start + run time is reached on Slurm's clock it is let go on.
"""
import csv
import json
import os
import re
import time

from . import scenario
from .scenario import NAMES, USERS, run_of
from .slurm import Slurm

# Real seconds from the end of a job's script to "complete" in slurmctld.
OVERHEAD = float(os.environ.get("RIG_OVERHEAD", "0.07"))
# A start and an end are each cut to a second.
GRANULE = 1
# Submissions that are later than this are told.
LATE = 0.3
ENDED = ("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "DEADLINE",
         "OUT_OF_MEMORY", "BOOT_FAIL")
EXPECTED = ("job,jobid,attempt,user,partition,submit,eligible,start,end,state,nodelist,nodes,scheduler,"
            "reasons_seen,alloc").split(",")
SACCT = ("JobID,JobIDRaw,JobName,User,Account,Partition,QOS,Submit,Eligible,Start,End,Elapsed,Suspended,Timelimit,"
         "State,ExitCode,NNodes,ReqCPUS,AllocCPUS,ReqMem,ReqTRES,AllocTRES,NodeList,Priority,Reason,Flags,"
         "Constraints,Reservation,SubmitLine")


def seconds(text):
    """Slurm's date -> epoch, or None."""
    if not text or text in ("Unknown", "N/A", "None", "(null)"):
        return None
    try:
        return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        return None


def overlong(scn, rows):
    """Attempts that ended by themselves, and later than asked: {label: seconds too many}. A late end spoils what follows it."""
    if scn.get("suspendable"):
        return {}  # Time in which a job is stopped is in end - start.
    jobs, out = {j["id"]: j for j in scn["jobs"]}, {}
    for label, _, attempt, _, _, _, _, start, end, state, *_ in rows:
        name, _, task = str(label).rpartition("_")
        job = jobs.get(label) or jobs.get(name)
        if job is None or state not in ("COMPLETED", "FAILED") or "" in (start, end):
            continue
        more = end - start - run_of(job, None if label in jobs else task)
        if more > GRANULE:
            out[label + (f" (attempt {attempt})" if attempt else "")] = more
    return out


class Recording:
    def __init__(self, scn, slurm, out, second=False):
        self.scn, self.slurm, self.out = scn, slurm, out
        self.second = second  # Of one scenario: beside the first.
        self.t0 = 0.0
        self.ids, self.names, self.users, self.runs = {}, {}, {}, {}  # By label; by job id.
        self.trace, self.last, self.seen, self.alloc, self.how = [], {}, {}, {}, {}
        self.late, self.captures = [], []
        self.ends = {}  # (job id, restarts, start) -> when to let it end; None: done.

    def label(self, job):
        if job.get("ArrayJobId"):
            return f"{self.names.get(job['ArrayJobId'], job['ArrayJobId'])}_{job.get('ArrayTaskId')}"
        if job.get("HetJobOffset", "0") != "0":
            return f"{self.names.get(job['HetJobId'], job['HetJobId'])}+{job['HetJobOffset']}"
        return self.names.get(job["JobId"], job["JobId"])

    # ---- the run ------------------------------------------------------------------------------

    def script(self, job):
        w, path = self.slurm.work, f"{self.slurm.work}/script/{job['id']}.sh"
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n")
            if self.scn.get("suspendable"):
                # Short sleeps, counted, so that a stopped job keeps what is left.
                f.write(f"i=0\nwhile [ $i -lt {int(run_of(job))} ]; do "
                        f"/bin/sleep {1 / self.slurm.rate:.4f}; i=$((i+1)); done\n")
            else:
                f.write(f"f={w}/fifo/$SLURM_JOB_ID.${{SLURM_RESTART_COUNT:-0}}\nmkfifo $f\nread x <$f\n")
            f.write(f"exit {job.get('exit', 0)}\n")
        return path

    def submit(self, job):
        args = ["sbatch", "--parsable", "--export=NIL", "--chdir=/tmp", "--output=/dev/null",
                f"--job-name={job['id']}"]
        if job.get("user"):
            args.append(f"--uid={USERS.get(job['user'], job['user'])}")
        args += scenario.options(job, self.ids) + [self.script(job)]
        now = time.time() - self.t0
        self.late.append(round(now - job["t"], 2))
        said = self.slurm.sh(args).strip()
        m = re.match(r"^(\d+)", said.split("\n")[-1] if said else "")
        if not m:
            self.ids[job["id"]] = 0
            self.seen["!" + job["id"]] = {"label": job["id"], "err": said.replace("\n", " / "), "t": now}
            return
        number = m.group(1)
        self.ids[job["id"]] = number
        self.names[number] = job["id"]
        self.users[number] = job.get("user", "root")
        self.runs[number] = job

    def look_at_running(self, d, line):
        number, start = d["JobId"], d.get("StartTime")
        held = re.findall(r"\sNodes=(\S+) CPU_IDs=(\S*) Mem=(\d+) GRES=(\S*)", line)
        if held:
            self.alloc[(number, start)] = ";".join(
                f"{n} cpu={c} mem={m}" + (f" {g}" if g else "") for n, c, m, g in held)
        self.how[(number, start)] = d.get("Scheduler", "")
        job = self.runs.get(d.get("ArrayJobId", number))
        key = (number, d.get("Restarts", "0"), start)
        if job is not None and key not in self.ends and seconds(start) is not None:
            run = run_of(job, d.get("ArrayTaskId"))
            self.ends[key] = seconds(start) + run + 0.5 - OVERHEAD * self.slurm.rate

    def look(self):
        """One look at all jobs; how many are not done."""
        text, live = self.slurm.sh("scontrol -d -o show job"), 0
        now = time.time() - self.t0
        for line in text.split("\n"):
            if not line.startswith("JobId="):
                continue
            d = {}
            for m in re.finditer(r"(?:^|\s)([A-Za-z_/:]+)=((?:(?!\s[A-Za-z_/:]+=).)*)", line):
                d.setdefault(m.group(1), m.group(2))
            number, state = d["JobId"], d["JobState"]
            live += state not in ENDED
            self.seen[number] = d
            if state == "RUNNING":
                self.look_at_running(d, line)
            waits = state == "PENDING"
            key = (state, d.get("Reason"), d.get("StartTime") if waits else None, d.get("Priority"),
                   d.get("SchedNodeList") if waits else None)
            if self.last.get(number) != key:
                self.last[number] = key
                plan = seconds(key[2])
                self.trace.append((round(now, 1), self.label(d), state, d.get("Reason"),
                                   "" if plan is None else int(plan - int(self.t0)), d.get("Priority"),
                                   key[4] or ""))
        return live

    def release(self):
        """Jobs whose run time is over may end; when the next one's is."""
        now, soonest = time.time(), float("inf")
        for k, t in self.ends.items():
            if t is None:
                continue
            if now >= t:
                try:
                    fd = os.open(f"{self.slurm.work}/fifo/{k[0]}.{k[1]}", os.O_WRONLY | os.O_NONBLOCK)
                    os.write(fd, b"\n")
                    os.close(fd)
                    self.ends[k] = t = None
                except OSError:
                    # It is not at its fifo yet, or was killed: again soon, for a while.
                    if now > t + 15 * self.slurm.rate:
                        self.ends[k] = t = None
                    else:
                        soonest = min(soonest, now + 0.03 * self.slurm.rate)
                        continue
            if t is not None:
                soonest = min(soonest, t)
        return soonest

    def do(self, kind, what):
        if kind == "job":
            self.submit(what)
            return
        command = scenario.numbered(what["cmd"], self.ids)
        said = self.slurm.sh(command)
        if kind == "capture" or said.strip():
            self.captures.append(f"### t={time.time() - self.t0:.1f} (asked {what['t']}) $ {command}\n{said}")

    def run(self):
        todo = [("job", j["t"], i, j) for i, j in enumerate(self.scn["jobs"])]
        todo += [("event", e["t"], 10000 + i, e) for i, e in enumerate(self.scn.get("events", []))]
        todo += [("capture", e["t"], 20000 + i, e) for i, e in enumerate(self.scn.get("captures", []))]
        todo.sort(key=lambda x: (x[1], x[2]))
        # Plans go by seconds since 1970 modulo 30 and 60: the scenario begins with a minute.
        self.t0 = float((int(time.time() + 1) // 60 + 1) * 60)
        while self.t0 - time.time() > 0.5:
            time.sleep(min(5, self.t0 - time.time() - 0.4))
        end = self.t0 + self.scn.get("max", 1500)
        every, look_at = self.scn.get("poll", 0.25) * self.slurm.rate, self.t0
        while True:
            due, now = self.release(), time.time()
            if todo and now >= self.t0 + todo[0][1]:
                kind, _, _, what = todo.pop(0)
                self.do(kind, what)
                continue
            if now >= look_at:
                live = self.look()
                look_at = max(look_at + every, time.time())
                if not live and not todo:
                    break
                if now > end:
                    self.captures.append("### gave up at max time\n")
                    break
                continue
            soonest = min(look_at, due, self.t0 + todo[0][1] if todo else look_at)
            time.sleep(max(0.001, soonest - time.time()))
        time.sleep(0.3 * self.slurm.rate)
        self.look()

    # ---- what is written ------------------------------------------------------------------------

    def since(self, text):
        return "" if seconds(text) is None else int(seconds(text) - int(self.t0))

    def ended(self):
        """Of jobcomp's file: attempts by job id."""
        done, path = {}, f"{self.slurm.work}/log/jobcomp"
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    d = dict(re.findall(r"(\w+)=((?:(?!\s\w+=).)*)", line))
                    done.setdefault(d["JobId"], []).append(
                        (d["StartTime"], d["EndTime"], d["JobState"], d["NodeList"], d["NodeCnt"]))
        return done

    def reasons(self):
        out = {}
        for _, label, state, reason, _, _, _ in self.trace:
            if state == "PENDING" and reason and reason != "None":
                seen = out.setdefault(label, [])
                if reason not in seen:
                    seen.append(reason)
        return out

    def job_rows(self, number, d, attempts, reasons):
        label, state = self.label(d), d["JobState"]
        attempts = list(attempts)
        if state in ("PENDING", "RUNNING", "SUSPENDED") or not attempts:
            attempts.append((d.get("StartTime"), "" if state != "COMPLETED" else d.get("EndTime"), state,
                             d.get("NodeList", ""), d.get("NumNodes", "")))
        for n, (start, end, how, nodes, count) in enumerate(attempts):
            nodes = "" if nodes == "(null)" else nodes
            yield [label, number, n, self.users.get(d.get("ArrayJobId", number), ""), d.get("Partition"),
                   self.since(d.get("SubmitTime")), self.since(d.get("EligibleTime")),
                   self.since(start) if nodes else "", self.since(end), how, nodes, count if nodes else 0,
                   self.how.get((number, start), ""), "+".join(reasons.get(label, [])),
                   self.alloc.get((number, start), "")]

    @staticmethod
    def together(rows):
        """A heterogeneous job is one row: its leader's, with nodes and reasons of its further components (LABEL+N) in their order."""
        leaders = {(r[0], r[2]): r for r in rows}
        for r in sorted((r for r in rows if "+" in str(r[0])), key=lambda r: int(r[0].split("+")[1])):
            leader = leaders.get((r[0].split("+")[0], r[2]))
            if leader is None:
                continue
            leader[10] = ",".join(filter(None, (leader[10], r[10])))
            leader[11] = int(leader[11] or 0) + int(r[11] or 0)
            leader[14] = ";".join(filter(None, (leader[14], r[14])))
            seen = leader[13].split("+") if leader[13] else []
            leader[13] = "+".join(seen + [x for x in r[13].split("+") if x and x not in seen])
        return [r for r in rows if "+" not in str(r[0])]

    def rows(self):
        out, done, reasons = [], self.ended(), self.reasons()
        refused = {d["JobName"]: n for n, d in self.seen.items()
                   if not n.startswith("!") and n not in self.names and "ArrayJobId" not in d
                   and d.get("HetJobOffset", "0") == "0"}
        for number, d in self.seen.items():
            if number.startswith("!"):
                out.append([d["label"], refused.get(d["label"], ""), 0, "", "", int(d["t"]), "", "", "",
                            "REJECTED", "", 0, "", d["err"], ""])
            elif number in refused.values() and d["JobState"] == "FAILED":
                continue  # Refused at submission, but it used up a number.
            elif d.get("ArrayTaskId") and not d["ArrayTaskId"].isdigit():
                continue  # What is left of an array.
            elif d.get("HetJobId", number) not in self.names and "HetJobId" in d:
                continue  # Of one that was refused.
            else:
                out += self.job_rows(number, d, done.get(number, []), reasons)
        out = self.together(out)
        out.sort(key=lambda r: (r[7] if r[7] != "" else 10**9, int(r[1]) if r[1] else 0, r[2]))
        return out

    def write_csv(self, name, head, rows):
        with open(f"{self.out}/{name}", "w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(rows)

    def clean(self, text):
        """Without the machine's users and paths."""
        for real, name in NAMES.items():
            if name in self.users.values():
                text = re.sub(rf"(?<![\w/]){re.escape(real)}\b(?=[\s|(])", name.ljust(len(real)), text)
        return text.replace(self.slurm.work + "/script/", "").replace(self.slurm.work, "$WORK")

    def write(self):
        rows, again = self.rows(), "-2" if self.second else ""
        self.write_csv(f"expected{again}.csv", EXPECTED, rows)
        self.write_csv(f"trace{again}.csv", "seen_at,job,state,reason,planned_start,priority,planned_nodes".split(","),
                       self.trace)
        path = f"{self.out}/captures{again}.txt"
        if self.captures:
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.clean("\n".join(self.captures)))
        elif os.path.exists(path):
            os.remove(path)
        meta = {"slurm": self.slurm.sh("sbatch --version").strip(), "rate": self.slurm.rate,
                "submit_lateness_s_max": max(self.late or [0]), "submit_lateness_s": self.late,
                "overlong": overlong(self.scn, rows), "t0_modulo_60": int(self.t0) % 60,
                "time_unit": "seconds after t0 of the (faked) clock, 1 s granularity"}
        write_meta(f"{self.out}/meta.json", meta, self.second)
        if self.scn.get("records") and not self.second:
            self.write_records()

    def write_records(self):
        """The accounting of the run, as an administrator would take it."""
        work = self.slurm.work
        for name, command in (
                ("sacct.txt", f"sacct -a -P --duplicates -S 2000-01-01 -E 2037-01-01 --format={SACCT}"),
                ("assoc.txt", "sacctmgr -P show assoc"), ("qos.txt", "sacctmgr -P show qos"),
                ("config.txt", "scontrol show config"), ("sshare.txt", "sshare -a -l -P"),
                ("slurm.conf", f"cat {work}/slurm.conf"), ("gres.conf", f"cat {work}/gres.conf")):
            with open(f"{self.out}/{name}", "w", encoding="utf-8") as f:
                f.write(self.clean(self.slurm.sh(command)))


def write_meta(path, meta, second):
    """What is said of the second recording stands under "second" in that of the first."""
    if second:
        with open(path, encoding="utf-8") as f:
            meta = {**json.load(f), "second": meta}
    text = json.dumps(meta, indent=1)
    # Numbers of a list share a line.
    text = re.sub(r"\[[^\[\]{}\"]*\]", lambda m: re.sub(r"\s+", " ", m.group(0)), text)
    scenario.write_lines(path, [text])


def version_of(folder):
    """Of a recording: "24.11"; None: its meta.json tells none."""
    try:
        with open(f"{folder}/meta.json", encoding="utf-8") as f:
            m = re.search(r"\d+\.\d+", json.load(f).get("slurm", ""))
    except (OSError, ValueError):
        return None
    return m.group(0) if m else None


def remarks(folder, second=False):
    """What meta.json says against a recording, for the line on it; '': nothing."""
    try:
        with open(f"{folder}/meta.json", encoding="utf-8") as f:
            meta = json.load(f)
    except (OSError, ValueError):
        return ""
    meta = meta.get("second", {}) if second else meta
    out = [f"submitted up to {meta['submit_lateness_s_max']:g} s late"] if meta.get("submit_lateness_s_max", 0) > LATE else []
    if meta.get("overlong"):
        out.append("ran longer than asked: " + ", ".join(f"{k} by {v:g} s" for k, v in meta["overlong"].items()))
    return "; ".join(out)


def record(scn, out, work, port, rate, second=False):
    """Runs the scenario under a real Slurm; what happened is in the folder out."""
    slurm = Slurm(scn, work, port, rate)
    recording = Recording(scn, slurm, out, second)
    try:
        slurm.start()
        recording.run()
        recording.write()
    finally:
        slurm.stop()
