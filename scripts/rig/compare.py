# SPDX-License-Identifier: GPL-3.0-or-later
"""Two folders with an expected.csv: two recordings, or a recording and what schedlab gave.

The same: the order of starts (those of the first within the tolerance of each other may swap), each start to
the tolerance, nodes, how many attempts, how each job ended. Reasons are counted.
"""
import csv
import os

from .scenario import Bad, expand

TOLERANCE = 3


def rows_of(folder, name="expected.csv"):
    path = os.path.join(folder, name)
    try:
        with open(path, newline="", encoding="utf-8") as f:
            return {(r["job"], int(r["attempt"])): r for r in csv.DictReader(f)}
    except (OSError, KeyError, ValueError) as e:
        raise Bad(f"{path}: {e}") from e


def number(text):
    return None if text in ("", None) else float(text)


class Comparison:
    def __init__(self, a, b, tolerance=TOLERANCE, nodes=True):
        self.a, self.b, self.tolerance, self.nodes = a, b, tolerance, nodes
        self.differences = []  # (when, what): the earliest counts, what follows may come of it.
        self.apart = 0.0
        self.reasons = self.reasons_same = 0
        self.rows()
        self.order()
        self.differences.sort()

    def differs(self, when, text):
        self.differences.append((number(when) or 0, text))

    def rows(self):
        for key in sorted(self.a.keys() | self.b.keys()):
            a, b = self.a.get(key), self.b.get(key)
            name = key[0] + (f" (attempt {key[1]})" if key[1] else "")
            if not a or not b:
                one = a or b
                self.differs(one["start"] or one["submit"], f"{name}: only in {'the first' if a else 'the second'}")
                continue
            self.row(name, a, b)

    def row(self, name, a, b):
        last = (a["job"], int(a["attempt"]) + 1) not in self.a
        if last and a["state"] != b["state"]:
            self.differs(a["end"] or a["submit"], f"{name}: {a['state']}, {b['state']}")
        start, other = number(a["start"]), number(b["start"])
        if (start is None) != (other is None):
            self.differs(start if other is None else other,
                         f"{name}: started only in {'the second' if start is None else 'the first'}")
        elif start is not None:
            self.apart = max(self.apart, abs(start - other))
            if abs(start - other) > self.tolerance:
                self.differs(min(start, other), f"{name}: started at {start:g}, {other:g}")
            if self.nodes and a["nodelist"] and b["nodelist"] and \
                    set(expand(a["nodelist"])) != set(expand(b["nodelist"])):
                self.differs(start, f"{name}: on {a['nodelist']}, {b['nodelist']}")
        if not int(a["attempt"]) and a["state"] != "REJECTED":
            self.row_reasons(a, b)

    def row_reasons(self, a, b):
        seen = [r for r in a["reasons_seen"].split("+") if r]
        other = [r for r in b["reasons_seen"].split("+") if r]
        lasted = other if b.get("reasons_long") is None else [r for r in b["reasons_long"].split("+") if r]
        self.reasons += len(seen) + len(lasted)
        self.reasons_same += sum(r in other for r in seen) + sum(r in seen for r in lasted)

    def order(self):
        starts = [(number(a["start"]), number(self.b[k]["start"]), k[0]) for k, a in self.a.items()
                  if a["start"] != "" and k in self.b and self.b[k]["start"] != ""]
        for p in starts:
            for q in starts:
                if p[0] + self.tolerance < q[0] and p[1] > q[1]:
                    self.differs(p[0], f"{p[2]} before {q[2]} ({p[0]:g}, {q[0]:g}), in the second after it "
                                       f"({p[1]:g}, {q[1]:g})")

    def line(self, name):
        reasons = f"reasons {self.reasons_same} of {self.reasons}"
        head = f"{'DIFFERS' if self.differences else 'same'} {name}: starts {self.apart:g} s apart at most, {reasons}"
        if not self.differences:
            return head
        more = len(self.differences) - 1
        return head + "; first: " + self.differences[0][1] + (f" (and {more} more)" if more else "")

    def table(self):
        out = ["  %-12s %8s %8s %-11s %-16s | %8s %8s %-11s %s" % (
            "job", "start", "end", "state", "nodes", "start", "end", "state", "nodes")]
        for key in sorted(self.a, key=lambda k: (number(self.a[k]["start"]) or 1e9, k)):
            a, b = self.a[key], self.b.get(key) or {}
            start, other = number(a["start"]), number(b.get("start"))
            off = start != other and (start is None or other is None or abs(start - other) > self.tolerance)
            out.append("%s %-12s %8s %8s %-11s %-16s | %8s %8s %-11s %s" % (
                "!" if off else " ", key[0], a["start"], a["end"], a["state"], a["nodelist"],
                b.get("start", ""), b.get("end", ""), b.get("state", ""), b.get("nodelist", "")))
        return "\n".join(out)


SECOND = "expected-2.csv"


def compare(a, b, tolerance=TOLERANCE, nodes=True):
    """b is None: the two recordings that a has."""
    return Comparison(rows_of(a), rows_of(b) if b else rows_of(a, SECOND), tolerance, nodes)


def pairs(a, b):
    """(name, folder, folder): two scenarios, or all that two folders of scenarios have in common."""
    if os.path.exists(os.path.join(a, "expected.csv")):
        return [(os.path.basename(os.path.abspath(a)), a, b)]
    names = [n for n in sorted(os.listdir(a))
             if all(os.path.exists(os.path.join(d, n, "expected.csv")) for d in (a, b))]
    if not names:
        raise Bad(f"{a} and {b} have no scenario in common")
    return [(n, os.path.join(a, n), os.path.join(b, n)) for n in names]


def twice(a):
    """(name, folder, None): a scenario that is recorded twice, or all of a folder that are."""
    folders = [a] + [os.path.join(a, n) for n in sorted(os.listdir(a))]
    found = [(os.path.basename(os.path.abspath(f)), f, None) for f in folders if os.path.exists(os.path.join(f, SECOND))]
    if not found:
        raise Bad(f"{a} has nothing that is recorded twice")
    return found
