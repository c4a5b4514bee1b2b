#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""EASY backfilling (Lifka 1995). schedlab run log.swf -p 'external:command="python3 easy.py"'"""
from decider import Decider


class Easy(Decider):
    def shadow(self, size):
        """When so many are free by the limits of what runs, and how many are spare then; never: whoever fits is in time."""
        free = self.free
        ends = sorted(self.running.values())
        for i, (end, held) in enumerate(ends):
            free += held
            # All that end at one time are counted before anybody is spare.
            if free >= size and (i + 1 == len(ends) or ends[i + 1][0] > end):
                return end, free - size
        return float("inf"), self.free

    def decide(self):
        rows = []
        queue = list(self.waiting.items())
        while queue and queue[0][1]["size"] <= self.free:
            row = queue.pop(0)[0]
            rows.append(row)
            self.started(row)
        if not queue:
            return rows
        shadow, spare = self.shadow(queue[0][1]["size"])
        for row, job in queue[1:]:
            in_time = self.now + job["estimate"] <= shadow
            if job["size"] <= self.free and (in_time or job["size"] <= spare):
                spare -= 0 if in_time else job["size"]
                rows.append(row)
                self.started(row)
        return rows


Easy().talk()
