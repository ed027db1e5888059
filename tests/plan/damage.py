"""What the verifier of plans says of damaged ones, against a walk of all iterations.

usage: damage.py LOOPC FIRST COUNT

Each seed takes a small plan and changes one number in its loops, buffers or subscripts.  This file reads the plan's
text by itself and runs it: each transfer is to be inside its array and its buffer, each use inside its buffer
and apart from what is in flight.  What breaks that is refused, and no plan is refused for that without
cause.  (Other things are wrong with some of the plans, such as what they say of their traffic.)"""

import os
import random
import re
import subprocess
import sys
import tempfile

SOURCES = {
    "product": """void product(const int A[7][9], const int B[9][8], int C[7][8])
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 8; j++) {
            C[i][j] = 0;
            for (int k = 0; k < 9; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}""",
    "window": """void window(const int I[3][13][11], const int W[4][3][3][3], int O[4][6][5])
{
    for (int k = 0; k < 4; k++)
        for (int p = 0; p < 6; p++)
            for (int q = 0; q < 5; q++) {
                O[k][p][q] = 0;
                for (int c = 0; c < 3; c++)
                    for (int r = 0; r < 3; r++)
                        for (int s = 0; s < 3; s++)
                            O[k][p][q] += I[c][2 * p + r][2 * q + s] * W[k][c][r][s];
            }
}""",
    "triangle": """void triangle(const int A[12][12], const int x[12], int y[12])
{
    for (int i = 0; i < 12; i++) {
        y[i] = 0;
        for (int j = 0; j <= i; j++)
            y[i] += A[i][j] * x[j];
    }
}""",
}
FAULTS = re.compile("does not hold element|is in flight|leaves dimension|has no slot|of the ring|never waited")
# Numbers that do not say what is done.
OTHERS = re.compile(r"(offset|bytes|read|write|line|column|compulsory|lower_bound|used|optimal|bound|points|double|slots"
                    r"|traffic|tag|wait)[ \d]*$")


class Fault(Exception):
    """The plan does what no plan may."""


def python(text):
    """An expression of a plan as one of Python."""
    return text.replace("&&", " and ").replace("||", " or ").replace("!", " not ").replace(
        "floordiv(", "(lambda a, b: a // b)(").replace("mod(", "(lambda a, b: a % b)(").replace(
        "select(", "(lambda c, a, b: a if c else b)(")


