"""Makes a failing program smaller while it fails in the same way."""

import copy

from program import Affine, Assign, Declare, Expr, If, Loop, Unfit, children, statements


def substitute(items, name, value):
    """Iterator NAME set to the number VALUE everywhere below."""
    for item in items:
        if isinstance(item, Loop):
            item.first = item.first.replace(name, value)
            item.bounds = [bound.replace(name, value) for bound in item.bounds]
        elif isinstance(item, If):
            item.conditions = [(left.replace(name, value), operator, right.replace(name, value))
                               for left, operator, right in item.conditions]
        else:
            accesses = {id(access): access for access, _ in item.accesses()}
            for access in accesses.values():
                access.subscripts = [s.replace(name, value) for s in access.subscripts]
            if item.value:
                for expr in item.value.walk():
                    if expr.affine:
                        expr.affine = expr.affine.replace(name, value)
        for block in children(item):
            substitute(block, name, value)


def blocks(items):
    yield items
    for item in items:
        for block in children(item):
            yield from blocks(block)


def expressions(program):
    """(holder, key) of every expression: holder[key] is it."""
    for function in program.functions:
        for statement in statements(function.body):
            if statement.value:
                yield from inside(statement.__dict__, "value")


def inside(holder, key):
    yield holder, key
    operands = holder[key].operands
    for index in range(len(operands)):
        yield from inside(operands, index)


def cuts(program):
    """Functions that each change a copy of PROGRAM in one way, the largest first.  Each
    takes the copy and returns False if it does not apply."""
    for f in range(len(program.functions)):
        if len(program.functions) > 1:
            yield lambda p, f=f: p.functions.pop(f) is not None
    for f, function in enumerate(program.functions):
        for b, block in enumerate(blocks(function.body)):
            for i, item in enumerate(block):
                yield lambda p, f=f, b=b, i=i: nth_block(p, f, b).pop(i) is not None
        for b, block in enumerate(blocks(function.body)):
            for i, item in enumerate(block):
                if isinstance(item, Loop):
                    yield lambda p, f=f, b=b, i=i: unroll(nth_block(p, f, b), i)
                if isinstance(item, If):
                    yield lambda p, f=f, b=b, i=i: unwrap(nth_block(p, f, b), i, "body")
                    if item.orelse:
                        yield lambda p, f=f, b=b, i=i: unwrap(nth_block(p, f, b), i, "orelse")
                        yield lambda p, f=f, b=b, i=i: change(nth_block(p, f, b)[i], "orelse", None)
                    for c in range(len(item.conditions)):
                        if len(item.conditions) > 1:
                            yield lambda p, f=f, b=b, i=i, c=c: \
                                nth_block(p, f, b)[i].conditions.pop(c) is not None
    count = sum(1 for _ in expressions(program))
    for e in range(count):
        for operand in range(3):
            yield lambda p, e=e, operand=operand: keep_operand(p, e, operand)
    for f, function in enumerate(program.functions):
        for b, block in enumerate(blocks(function.body)):
            for i, item in enumerate(block):
                if isinstance(item, Loop):
                    yield from loop_cuts(f, b, i, item)
                if isinstance(item, Assign) and item.chained:
                    yield lambda p, f=f, b=b, i=i: change(nth_block(p, f, b)[i], "chained", None)
                if isinstance(item, Assign) and item.operator != "=" and item.value:
                    yield lambda p, f=f, b=b, i=i: change(nth_block(p, f, b)[i], "operator", "=")
        for a, array in enumerate(function.arrays):
            yield lambda p, f=f, a=a: drop_array(p.functions[f], a)
            for d in range(array.rank):
                if array.slack[d] or array.lead[d]:
                    yield lambda p, f=f, a=a, d=d: trim(p.functions[f].arrays[a], d)
                yield lambda p, f=f, a=a, d=d: flatten(p.functions[f], a, d)
            if array.type not in ("int8_t", "int16_t", "uint32_t", "float"):
                for kind in ("int8_t", "int16_t", "uint32_t", "float"):
                    yield lambda p, f=f, a=a, kind=kind: change(p.functions[f].arrays[a], "type", kind)
        for size in function.sizes:
            yield lambda p, f=f, size=size: bind(p.functions[f], size)


def nth_block(program, f, b):
    for index, block in enumerate(blocks(program.functions[f].body)):
        if index == b:
            return block
    raise IndexError


def change(thing, name, value):
    if getattr(thing, name) == value:
        return False
    setattr(thing, name, value)
    return True


def unroll(block, i):
    loop = block[i]
    if loop.first.terms:
        return False
    substitute(loop.body, loop.name, loop.first.constant)
    block[i:i + 1] = loop.body
    return True


def unwrap(block, i, name):
    block[i:i + 1] = getattr(block[i], name)
    return True


