#!/usr/bin/env python3
"""What is made for an objective is at least as good as what is made for traffic, and no better than its bound.

    objectives.py LOOPC FIRST COUNT

COUNT random programs on random machines with clocks and prices; each is compiled for traffic and for other
objectives, and what is made for these is verified.  The values are worked out again from the figures in the
report.
"""

import json
import os
import random
import re
import subprocess
import sys

import trials

PRICES = "energy_pj: { mac: 4, register: 1, scratchpad: 6, dram: 200 }\n"
OBJECTIVES = ("cycles", "energy", "edp", "commands", "traffic+40*commands", "cycles,traffic", "2*energy+0.5*cycles")


def figures_of(total):
    figures = {"traffic": total["total_bytes"], "commands": total["commands"], "cycles": total["time"]["cycles"],
               "energy": total["energy"]["total_pj"]}
    figures["edp"] = figures["energy"] * figures["cycles"]
    return figures


def value_of(objective, figures):
    value = 0
    for term in objective.split(",")[0].split("+"):
        weight, _, name = term.rpartition("*")
        value += float(weight or 1) * figures[name]
    return value


def compile_for(loopc, objective, options, directory, more):
    report = os.path.join(directory, "r.json")
    done = subprocess.run([loopc, "--arch=m.yaml", "--objective=" + objective, "--report=" + report, "-o", "p.c"]
                          + more + options + ["p.loop"], cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        return done.returncode, done.stdout
    with open(report, encoding="utf-8") as file:
        return 0, {**json.load(file), "told": done.stdout}


def misjudged(made):
    """The ways that were tried are compared by plans that are not emitted: what was taken must be what it was taken for."""
    tried = re.findall(r"^\* [a-z]+ +(?:\S+ bytes|what it takes) +(\d+)", made["told"], re.M)
    return [int(moved) for moved in tried] != [function["total_bytes"] for function in made["functions"]]


def says_too_much(made, plain):
    """What is called optimal moves no more than what was made for traffic: a function, or a nest that is all of it."""
    for ours, theirs in zip(made["functions"], plain["functions"]):
        nests, others = ([nest for nest in report["kernels"] if nest["function"] == ours["function"]]
                         for report in (made, plain))
        # the same nests as one: a group may be the best by itself where others are better apart
        is_same = len(nests) == len(others) == 1 and nests[0]["nest"] == others[0]["nest"]
        optimal = ours["optimal"] or (is_same and nests[0]["search"]["optimal"])
        if optimal and ours["total_bytes"] > theirs["total_bytes"]:
            return ours["function"]
    return None


def trial(loopc, seed, directory):
    """None: right; else what is wrong.  "": does not fit."""
    choose = random.Random("objectives %d" % seed)
    options = trials.write_case(seed, directory, PRICES)
    status, plain = compile_for(loopc, "traffic", options, directory, [])
    if status:
        return "" if status == 3 else plain
    objective = choose.choice(OBJECTIVES)
    status, made = compile_for(loopc, objective, options, directory, ["--verify", "--explain"])
    if status:
        return "%s: %s" % (objective, made)
    value = value_of(objective, figures_of(made["total"]))
    told = sum(function["objective"]["value"] for function in made["functions"])
    least = sum(function["objective"]["lower_bound"] for function in made["functions"])
    if len(made["functions"]) > 1 and "edp" in objective:
        return None  # products do not add up
    if abs(told - value) > 1e-4 * value:
        return "%s: %g is told, the figures say %g" % (objective, told, value)
    if value > value_of(objective, figures_of(plain["total"])) * (1 + 1e-4):
        return "%s: %g, for traffic it would be %g" % (objective, value, value_of(objective, figures_of(plain["total"])))
    if misjudged(made):
        return "%s: another plan was emitted than the one that was tried: %s" % (objective, made["told"])
    if says_too_much(made, plain):
        return "%s: %s is called optimal, and for traffic less moves" % (objective, says_too_much(made, plain))
    if least > value * (1 + 1e-4):
        return "%s: %g is below the bound %g" % (objective, value, least)
    return None


if __name__ == "__main__":
    sys.exit(trials.run(trial))