class Plan:
    """A plan that is read from TEXT."""

    def __init__(self, text):
        self.shapes = {name: [int(n) for n in re.findall(r"\[(\d+)\]", shape)]
                       for name, shape in re.findall(r"parameter (\w+) : [\w ]*?((?:\[\d+\])+)", text)}
        self.statements = {}
        for name, iterators, body in re.findall(r"domain \{ (\w+)\[([^]]*)\].*\}\n\s*(.*)\n", text):
            self.statements[name] = ([i.split("=")[0].strip() for i in iterators.split(",")],
                                     [(array, [compile(s, array, "eval") for s in subscripts[1:-1].split("][")])
                                      for array, subscripts in re.findall(r"(\w+)((?:\[[^]]*\])+)", body)])
        self.buffers = {}
        for head, dims in re.findall(r"\n  buffer (.*)((?:\n    dim .*)+)", text):
            name, array = re.match(r"(\w+) of (\w+)", head).groups()
            slot = re.search(r" slot (.*)$", head)
            self.buffers[name] = (array, int(re.search(r"slots (\d+)", head)[1]),
                                  slot and compile(python(slot[1]), name, "eval"),
                                  [self.dim(line) for line in dims.strip().split("\n")])
        lines = [line.strip() for line in text[text.index("    body {"):].split("\n")[1:]]
        self.body = self.nodes(lines)
        self.flights = []

    @staticmethod
    def dim(line):
        ring, origin = re.search(r" ring (\d+)", line), re.search(r" from (.*)$", line)
        return (int(line.split()[1]), ring and int(ring[1]), origin and compile(python(origin[1]), "origin", "eval"))

    def nodes(self, lines):
        """The nodes up to the end of the block."""
        found = []
        while True:
            line = lines.pop(0)
            if line == "}":
                return found
            words = line.split()
            if line.endswith("{"):
                head, body = line[:-2], self.nodes(lines)
                if words[0] in ("tile", "point", "pieces"):
                    parts = re.match(r"\w+ (\w+) = (.*) to (.*?)(?: step (\d+))?$", head)
                    found.append(("loop", parts[1], compile(python(parts[2]), line, "eval"),
                                  compile(python(parts[3]), line, "eval"), int(parts[4] or 1), body))
                elif words[0] == "let":
                    found.append(("let", words[1], compile(python(head.split("=", 1)[1].strip()), line, "eval"), body))
                elif words[0] == "if":
                    found.append(("if", compile(python(head[3:]).strip(), line, "eval"), body))
                else:
                    found.append(("block", body))
            elif words[0] in ("get", "put"):
                parts = re.match(r"\w+ (\w+) tag (\d+) first \((.*)\) count \((.*)\) local \((.*?)\)(?: slot (.*))?$",
                                 line)
                where = [compile("[" + python(text) + "]", line, "eval") for text in parts.group(3, 4, 5)]
                slot = parts[6] and compile(python(parts[6]), line, "eval")
                found.append((words[0], parts[1], int(parts[2]), where, slot))
            elif words[0] == "wait":
                found.append(("wait", {int(tag) for tag in words[1:]}))
            else:
                parts = re.match(r"do (\w+) at \((.*)\) in \((.*)\)$", line)
                found.append(("do", parts[1], compile("[" + python(parts[2]) + "]", line, "eval"),
                              parts[3].split(", ")))

    def run(self):
        self.walk(self.body, {"min": min, "max": max})
        if self.flights:
            raise Fault("never waited for")

    def walk(self, nodes, values):
        for node in nodes:
            if node[0] == "loop":
                for value in range(eval(node[2], values), eval(node[3], values) + 1, node[4]):
                    values[node[1]] = value
                    self.walk(node[5], values)
            elif node[0] == "let":
                values[node[1]] = eval(node[2], values)
                self.walk(node[3], values)
            elif node[0] == "if":
                if eval(node[1], values):
                    self.walk(node[2], values)
            elif node[0] == "block":
                self.walk(node[1], values)
            elif node[0] == "wait":
                self.flights = [flight for flight in self.flights if flight[0] not in node[1]]
            elif node[0] == "do":
                self.do(node, values)
            else:
                self.copy(node, values)

    def copy(self, node, values):
        kind, name, tag, where, slot = node
        array, slots, own, dims = self.buffers[name]
        first, count, local = (eval(text, values) for text in where)
        if min(count) <= 0:
            return
        at = eval(slot or own, values) if slots > 1 else 0
        if not 0 <= at < slots:
            raise Fault("slot")
        for f, n, l, extent, (size, ring, _) in zip(first, count, local, self.shapes[array], dims):
            if f < 0 or f + n > extent or l < 0 or l + n > size or (ring and l != f % ring):
                raise Fault("region")
        outside, inside = list(zip(first, count)), list(zip(local, count))
        for _, other, other_name, other_slot, there, within in self.flights:
            both_put = kind == other == "put"
            if not both_put and (other_name, other_slot) == (name, at) and meet(inside, within):
                raise Fault("the same place")
            if "put" in (kind, other) and self.buffers[other_name][0] == array and meet(outside, there):
                raise Fault("the same elements")
        self.flights.append((tag, kind, name, at, outside, inside))

    def do(self, node, values):
        iterators, accesses = self.statements[node[1]]
        scope = dict(zip(iterators, eval(node[2], values)))
        for number, ((_, subscripts), name) in enumerate(zip(accesses, node[3])):
            _, slots, own, dims = self.buffers[name]
            at = eval(own, values) if slots > 1 else 0
            if not 0 <= at < slots:
                raise Fault("slot")
            place = []
            for subscript, (size, ring, origin) in zip(subscripts, dims):
                x = eval(subscript, scope)
                coordinate = x % ring if ring else x - eval(origin, values)
                if x < 0 or not 0 <= coordinate < size:
                    raise Fault("does not hold")
                place.append((coordinate, 1))
            for _, kind, other, other_slot, _, within in self.flights:
                if (other, other_slot) == (name, at) and (number == 0 or kind == "get") and meet(place, within):
                    raise Fault("in flight")


