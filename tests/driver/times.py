#!/usr/bin/env python3
"""The time that a report predicts is what the run takes.

    times.py LOOPC FIRST COUNT

Compiles and verifies COUNT random programs on random machines with clocks: --verify compares cycles of
each nest with what the timeline of its run says.  Prints a line of TAP for each program.
"""

import json
import os
import subprocess
import sys

import trials


def knows_times(report):
    """Each nest says how long it takes, and was measured to take that."""
    return all("time" in nest and nest["time"]["cycles"] == nest["measured"]["cycles"]
               for nest in report["kernels"])


def trial(loopc, seed, directory):
    options = trials.write_case(seed, directory)
    report = os.path.join(directory, "r.json")
    done = subprocess.run([loopc, "--arch=m.yaml", "--verify", "--report=" + report, "-o", "p.c"] + options
                          + ["p.loop"], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode:
        return "" if done.returncode == 3 else done.stdout
    with open(report, encoding="utf-8") as file:
        return None if knows_times(json.load(file)) else "some time is not told, or not as measured"


if __name__ == "__main__":
    sys.exit(trials.run(trial))
