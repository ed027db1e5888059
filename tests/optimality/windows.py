"""Lower bounds of windows where the scratchpad holds all arrays.

    windows.py LOOPC SEED COUNT

The loops of random convolutions go on by steps from where the loops around them say, as windows do that are
cut at borders.  All that they touch fits, so that each element can move once each way, counted here one by
one: no bound is above that.
"""

import json
import random
import subprocess
import sys


def pick_loop(source, name, outer, extent):
    """Text of the head, and function of the iterators around: its values."""
    step = source.choice((1, 1, 2, 3))
    end = source.choice((extent, extent, "%d - %s" % (extent, outer) if outer else extent))
    begin = "0"
    if outer and source.random() < 0.7:
        last = source.randint(1, 3)
        begin = source.choice((outer, "%s < %d ? %d - %s : 0" % (outer, last, last, outer),
                               "%s < %d ? 1 : 0" % (outer, last), "%s %% 2" % outer))
    text = "for (int %s = %s; %s < %s; %s += %d)" % (name, begin, name, end, name, step)

    def values(at):
        first = begin
        if "?" in begin:
            condition, arms = begin.split(" ? ")
            first = "%s if %s else %s" % (arms.split(" : ")[0], condition, arms.split(" : ")[1])
        return range(eval(first, {}, at), eval(str(end), {}, at), step)
    return text, values


def pick_nest(source):
    """The heads of its loops, functions of their values, subscripts of I and of W."""
    names = ["c", "p", "q", "r", "s"] if source.random() < 0.6 else ["c", "p", "r"]
    window = len(names) // 2
    loops = []
    for name in names:
        outer = {"p": "c", "q": "c", "r": "p", "s": "q"}.get(name)
        if name in "pq" and source.random() < 0.7:
            outer = None
        loops.append(pick_loop(source, name, outer, source.randint(2, 3) if name in "rs"
                               else source.randint(3, 12)))
    planes = names[1:1 + window]
    offsets = names[1 + window:]
    inputs = [source.choice("c0")] + ["%s + %s" % both for both in zip(planes, offsets)]
    weights = [source.choice("c0")] + offsets
    return names, loops, ["c"] + planes, inputs, weights


def access(array, subscripts):
    return array + "".join("[%s]" % text for text in subscripts)


def text_of(number, nest):
    names, loops, outputs, inputs, weights = nest
    size = "[16]" * len(outputs)
    heads = [head for head, _ in loops]
    return ("void f%d(float O%s, const float I%s, const float W%s)\n{\n%s {\n%s = 0;\n%s\n%s += %s * %s;\n}\n}\n"
            % (number, size, size, size, "\n".join(heads[:len(outputs)]), access("O", outputs),
               "\n".join(heads[len(outputs):]), access("O", outputs), access("I", inputs),
               access("W", weights)))


def bytes_of(nest):
    """What moves if each element does once: those of I and W come in, those of O go out."""
    names, loops, outputs, inputs, weights = nest
    moved, at = set(), {}

    def run(level):
        if level == len(outputs):
            moved.add(("O",) + tuple(eval(text, {}, at) for text in outputs))
        if level == len(names):
            for array, subscripts in (("I", inputs), ("W", weights)):
                moved.add((array,) + tuple(eval(text, {}, at) for text in subscripts))
            return
        for value in loops[level][1](at):
            at[names[level]] = value
            run(level + 1)

    run(0)
    return 4 * len(moved)


def main():
    loopc, source, count = sys.argv[1], random.Random(int(sys.argv[2])), int(sys.argv[3])
    nests = []
    while len(nests) < count:
        nest = pick_nest(source)
        if bytes_of(nest) > 400:
            nests.append(nest)
    with open("windows.loop", "w") as out:
        out.write("".join(text_of(number, nest) for number, nest in enumerate(nests)))
    with open("windows.yaml", "w") as out:
        out.write("name: m\nscratchpad: { bytes: 65536 }\n")
    subprocess.run([loopc, "--arch=windows.yaml", "--effort=100", "-Wno-never-runs", "-o", "windows.c",
                    "--report=windows.json", "windows.loop"], check=True)
    with open("windows.json") as report:
        kernels = json.load(report)["kernels"]
    assert len(kernels) == count, "a nest is missing"
    for kernel, nest in zip(kernels, nests):
        bound = kernel["lower_bound"]["bytes"]
        assert bound <= bytes_of(nest), "bound %d of %d bytes:\n%s" % (
            bound, bytes_of(nest), text_of(0, nest))


main()
