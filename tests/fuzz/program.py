"""A .loop program as a tree: its text, and its execution order.

The tree is what the generator builds and the reducer cuts.  `Program.settle` runs
the loops (small sizes) and derives from what is touched the extents of the arrays
and the offsets of the subscripts, so that every access is in bounds whatever was
generated; it says so if the program reads something never written or runs too long.
"""

import copy

INT_TYPES = {
    "int8_t": (8, True), "uint8_t": (8, False), "int16_t": (16, True),
    "uint16_t": (16, False), "int32_t": (32, True), "uint32_t": (32, False),
    "int64_t": (64, True), "uint64_t": (64, False), "int": (32, True),
    "unsigned": (32, False), "short": (16, True), "signed char": (8, True),
    "unsigned char": (8, False), "long": (64, True),
}
FLOAT_TYPES = {"float": 24, "double": 53}
BYTES = dict({name: bits // 8 for name, (bits, _) in INT_TYPES.items()}, float=4, double=8)


# Pure functions that programs declare; the harness defines them.
PROTOTYPES = {"fuzz_clamp": "int fuzz_clamp(int value, int least, int largest);",
              "fuzz_half": "double fuzz_half(double value);"}


class Unfit(Exception):
    """The tree is no legal program."""


class Affine:
    """constant + sum of coefficient * name; `size` names add their value."""

    def __init__(self, constant=0, terms=None):
        self.constant = constant
        self.terms = dict(terms or {})

    def value(self, env):
        total = self.constant
        terms = self.terms
        for name in terms:
            total += terms[name] * env[name]
        return total

    def plus(self, constant):
        return Affine(self.constant + constant, self.terms)

    def plus_affine(self, other):
        terms = dict(self.terms)
        for name, coefficient in other.terms.items():
            terms[name] = terms.get(name, 0) + coefficient
        return Affine(self.constant + other.constant, terms)

    def replace(self, name, value):
        """The affine with iterator `name` set to the number `value`."""
        terms = dict(self.terms)
        coefficient = terms.pop(name, 0)
        return Affine(self.constant + coefficient * value, terms)

    def text(self):
        parts = []
        for name, coefficient in self.terms.items():
            if coefficient == 0:
                continue
            sign = " - " if coefficient < 0 else " + "
            size = abs(coefficient)
            parts.append((sign, name if size == 1 else "%d * %s" % (size, name)))
        if self.constant or not parts:
            parts.append((" - " if self.constant < 0 else " + ", str(abs(self.constant))))
        sign, first = parts[0]
        # 0 - i rather than -i * 2: plain subtraction, no unary minus on products.
        text = ("-" if sign == " - " else "") + first
        return text + "".join(sign + part for sign, part in parts[1:])


class Array:
    def __init__(self, name, kind, rank, role, wild=False):
        self.name = name
        self.type = kind
        self.rank = rank
        self.role = role          # const, inout, local
        self.wild = wild          # its values are not bounded (see expression ranges)
        self.extents = [1] * rank
        self.slack = [0] * rank   # elements past the last that is touched
        self.lead = [0] * rank    # and before the first
        self.symbolic = None      # Affines of sizes, in the place of extents (symbolic.py)

    @property
    def bytes(self):
        total = BYTES[self.type]
        for extent in self.extents:
            total *= extent
        return total


class Access:
    def __init__(self, array, subscripts):
        self.array = array
        self.subscripts = subscripts
        self.offsets = [0] * len(subscripts)   # set by settle
        self.symbolic = None      # Affines of sizes, in the place of offsets (symbolic.py)

    def text(self):
        if self.symbolic:
            return self.array.name + "".join(
                "[%s]" % subscript.plus_affine(offset).text()
                for subscript, offset in zip(self.subscripts, self.symbolic))
        return self.array.name + "".join(
            "[%s]" % subscript.plus(offset).text()
            for subscript, offset in zip(self.subscripts, self.offsets))


class Expr:
    """kind: literal, affine, read, unary, binary, conditional, cast, call."""

    def __init__(self, kind, type_, range_, exact, text="", operands=(), affine=None,
                 access=None):
        self.kind = kind
        self.type = type_
        self.range = range_       # integers, or exact floats: (least, largest)
        self.exact = exact        # an integer value, the same in any order of summation
        self.text_ = text         # literal, operator, type or function
        self.operands = list(operands)
        self.affine = affine
        self.access = access

    def text(self):
        if self.kind == "literal":
            return self.text_
        if self.kind == "affine":
            return self.affine.text() if len(self.affine.terms) + (self.affine.constant != 0) < 2 \
                and self.affine.constant >= 0 else "(%s)" % self.affine.text()
        if self.kind == "read":
            return self.access.text()
        parts = [operand.text() for operand in self.operands]
        if self.kind == "unary":
            return "(%s%s)" % (self.text_, parts[0] if parts[0][0] not in "-+" else "(%s)" % parts[0])
        if self.kind == "binary":
            return "(%s %s %s)" % (parts[0], self.text_, parts[1])
        if self.kind == "conditional":
            return "(%s ? %s : %s)" % tuple(parts)
        if self.kind == "cast":
            return "(%s)(%s)" % (self.text_, parts[0])
        return "%s(%s)" % (self.text_, ", ".join(parts))

    def walk(self):
        yield self
        for operand in self.operands:
            yield from operand.walk()


class Assign:
    def __init__(self, target, operator, value, chained=None):
        self.target = target
        self.operator = operator  # =, +=, ... , or ++ / -- without a value
        self.value = value
        self.chained = chained    # target = chained = value; of the same type

    def targets(self):
        return [self.target] + ([self.chained] if self.chained else [])

    def accesses(self):
        """(access, is_write) in the order in which they happen."""
        if self.value:
            for expr in self.value.walk():
                if expr.access:
                    yield expr.access, False
        if self.chained:
            yield self.chained, True
        if self.operator != "=":
            yield self.target, False
        yield self.target, True

    def lines(self, indent):
        if not self.value:
            return ["%s%s%s;" % (indent, self.target.text(), self.operator)]
        text = self.value.text()
        if text.startswith("(") and matching(text) == len(text) - 1:
            text = text[1:-1]
        chained = self.chained.text() + " = " if self.chained else ""
        return ["%s%s %s %s%s;" % (indent, self.target.text(), self.operator, chained, text)]


def matching(text):
    """Index of the bracket that closes the first one."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index
    return -1


class Declare:
    """A scalar of the core, with its first value."""

    def __init__(self, array, value):
        self.array = array
        self.value = value
        self.target = Access(array, [])
        self.operator = "="
        self.chained = None

    accesses = Assign.accesses
    targets = Assign.targets

    def lines(self, indent):
        return ["%s%s %s = %s;" % (indent, self.array.type, self.array.name, self.value.text())]


class Loop:
    def __init__(self, name, first, bounds, step, body, declared=True, strict=True):
        self.name = name
        self.first = first        # Affine
        self.bounds = bounds      # Affines: the last value allowed by each
        self.step = step
        self.body = body
        self.declared = declared  # in the for; else the iterator is declared before
        self.strict = strict      # < and > rather than <= and >=

    def values(self, env):
        first = self.first.value(env)
        if self.step > 0:
            return range(first, min(b.value(env) for b in self.bounds) + 1, self.step)
        return range(first, max(b.value(env) for b in self.bounds) - 1, self.step)

    def lines(self, indent):
        up = self.step > 0
        operator = {(1, 1): "<", (1, 0): "<=", (0, 1): ">", (0, 0): ">="}[(up, self.strict)]
        shift = (1 if up else -1) if self.strict else 0
        bounds = " && ".join("%s %s %s" % (self.name, operator, b.plus(shift).text())
                             for b in self.bounds)
        advance = {1: "%s++", -1: "%s--"}.get(
            self.step, "%%s %s= %d" % ("+" if up else "-", abs(self.step))) % self.name
        head = "%sfor (%s%s = %s; %s; %s)" % (
            indent, "int " if self.declared else "", self.name, self.first.text(), bounds, advance)
        return [head + " {"] + block_lines(self.body, indent + "\t") + [indent + "}"]


class If:
    """Conditions `left op right`, all of them (joined by &&) or any (||)."""

    def __init__(self, conditions, body, orelse=None, joined="&&"):
        self.conditions = conditions   # (Affine, operator, Affine)
        self.body = body
        self.orelse = orelse
        self.joined = joined

    def holds(self, env):
        results = []
        for left, operator, right in self.conditions:
            a, b = left.value(env), right.value(env)
            results.append({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
                            "==": a == b, "!=": a != b}[operator])
        return all(results) if self.joined == "&&" else any(results)

    def lines(self, indent):
        text = (" %s " % self.joined).join("%s %s %s" % (left.text(), operator, right.text())
                                           for left, operator, right in self.conditions)
        lines = ["%sif (%s) {" % (indent, text)] + block_lines(self.body, indent + "\t")
        if self.orelse:
            lines += [indent + "} else {"] + block_lines(self.orelse, indent + "\t")
        return lines + [indent + "}"]


def block_lines(items, indent):
    return [line for item in items for line in item.lines(indent)]


def children(item):
    """The lists of items inside an item."""
    if isinstance(item, Loop):
        return [item.body]
    if isinstance(item, If):
        return [item.body] + ([item.orelse] if item.orelse else [])
    return []


def statements(items):
    for item in items:
        if isinstance(item, (Assign, Declare)):
            yield item
        for block in children(item):
            yield from statements(block)


def loops(items):
    for item in items:
        if isinstance(item, Loop):
            yield item
        for block in children(item):
            yield from loops(block)


class Function:
    def __init__(self, name, arrays, sizes, body):
        self.name = name
        self.arrays = arrays      # parameters and local arrays; not the scalars of Declare
        self.sizes = sizes        # name -> (value, how): parameter, macro, enum
        self.body = body

    def parameters(self):
        return [a for a in self.arrays if a.role != "local"]

    def used_arrays(self):
        used = {id(access.array) for statement in statements(self.body)
                for access, _ in statement.accesses()}
        return [array for array in self.arrays if id(array) in used]

    def used_sizes(self):
        """Names of sizes that bounds, conditions, subscripts or values use."""
        used = set()

        def visit(items):
            for item in items:
                if isinstance(item, Loop):
                    affines = [item.first] + item.bounds
                elif isinstance(item, If):
                    affines = [side for left, _, right in item.conditions for side in (left, right)]
                else:
                    affines = [s for access, _ in item.accesses() for s in access.subscripts]
                    if item.value:
                        affines += [e.affine for e in item.value.walk() if e.affine]
                for affine in affines:
                    used.update(affine.terms)
                for block in children(item):
                    visit(block)
        visit(self.body)
        return used

    def extent_text(self, array):
        """The extents, by the name of a size where one has that value."""
        if array.symbolic:
            return "".join("[%s]" % extent.text() for extent in array.symbolic)
        names = {value: size for size, (value, _) in self.sizes.items()}
        return "".join("[%s]" % names.get(extent, extent) for extent in array.extents)

    def lines(self, name):
        out = []
        for size, (value, how) in self.sizes.items():
            if how == "macro":
                out += ["#ifndef %s" % size, "#define %s %d" % (size, value), "#endif"]
            if how == "enum":
                out.append("enum { %s = %d };" % (size, value))
        parameters = ["int " + size for size, (_, how) in self.sizes.items() if how == "parameter"]
        for array in self.parameters():
            const = "const " if array.role == "const" and array.rank else ""
            parameters.append("%s%s %s%s" % (const, array.type, array.name,
                                              self.extent_text(array)))
        out.append("void %s(%s)" % (name, ", ".join(parameters) or "void"))
        out.append("{")
        for array in self.arrays:
            if array.role == "local":
                out.append("\t%s %s%s;" % (array.type, array.name, self.extent_text(array)))
        for iterator in sorted({loop.name for loop in loops(self.body) if not loop.declared}):
            out.append("\tint %s;" % iterator)
        return out + block_lines(self.body, "\t") + ["}"]

    def environment(self):
        return {size: value for size, (value, _) in self.sizes.items()}

    def settle(self, limit=6000):
        """Extents, offsets, and legality.  Raises Unfit."""
        touched = {}     # id(access) -> the values of its subscripts
        trace = []       # (array, is_write, values) of arrays that must be written first
        cache = {}       # id(statement) -> its accesses
        steps = 0

        def visit(items, env):
            nonlocal steps
            for item in items:
                steps += 1
                if steps > limit:
                    raise Unfit("runs too long")
                if isinstance(item, Loop):
                    inner = dict(env)
                    for value in item.values(env):
                        inner[item.name] = value
                        visit(item.body, inner)
                elif isinstance(item, If):
                    visit(item.body if item.holds(env) else item.orelse or [], env)
                else:
                    accesses = cache.get(id(item))
                    if accesses is None:
                        accesses = cache[id(item)] = list(item.accesses())
                    for access, is_write in accesses:
                        values = tuple([s.value(env) for s in access.subscripts])
                        touched.setdefault(id(access), set()).add(values)
                        if access.array.role == "local":
                            trace.append((access.array, is_write, values))

        visit(self.body, self.environment())
        spans = {}
        everything = [access for statement in statements(self.body)
                      for access, _ in statement.accesses()]
        for access in everything:
            for d, values in enumerate(zip(*touched.get(id(access), ()))):
                least, largest = spans.get((id(access.array), d), (values[0], values[0]))
                spans[(id(access.array), d)] = (min(least, min(values)), max(largest, max(values)))
        for access in everything:
            for d in range(access.array.rank):
                least, largest = spans.get((id(access.array), d), (0, 0))
                access.offsets[d] = access.array.lead[d] - least
        for array in self.arrays:
            for d in range(array.rank):
                least, largest = spans.get((id(array), d), (0, 0))
                array.extents[d] = array.lead[d] + largest - least + 1 + array.slack[d]
                if array.extents[d] > 400:
                    raise Unfit("too large")
            if array.bytes > 1 << 17:
                raise Unfit("too large")
        written = set()
        for array, is_write, values in trace:
            if is_write:
                written.add((id(array), values))
            elif (id(array), values) not in written:
                raise Unfit("reads %s before it is written" % array.name)
        return steps


class Program:
    def __init__(self, functions, reassociate=True):
        self.functions = functions
        self.reassociate = reassociate   # False: only right with -fno-reassociate

    def settle(self):
        return sum(function.settle() for function in self.functions)

    def text(self, prefix="", comment=""):
        lines = ["/* %s */" % comment] if comment else []
        lines += ["#include <stdint.h>", "#include <math.h>"]
        called = {e.text_ for function in self.functions for s in statements(function.body) if s.value
                  for e in s.value.walk() if e.kind == "call"}
        lines += [prototype for name, prototype in PROTOTYPES.items() if name in called]
        for function in self.functions:
            lines += [""] + function.lines(prefix + function.name)
        return "\n".join(lines) + "\n"

    def options(self):
        """Sizes that are bound on the command line."""
        return ["%s=%d" % (size, value) for function in self.functions
                for size, (value, how) in function.sizes.items() if how == "parameter"]

    def copy(self):
        return copy.deepcopy(self)
