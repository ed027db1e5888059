"""Random legal .loop programs and machines.

A program is a pure function of its seed.  Values are kept such that the reference has
no undefined behaviour and sums are exact in any order: input arrays hold small
integers (`DATA_RANGE`), arithmetic that could leave its type is done unsigned, and
floating-point sums whose terms are not small integers set Program.reassociate to
False.
"""

import random

from program import (Access, Affine, Array, Assign, BYTES, Declare, Expr, FLOAT_TYPES, Function,
                     If, INT_TYPES, Loop, Program, Unfit, statements)

ITERATORS = "i j k l m n o p".split()
SIZES = "N M P Q".split()
ACCUMULATED = 1 << 14     # largest term that is added to an array of 32 or 64 bits
EXACT_LIMIT = 1 << 20     # largest exact value of a float

# What input arrays hold; the harness fills them the same way.
DATA_RANGE = {"float": (-4, 4), "double": (-4, 4)}
for name, (bits, signed) in INT_TYPES.items():
    DATA_RANGE[name] = (-8, 7) if signed else (0, 15)


def type_range(name):
    bits, signed = INT_TYPES[name]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def promoted(name):
    """The type of a value of type NAME in arithmetic."""
    bits, signed = INT_TYPES[name]
    if bits < 32:
        return "int"
    return {(32, True): "int", (32, False): "uint32_t", (64, True): "int64_t",
            (64, False): "uint64_t"}[(bits, signed)]


def common(a, b):
    """C's usual arithmetic conversions."""
    for name in ("double", "float"):
        if name in (a, b):
            return name
    a, b = promoted(a), promoted(b)
    for name in ("uint64_t", "int64_t", "uint32_t"):
        if name in (a, b):
            return name
    return "int"


def literal(value, kind="int", text=None):
    return Expr("literal", kind, (value, value), True, text or str(value))


def cast(kind, operand):
    exact = operand.exact
    if kind in FLOAT_TYPES:
        return Expr("cast", kind, operand.range, exact, kind, [operand])
    least, largest = type_range(kind)
    inside = least <= operand.range[0] and operand.range[1] <= largest
    return Expr("cast", kind, operand.range if inside else (least, largest), True, kind, [operand])


def binary(operator, a, b):
    """a operator b, made unsigned where a signed result could overflow."""
    kind = common(a.type, b.type)
    (al, ah), (bl, bh) = a.range, b.range
    if operator == "+":
        span = (al + bl, ah + bh)
    elif operator == "-":
        span = (al - bh, ah - bl)
    elif operator == "*":
        corners = [al * bl, al * bh, ah * bl, ah * bh]
        span = (min(corners), max(corners))
    elif operator in ("/", "%"):          # by a literal > 0
        span = (min(al, 0), max(ah, 0)) if operator == "/" else (min(0, 1 - bh) if al < 0 else 0, bh - 1)
        if kind in FLOAT_TYPES:
            return Expr("binary", kind, span, False, "/", [a, b])
    elif operator in ("&", "|", "^"):
        span = type_range(kind)
        if al >= 0 and bl >= 0:
            span = (0, (1 << max(ah, bh).bit_length()) - 1)
    elif operator == ">>":
        kind, span = promoted(a.type), (min(al, 0), max(ah, 0))
    else:
        return Expr("binary", "int", (0, 1), True, operator, [a, b])
    exact = a.exact and b.exact
    if kind in FLOAT_TYPES:
        exact = exact and max(abs(span[0]), abs(span[1])) <= EXACT_LIMIT
        return Expr("binary", kind, span, exact, operator, [a, b])
    least, largest = type_range(kind)
    if operator in "+-*" and not (least <= span[0] and span[1] <= largest):
        if INT_TYPES[kind][1]:
            kind = "uint64_t" if INT_TYPES[kind][0] == 64 else "uint32_t"
            a = cast(kind, a)
        span = type_range(kind)
    elif not (least <= span[0] and span[1] <= largest):
        span = (least, largest)
    if kind in ("uint32_t", "uint64_t") and (al < 0 or bl < 0):
        span = type_range(kind)
    return Expr("binary", kind, span, True, operator, [a, b])


