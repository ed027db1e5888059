"""A random program whose ifs are decided by data.

usage: choices.py SEED >in.loop

Arrays of several types in a nest of two loops; ifs nest, have else, join conditions on data with
conditions on iterators that keep subscripts inside, divide only where they may, and assign to what
their own conditions read."""

import random
import sys

ROWS, COLUMNS = 9, 13
ARRAYS = {"a": "uint8_t", "b": "int16_t", "c": "int32_t", "d": "int64_t", "e": "uint32_t", "f": "float"}
BITS = {"a": 0x7f, "b": 0xfff, "c": 0xffff, "d": 0xfffff, "e": 0xffff, "f": 0xff}


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.locals = 0

    def element(self, name):
        return f"{name}[y][x]"

    def read(self, scope):
        rng = self.rng
        if scope and rng.random() < 0.3:
            return rng.choice(scope)
        name = rng.choice("abcde")
        if rng.random() < 0.2:
            return f"g{name}[y][x + 1]" if rng.random() < 0.5 else f"g{name}[y + 1][x]"
        return rng.choice([self.element(name), f"g{name}[y][x]"])

    def value(self, scope):
        """Small enough that no sum of it overflows."""
        rng = self.rng
        a, b = self.read(scope), self.read(scope)
        return rng.choice([
            f"({a} & 63) + ({b} & 31)", f"({a} & 127) - ({b} & 127)", f"{a} & 255", "y + x", "3",
            f"({a} & 15) * ({b} & 15)", f"({a} & 1) ? {b} & 63 : 5", a + " & 0x7f"])

    def condition(self, scope):
        """With the reads it allows."""
        rng = self.rng
        a, b = self.read(scope), self.read(scope)
        data = rng.choice([
            f"({a} & 255) > ({b} & 127)", f"{a} & 1", f"({a} & 15) == 3", f"!({a} & 3)",
            f"({a} & 7) < 4 && ({b} & 7) > 1", f"({a} & 3) == 0 || ({b} & 3) == 1", "f[y][x] > 8.5f"])
        if rng.random() < 0.3:
            index = rng.choice(["x > 2", "y < 5", "x + y >= 6", f"x + 1 < {COLUMNS - 1}", "(x & 1) == 0"]
                               if rng.random() < 0.9 else ["1"])
            index = index.replace("(x & 1) == 0", "x % 2 == 0")
            data = rng.choice([f"{index} && ({data})", f"({data}) && {index}", f"({data}) || {index}"])
        return data

    def assignment(self, scope, depth):
        rng = self.rng
        indent = "\t" * depth
        if scope and rng.random() < 0.25:
            target = rng.choice(scope)
            self.lines.append(f"{indent}{target} = ({self.value(scope)}) & 1023;")
            return
        name = rng.choice("abcde")
        target = self.element(name)
        if rng.random() < 0.15:
            target = f"s{name}[y]"
        kind = rng.randrange(6)
        if kind == 0:
            self.lines.append(f"{indent}if (({target} & 15) != 0)")
            self.lines.append(f"{indent}\t{target} = ({self.read(scope)} & 1023) / ({target} & 15);")
        elif kind == 1:
            self.lines.append(f"{indent}if (({self.read(scope)} & {BITS[name]}) > {target})")
            self.lines.append(f"{indent}\t{target} = {self.read(scope)} & {BITS[name]};")
        elif kind == 2:
            self.lines.append(f"{indent}{target} ^= {self.read(scope)} & 31;")
        elif kind == 3:
            self.lines.append(f"{indent}f[y][x] = ({self.value(scope)}) * 0.5f;")
        else:
            self.lines.append(f"{indent}{target} = ({self.value(scope)}) & {BITS[name]};")

    def block(self, scope, depth, level):
        rng = self.rng
        scope = list(scope)
        for _ in range(rng.randrange(1, 4)):
            if rng.random() < 0.2:
                self.locals += 1
                name = f"t{self.locals}"
                self.lines.append("\t" * depth + f"int {name} = ({self.value(scope)}) & 1023;")
                scope.append(name)
            elif level < 3 and rng.random() < 0.5:
                self.branch(scope, depth, level)
            else:
                self.assignment(scope, depth)

    def branch(self, scope, depth, level):
        rng = self.rng
        indent = "\t" * depth
        self.lines.append(f"{indent}if ({self.condition(scope)}) {{")
        self.block(scope, depth + 1, level + 1)
        while rng.random() < 0.25:
            self.lines.append(f"{indent}}} else if ({self.condition(scope)}) {{")
            self.block(scope, depth + 1, level + 1)
        if rng.random() < 0.5:
            self.lines.append(f"{indent}}} else {{")
            self.block(scope, depth + 1, level + 1)
        self.lines.append(f"{indent}}}")

    def text(self):
        """Reads of g* go one further; writes stay in the loops."""
        parameters = [f"{type_} {name}[{ROWS}][{COLUMNS}]" for name, type_ in ARRAYS.items()]
        parameters += [f"const {ARRAYS[name]} g{name}[{ROWS + 1}][{COLUMNS + 1}]" for name in "abcde"]
        parameters += [f"{ARRAYS[name]} s{name}[{ROWS}]" for name in "abcde"]
        for _ in range(self.rng.randrange(1, 3)):
            self.lines.append(f"\tfor (int y = 0; y < {ROWS}; y++)")
            self.lines.append(f"\t\tfor (int x = 0; x < {COLUMNS}; x++) {{")
            self.branch([], 3, 0)
            self.assignment([], 3)
            self.lines.append("\t\t}")
        body = "\n".join(self.lines)
        return f"#include <stdint.h>\nvoid choices({', '.join(parameters)})\n{{\n{body}\n}}\n"


print(Program(int(sys.argv[1])).text(), end="")
