"""Pareto fronts of chains of convolutions against trying every schedule.
python3 chain_fronts.py LOOPC CHAIN_FRONT [random SEED COUNT | NAME...]"""

import json
import os
import random
import subprocess
import sys
import tempfile

# input channels, rows and columns of the last output, then (filters, kernel, stride) of each
# layer.  L2Net and L3Net are ConvFusion's (its table 6), with 20x20 and 22x22 inputs.
CHAINS = {
    'l2net': (3, 16, 16, (4, 3, 1), (4, 3, 1)),
    'l3net': (3, 16, 16, (4, 3, 1), (4, 3, 1), (4, 3, 1)),
}


def source(channels, rows, columns, *layers):
    """The chain as a function, without padding."""
    shapes = [(rows, columns)]
    for _, kernel, stride in reversed(layers):
        shapes.insert(0, tuple((side - 1) * stride + kernel for side in shapes[0]))
    counts = [channels] + [layer[0] for layer in layers]
    last = len(layers)
    sides = ['%d][%d][%d' % (counts[l], *shapes[l]) for l in range(last + 1)]
    arguments = ['const int16_t L0[%s]' % sides[0]] + [
        'const int16_t W%d[%d][%d][%d][%d]' % (l, counts[l], counts[l - 1], layers[l - 1][1],
                                               layers[l - 1][1]) for l in range(1, last + 1)]
    text = '#include <stdint.h>\nvoid chain(%s, int16_t L%d[%s])\n{\n' % (
        ', '.join(arguments), last, sides[last])
    for l in range(1, last):
        text += '\tint16_t L%d[%s];\n' % (l, sides[l])
    for l, (filters, kernel, stride) in enumerate(layers, 1):
        text += '''	for (int k = 0; k < %d; k++)
		for (int y = 0; y < %d; y++)
			for (int x = 0; x < %d; x++) {
				L%d[k][y][x] = 0;
				for (int c = 0; c < %d; c++)
					for (int r = 0; r < %d; r++)
						for (int s = 0; s < %d; s++)
							L%d[k][y][x] += L%d[c][%d * y + r][%d * x + s] * W%d[k][c][r][s];
			}
''' % (filters, *shapes[l], l, counts[l - 1], kernel, kernel, l, l - 1, stride, stride, l)
    return text + '}\n'


def front_of(loopc, directory, chain, limit, capacity):
    """What loopc finds: (memory, traffic) of each point."""
    path = lambda name: os.path.join(directory, name)
    with open(path('chain.loop'), 'w') as out:
        out.write(source(*chain))
    with open(path('machine.yaml'), 'w') as out:
        out.write('name: m\nscratchpad: { bytes: %d, align_bytes: 2 }\n' % capacity)
    options = ['--fuse=never'] if limit == 'never' else ['--recompute=%s%%' % limit]
    subprocess.run([loopc, '--arch=' + path('machine.yaml'), '--pareto=memory,traffic',
                    '--pareto-points=all', '-j1',
                    '--pareto-output=' + path('front.json'), *options, path('chain.loop')],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    with open(path('front.json')) as stream:
        front = json.load(stream)
    function = front['fronts'][0]
    carried = {(point['memory_bytes'], point['traffic_bytes']) for point in function['points']
               if 'carry' in point['schedule'].split()}
    return [(point['memory_bytes'], point['traffic_bytes']) for point in function['points']], carried


LIMITS = 'never', '0', '25', '1000'


def tried(program, chain):
    """The same by brute force, by limit."""
    channels, rows, columns, *layers = chain
    arguments = [channels, rows, columns] + [n for layer in layers for n in layer]
    output = subprocess.run([program, ','.join(LIMITS)] + [str(a) for a in arguments],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                            universal_newlines=True).stdout
    fronts = {}
    for line in output.splitlines():
        if ' ' in line:
            front.append(tuple(map(int, line.split())))
        else:
            front = fronts[line] = []
    return fronts


def dominates(front, other):
    """No point of the other is missed by more than none of this one's."""
    return all(any(m <= memory and t <= traffic for m, t in front) for memory, traffic in other)


def compare(loopc, program, chain, directory):
    """Number of limits under which the two differ; fronts by limit."""
    differences, fronts = 0, {}
    for limit, expected in tried(program, chain).items():
        found, carried = front_of(loopc, directory, chain, limit, 2 * expected[0][0])
        fronts[limit] = found
        # What is carried from a layer to the next is not tried: it may only be better.
        if not dominates(found, expected) or set(found) - set(expected) - carried:
            differences += 1
            print('%s, %s: only found %s, only tried %s' % (
                chain, limit, sorted(set(found) - set(expected) - carried)[-6:],
                sorted(set(expected) - set(found))[-6:]))
        else:
            print('%s, %s: %d points' % (chain, limit, len(found)))
    for narrow, wide in zip(LIMITS, LIMITS[1:]):
        if not dominates(fronts[wide], fronts[narrow]):
            differences += 1
            print('%s: %s does not dominate %s' % (chain, wide, narrow))
    return differences


def random_chain(source_of):
    """One that is small enough to try everything."""
    depth = source_of.choice([2, 2, 3])
    kernels = [source_of.choice([1, 2, 3, 3]) for _ in range(depth)]
    layers = tuple((source_of.randint(1, 3), kernel, min(kernel, source_of.choice([1, 1, 2])))
                   for kernel in kernels)
    return (source_of.randint(1, 2), source_of.randint(2, 5), source_of.randint(2, 4), *layers)


def main():
    loopc, program, *rest = sys.argv[1:]
    if rest[0] == 'random':
        source_of = random.Random(int(rest[1]))
        chains = [random_chain(source_of) for _ in range(int(rest[2]))]
    else:
        chains = [CHAINS[name] for name in rest]
    with tempfile.TemporaryDirectory() as directory:
        return sum(compare(loopc, program, chain, directory) for chain in chains) > 0


if __name__ == '__main__':
    sys.exit(main())