def loop_cuts(f, b, i, loop):
    def at(program):
        return nth_block(program, f, b)[i]
    for k in range(len(loop.bounds)):
        if len(loop.bounds) > 1:
            yield lambda p, k=k: at(p).bounds.pop(k) is not None
    yield lambda p: change(at(p), "declared", True)
    yield lambda p: change(at(p), "strict", True)
    if loop.step not in (1, -1):
        yield lambda p: change(at(p), "step", 1 if loop.step > 0 else -1)
    for k, bound in enumerate(loop.bounds):
        toward = -1 if loop.step > 0 else 1
        for amount in (8, 4, 2, 1):
            yield lambda p, k=k, amount=amount: shrink(at(p), k, toward * amount)
        if bound.terms:
            yield lambda p, k=k: constant_bound(at(p), k)
    if loop.first.terms or loop.first.constant:
        yield lambda p: change(at(p), "first", Affine(0)) if loop.step > 0 else False
    if loop.step < 0 and not loop.first.terms and len(loop.bounds) == 1 and not loop.bounds[0].terms:
        yield lambda p: turn(at(p))


def shrink(loop, k, amount):
    loop.bounds[k] = loop.bounds[k].plus(amount)
    first = loop.first
    if not first.terms and not loop.bounds[k].terms:
        return (loop.bounds[k].constant - first.constant) * loop.step >= 0
    return True


def constant_bound(loop, k):
    loop.bounds[k] = Affine(loop.bounds[k].constant + 2)
    return True


def turn(loop):
    loop.first, loop.bounds, loop.step = loop.bounds[0], [loop.first], -loop.step
    return True


def keep_operand(program, e, operand):
    """Replaces an expression by one of its operands."""
    for index, (holder, key) in enumerate(expressions(program)):
        if index == e:
            expr = holder[key]
            if operand < len(expr.operands):
                holder[key] = expr.operands[operand]
                return True
            if operand == 2 and expr.kind == "read":
                holder[key] = Expr("literal", "int", (1, 1), True, "1")
                return True
            return False
    return False


def drop_array(function, a):
    array = function.arrays[a]
    if any(access.array is array for statement in statements(function.body)
           for access, _ in statement.accesses()):
        return False
    function.arrays.pop(a)
    return True


def trim(array, d):
    array.slack[d] = array.lead[d] = 0
    return True


def flatten(function, a, d):
    """Takes dimension D away from array A."""
    array = function.arrays[a]
    if array.rank <= 1:
        return False
    for statement in statements(function.body):
        for access in {id(x): x for x, _ in statement.accesses()}.values():
            if access.array is array:
                access.subscripts.pop(d)
                access.offsets.pop(d)
    for name in ("extents", "slack", "lead"):
        getattr(array, name).pop(d)
    array.rank -= 1
    return True


def bind(function, size):
    """Replaces a size by its value."""
    substitute(function.body, size, function.sizes.pop(size)[0])
    return True


def tidy(program):
    """Takes out what an earlier cut left empty or unused."""
    for function in program.functions:
        changed = True
        while changed:
            changed = False
            for block in list(blocks(function.body)):
                for item in list(block):
                    if isinstance(item, Loop) and not item.body or \
                            isinstance(item, If) and not item.body and not item.orelse:
                        block.remove(item)
                        changed = True
                    elif isinstance(item, If) and not item.body:
                        return False
        used = {id(array) for array in function.used_arrays()}
        function.arrays = [array for array in function.arrays if id(array) in used]
        sizes = function.used_sizes()
        function.sizes = {name: how for name, how in function.sizes.items() if name in sizes}
        if not function.parameters():
            return False
        declared = {id(s.array) for s in statements(function.body) if isinstance(s, Declare)}
        listed = {id(array) for array in function.arrays}
        if any(id(x.array) not in declared | listed for s in statements(function.body)
               for x, _ in s.accesses()):
            return False
        written = {id(t.array) for s in statements(function.body) for t in s.targets()}
        for array in function.parameters():
            if id(array) not in written and array.rank == 0:
                array.role = "const"
    return True


def reduce(program, fails, tries=400):
    """The smallest program found for which FAILS(program) holds; it is called at most
    TRIES times."""
    progress = True
    while progress and tries > 0:
        progress = False
        position = 0
        while tries > 0:
            # The cuts of the program as it is now, from where the last one succeeded.
            candidates = list(cuts(program))
            if position >= len(candidates):
                break
            smaller = copy.deepcopy(program)
            try:
                applies = candidates[position](smaller) and tidy(smaller)
                if applies:
                    smaller.settle()
            except (Unfit, IndexError, ValueError, KeyError, AttributeError):
                applies = False
            if applies:
                tries -= 1
                applies = fails(smaller)
            if applies:
                program = smaller
                progress = True
            else:
                position += 1
    return program
