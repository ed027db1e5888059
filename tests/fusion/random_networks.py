"""Random networks: each compiled with and without fusion for random machines, verified,
and compared.  python3 random_networks.py LOOPC FIRST LAST [KEEP]"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile


class Network:
    """Layers of a network, each a nest; a tensor is (name, channels, height, width)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.batch = self.random.choice([0, 0, 0, 1, 2])     # 0: no dimension of its own
        self.parameters, self.locals, self.nests, self.count = [], [], [], 0
        source = self.tensor(self.random.randint(1, 4), self.random.randint(5, 15),
                             self.random.randint(5, 15), 'const ')
        live = [source]
        for _ in range(self.random.randint(2, 6)):
            live.append(self.layer(live))
        self.finish(live)

    def tensor(self, channels, height, width, place=None):
        """place: 'const ' or '' for a parameter, None for a local."""
        name = 'T%d' % self.count
        self.count += 1
        extents = [self.batch] * (self.batch > 0) + [channels, height, width]
        text = 'int32_t %s%s' % (name, ''.join('[%d]' % e for e in extents))
        (self.locals if place is None else self.parameters).append((place or '') + text)
        return name, channels, height, width

    def weights(self, *extents):
        name = 'W%d' % self.count
        self.count += 1
        self.parameters.append('const int8_t %s%s' % (name, ''.join('[%d]' % e for e in extents)))
        return name

    def at(self, tensor, channel, row, column):
        image = '[n]' if self.batch else ''
        return '%s%s[%s][%s][%s]' % (tensor[0], image, channel, row, column)

    def nest(self, loops, body):
        """loops: (name, extent) around BODY, a list of lines."""
        loops = [('n', self.batch)] * (self.batch > 0) + loops
        lines, depth = [], 1
        for name, extent in loops:
            lines.append('%sfor (int %s = 0; %s < %d; %s++)%s' % (
                '\t' * depth, name, name, extent, name, ' {' if name == loops[-1][0] else ''))
            depth += 1
        lines += ['\t' * depth + line for line in body]
        self.nests.append('\n'.join(lines + ['\t' * (depth - 1) + '}']))

    def layer(self, live):
        kinds = [self.convolution] * 4 + [self.depthwise, self.pool, self.elementwise, self.scale, self.update]
        if any(a != b and a[1:] == b[1:] for a in live for b in live):
            kinds += [self.addition] * 3
        if any(a != b and a[2:] == b[2:] for a in live for b in live):
            kinds.append(self.concatenation)
        source = live[-1] if self.random.random() < 0.75 else self.random.choice(live)
        return self.random.choice(kinds)(source, live)

    def output_extent(self, extent, window, stride, padding):
        return (extent + 2 * padding - window) // stride + 1

    def window(self, source):
        """Window, stride and padding that leave something."""
        window = self.random.choice([1, 2, 3, 3, 3, 5])
        stride = self.random.choice([1, 1, 1, 2])
        padding = self.random.choice([0, window // 2])
        height = self.output_extent(source[2], window, stride, padding)
        width = self.output_extent(source[3], window, stride, padding)
        if height < 2 or width < 2:
            return 1, 1, 0, source[2], source[3]
        return window, stride, padding, height, width

    def taps(self, source, window, stride, padding, channels, update):
        row, column = 'y * %d + r - %d' % (stride, padding), 'x * %d + s - %d' % (stride, padding)
        lines = []
        if channels:
            lines.append('for (int c = 0; c < %d; c++)' % channels)
        lines.append('\tfor (int r = 0; r < %d; r++)' % window)
        lines.append('\t\tfor (int s = 0; s < %d; s++)' % window)
        if padding:
            lines.append('\t\t\tif (%s >= 0 && %s < %d && %s >= 0 && %s < %d)' % (
                row, row, source[2], column, column, source[3]))
        lines.append('\t\t\t\t' + update(row, column))
        return lines

    def convolution(self, source, _):
        window, stride, padding, height, width = self.window(source)
        result = self.tensor(self.random.randint(1, 5), height, width)
        kernel = self.weights(result[1], source[1], window, window)
        target = self.at(result, 'k', 'y', 'x')
        body = [target + ' = 0;'] + self.taps(
            source, window, stride, padding, source[1], lambda row, column: '%s += %s * %s[k][c][r][s];'
            % (target, self.at(source, 'c', row, column), kernel))
        if self.random.random() < 0.5:
            body.append('%s = %s > 0 ? %s / 8 : 0;' % (target, target, target))
        self.nest([('k', result[1]), ('y', height), ('x', width)], body)
        return result

    def depthwise(self, source, _):
        window, stride, padding, height, width = self.window(source)
        result = self.tensor(source[1], height, width)
        kernel = self.weights(source[1], window, window)
        target = self.at(result, 'k', 'y', 'x')
        body = [target + ' = 0;'] + self.taps(
            source, window, stride, padding, 0, lambda row, column: '%s += %s * %s[k][r][s];'
            % (target, self.at(source, 'k', row, column), kernel))
        self.nest([('k', result[1]), ('y', height), ('x', width)], body)
        return result

    def pool(self, source, _):
        window, stride, padding, height, width = self.window(source)
        result = self.tensor(source[1], height, width)
        target = self.at(result, 'k', 'y', 'x')
        body = [target + ' = -100000;'] + self.taps(
            source, window, stride, padding, 0, lambda row, column: '%s = %s > %s ? %s : %s;' % (
                target, target, self.at(source, 'k', row, column), target,
                self.at(source, 'k', row, column)))
        self.nest([('k', result[1]), ('y', height), ('x', width)], body)
        return result

    def elementwise(self, source, _):
        result = self.tensor(*source[1:])
        bias = self.weights(source[1])
        self.nest([('k', result[1]), ('y', result[2]), ('x', result[3])],
                  ['%s = %s / 2 + %s[k];' % (self.at(result, 'k', 'y', 'x'),
                                             self.at(source, 'k', 'y', 'x'), bias)])
        return result

    def scale(self, source, _):
        """Squeeze and excite: each channel times a function of its sum."""
        sums = self.tensor(source[1], 1, 1)
        result = self.tensor(*source[1:])
        total = self.at(sums, 'k', '0', '0')
        self.nest([('k', source[1])], [
            total + ' = 0;', 'for (int y = 0; y < %d; y++)' % source[2],
            '\tfor (int x = 0; x < %d; x++)' % source[3],
            '\t\t%s += %s;' % (total, self.at(source, 'k', 'y', 'x')),
            '%s = %s / %d;' % (total, total, source[2] * source[3])])
        self.nest([('k', result[1]), ('y', result[2]), ('x', result[3])],
                  ['%s = %s * %s / 16;' % (self.at(result, 'k', 'y', 'x'),
                                           self.at(source, 'k', 'y', 'x'), total)])
        return result

    def update(self, source, _):
        """Of a state, which the caller keeps: it comes and goes."""
        result = self.tensor(*source[1:], '')
        target, line = self.at(result, 'k', 'y', 'x'), '%s = %s / 2 + %s;'
        self.nest([('k', result[1]), ('y', result[2]), ('x', result[3])],
                  [line % (target, target, self.at(source, 'k', 'y', 'x'))])
        return result

    def addition(self, _, live):
        one, other = self.random.choice([(a, b) for a in live for b in live
                                         if a != b and a[1:] == b[1:]])
        result = self.tensor(*one[1:])
        self.nest([('k', result[1]), ('y', result[2]), ('x', result[3])],
                  ['%s = %s + %s;' % tuple(self.at(t, 'k', 'y', 'x') for t in (result, one, other))])
        return result

    def concatenation(self, _, live):
        one, other = self.random.choice([(a, b) for a in live for b in live
                                         if a != b and a[2:] == b[2:]])
        result = self.tensor(one[1] + other[1], *one[2:])
        for source, place in ((one, 'k'), (other, 'k + %d' % one[1])):
            self.nest([('k', source[1]), ('y', result[2]), ('x', result[3])],
                      ['%s = %s;' % (self.at(result, place, 'y', 'x'), self.at(source, 'k', 'y', 'x'))])
        return result

    def finish(self, live):
        """The last tensor is a result, and sometimes an earlier one."""
        results = {live[-1][0]}
        if self.random.random() < 0.25:
            results.add(self.random.choice(live[1:])[0])
        for text in self.locals[:]:
            if text.split()[1].split('[')[0] in results:
                self.locals.remove(text)
                self.parameters.append(text)

    def text(self):
        return '#include <stdint.h>\n\nvoid network(%s)\n{\n%s\n%s\n}\n' % (
            ',\n\t'.join(self.parameters), '\n'.join('\t%s;' % text for text in self.locals),
            '\n'.join(self.nests))


def machine(source):
    """From a few rows of a tensor to all of them."""
    kilobytes = source.choice([0.5, 0.75, 0.75, 1, 1, 1.5, 1.5, 2, 3, 6, 64])
    banks = source.choice([0, 0, 8, 16])
    text = 'name: random\nscratchpad: { bytes: %d' % (kilobytes * 1024)
    return text + (', banks: %d, sharing: exclusive }\n' % banks if banks else ' }\n')


def run(loopc, directory, *options):
    report = os.path.join(directory, 'report.json')
    process = subprocess.run(
        [loopc, '--arch=' + os.path.join(directory, 'machine.yaml'), '--report=' + report,
         *options, '-o', os.path.join(directory, 'network.c'),
         os.path.join(directory, 'network.loop')],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    if process.returncode:
        return process.returncode, process.stderr
    with open(report) as stream:
        return 0, json.load(stream)


def differs_single(loopc, directory, double):
    """Whether the schedules of DOUBLE move other bytes, or need more, with single buffers."""
    with open(os.path.join(directory, 'schedule'), 'w') as out:
        for kernel in double['kernels']:
            out.writelines(line.replace(' double', '').replace(' single', '') + '\n'
                           for line in kernel['schedule'].split('\n')
                           if not line.startswith('double '))
    code, single = run(loopc, directory, '--schedule=' + os.path.join(directory, 'schedule'))
    if code:
        return 'the schedule with single buffers: ' + single
    for one, two in zip(single['kernels'], double['kernels']):
        if one['traffic'] != two['traffic']:
            return 'double buffers move %s, single ones %s' % (two['traffic'], one['traffic'])
        if one['scratchpad']['used_bytes'] > two['scratchpad']['used_bytes']:
            return 'double buffers need less than single ones'
    return None


def failure(loopc, seed, directory, tally):
    """What is wrong with network SEED; None: nothing."""
    network, source = Network(seed), random.Random(seed * 7 + 1)
    with open(os.path.join(directory, 'network.loop'), 'w') as out:
        out.write(network.text())
    with open(os.path.join(directory, 'machine.yaml'), 'w') as out:
        out.write(machine(source))
    recompute = source.choice(['never', '10%', '25%', '100%', 'allowed'])
    buffering = '--buffering=' + source.choice(['single', 'single', 'double'])
    if seed % 3 == 0:
        buffering = '--buffering=auto'
    code, alone = run(loopc, directory, '--fuse=never', buffering)
    if code not in (0, 3):
        return 'without fusion: ' + alone
    mode = '--fuse=' + source.choice(['auto', 'auto', 'auto', 'all'])
    fused_code, fused = run(loopc, directory, mode, buffering, '--recompute=' + recompute, '--verify')
    tally['too small'] += fused_code == 3
    if fused_code == 3:
        return None if code == 3 else 'fits only without fusion: ' + fused
    if fused_code:
        return '%s %s: %s' % (mode, recompute, fused)
    tally['groups'] += sum('\nfuse ' in k['schedule'] for k in fused['kernels'])
    tally['repeating'] += sum('\nrepeat ' in k['schedule'] for k in fused['kernels'])
    tally['double'] += sum('\nfuse ' in k['schedule'] and '\ndouble ' in k['schedule']
                           for k in fused['kernels'])
    tally['streaming'] += sum('\nstream W' in k['schedule'] for k in fused['kernels'])
    tally['results'] += sum(bool(re.search(r'\nstream T[1-9]', k['schedule'])) for k in fused['kernels'])
    what = buffering != '--buffering=single' and differs_single(loopc, directory, fused)
    if what:
        return what
    if code == 3:
        return None
    if mode == '--fuse=auto' and fused['total']['total_bytes'] > alone['total']['total_bytes']:
        return 'fused %d bytes, alone %d' % (fused['total']['total_bytes'],
                                             alone['total']['total_bytes'])
    limit = {'never': 1, '10%': 1.1, '25%': 1.25, '100%': 2}.get(recompute, float('inf'))
    if fused['total']['macs'] > alone['total']['macs'] * limit:
        return '%s: %d multiply-accumulates, %d in the source' % (
            recompute, fused['total']['macs'], alone['total']['macs'])
    return None


def main():
    loopc, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    failures, tally = 0, dict.fromkeys(('groups', 'repeating', 'streaming', 'results', 'double', 'too small'), 0)
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory() as directory:
            if len(sys.argv) > 4:
                directory = os.path.join(sys.argv[4], str(seed))
                os.makedirs(directory, exist_ok=True)
            what = failure(loopc, seed, directory, tally)
        if what:
            failures += 1
            print('network %d: %s' % (seed, what))
    print(', '.join('%d %s' % (count, name) for name, count in tally.items()))
    if not all(tally[name] for name in ('groups', 'repeating', 'streaming', 'results', 'double')):
        print('some kind of group was never made')
        failures += 1
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
