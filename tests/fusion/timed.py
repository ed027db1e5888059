#!/usr/bin/env python3
"""timed.py LOOPC FIRST LAST [OTHER]: random networks whose parts are chosen by what they take in time, commands or energy.

Each is compiled for random machines with clocks, verified (so what is measured is what was predicted), and compared:

 - it takes no more of what is asked for than nests apart, which are parts, too, nor more cycles or energy than the plan of fewest bytes,
   if these are asked for;
 - it takes no less than its bound;
 - with three threads it is the same.

OTHER: another loopc, whose values are compared and told."""

import os
import random
import sys
import tempfile

from random_networks import Network, run

OBJECTIVES = ("cycles", "cycles", "cycles", "traffic+40*commands", "traffic+3*cycles", "edp")
COMPUTING = ("energy", "energy", "energy", "energy,cycles", "energy+9*traffic", "traffic+0.0675*scratchpad")


def machine(source, has_elements):
    """Clocks of all kinds, cores that take time or do not, and a few processing elements."""
    text = "version: 2\nname: random\nscratchpad: { bytes: %d }\n" % (1024 * source.choice([0.75, 1, 1.5, 2, 3, 6, 64]))
    text += "dma: { startup_cycles: %d, bytes_per_cycle: %d, max_rank: %d, channels: %d%s }\n" % (
        source.choice([2, 14, 50, 291]), source.choice([1, 4, 8]), source.choice([1, 2, 3, 5]), source.choice([1, 2, 4]),
        source.choice(["", "", ", duplex: true"]))
    if source.random() < 0.5:
        text += "core: { mac_cycles: %s }\n" % source.choice(["0.125", "0.5", "1"])
    if source.random() < 0.2 or has_elements:
        text += "pe_array: { x: %d, y: %d, registers_bytes: 64, mac_cycles: 1 }\n" % (source.choice([2, 4]), source.choice([1, 4]))
    return text + "energy_pj: { mac: 4, register: 1, scratchpad: 6, dram: 200 }\n"


def value_of(report):
    asked = report["functions"][0]["objective"]
    # words of elements are not known where a core computes some nest
    return float("inf") if asked["value"] is None else asked["value"], asked["lower_bound"]


def text_of(directory):
    with open(os.path.join(directory, "network.c"), encoding="utf-8") as stream:
        return stream.read()


def failure(loopc, seed, directory, other, tally):
    """What is wrong with network SEED; None: nothing."""
    network, source = Network(seed), random.Random(seed * 11 + 3)
    computes = source.random() < 0.4
    objective = source.choice(COMPUTING if computes else OBJECTIVES)
    has_elements = "scratchpad" in objective or (computes and source.random() < 0.3)
    for name, text in (("network.loop", network.text()), ("machine.yaml", machine(source, has_elements))):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as out:
            out.write(text)
    options = ["--objective=" + objective]
    if source.random() < 0.25:
        options.append("--buffering=" + source.choice(["single", "double"]))
    code, made = run(loopc, directory, "--verify", *options)
    if code == 3:
        tally["too small"] += 1
        return None
    if code:
        return "%s: %s" % (options, made)
    written = text_of(directory)
    code, apart = run(loopc, directory, "--fuse=never", *options)
    if code not in (0, 3):
        return "apart: %s" % apart
    if seed % 4 == 0:
        code_of_three, told = run(loopc, directory, "-j3", *options)
        if code_of_three or text_of(directory) != written:
            return "with three threads the output is another one: %s" % (told if code_of_three else "")
    value, bound = value_of(made)
    tally["networks"] += 1
    tally["groups"] += sum("\nfuse " in kernel["schedule"] for kernel in made["kernels"])
    if bound > value:
        return "%s: %s is less than its bound %s" % (options, value, bound)
    if code == 0 and value > value_of(apart)[0]:
        return "%s: %s, nests apart %s" % (options, value, value_of(apart)[0])
    if objective in ("cycles", "energy"):
        code_of_fewest, fewest = run(loopc, directory, *options[1:])
        total = None if code_of_fewest else fewest["total"]
        if not total or value > (total["time"]["cycles"] if objective == "cycles" else total["energy"]["total_pj"] * (1 + 1e-5)):
            return "%s: %s, made for traffic %s" % (options, value, fewest)
    if other:
        code, theirs = run(other, directory, *options)
        if not code:
            print("%d %s %s: %.4f of the other's, %.4f of the bound" % (seed, objective, " ".join(options[1:]),
                                                                  value / value_of(theirs)[0], value / bound if bound else 0))
    return None


def main():
    loopc, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    other = sys.argv[4] if len(sys.argv) > 4 else None
    failures, tally = 0, dict.fromkeys(("networks", "groups", "too small"), 0)
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory() as directory:
            what = failure(loopc, seed, directory, other, tally)
        if what:
            failures += 1
            print("network %d: %s" % (seed, what))
    print(", ".join("%d %s" % (count, name) for name, count in tally.items()))
    if not (tally["networks"] and tally["groups"]):
        print("no group was made")
        failures += 1
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
