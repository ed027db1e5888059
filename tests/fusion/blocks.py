"""The search for a group bounds blocks of tile sizes: what it finds is the best of what is found with each pair
of sizes given, of which it makes no blocks.  python3 blocks.py LOOPC GROUPS"""

import json
import os
import subprocess
import sys
import tempfile

PRODUCT = """
void product(const int X[24][5], const int W[5][20], const int V[2][20], int Y[24][20])
{
	int T[24][20];
	for (int i = 0; i < 24; i++)
		for (int j = 0; j < 20; j++) {
			T[i][j] = 0;
			for (int k = 0; k < 5; k++)
				T[i][j] += X[i][k] * W[k][j];
		}
	for (int i = 0; i < 24; i++)
		for (int j = 0; j < 20; j++) {
			Y[i][j] = 0;
			for (int l = 0; l < 2; l++)
				Y[i][j] += T[i][j] * V[l][j];
		}
}
"""

# Both loops have values before those of the last layer: rows and columns of T that it reads first.
FILTERS = """
void filters(const short X[24][19], const short K[3][3], short Y[20][15])
{
	short T[22][17];
	for (int i = 0; i < 22; i++)
		for (int j = 0; j < 17; j++) {
			T[i][j] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					T[i][j] += X[i + r][j + s] * K[r][s];
		}
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < 15; j++) {
			Y[i][j] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					Y[i][j] += T[i + r][j + s] * K[r][s];
		}
}
"""

# Name, source, values of the loops, bytes of scratchpad.
GROUPS = (
    ('product', PRODUCT, {'i': 24, 'j': 20}, (150, 400)),
    ('filters', FILTERS, {'i': 22, 'j': 17}, (220,)),
)


def moved(loopc, directory, size, name, text):
    """The bytes that the group moves with what TEXT says of it; None: it does not fit."""
    path = lambda name: os.path.join(directory, name)
    with open(path('machine.yaml'), 'w') as out:
        out.write('name: m\nscratchpad: { bytes: %d }\n' % size)
    with open(path('schedule'), 'w') as out:
        out.write('nest %s.0-1\n%s' % (name, text))
    process = subprocess.run(
        [loopc, '--arch=' + path('machine.yaml'), '--schedule=' + path('schedule'), '--report=' + path('report.json'),
         path(name + '.loop')], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    if process.returncode == 3:
        return None
    if process.returncode:
        sys.exit(process.stderr)
    with open(path('report.json')) as stream:
        return json.load(stream)['total']['total_bytes']


def sizes_of(extent):
    return sorted({-(-extent // parts) for parts in range(1, extent + 1)})


def check(loopc, directory, name, source, extents, scratchpads):
    """In how many of SCRATCHPADS some pair of sizes moves another number of bytes than the best of all."""
    with open(os.path.join(directory, name + '.loop'), 'w') as out:
        out.write(source)
    failures = 0
    (first, rows), (second, columns) = extents.items()
    for size in scratchpads:
        found = moved(loopc, directory, size, name, '')
        tried = [moved(loopc, directory, size, name, 'tile %s %d\ntile %s %d\n' % (first, i, second, j))
                 for i in sizes_of(rows) for j in sizes_of(columns)]
        best = min((total for total in tried if total is not None), default=None)
        print('%s, %d bytes: %s, the best of %d is %s' % (name, size, found, len(tried), best))
        failures += found != best or best is None
    return failures


def main():
    with tempfile.TemporaryDirectory() as directory:
        return sum(check(sys.argv[1], directory, *group) for group in GROUPS[:int(sys.argv[2])]) > 0


if __name__ == '__main__':
    sys.exit(main())
