"""The compulsory bytes of random nests against a count of the elements one by one.

    compulsory.py SEED COUNT >FILE.loop                 COUNT functions, one nest each
    compulsory.py SEED COUNT FILE.json SCRATCHPAD       what loopc reports of them

Nests are triangles, strides and shifts, updated in place or not.  An element comes in that is read
before it is written, and goes out if it is written.  No schedule of a nest moves less, and none
that loopc chose is below the bound that it prints.
"""

import json
import random
import sys

SIZE = 14


def subscript(source, iterators):
    """Text and function of the iterators, within 0 .. 2 SIZE + 2."""
    name = source.choice(iterators)
    factor, shift = source.choice([(1, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)])
    return "%d * %s + %d" % (factor, name, shift), lambda at: factor * at[name] + shift


def access(source, array, iterators):
    parts = [subscript(source, iterators) for _ in range(2)]
    return array + "".join("[%s]" % text for text, _ in parts), \
        lambda at: (array,) + tuple(value(at) for _, value in parts)


def nest(source):
    """Loops (iterator, text of the bound, function of it), statements (level, write, reads)."""
    depth = source.randint(2, 3)
    names = "ijk"[:depth]
    loops = []
    for level, name in enumerate(names):
        extent = source.randint(3, SIZE)
        outer = source.choice(names[:level]) if level else None
        if outer and source.random() < 0.5:
            loops.append((name, "%s <= %s" % (name, outer), lambda at, o=outer: at[o] + 1))
        else:
            loops.append((name, "%s < %d" % (name, extent), lambda at, n=extent: n))
    statements = []
    for _ in range(source.randint(1, 2)):
        write = access(source, source.choice("AB"), names)
        reads = [access(source, source.choice("ABC"), names) for _ in range(source.randint(1, 2))]
        if source.random() < 0.4:
            reads[0] = write
        statements.append((write, reads))
    return loops, statements


def print_nest(number, loops, statements):
    extent = 2 * SIZE + 4
    print("void f%d(float A[%d][%d], float B[%d][%d], const float C[%d][%d])\n{"
          % ((number,) + (extent,) * 6))
    for name, condition, _ in loops:
        print("for (int %s = 0; %s; %s++)" % (name, condition, name))
    print("{")
    for (write, _), reads in statements:
        print("%s = %s;" % (write, " + ".join("0.5f * " + text for text, _ in reads)))
    print("}\n}")


def compulsory(loops, statements):
    coming, written, at = set(), set(), {}

    def run(level):
        if level < len(loops):
            name, _, bound = loops[level]
            for at[name] in range(bound(at)):
                run(level + 1)
            return
        for (_, write), reads in statements:
            coming.update(e for e in (read(at) for _, read in reads) if e not in written)
            written.add(write(at))

    run(0)
    return 4 * (len(coming) + len(written))


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    source = random.Random(seed)
    nests = [nest(source) for _ in range(count)]
    if len(sys.argv) == 3:
        for number, (loops, statements) in enumerate(nests):
            print_nest(number, loops, statements)
        return
    with open(sys.argv[3]) as report:
        kernels = json.load(report)["kernels"]
    assert len(kernels) == count, "a nest is missing"
    met = 0
    for kernel, (loops, statements) in zip(kernels, nests):
        expected = compulsory(loops, statements)
        total = kernel["traffic"]["total_bytes"]
        bound = kernel["lower_bound"]["bytes"]
        where = "%s of seed %d: " % (kernel["function"], seed)
        assert kernel["compulsory_bytes"] == expected, where + "%d compulsory, not %d" % (
            kernel["compulsory_bytes"], expected)
        assert expected <= bound <= total, where + "%d moved, bound %d" % (total, bound)
        gap = kernel["search"]["gap"]
        assert kernel["search"]["optimal"] == (gap == 0), where + "optimal with a gap"
        met += total == expected
    assert met > count // 4, "hardly any nest moves each element once"


main()
