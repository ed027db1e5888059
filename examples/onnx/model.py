"""Writes models in ONNX's format, without a library: what this example and tests need of it."""

import struct

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
CODES = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i", INT64: "q"}


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(field, number):
    return varint(field << 3) + varint(number)


def part(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, kind, values, external=None):
    """VALUES: a list, or bytes; EXTERNAL: where they are instead, as pairs."""
    out = b"".join(integer(1, d) for d in dims) + integer(2, kind) + part(8, name)
    if external is not None:
        return out + b"".join(part(13, part(1, k) + part(2, v)) for k, v in external) + integer(14, 1)
    raw = values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{CODES[kind]}", *values)
    return out + part(9, raw)


def attribute(name, value):
    out = part(1, name)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + integer(20, 1)
    if isinstance(value, int):
        return out + integer(3, value) + integer(20, 2)
    if isinstance(value, str):
        return out + part(4, value) + integer(20, 3)
    if isinstance(value, bytes):
        return out + part(5, value) + integer(20, 4)
    return out + b"".join(integer(8, v) for v in value) + integer(20, 7)


def node(operator, inputs, outputs, name="", domain="", **attributes):
    return (b"".join(part(1, i) for i in inputs) + b"".join(part(2, o) for o in outputs) + part(3, name) +
            part(4, operator) + b"".join(part(5, attribute(k, v)) for k, v in attributes.items()) +
            (part(7, domain) if domain else b""))


def value(name, kind, dims):
    shape = b"".join(part(1, part(2, d) if isinstance(d, str) else integer(1, d)) for d in dims)
    return part(1, name) + part(2, part(1, integer(1, kind) + part(2, shape)))


def model(nodes, inputs, outputs, initializers=(), opset=13, domains=()):
    graph = (b"".join(part(1, n) for n in nodes) + part(2, "graph") + b"".join(part(5, t) for t in initializers) +
             b"".join(part(11, i) for i in inputs) + b"".join(part(12, o) for o in outputs))
    return (integer(1, 8) + part(7, graph) + part(8, integer(2, opset)) +
            b"".join(part(8, part(1, d) + integer(2, 1)) for d in domains))
