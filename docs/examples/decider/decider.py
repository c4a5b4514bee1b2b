# SPDX-License-Identifier: GPL-3.0-or-later
"""What a decider in Python is made of: the dialogue of schedlab-external(7), and who waits and runs.

A decider is a class with a method decide(self), which returns the rows of the jobs to start, in order.
"""
import json
import sys


class Decider:
    """On a counted pool: self.free processors, self.waiting and self.running by row."""

    def __init__(self):
        self.hello, self.now, self.free = {}, 0, 0
        self.waiting = {}  # row -> job, in order of submission
        self.running = {}  # row -> (when it must end, size)

    def started(self, row):
        job = self.waiting.pop(row)
        self.running[row] = (self.now + job["estimate"], job["size"])
        self.free -= job["size"]

    def decide(self):
        raise NotImplementedError

    def told(self, message):
        self.now = message["now"]
        self.free = message["free"]["cpus"]
        for row in message["refused"]:
            raise SystemExit(f"job {row} did not start")
        for event in message["events"]:
            if event["type"] == "submit":
                self.waiting[event["job"]] = event
            elif event["type"] == "end":
                self.waiting.pop(event["job"], None)
                self.running.pop(event["job"], None)

    def talk(self):
        for line in sys.stdin:
            message = json.loads(line)
            if "schema" in message:
                self.hello = message
                answer = {"ready": True}
            else:
                self.told(message)
                answer = {"start": self.decide()}
            print(json.dumps(answer), flush=True)