def conditional(test, a, b):
    kind = common(a.type, b.type)
    span = (min(a.range[0], b.range[0]), max(a.range[1], b.range[1]))
    if kind in ("uint32_t", "uint64_t") and span[0] < 0:
        span = type_range(kind)
    return Expr("conditional", kind, span, a.exact and b.exact, "", [test, a, b])


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.reassociate = True
        self.arrays = []
        self.scalars = 0
        self.visible = []         # scalars that are declared around, as sources

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    # Types and arrays

    def int_type(self):
        return self.pick("int8_t", "uint8_t", "int16_t", "int16_t", "uint16_t", "int32_t", "int32_t",
                         "uint32_t", "uint32_t", "int64_t", "uint64_t", "int", "unsigned", "short",
                         "signed char", "unsigned char")

    def family(self):
        """The types of a nest: all integer, or all floating-point."""
        self.is_float = self.chance(0.3)

    def new_type(self):
        if self.is_float:
            return self.pick("float", "float", "double")
        return self.int_type()

    def find_array(self, rank, role):
        """An array of RANK of the nest's family; ROLE const, or written (inout or local)."""
        found = [a for a in self.arrays if a.rank == rank and (a.type in FLOAT_TYPES) == self.is_float
                 and (a.role == "const") == (role == "const")]
        if found and self.chance(0.6) or len(self.arrays) >= 9 and found:
            return self.random.choice(found)
        if role != "const":
            role = "local" if self.chance(0.2) and rank else "inout"
        kind = self.new_type()
        wild = self.chance(0.3)
        name = "ABCDEFGHUVWXYZ"[len(self.arrays) % 14] + str(len(self.arrays) // 14 or "")
        array = Array(name, kind, rank, role, wild)
        for d in range(rank):
            if self.chance(0.15):
                array.slack[d] = self.random.randint(1, 3)
            if self.chance(0.1):
                array.lead[d] = self.random.randint(1, 2)
        self.arrays.append(array)
        return array

    def read(self, access):
        array = access.array
        if array.type in FLOAT_TYPES:
            if array.role == "const":
                return Expr("read", array.type, DATA_RANGE[array.type], True, access=access)
            exact = not array.wild
            return Expr("read", array.type, (-EXACT_LIMIT, EXACT_LIMIT), exact, access=access)
        span = DATA_RANGE[array.type] if array.role == "const" else type_range(array.type)
        return Expr("read", array.type, span, True, access=access)

    # Subscripts

    def subscript(self, iterators):
        """An affine of the iterators; settle adds the constant that keeps it in bounds."""
        shape = self.random.random()
        if not iterators or shape < 0.04:
            return Affine(self.random.randint(0, 2))
        terms = {self.random.choice(iterators): self.pick(1, 1, 1, 1, 1, 1, 2, 3, -1)}
        if shape > 0.72 and len(iterators) > 1:
            terms.setdefault(self.random.choice(iterators), self.pick(1, 1, 1, 2, -1, 3))
        return Affine(self.random.randint(-1, 1) if self.chance(0.3) else 0, terms)

    def subscripts(self, rank, iterators):
        """Mostly each iterator in one dimension."""
        if len(iterators) >= rank and self.chance(0.6):
            chosen = self.random.sample(iterators, rank)
            if self.chance(0.7):
                chosen.sort(key=iterators.index)
            result = [Affine(0, {name: 1}) for name in chosen]
            for d in range(rank):
                if self.chance(0.15):
                    result[d] = self.subscript(iterators)
            return result
        return [self.subscript(iterators) for _ in range(rank)]

    # Expressions

    def leaf(self, iterators, sources):
        if sources and self.chance(0.75):
            array, shapes = self.random.choice(sources)
            subscripts = self.random.choice(shapes)
            if array.rank and self.chance(0.4):     # a neighbour
                subscripts = list(subscripts)
                d = self.random.randrange(array.rank)
                subscripts[d] = subscripts[d].plus(self.random.randint(-2, 2))
            return self.read(Access(array, list(subscripts)))
        if self.is_float:
            value = self.random.randint(0, 3)
            return literal(value, "float", "%d.0f" % value)
        if iterators and self.chance(0.5):
            name = self.random.choice(iterators)
            return Expr("affine", "int", (-200, 200), True, affine=Affine(
                self.random.randint(-2, 3), {name: self.pick(1, 1, 2, -1)}))
        return literal(self.random.randint(0, 9))

    def expression(self, depth, iterators, sources):
        if depth == 0 or self.chance(0.15):
            return self.leaf(iterators, sources)
        a = self.expression(depth - 1, iterators, sources)
        b = self.expression(depth - 1, iterators, sources)
        shape = self.random.random()
        if self.is_float:
            if shape < 0.75:
                return binary(self.pick("+", "-", "*"), a, b)
            if shape < 0.83:
                return Expr("call", "float", (min(a.range[0], b.range[0]), max(a.range[1], b.range[1])),
                            a.exact and b.exact and "double" not in (a.type, b.type),
                            self.pick("fmaxf", "fminf"), [a, b])
            if shape < 0.87:
                return self.quarter(a)
            if shape < 0.89:
                return Expr("call", "double", a.range, False, "fuzz_half", [a])
            if shape < 0.94:
                return conditional(binary(self.pick("<", ">", ">="), a, b), a, b)
            return Expr("cast", "float", a.range, a.exact and a.type == "float", "float", [a])
        if shape < 0.62:
            return binary(self.pick("+", "+", "-", "*", "*"), a, b)
        if shape < 0.70:
            return binary(self.pick("&", "|", "^"), a, b)
        if shape < 0.75:
            return binary(self.pick("/", "%"), a, literal(self.random.randint(1, 9)))
        if shape < 0.79:
            return binary(">>", a, literal(self.random.randint(0, 7)))
        if shape < 0.85:
            return conditional(binary(self.pick("<", ">", "==", "<="), a, b), a, b)
        if shape < 0.87:
            return binary(self.pick("&&", "||"), a, b)
        if shape < 0.89:
            return Expr("call", "int", (-9, 20), True, "fuzz_clamp",
                        [cast("int16_t", a), literal(-9), literal(20)])
        if shape < 0.91:
            if a.range[0] > -(1 << 31) or promoted(a.type) != "int":
                return self.negative(a)
        if shape < 0.93:
            return Expr("unary", "int", (0, 1), True, "!", [a])
        return cast(self.int_type(), a)

    def quarter(self, a):
        """A factor that keeps repeated sums small, and makes them inexact."""
        return Expr("binary", common("float", a.type), a.range, False, "*",
                    [literal(1, "float", "0.25f"), a])

    def negative(self, a):
        kind = promoted(a.type)
        if kind == "int64_t":
            a, kind = cast("uint64_t", a), "uint64_t"
        span = (-a.range[1], -a.range[0]) if kind == "int" else type_range(kind)
        return Expr("unary", kind, span, True, "-", [a])

    # Statements

    def bounded(self, expr):
        """EXPR brought into what an array of wide sums may take."""
        if max(abs(expr.range[0]), abs(expr.range[1])) <= ACCUMULATED and expr.exact:
            return expr
        if self.is_float:
            return None
        return cast(self.pick("int8_t", "uint8_t"), expr)

    def assign(self, target, expr, operator):
        """TARGET operator EXPR, changed where the arithmetic would not be defined or
        would depend on the order."""
        array = target.array
        reads_itself = operator != "=" or any(
            e.access and e.access.array is array for e in expr.walk())
        if self.is_float:
            if not array.wild:
                small = self.bounded(expr)
                if small is None or operator == "*=":
                    array.wild = True
                    self.reassociate = False
            if not expr.exact and reads_itself or operator == "*=" or array.wild and reads_itself:
                self.reassociate = False
            return Assign(target, operator, expr)
        bits, signed = INT_TYPES[array.type]
        if signed and bits >= 32:
            # Arithmetic in place is done in the signed type: terms must be small, and
            # the array must hold nothing else.
            if operator in ("+=", "-=") and not array.wild:
                return Assign(target, operator, self.bounded(expr))
            if operator in ("&=", "|=", "^="):
                return Assign(target, operator, expr) if array.wild else \
                    Assign(target, "=", self.bounded(expr))
            if operator != "=":
                wide = "uint64_t" if bits == 64 else "uint32_t"
                old = cast(wide, self.read(target))
                return Assign(target, "=", cast(array.type, binary(operator[0], old, expr))) \
                    if array.wild else Assign(target, "=", self.bounded(expr))
            return Assign(target, "=", expr if array.wild else self.bounded(expr))
        if operator == "*=" and bits < 32:
            product = binary("*", self.read(target), expr)
            if product.type not in ("int",):
                return Assign(target, "=", product)
        if operator in ("+=", "-=") and bits < 32 and signed and INT_TYPES[promoted(expr.type)][1]:
            total = binary(operator[0], self.read(target), expr)
            if total.type.startswith("u"):
                return Assign(target, "=", total)
        if operator in ("+=", "-=") and bits < 32 and not signed:
            total = binary(operator[0], self.read(target), expr)
            if total.type.startswith("u"):
                return Assign(target, "=", total)
        return Assign(target, operator, expr)

    def operator(self):
        if self.is_float:
            return self.pick("+=", "+=", "+=", "-=", "*=")
        return self.pick("+=", "+=", "+=", "+=", "-=", "*=", "&=", "|=", "^=")

    def extremum(self, target, expr):
        """target = max or min of itself and EXPR."""
        old = self.read(target)
        if self.is_float:
            name = self.pick("fmaxf", "fminf")
            if target.array.type == "float" and expr.type == "float":
                value = Expr("call", "float", (-EXACT_LIMIT, EXACT_LIMIT), True, name, [old, expr])
                return Assign(target, "=", value)
            return None
        if expr.type != target.array.type:
            expr = cast(target.array.type, expr)
        operator = self.pick("<", ">", "<=", ">=")
        first, second = (old, expr) if self.chance(0.5) else (expr, old)
        if not target.array.wild and INT_TYPES[target.array.type] in ((32, True), (64, True)) \
                and max(abs(expr.range[0]), abs(expr.range[1])) > ACCUMULATED:
            return None
        return Assign(target, "=", conditional(binary(operator, first, second), first, second))

    def sources(self, iterators, count):
        """Arrays to read, each with the subscripts under which it is read."""
        result = []
        for _ in range(count):
            rank = min(self.pick(0, 1, 1, 2, 2, 2, 3, 4), 4)
            array = self.find_array(rank, "const" if self.chance(0.7) else "written")
            shapes = [self.subscripts(array.rank, iterators)]
            if self.chance(0.3):
                shapes.append(self.subscripts(array.rank, iterators))
            result.append((array, shapes))
        return result

    def written(self, iterators, indexing):
        """An access to an array that is written, indexed by INDEXING."""
        rank = min(len(indexing), 4) if indexing else self.pick(0, 1)
        array = self.find_array(max(rank, 1), "written")
        if indexing and self.chance(0.75):
            chosen = list(indexing)[:array.rank]
            while len(chosen) < array.rank:
                chosen.append(self.random.choice(indexing))
            if self.chance(0.2):
                self.random.shuffle(chosen)
            return Access(array, [Affine(0, {name: self.pick(1, 1, 1, 1, 1, 1, 1, 2, -1)})
                                  for name in chosen])
        return Access(array, self.subscripts(array.rank, iterators))

    # Loops

    def bound(self, outer, least, most):
        """A bound between about LEAST and MOST: a constant, a size, or affine."""
        if outer and self.chance(0.3):
            name = self.random.choice(outer)
            return Affine(self.random.randint(0, 3), {name: self.pick(1, 1, 1, -1, 2)}) \
                if self.chance(0.8) else Affine(most, {name: -1})
        if self.sizes and self.chance(0.4):
            name = self.random.choice(list(self.sizes))
            return Affine(self.random.randint(-1, 1), {name: 1})
        return Affine(self.random.randint(least, most))

    def loop(self, name, outer, extent, body, plain=False):
        """A loop of about EXTENT iterations around BODY."""
        extent = max(extent, 1)
        if plain:
            first, bounds = Affine(0), [Affine(extent - 1)]
            step = 1
        else:
            first = self.bound(outer, 0, 2) if self.chance(0.3) else Affine(0)
            bounds = [self.bound(outer, extent - 1, extent)]
            if self.chance(0.15):
                bounds.append(self.bound(outer, extent // 2, extent))
            if self.chance(0.5) and first.terms:
                bounds = [Affine(extent - 1)]
            step = self.pick(1, 1, 1, 1, 1, 1, 2, 3)
        if self.chance(0.15):
            # Down: from the bound to the first value.
            first, bounds, step = bounds[0], [first], -step
        return Loop(name, first, bounds, step, body, self.chance(0.9), self.chance(0.7))

    def condition(self, iterators):
        left = Affine(self.random.randint(-2, 2), {self.random.choice(iterators): self.pick(1, 1, 1, 2, -1)})
        if len(iterators) > 1 and self.chance(0.4):
            left.terms.setdefault(self.random.choice(iterators), self.pick(1, 1, -1))
        right = Affine(self.random.randint(0, 5))
        if self.chance(0.2):
            right = Affine(0, {self.random.choice(iterators): 1})
        return (left, self.pick("<", "<=", ">", ">=", ">=", "<", "==", "!="), right)

    def conditional_block(self, iterators, body, orelse=None):
        count = self.pick(1, 1, 2, 3)
        return If([self.condition(iterators) for _ in range(count)], body, orelse,
                  "||" if count > 1 and self.chance(0.15) else "&&")

    # Nests

    def extents(self, depth, budget):
        extents = []
        for _ in range(depth):
            extents.append(self.random.randint(1, 9))
        while True:
            product = 1
            for extent in extents:
                product *= extent
            if product <= budget:
                return extents
            largest = extents.index(max(extents))
            extents[largest] -= 1

    def statement(self, iterators, indexing):
        target = self.written(iterators, indexing)
        sources = self.sources(iterators, self.pick(1, 1, 2, 3))
        if self.chance(0.25):
            sources.append((target.array, [target.subscripts]))
        sources += 2 * self.visible
        expr = self.expression(self.pick(0, 1, 1, 2, 3), iterators, sources)
        if self.chance(0.12):
            extremum = self.extremum(target, expr)
            if extremum:
                return extremum
        if not self.is_float and self.chance(0.03) and not target.array.wild:
            return Assign(target, self.pick("++", "--"), None)
        result = self.assign(target, expr, "=" if self.chance(0.5) else self.operator())
        if result.operator == "=" and self.chance(0.05):
            self.chain(result, iterators, indexing)
        return result

    def chain(self, assign, iterators, indexing):
        """Makes it assign to a second array, if one of the type is found."""
        other = self.written(iterators, indexing)
        array = assign.target.array
        if other.array.type == array.type and other.array.wild == array.wild \
                and other.array is not array:
            assign.chained = other

    def declare(self, iterators):
        """A scalar of the core for the statements that follow."""
        kind = self.pick("float", "double") if self.is_float else self.int_type()
        self.scalars += 1
        scalar = Array("s%d" % self.scalars, kind, 0, "local", wild=True)
        value = self.expression(2, iterators, self.sources(iterators, 1))
        return Declare(scalar, value)

    def random_nest(self, depth, extents, iterators):
        """Loops, statements and conditions anywhere."""
        def body(level):
            around = iterators[:level]
            items = []
            kept = len(self.visible)
            if level and self.chance(0.06):
                declaration = self.declare(around)
                items.append(declaration)
                self.visible.append((declaration.array, [[]]))
            if level == depth or level and self.chance(0.2):
                for _ in range(self.pick(1, 1, 1, 1, 2, 3)):
                    indexing = [i for i in around if self.chance(0.7)] or around[:1]
                    item = self.statement(around, indexing)
                    if self.chance(0.2):
                        orelse = [self.statement(around, indexing)] if self.chance(0.3) else None
                        item = self.conditional_block(around, [item], orelse)
                    items.append(item)
            if level < depth:
                inner = self.loop(iterators[level], around, extents[level], body(level + 1))
                if level and self.chance(0.15):
                    inner = self.conditional_block(around, [inner])
                items.insert(self.random.randint(len(self.visible) - kept, len(items)), inner)
                if level and self.chance(0.15):
                    items.append(self.loop(iterators[level], around, extents[level], body(level + 1)))
            del self.visible[kept:]
            return items
        return body(0)

    def reduction_nest(self, depth, extents, iterators, plain):
        """Initialise, reduce, finish: products, contractions, matrix-vector, ..."""
        outer = self.random.randint(0, depth - 1) if depth > 1 else 0
        target = self.written(iterators[:outer], iterators[:outer])
        sources = []
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            used = [i for i in iterators if self.chance(0.6)] or iterators[-1:]
            array = self.find_array(min(len(used), 4), "const")
            shape = [Affine(0, {name: 1}) for name in used[:array.rank]]
            while len(shape) < array.rank:
                shape.append(self.subscript(iterators))
            sources.append((array, [shape]))
        term = self.leaf([], [sources[0]])
        for source in sources[1:]:
            term = binary(self.pick("*", "*", "*", "+"), term, self.leaf([], [source]))
        extremum = self.extremum(target, term) if self.chance(0.15) else None
        update = extremum or self.assign(target, term, self.operator())
        items = [update]
        for level in range(depth - 1, outer - 1, -1):
            items = [self.loop(iterators[level], iterators[:level], extents[level], items, plain)]
        if self.chance(0.7):
            zero = literal(0) if self.chance(0.7) else self.leaf(iterators[:outer], [])
            items.insert(0, self.assign(Access(target.array, list(target.subscripts)), zero, "="))
        if self.chance(0.25):
            last = self.expression(1, iterators[:outer], [(target.array, [target.subscripts])])
            items.append(self.assign(Access(target.array, list(target.subscripts)), last, "="))
        for level in range(outer - 1, -1, -1):
            items = [self.loop(iterators[level], iterators[:level], extents[level], items, plain)]
        return items

    def window_nest(self, iterators):
        """Convolution, correlation or pooling: strides, dilations, borders, groups."""
        spatial = self.random.randint(1, 2)
        channels = self.pick(0, 1, 1, 2)
        names = list(iterators)
        outer = [names.pop(0) for _ in range(channels)]
        places = [names.pop(0) for _ in range(spatial)]
        reduced = [names.pop(0) for _ in range(self.pick(0, 1) if spatial == 2 or channels else 0)]
        windows = [names.pop(0) for _ in range(spatial)]
        size = {name: self.random.randint(1, 4) for name in outer + reduced}
        size.update({name: self.random.randint(2, 7) for name in places})
        size.update({name: self.random.randint(1, 3) for name in windows})
        padded = self.chance(0.35)
        strides = [1 if padded and self.chance(0.7) else self.pick(1, 1, 1, 2, 3) for _ in places]
        dilations = [self.pick(1, 1, 1, 2, 4) for _ in places]
        shift = [self.random.randint(0, size[w]) if padded else 0 for w in windows]
        spots = [Affine(-s, {p: u, w: d}) for p, w, u, d, s in
                 zip(places, windows, strides, dilations, shift)]
        first = self.random.choice(outer) if outer and self.chance(0.4) else None
        image = self.find_array(spatial + len(reduced) + (first is not None), "const")
        filters = self.find_array(min(4, len(outer[-1:]) + len(reduced) + spatial), "const")
        target = Access(self.find_array(len(outer) + spatial, "written"),
                        [Affine(0, {name: 1}) for name in outer + places])
        where = ([Affine(0, {first: 1})] if first else []) + \
            [Affine(0, {name: 1}) for name in reduced] + spots
        weight = [Affine(0, {name: 1}) for name in outer[-1:] + reduced + windows][:filters.rank]
        element = self.read(Access(image, where))
        if self.chance(0.75):
            element = binary("*", element, self.read(Access(filters, weight)))
        update = (self.extremum(target, element) if self.chance(0.2) else None) or \
            self.assign(target, element, "+=")
        items = [update]
        if padded:
            limits = [(p * u, s) for p, u, s in zip([size[n] for n in places], strides, shift)]
            conditions = []
            for spot, (limit, low) in zip(spots, limits):
                conditions += [(spot, ">=", Affine(0)), (spot, "<", Affine(max(limit, 1)))]
            items = [If(conditions, items)]
        for name in reversed(reduced + windows):
            items = [self.loop(name, [], size[name], items, True)]
        if self.chance(0.8):
            items.insert(0, self.assign(Access(target.array, list(target.subscripts)),
                                        literal(self.pick(0, 0, 1)), "="))
        if self.chance(0.2):
            old = self.read(Access(target.array, list(target.subscripts)))
            items.append(self.assign(Access(target.array, list(target.subscripts)),
                                     conditional(binary(">", old, literal(0)), old, literal(0)), "="))
        for name in reversed(outer + places):
            items = [self.loop(name, [], size[name], items, True)]
        return items

    def stencil_nest(self, iterators):
        """Neighbours, in place or between arrays, over time."""
        rank = self.pick(1, 1, 2, 2, 3)
        time = iterators[0] if self.chance(0.7) else None
        space = iterators[1:1 + rank]
        names = ([time] if time else []) + space
        a = self.find_array(rank, "written")
        b = a if self.chance(0.5) else self.find_array(rank, "written")

        def sweep(source, target):
            reads = [Access(source, [Affine(0, {name: 1}) for name in space])]
            for _ in range(self.random.randint(1, 4)):
                reads.append(Access(source, [Affine(self.random.randint(-1, 1), {name: 1})
                                             for name in space]))
            value = self.read(reads[0])
            for access in reads[1:]:
                value = binary(self.pick("+", "+", "-"), value, self.read(access))
            if self.is_float:
                value = self.quarter(value)
            items = [self.assign(Access(target, [Affine(0, {name: 1}) for name in space]), value, "=")]
            for name in reversed(space):
                extent = self.random.randint(2, {1: 30, 2: 8, 3: 4}[rank])
                items = [self.loop(name, names[:names.index(name)] if self.chance(0.2) else [], extent,
                                   items, self.chance(0.7))]
            return items
        items = sweep(a, b)
        if a is not b and self.chance(0.7):
            items += sweep(b, a)
        return [self.loop(time, [], self.random.randint(1, 5), items, True)] if time else items

    def scalar_nest(self, iterators):
        """A sum in a scalar of the core that loops carry."""
        kind = self.pick("float", "double") if self.is_float else self.int_type()
        self.scalars += 1
        scalar = Array("s%d" % self.scalars, kind, 0, "local", wild=False)
        rows, columns = iterators[0], iterators[1]
        source, shapes = self.sources([rows, columns], 1)[0]
        term = self.leaf([], [(source, shapes)])
        items = [Declare(scalar, literal(0)),
                 self.loop(columns, [rows], self.random.randint(1, 8),
                           [self.assign(Access(scalar, []), term, self.pick("+=", "+=", "-=", "*=")
                                        if not self.is_float else "+=")])]
        target = self.written([rows], [rows])
        items.append(self.assign(target, self.read(Access(scalar, [])), "="))
        return [self.loop(rows, [], self.random.randint(1, 8), items)]

    def nest(self):
        self.family()
        iterators = list(ITERATORS)
        if self.chance(0.3):
            self.random.shuffle(iterators)
        shape = self.random.random()
        depth = self.pick(1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7)
        extents = self.extents(depth, 500)
        if shape < 0.30:
            return self.random_nest(depth, extents, iterators[:depth])
        if shape < 0.60:
            return self.reduction_nest(depth, extents, iterators[:depth], self.chance(0.6))
        if shape < 0.82:
            return self.window_nest(iterators)
        if shape < 0.95:
            return self.stencil_nest(iterators)
        return self.scalar_nest(iterators)

    def function(self, name):
        self.arrays = []
        self.sizes = {}
        prefix = name.upper()
        for index in range(self.pick(0, 0, 1, 2)):
            self.sizes[prefix + SIZES[index]] = (self.random.randint(1, 8),
                                                self.pick("parameter", "parameter", "macro", "enum"))
        body = []
        for _ in range(self.pick(1, 1, 1, 1, 2, 2, 3, 4)):
            body += self.nest()
        function = Function(name, self.arrays, self.sizes, body)
        function.arrays = function.used_arrays()
        function.arrays = [a for a in function.arrays if not any(
            isinstance(s, Declare) and s.array is a for s in statements(body))]
        used = function.used_sizes()
        function.sizes = {size: how for size, how in self.sizes.items() if size in used}
        parameters = function.parameters()
        if self.chance(0.3):
            self.random.shuffle(function.arrays)
        if not parameters:
            raise Unfit("touches nothing")
        # An array that is never written is const, whatever it was meant for.
        written = {id(target.array) for s in statements(body) for target in s.targets()}
        for array in parameters:
            if array.role == "const" and id(array) in written:
                array.role = "inout"
        initialise_locals(function)
        return function


def initialise_locals(function):
    """Puts a nest in front that writes all of each local array that is read too early."""
    for _ in range(len(function.arrays) + 1):
        try:
            function.settle()
            return
        except Unfit as reason:
            words = str(reason).split()
            if words[0] != "reads":
                raise
            array = next((a for a in function.arrays if a.name == words[1]), None)
            if array is None:
                raise
            array.role = "inout"
            function.settle()
            array.role = "local"
            items = [Assign(Access(array, [Affine(0, {name: 1}) for name in ITERATORS[:array.rank]]),
                            "=", literal(1))]
            for d in reversed(range(array.rank)):
                items = [Loop(ITERATORS[d], Affine(0), [Affine(array.extents[d] - 1)], 1, items)]
            array.lead = [0] * array.rank
            array.slack = [0] * array.rank
            function.body = items + function.body
    function.settle()


def generate(seed):
    """The program of SEED."""
    for attempt in range(1000):
        generator = Generator("%d.%d" % (seed, attempt))
        try:
            names = ["k%d" % seed, "k%db" % seed][:generator.pick(1, 1, 1, 1, 2)]
            functions = [generator.function(name) for name in names]
            return Program(functions, generator.reassociate)
        except Unfit:
            continue
    raise RuntimeError("no program for seed %d" % seed)


class Machine:
    def __init__(self, scratchpad, banks, exclusive, max_rank, max_bytes, max_count, max_stride, align):
        self.bytes = scratchpad
        self.banks = banks
        self.exclusive = exclusive
        self.max_rank = max_rank
        self.max_bytes = max_bytes
        self.max_count = max_count
        self.max_stride = max_stride
        self.align = align

    def sizes(self):
        """The bytes of each memory on chip."""
        return [memory["bytes"] for memory in getattr(self, "memories", [])] or [self.bytes]

    def on_chip(self):
        """What is said of the memories on chip."""
        if not hasattr(self, "memories"):
            banks = ", banks: %d, sharing: exclusive" % self.banks if self.exclusive else ""
            return "scratchpad: { bytes: %d%s, align_bytes: %d }" % (self.bytes, banks, self.align)
        text = "memories:"
        for memory in self.memories:
            banks = ", banks: %d, sharing: exclusive" % memory["banks"] if memory["banks"] else ""
            text += "\n  - { name: %s, bytes: %d, holds: [%s], align_bytes: %d%s }" % (
                memory["name"], memory["bytes"], ", ".join(memory["holds"]), memory["align"], banks)
        return text

    def text(self, name):
        limits = ""
        for key, value in (("max_bytes", self.max_bytes), ("max_count", self.max_count),
                           ("max_stride_bytes", self.max_stride)):
            if value:
                limits += ", %s: %d" % (key, value)
        return ("name: %s\n%s\ndma: { max_rank: %d%s%s"
                % (name, self.on_chip(), self.max_rank, limits, self.clock()))

    def clock(self):
        """What takes time: no schedule depends on it, and none of the choices above."""
        r = random.Random("clock %s" % vars(self))
        text = ", startup_cycles: %d, bytes_per_cycle: %g, channels: %d" % (
            r.choice((0, 1, 20, 291)), r.choice((0.3, 1, 4, 7)), r.choice((1, 2, 3, 8)))
        if r.random() < 0.5:
            text += ", clock_hz: %g" % r.choice((1e8, 3.2e9, 7e8))
        if r.random() < 0.4:
            text += ", burst_bytes: %d, burst_cycles: %d" % (r.choice((7, 16, 64, 256)), r.choice((0, 1, 3)))
            text += ", write_burst_cycles: %d" % r.choice((0, 1, 2)) if r.random() < 0.5 else ""
        if r.random() < 0.4:
            text += ", write_startup_cycles: %d" % r.choice((0, 5, 40))
        if r.random() < 0.3:
            text += ", duplex: true"
        if r.random() < 0.3:
            text += ", latency_only_first: true"
        text += " }\n"
        if r.random() < 0.5:
            text += "core: { mac_cycles: %g }\n" % r.choice((0.01, 1, 0.3, 12))
        return text + "clock_hz: 5e8\n"


def generate_machine(seed, program, exclusive):
    """A machine from tiny to ample for PROGRAM's arrays."""
    r = random.Random("machine %d %d" % (seed, exclusive))
    total = max(sum(array.bytes for array in function.arrays) for function in program.functions)
    size = int(total * r.choice((0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 4)))
    align = r.choice((1, 2, 4, 8, 8, 16))
    banks = 1
    if exclusive:
        banks = r.choice((4, 8, 16, 27, 32))
        bank = max(size // banks, 16)
        bank = (bank + 63) // 64 * 64 if r.random() < 0.5 else (bank + 15) // 16 * 16
        size = bank * banks
    else:
        size = max(64, (size + 15) // 16 * 16)
    machine = Machine(size, banks, exclusive, r.choice((1, 2, 3, 3, 4)),
                      r.choice((0, 0, 16, 64, 256, 4096)), r.choice((0, 0, 0, 3, 63, 255)),
                      r.choice((0, 0, 0, 255, 4095)), align)
    split_memory(random.Random("memories %d %d" % (seed, exclusive)), machine)
    return machine


def split_memory(r, machine, share=0.12):
    """Gives a share of the machines several memories, each for the arrays of some roles."""
    if r.random() >= share:
        return
    memories = []
    for m in range(r.choice((2, 2, 3))):
        banks = r.choice((0, 0, 0, 4))
        size = int(machine.bytes * r.choice((0.2, 0.5, 0.8, 1.2)))
        memories.append({"name": "memory_%c" % "abc"[m], "bytes": (size + 63) // 64 * 64, "banks": banks,
                         "holds": [], "align": 16 if banks else r.choice((1, 4, 16))})
    for role in ("input", "weight", "output"):
        for memory in r.sample(memories, r.choice((1, 1, 1, 2))):
            memory["holds"].append(role)
    for memory in memories:
        memory["holds"] = memory["holds"] or ["output"]
    machine.memories = memories