def meet(one, other):
    return all(a < b + m and b < a + n for (a, n), (b, m) in zip(one, other))


def make_plans(loopc, directory):
    plans = []
    for name, source in SOURCES.items():
        with open(os.path.join(directory, name + ".loop"), "w") as out:
            out.write(source + "\n")
        for size, buffering in ((160, "single"), (400, "double"), (700, "double")):
            with open(os.path.join(directory, "m.yaml"), "w") as out:
                out.write("name: m\nscratchpad: { bytes: %d }\n" % size)
            path = os.path.join(directory, "plan")
            subprocess.run([loopc, "--arch=" + os.path.join(directory, "m.yaml"), "--buffering=" + buffering,
                            "--emit=plan=" + path, os.path.join(directory, name + ".loop")], check=True)
            plans.append(open(path).read())
            Plan(plans[-1]).run()
    return plans


def damage(chance, plans):
    """One of PLANS that is changed by a number, and what becomes of what."""
    text = chance.choice(plans)
    kind = chance.random()
    if kind < 0.2:
        spot = chance.choice(list(re.finditer(r"(?<= from )\w+", text)))
        new = spot[0] + chance.choice((" + 1", " - 1"))
    elif kind < 0.4:
        spot = chance.choice(list(re.finditer(r"(?<=[A-Za-z\]])\[[^][,]*\b[a-z]\b[^][,]*(?=\])", text[:text.index("\nplan ")])))
        new = spot[0] + chance.choice((" + 1", " - 1"))
    else:
        begin, end = (text.index("\n  buffer"), text.index("\n  nest")) if kind < 0.6 else (
            text.index("    body {"), len(text))
        spot = chance.choice([m for m in re.finditer(r"(?<![\w.])\d+\b", text) if begin < m.start() < end
                              and not re.search(OTHERS, text[:m.start()][-40:])])
        new = str(max(0, int(spot[0]) + chance.choice((-2, -1, 1, 1, 2))))
    return text[:spot.start()] + new + text[spot.end():], "%s becomes %s" % (text[spot.start() - 60:spot.end() + 20], new)


def main():
    loopc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    refused = accepted = failures = 0
    with tempfile.TemporaryDirectory() as directory:
        plans = make_plans(loopc, directory)
        for seed in range(first, first + count):
            damaged, what = damage(random.Random(seed), plans)
            with open(os.path.join(directory, "d.plan"), "w") as out:
                out.write(damaged)
            fault = None
            try:
                Plan(damaged).run()
            except (Fault, ZeroDivisionError, ValueError) as found:
                fault = str(found)
            run = subprocess.run([loopc, "--emit=c=" + os.path.join(directory, "d.c"), os.path.join(directory, "d.plan")],
                                 stderr=subprocess.PIPE, universal_newlines=True)
            refused += run.returncode != 0
            accepted += run.returncode == 0
            if run.returncode not in (0, 1) or (fault and not run.returncode) or (
                    not fault and FAULTS.search(run.stderr)):
                failures += 1
                print("seed %d: %s: %s, but status %d\n%s" % (seed, what, fault, run.returncode, run.stderr))
    print("%d refused, %d accepted, %d failures" % (refused, accepted, failures))
    return failures > 0 or not refused or not accepted


if __name__ == "__main__":
    sys.exit(main())
