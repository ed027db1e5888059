#!/usr/bin/env python3
"""memories.py LOOPC FIRST COUNT [KEEP]: random functions and networks, from seed FIRST on, on machines with two
or three memories on chip, each for the arrays of some roles.

 - What is predicted is what a run moves, and its outputs are the source's (--verify).
 - Groups and arrays that stay on chip never move more than the nests one by one.
 - Each buffer is inside its memory, and its array may lie there: the memory holds a role that the array has
   in one of the nests.
 - A schedule, given back, moves the same from and to the same memories.
 - No more moves where each memory has more bytes, or where one memory has the bytes of all."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

from functions import Function
from random_networks import Network

ROLES = ("input", "weight", "output")


class Failure(Exception):
    pass


def roles_of(nests):
    """The roles of the arrays of each nest, whose text is a function's of functions.py."""
    lines = [re.findall(r"^\w+\[.*$", nest, re.M) for nest in nests]
    made = [{re.match(r"\w+", line).group() for line in own} for own in lines]
    reads = []
    for own, targets in zip(lines, made):
        found = re.findall(r"\b([PT]\d+)\[", " ".join(line.split("=", 1)[1] for line in own))
        reads.append([name for i, name in enumerate(found) if name not in found[:i] and name not in targets])
    windows = set(re.findall(r"\b([PT]\d+)\[i \+ r\]", " ".join(nests)))
    inputs = windows | set().union(*made)
    result = []
    for targets, names in zip(made, reads):
        plain = [name for name in names if name in inputs] or names[:1]
        result.append({**{name: "input" if name in plain else "weight" for name in names},
                       **dict.fromkeys(targets, "output")})
    return result


