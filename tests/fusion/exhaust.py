"""A group's search against all of its schedules: two filters over an image, and two tables that are
alike beside another one, a product, and two layers; every order of the two loops, every tile size of equal parts and everything that
may come for its stage, each lowered by itself and counted; in one memory, and in two or three with every way
to lay the arrays there.  python3 exhaust.py LOOPC GROUPS MACHINES"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

ROWS, COLUMNS = 3, 4
FILTERS = """#include <stdint.h>
void filters(const int16_t X[%d][%d], const int16_t K1[3][3], const int16_t K2[2][3],
	int16_t Y[%d][%d])
{
	int16_t T[%d][%d];
	for (int p = 0; p < %d; p++)
		for (int q = 0; q < %d; q++) {
			T[p][q] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					T[p][q] += X[p + r][q + s] * K1[r][s];
		}
	for (int p = 0; p < %d; p++)
		for (int q = 0; q < %d; q++) {
			Y[p][q] = 0;
			for (int r = 0; r < 2; r++)
				for (int s = 0; s < 3; s++)
					Y[p][q] += T[p + r][q + s] * K2[r][s];
		}
}
""" % (ROWS + 3, COLUMNS + 4, ROWS, COLUMNS, ROWS + 1, COLUMNS + 2, ROWS + 1, COLUMNS + 2, ROWS, COLUMNS)

# Each table is read twice, so that all of it comes or nothing.
LINES, CHANNELS, TABLE, SMALL = 4, 2, 8, 6
TABLES = """
void tables(const int X[%d][%d], const int K1[%d], const int K2[%d], const int D[%d], int Y[%d][%d])
{
	int T[%d][%d];
	for (int i = 0; i < %d; i++)
		for (int c = 0; c < %d; c++) {
			T[i][c] = 0;
			for (int j = 0; j < %d; j++)
				T[i][c] += X[i][c] * K1[j] * K1[%d - j];
		}
	for (int i = 0; i < %d; i++)
		for (int c = 0; c < %d; c++) {
			Y[i][c] = 0;
			for (int j = 0; j < %d; j++)
				Y[i][c] += T[i][c] * K2[j] * K2[%d - j];
			for (int j = 0; j < %d; j++)
				Y[i][c] += D[j] * D[%d - j];
		}
}
""" % (LINES, CHANNELS, TABLE, TABLE, SMALL, LINES, CHANNELS, LINES, CHANNELS, LINES, CHANNELS,
       TABLE, TABLE - 1, LINES, CHANNELS, TABLE, TABLE - 1, SMALL, SMALL - 1)

# X comes again for each tile of columns, or W and V do for each tile of rows: the inner loop may turn, so that
# its last tile is there for its next run.
PRODUCT = """
void product(const int X[3][3], const int W[3][4], const int V[2][4], int Y[3][4])
{
	int T[3][4];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++) {
			T[i][j] = 0;
			for (int k = 0; k < 3; k++)
				T[i][j] += X[i][k] * W[k][j];
		}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++) {
			Y[i][j] = 0;
			for (int l = 0; l < 2; l++)
				Y[i][j] += T[i][j] * V[l][j];
		}
}
"""

# Biases: B is seen in all tiles of k, D in the first alone.
LAYERS = """
void layers(const int X[2][2], const int W[2][2], const int B[2], const int V[3][2], const int D[3], int Y[2][3])
{
	int T[2][2];
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++) {
			T[i][k] = B[k];
			for (int c = 0; c < 2; c++)
				T[i][k] += X[i][c] * W[k][c];
		}
	for (int i = 0; i < 2; i++)
		for (int m = 0; m < 3; m++) {
			Y[i][m] = D[m];
			for (int k = 0; k < 2; k++)
				Y[i][m] += T[i][k] * V[m][k];
		}
}
"""

def ways(arrays, *loops):
    """What may come for a stage: each set of its ARRAYS, those that one of LOOPS (the first word) moves (the
    others) in chunks of it."""
    sets = [()] + [subset for count in range(1, len(arrays) + 1) for subset in itertools.combinations(arrays, count)]
    found = {tuple(array + ' %s 1' % loop if array in moved else array for array in subset)
             for loop, *moved in loops for subset in sets}
    return sorted(found)


# Name, source, extents of the loops, what may come for each stage, and an element's bytes.  Of loops that would do
# the same those are left out that need more.
GROUPS = (
    ('filters', FILTERS, {'p': ROWS + 1, 'q': COLUMNS + 2},
     (ways(('X', 'K1'), 'r K1'.split()), ways(('K2', 'Y'), 's K2'.split(), 'p Y'.split(), 'q Y'.split())), 2),
    ('product', PRODUCT, {'i': 3, 'j': 4},
     (ways(('X', 'W'), 'k X W'.split()), ways(('V', 'Y'), 'l V'.split(), 'i Y'.split(), 'j V Y'.split())), 4),
    ('layers', LAYERS, {'i': 2, 'k': 2},
     (ways(('X', 'W', 'B'), [''], 'c X W'.split()),
      ways(('V', 'D', 'Y'), 'm V D Y'.split(), 'i Y'.split())), 4),
    ('tables', TABLES, {'i': LINES, 'c': CHANNELS},
     (ways(('X', 'K1'), [''], 'c X'.split(), 'i X'.split()),
      ways(('K2', 'D', 'Y'), [''], 'c Y'.split(), 'i Y'.split())), 4),
)
# The roles of the arrays, and of those that one nest alone reads, which.
ROLES = {'X': 'input', 'W': 'weight', 'B': 'weight', 'V': 'weight', 'K1': 'weight', 'K2': 'weight', 'D': 'weight', 'T': 'input output', 'Y': 'output'}
STAGES = {'X': 0, 'W': 0, 'B': 0, 'V': 1, 'K1': 0, 'K2': 1, 'D': 1, 'Y': 1}


def scratchpad_of(size):
    return 'scratchpad: { bytes: %d }\n' % size


def compile_for(loopc, directory, memories, name, *options):
    """Traffic, scratchpad, name, schedule and the bytes of the buffers; None: it does not fit."""
    path = lambda name: os.path.join(directory, name)
    with open(path('machine.yaml'), 'w') as out:
        out.write('name: m\n' + memories)
    process = subprocess.run(
        [loopc, '--arch=' + path('machine.yaml'), '--fuse=all', '--recompute=allowed',
         '--report=' + path('report.json'), *options, path(name + '.loop')],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    if process.returncode == 3:
        return None
    if process.returncode:
        sys.exit(process.stderr)
    with open(path('report.json')) as stream:
        report = json.load(stream)
    kernel = report['kernels'][0]
    return (report['total']['total_bytes'], kernel['scratchpad']['used_bytes'],
            kernel['nest'], kernel['schedule'],
            {buffer['array']: buffer['bytes'] for buffer in kernel['scratchpad']['buffers']})


def sizes_of(extent):
    """Tiles of equal parts, about, but for all of it."""
    return sorted({-(-extent // parts) for parts in range(2, extent + 1)})


def schedules(name, extents, streamed):
    """The text of every schedule of the group."""
    for depth in range(3):
        for order in itertools.permutations(extents, depth):
            for tiles in itertools.product(*(sizes_of(extents[loop]) for loop in order)):
                for ways_of_stages in itertools.product(*streamed):
                    streams = sum(ways_of_stages, ())
                    if any(' %s ' % loop in text for loop in order for text in streams):
                        continue      # no chunks of a loop that is tiled
                    for turns in ['none', *order[1:2]][:1 + (name in ('product', 'layers'))]:
                        yield 'nest %s.0-1\n%sorder %s\nserpentine %s\n%s' % (
                            name, ''.join('tile %s %d\n' % pair for pair in zip(order, tiles)),
                            ' '.join(order), turns, ''.join('stream %s\n' % text for text in streams))


def need_of(point, arrays, element):
    """What the buffers of ARRAYS need of a memory: what comes for a stage takes turns with what does for the
    other, behind what is there all the time."""
    held, turns = 0, [0, 0]
    for array in arrays:
        if '\nstream %s' % array in point[3]:
            turns[STAGES[array]] += point[4][array]
        else:
            held += point[4][array]
    return -(-held // element) * element + max(turns) if any(turns) else held


def best_of(points, machine, element):
    """What is least of all points in all memories of MACHINE, a list of bytes and roles."""
    best = None
    for point in points:
        if best is not None and point[0] >= best:
            continue
        may = [[m for m, (_, roles) in enumerate(machine) if set(ROLES[array].split()) & set(roles)]
               for array in point[4]]
        for ways in itertools.product(*may):
            lying = [[array for array, way in zip(point[4], ways) if way == m] for m in range(len(machine))]
            if all(need_of(point, arrays, element) <= size for arrays, (size, _) in zip(lying, machine)):
                best = point[0]
                break
    return best


def random_machine(rng, points):
    """Two or three memories that have together about what some point needs."""
    count, total = rng.choice((2, 2, 3)), rng.choice(points)[1] * rng.choice((1, 1.2, 1.5))
    cuts = sorted(rng.random() for _ in range(count - 1))
    sizes = [max(2, int(total * (high - low))) for low, high in zip([0] + cuts, cuts + [1])]
    holders = {role: rng.sample(range(count), rng.choice((1, 2, 2))) for role in ('input', 'weight', 'output')}
    return [(size, [role for role in holders if m in holders[role]] or ['output'])
            for m, size in enumerate(sizes)]


def check_memories(loopc, directory, name, points, element, count):
    """How many of COUNT random machines with several memories the search finds no best schedule for."""
    rng, failures, fitting = random.Random(name), 0, 0
    for _ in range(count):
        machine = random_machine(rng, points)
        best = best_of(points, machine, element)
        found = compile_for(loopc, directory, 'memories:\n' + ''.join(
            '  - { name: m%d, bytes: %d, holds: [%s] }\n' % (m, size, ', '.join(roles))
            for m, (size, roles) in enumerate(machine)), name)
        grouped = found and found[2] == name + '.0-1'
        fitting += best is not None
        if (found[0] if grouped else None) != best:
            print('%s, %s: %s, but the best is %s' % (name, machine, found, best))
            failures += 1
    print('%s: %d machines, %d in which it fits' % (name, count, fitting))
    return failures + (count > 0 and not fitting)


def check(loopc, directory, machines, name, source, extents, streamed, element):
    """How many sizes of the scratchpad, and machines with several memories, the search finds no best schedule
    for."""
    with open(os.path.join(directory, name + '.loop'), 'w') as out:
        out.write(source)
    points = []
    for text in schedules(name, extents, streamed):
        path = os.path.join(directory, 'schedule')
        with open(path, 'w') as out:
            out.write(text)
        found = compile_for(loopc, directory, scratchpad_of(65536), name, '--schedule=' + path)
        if not found or text.count('tile') != found[3].count('tile'):
            sys.exit('not kept: %s as %s' % (text, found))
        points.append(found)
    sizes = sorted({point[1] for point in points})
    failures = 0
    for size in [sizes[0] - 1] + sizes[::max(1, len(sizes) // 20)]:
        best = min((point[0] for point in points if point[1] <= size), default=None)
        found = compile_for(loopc, directory, scratchpad_of(size), name)
        grouped = found and found[2] == name + '.0-1'
        if (found[0] if grouped else None) != best:
            print('%s, %d bytes: %s, but the best is %s' % (name, size, found, best))
            failures += 1
    print('%s: %d schedules, %d sizes' % (name, len(points), len(sizes)))
    return failures + check_memories(loopc, directory, name, points, element, machines)


def main():
    loopc, groups, machines = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as directory:
        return sum(check(loopc, directory, machines, *group) for group in GROUPS[:groups]) > 0


if __name__ == '__main__':
    sys.exit(main())
