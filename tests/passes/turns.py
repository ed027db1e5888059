"""What is kept at a turn, of regions that isl finds: random nests with triangles, guards, strides and
sums, under random tiles and orders.

    turns.py LOOPC FIRST LAST      seeds FIRST to LAST

Each nest is lowered with loops that only run forwards and one region in each buffer; then with random
loops that turn, and random numbers of slots.  A perfect nest moves no more bytes then, and the result is
verified: what the run moves is what is predicted, and its outputs are those of the source.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

from providers import Comparison, traffic

LOOPS = "ijkl"
TARGETS = "XYZUVWPQ"

# Schedules of a nest, until one is legal.
TRIES = 4


def subscript(chance, loops):
    """A sum of one or two iterators, and its largest value where each iterator is below 12."""
    terms = [(chance.choice([1, 1, 1, 2]), loop) for loop in loops]
    constant = chance.choice([0, 0, 0, 1, 2])
    text = " + ".join([loop if factor == 1 else "%d * %s" % (factor, loop) for factor, loop in terms]
                      + [str(constant)] * (constant > 0))
    return text, sum(11 * factor for factor, _ in terms) + constant


def access(chance, arrays, name, subscripts):
    """An element of array NAME, whose extents ARRAYS has."""
    rank = arrays.setdefault(name, [0] * len(subscripts))
    text = name
    for d, loops in enumerate(subscripts):
        index, most = subscript(chance, loops) if name in "ABC" else (loops, 11 if len(loops) == 1 else 22)
        rank[d] = max(rank[d], most + 1)
        text += "[%s]" % index
    return text


def read(chance, arrays, loops):
    """An element of an array that is only read; some of the loops leave it."""
    name = chance.choice("AABC")
    rank = len(arrays.get(name, chance.choice([[0], [0], [0, 0]])))
    return access(chance, arrays, name, [chance.sample(loops, min(len(loops), chance.choice([1, 1, 1, 2])))
                                         for _ in range(rank)])


def statement(chance, arrays, loops):
    """One that sets an element, or adds to it; each has an array of its own."""
    name = TARGETS[sum(name in TARGETS for name in arrays)]
    if len(loops) > 1 and chance.random() < 0.3:
        target = access(chance, arrays, name, ["%s + %s" % tuple(chance.sample(loops, 2))])
    else:
        target = access(chance, arrays, name, chance.sample(loops, chance.randint(1, len(loops))))
    terms = [read(chance, arrays, loops) for _ in range(chance.choice([1, 2, 2]))]
    is_whole = target.count("[") == len(loops) and "+" not in target
    return "%s %s %s;" % (target, chance.choice(["=", "+="]) if is_whole else "+=", " + ".join(terms))


def bounds(chance, outer):
    low, high = "0", str(chance.randint(5, 12))
    kind = chance.random()
    if outer and kind < 0.25:
        high = "%s + 1" % chance.choice(outer)
    elif outer and kind < 0.4:
        low = chance.choice(outer)
    elif outer and kind < 0.5:
        loop = chance.choice(outer)
        low, high = "%s / 2" % loop, "%s / 2 + 3" % loop
    return low, high


def body(chance, arrays, depth, outer, is_perfect):
    """Text of a loop and what is inside it."""
    loop, indent = LOOPS[len(outer)], "\t" * (len(outer) + 1)
    low, high = bounds(chance, outer)
    step = "%s += 2" % loop if chance.random() < 0.1 else loop + "++"
    inner = outer + [loop]
    text = "%sfor (int %s = %s; %s < %s; %s) {\n" % (indent, loop, low, loop, high, step)
    if len(inner) == depth:
        for _ in range(chance.choice([1, 1, 2])):
            line = statement(chance, arrays, inner)
            if chance.random() < 0.15:
                line = "if (%s >= %s) %s" % (chance.choice(inner), chance.choice(inner + ["3"]), line)
            text += "%s\t%s\n" % (indent, line)
    else:
        if not is_perfect and chance.random() < 0.6:
            text += "%s\t%s\n" % (indent, statement(chance, arrays, inner))
        text += body(chance, arrays, depth, inner, is_perfect)
        if not is_perfect and chance.random() < 0.2:
            text += "%s\t%s\n" % (indent, statement(chance, arrays, inner))
    return text + indent + "}\n"


def program(chance, is_perfect):
    arrays = {}
    text = body(chance, arrays, chance.choice([2, 3, 3, 4]), [], is_perfect)
    declared = ", ".join("int %s%s" % (name, "".join("[%d]" % extent for extent in rank))
                         for name, rank in sorted(arrays.items()))
    return "void f(%s)\n{\n%s}\n" % (declared, text)


class Reuse:
    """What --emit=reuse says of the one nest."""

    def __init__(self, loopc, source, options):
        run = subprocess.run([loopc, *options, "--emit=reuse", source], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False)
        self.extents, self.moves, self.written, self.free = {}, {}, set(), []
        for line in run.stdout.splitlines():
            words = line.replace(";", "").split()
            if words[:1] == ["loop"]:
                self.extents[words[1]] = int(words[3])
                self.free += [words[1]] * ("forward" not in words and "sequential" not in words)
            elif words[:1] == ["array"]:
                still = words[words.index("along") + 1:]
                self.moves[words[1]] = [loop for loop in self.extents if loop not in still]
                if "written" in words:
                    self.written.add(words[1])


def schedule(reuse, chance):
    """Random tiles of all loops, in an order; where each array is; and which loops turn, with slots."""
    sizes = {loop: min(chance.choice([1, 1, 2, 3, 4]), extent - 1)
             for loop, extent in reuse.extents.items() if extent > 1}
    order = chance.sample(sorted(sizes), len(sizes))
    turning = [loop for loop in order if loop in reuse.free and chance.random() < 0.8]
    lines = ["nest f", "form isl"] + ["tile %s %d" % (loop, sizes[loop]) for loop in order]
    lines += ["order " + " ".join(order), " ".join(["serpentine none"] + turning)]
    for name, moves in reuse.moves.items():
        places = [loop for loop in order if loop in moves]
        place = places[-1] if places and chance.random() < 0.8 else chance.choice(places or [None])
        line = "store %s %s" % (name, "in " + place if place else "outside")
        tiles = -(-reuse.extents[place] // sizes[place]) if place else 1
        if place in turning:
            line += " slots %d" % chance.choice([1, 2, min(tiles, 3)])
        if place and name not in reuse.written and chance.random() < 0.3:
            line += " sliding"
        lines.append(line)
    return "\n".join(lines) + "\n"


def forwards(text):
    """The same with no loop that turns, and one region in each buffer."""
    return re.sub(r" slots \d+", "", re.sub(r"serpentine none.*", "serpentine none", text))


def compare(comparison, seed):
    chance, is_perfect = random.Random(seed), seed % 2 == 0
    machine, source = (os.path.join(comparison.directory, name) for name in ("m.yaml", "p.loop"))
    with open(source, "w", encoding="utf-8") as out:
        out.write(program(chance, is_perfect))
    with open(machine, "w", encoding="utf-8") as out:
        out.write("name: m\nscratchpad: { bytes: 4000 }\n")
    options = ["--arch=" + machine, "--buffering=" + chance.choice(["single", "auto", "double"])]
    reuse = Reuse(comparison.loopc, source, options)
    for _ in range(TRIES):
        version = schedule(reuse, chance)
        answer = comparison.run(source, options, version, "--verify")
        plain = comparison.run(source, options, forwards(version)) if answer[0] else answer
        if answer[0] is None:
            comparison.refused += 1
            if answer[1] not in (1, 3):
                comparison.fail("seed %d" % seed, version, "status %d" % answer[1], answer[2])
        if plain[0] is None:
            continue
        one, other = traffic(plain[1]), traffic(answer[1])
        comparison.count += 1
        comparison.turned += one != other
        moved = [sum(read + write for _, _, read, write in arrays) for arrays in (one, other)]
        # what runs at the beginning of a loop does so in another tile in each run, where that turns
        if is_perfect and moved[1] > moved[0]:
            comparison.fail("seed %d" % seed, version, "%d bytes, without turns %d" % (moved[1], moved[0]))
        return


def main():
    loopc, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as directory:
        comparison = Comparison(loopc, directory)
        comparison.refused = 0
        for seed in range(first, last + 1):
            compare(comparison, seed)
    print("# %d schedules with turns, %d refused, %d keep something, %d failures" % (
        comparison.count, comparison.refused, comparison.turned, comparison.failures))
    return comparison.failures > 0 or comparison.turned * 5 < last - first


if __name__ == "__main__":
    sys.exit(main())