class Machine:
    """Memories of so many bytes, names and roles by chance."""

    def __init__(self, rng, total):
        self.memories = []
        for m in range(rng.choice((2, 2, 3))):
            self.memories.append({"name": "m%d" % m, "holds": [], "banks": rng.choice((0, 0, 0, 4)),
                                  "bytes": max(64, int(total * rng.choice((0.05, 0.1, 0.2, 0.4, 0.8))) // 64 * 64)})
        for role in ROLES:
            for memory in rng.sample(self.memories, rng.choice((1, 1, 2))):
                memory["holds"].append(role)
        for memory in self.memories:
            memory["holds"] = memory["holds"] or ["output"]
        self.max_rank = rng.choice((1, 2, 3))

    def text(self, factor=1):
        lines = []
        for memory in self.memories:
            banks = ", banks: %d, sharing: exclusive" % memory["banks"] if memory["banks"] else ""
            lines.append("  - { name: %s, bytes: %d, holds: [%s]%s }\n" % (
                memory["name"], memory["bytes"] * factor, ", ".join(memory["holds"]), banks))
        return "name: m\nmemories:\n%sdma: { max_rank: %d }\n" % ("".join(lines), self.max_rank)

    def as_one(self):
        """One memory of as many bytes, which places whatever these can; banks keep others out."""
        return "name: m\nscratchpad: { bytes: %d }\ndma: { max_rank: %d }\n" % (
            sum(memory["bytes"] for memory in self.memories), self.max_rank)


class Trial:
    def __init__(self, loopc, seed, tally):
        self.loopc, self.tally, self.roles = loopc, tally, None
        rng = random.Random(seed)
        if seed % 4 == 3:
            self.text = Network(seed).text()
            total = rng.choice((1000, 3000, 8000))
        else:
            function = Function(rng, rng.choice((2, 3, 3, 4)))
            self.text = function.text()
            self.roles = roles_of(function.nests)
            total = sum(4 * a * b for a, b in ((s + [1])[:2] for s in function.side.values()))
        self.machine = Machine(rng, total)
        self.buffering = "--buffering=" + rng.choice(("single", "single", "double", "auto"))
        with open("f.loop", "w") as out:
            out.write(self.text)

    def run(self, machine, *options):
        """The report, and the schedule; None: nothing fits."""
        with open("m.yaml", "w") as out:
            out.write(machine)
        done = subprocess.run([self.loopc, "--arch=m.yaml", "-j1", self.buffering, "--report=r.json",
                               "--emit=schedule=s.txt", *options, "f.loop"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if done.returncode == 3:
            return None
        if done.returncode:
            raise Failure("%s: exit %d\n%s" % (options, done.returncode, done.stderr))
        with open("r.json") as report, open("s.txt") as schedule:
            return json.load(report), schedule.read()

    def test(self):
        machine = self.machine.text()
        found = self.run(machine, "--verify")
        alone = self.run(machine, "--fuse=never")
        self.check("fits only nest by nest", found or not alone)
        if not found:
            self.tally["too small"] += 1
            return
        report, schedule = found
        moved = report["total"]["total_bytes"]
        self.count(schedule)
        self.check_places(report)
        if alone:
            self.check("moves %d, nest by nest %d" % (moved, alone[0]["total"]["total_bytes"]),
                       moved <= alone[0]["total"]["total_bytes"])
        self.write("own.txt", schedule)
        again = self.run(machine, "--schedule=own.txt")
        self.check("its own schedule does not fit", again)
        self.check("its own schedule lies elsewhere:\n%s\n%s" % (schedule, again[1]),
                   self.places(again[1]) == self.places(schedule))
        self.check("its own schedule moves %d, not %d" % (again[0]["total"]["total_bytes"], moved),
                   again[0]["total"]["total_bytes"] == moved)
        for what, other in (("with twice as much of each", self.machine.text(2)),
                            ("with one memory", self.machine.as_one())):
            more = self.run(other)
            self.check("nothing fits " + what, more)
            self.check("moves %d %s, %d without" % (more[0]["total"]["total_bytes"], what, moved),
                       more[0]["total"]["total_bytes"] <= moved)

    @staticmethod
    def places(schedule):
        return [line for line in schedule.split("\n") if line.startswith(("nest ", "memory ", "carry "))]

    @staticmethod
    def write(path, text):
        with open(path, "w") as out:
            out.write(text)

    def count(self, schedule):
        self.tally["groups"] += schedule.count("\nfuse ")
        self.tally["carried"] += len({line for line in schedule.split("\n") if line.startswith("carry ")})

    def check_places(self, report):
        sizes = {memory["name"]: memory["bytes"] for memory in report["arch"]["memories"]}
        for nest in report["kernels"]:
            used = 0
            for memory in nest["scratchpad"]["memories"]:
                used += memory["used_bytes"]
                self.check("%s uses %d of %s" % (nest["nest"], memory["used_bytes"], memory["name"]),
                           memory["used_bytes"] <= sizes[memory["name"]])
            self.check("%s uses %d, its memories %d" % (nest["nest"], nest["scratchpad"]["used_bytes"], used),
                       used == nest["scratchpad"]["used_bytes"])
            buffers = nest["scratchpad"]["buffers"]
            if len({buffer["memory"] for buffer in buffers}) > 1 and "\nfuse " in nest["schedule"]:
                self.tally["spread groups"] += 1
            self.check_roles(nest, buffers)
            for buffer in buffers:
                self.check("%s is outside %s" % (buffer["name"], buffer["memory"]),
                           buffer["offset_bytes"] + buffer["bytes"] <= sizes[buffer["memory"]])

    def check_roles(self, nest, buffers):
        """Each buffer but those of merged nests lies where a role is held that its array has."""
        name = re.match(r"f(?:\.(\d+))?(?:-(\d+))?$", nest["nest"])
        if not self.roles or not name or "\nmerge" in nest["schedule"]:
            return
        first = int(name.group(1) or 0)
        for buffer in buffers:
            carried = "\ncarry %s\n" % buffer["array"] in nest["schedule"]
            roles = {nest_roles[buffer["array"]] for n, nest_roles in enumerate(self.roles)
                     if buffer["array"] in nest_roles and (carried or first <= n <= int(name.group(2) or first))}
            holds = self.machine.memories[int(buffer["memory"][1:])]["holds"]
            self.check("%s of %s lies in %s, which holds %s, and is %s\n%s" % (
                buffer["array"], nest["nest"], buffer["memory"], holds, roles, nest["schedule"]), roles & set(holds))

    def check(self, what, holds):
        if not holds:
            raise Failure(what)


def main():
    loopc, first, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    keep = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    tally = dict.fromkeys(("too small", "groups", "spread groups", "carried"), 0)
    failures = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as directory:
            if keep:
                directory = os.path.join(keep, str(seed))
                os.makedirs(directory, exist_ok=True)
            os.chdir(directory)
            try:
                Trial(loopc, seed, tally).test()
            except Failure as failure:
                failures += 1
                print("seed %d: %s" % (seed, failure))
            os.chdir("/")
    print(", ".join("%d %s" % (number, name) for name, number in tally.items()))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
