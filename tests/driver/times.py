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
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz"))
import generate  # noqa: E402


def knows_times(report):
    """Each nest says how long it takes, and was measured to take that."""
    return all("time" in nest and nest["time"]["cycles"] == nest["measured"]["cycles"]
               for nest in report["kernels"])


def trial(loopc, seed, directory):
    program = generate.generate(seed)
    machine = generate.generate_machine(seed, program, False).text("m")
    if "startup_cycles: 0" in machine and "mac_cycles" not in machine:
        machine = machine.replace("startup_cycles: 0", "startup_cycles: 5")
    for name, text in (("p.loop", program.text()), ("m.yaml", machine)):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    report = os.path.join(directory, "r.json")
    done = subprocess.run([loopc, "--arch=m.yaml", "--verify", "--report=" + report, "-o", "p.c"]
                          + ["-D" + option for option in program.options()] + ["p.loop"],
                          cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode == 3:
        return True, "does not fit"
    if done.returncode:
        return False, done.stdout + machine
    with open(report, encoding="utf-8") as file:
        return knows_times(json.load(file)), "the report's times are measured"


def main():
    loopc, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tried = fits = failed = 0
    while tried < count:
        seed += 1
        if "fuzz_" in generate.generate(seed).text():
            continue  # calls functions that are elsewhere
        tried += 1
        with tempfile.TemporaryDirectory() as directory:
            good, text = trial(loopc, seed, directory)
        fits += text != "does not fit"
        failed += not good
        if not good:
            print("# seed %d: %s" % (seed, text.replace("\n", "\n# ")))
    print("%d programs, %d fit, %d failed" % (count, fits, failed))
    return failed > 0 or fits < count / 2


if __name__ == "__main__":
    sys.exit(main())
