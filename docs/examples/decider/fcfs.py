#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""First come, first served: nobody overtakes. schedlab run log.swf -p 'external:command="python3 fcfs.py"'"""
from decider import Decider


class Fcfs(Decider):
    def decide(self):
        rows = []
        for row, job in list(self.waiting.items()):
            if job["size"] > self.free:
                break
            rows.append(row)
            self.started(row)
        return rows


Fcfs().talk()
