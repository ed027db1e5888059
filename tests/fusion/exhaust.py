"""A group's search against all of its schedules: two filters over an image, and two tables that are
alike beside another one; every order of the two loops, every tile size of equal parts and everything that
may come for its stage, each lowered by itself and counted.  python3 exhaust.py LOOPC"""

import itertools
import json
import os
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

# Name, source, extents of the loops, and what may come for its stage: weights of the filters come a row
# or a column at a time, which needs least.
GROUPS = (
    ('filters', FILTERS, {'p': ROWS + 1, 'q': COLUMNS + 2}, (('', 'X'), ('', 'K1 r 1'), ('', 'K2 s 1'))),
    ('tables', TABLES, {'i': LINES, 'c': CHANNELS}, (('', 'X', 'X c 1'), ('', 'K1'), ('', 'K2'), ('', 'D'))),
)


def compile_for(loopc, directory, scratchpad, name, *options):
    """Traffic and scratchpad; None: it does not fit."""
    path = lambda name: os.path.join(directory, name)
    with open(path('machine.yaml'), 'w') as out:
        out.write('name: m\nscratchpad: { bytes: %d }\n' % scratchpad)
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
            kernel['nest'], kernel['schedule'])


def sizes_of(extent):
    """Tiles of equal parts, about, but for all of it."""
    return sorted({-(-extent // parts) for parts in range(2, extent + 1)})


def schedules(name, extents, streamed):
    """The text of every schedule of the group."""
    for depth in range(3):
        for order in itertools.permutations(extents, depth):
            for tiles in itertools.product(*(sizes_of(extents[loop]) for loop in order)):
                for streams in itertools.product(*streamed):
                    if any(' %s ' % loop in text for loop in order for text in streams):
                        continue      # no chunks of a loop that is tiled
                    yield 'nest %s.0-1\n%sorder %s\n%s' % (
                        name, ''.join('tile %s %d\n' % pair for pair in zip(order, tiles)),
                        ' '.join(order), ''.join('stream %s\n' % text for text in streams if text))


def check(loopc, directory, name, source, extents, streamed):
    """How many sizes of the scratchpad the search finds no best schedule for."""
    with open(os.path.join(directory, name + '.loop'), 'w') as out:
        out.write(source)
    points = []
    for text in schedules(name, extents, streamed):
        path = os.path.join(directory, 'schedule')
        with open(path, 'w') as out:
            out.write(text)
        found = compile_for(loopc, directory, 65536, name, '--schedule=' + path)
        if not found or text.count('tile') != found[3].count('tile'):
            sys.exit('not kept: %s as %s' % (text, found))
        points.append(found)
    sizes = sorted({used for _, used, _, _ in points})
    failures = 0
    for size in [sizes[0] - 1] + sizes[::max(1, len(sizes) // 20)]:
        best = min((total for total, used, _, _ in points if used <= size), default=None)
        found = compile_for(loopc, directory, size, name)
        grouped = found and found[2] == name + '.0-1'
        if (found[0] if grouped else None) != best:
            print('%s, %d bytes: %s, but the best is %s' % (name, size, found, best))
            failures += 1
    print('%s: %d schedules, %d sizes' % (name, len(points), len(sizes)))
    return failures


def main():
    with tempfile.TemporaryDirectory() as directory:
        return sum(check(sys.argv[1], directory, *group) for group in GROUPS[:int(sys.argv[2])]) > 0


if __name__ == '__main__':
    sys.exit(main())
