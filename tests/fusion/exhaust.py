"""A group's search against all of its schedules: two filters over an image, every order of
the two loops, every tile size of equal parts and everything that may come for its stage, each lowered by
itself and counted.  python3 exhaust.py LOOPC"""

import itertools
import json
import os
import subprocess
import sys
import tempfile

ROWS, COLUMNS = 3, 4
SOURCE = """#include <stdint.h>
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


def compile_for(loopc, directory, scratchpad, *options):
    """Traffic and scratchpad; None: it does not fit."""
    path = lambda name: os.path.join(directory, name)
    with open(path('machine.yaml'), 'w') as out:
        out.write('name: m\nscratchpad: { bytes: %d }\n' % scratchpad)
    process = subprocess.run(
        [loopc, '--arch=' + path('machine.yaml'), '--fuse=all', '--recompute=allowed',
         '--report=' + path('report.json'), *options, path('filters.loop')],
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


def schedules():
    """The text of every schedule of the group."""
    extents = {'p': ROWS + 1, 'q': COLUMNS + 2}
    for depth in range(3):
        for order in itertools.permutations(extents, depth):
            for tiles in itertools.product(*(sizes_of(extents[loop]) for loop in order)):
                # Weights come a row or a column at a time, which needs least.
                for streams in itertools.product(('', 'X'), ('', 'K1 r 1'), ('', 'K2 s 1')):
                    yield 'nest filters.0-1\n%sorder %s\n%s' % (
                        ''.join('tile %s %d\n' % pair for pair in zip(order, tiles)),
                        ' '.join(order), ''.join('stream %s\n' % text for text in streams if text))


def main():
    loopc = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, 'filters.loop'), 'w') as out:
            out.write(SOURCE)
        points = []
        for text in schedules():
            name = os.path.join(directory, 'schedule')
            with open(name, 'w') as out:
                out.write(text)
            found = compile_for(loopc, directory, 65536, '--schedule=' + name)
            if not found or text.count('tile') != found[3].count('tile'):
                sys.exit('not kept: %s as %s' % (text, found))
            points.append(found)
        sizes = sorted({used for _, used, _, _ in points})
        failures = 0
        for size in [sizes[0] - 1] + sizes[::max(1, len(sizes) // 20)]:
            best = min((total for total, used, _, _ in points if used <= size), default=None)
            found = compile_for(loopc, directory, size)
            grouped = found and found[2] == 'filters.0-1'
            if (found[0] if grouped else None) != best:
                print('%d bytes: %s, but the best is %s' % (size, found, best))
                failures += 1
        print('%d schedules, %d sizes' % (len(points), len(sizes)))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
