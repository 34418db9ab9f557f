"""What a GGUF file says about itself, read without believing any of it.

The header of a GGUF file has keys with values (how many layers, which words) and a line for each tensor: name, shape,
number format, where its bytes begin. We walk through it ourselves, because the reader of the package `gguf` takes
seconds over a vocabulary and believes every count. Here a broken file costs one sentence, not your memory.
"""

import math
import struct
from typing import Any, NamedTuple

import numpy as np

FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}  # numbers
STRING, ARRAY = 8, 9
MANY = 10_000  # more keys or tensors than this is a mistake
WORDS = 600_000  # and more strings, too: the largest vocabularies have 400,000 with their merges


class Tensor(NamedTuple):
    """Where one tensor is in the file, and how its numbers are written."""

    shape: tuple[int, ...]  # rows first; the file has it the other way round
    kind: int  # gguf.GGMLQuantizationType
    start: int  # in bytes, from the beginning of the file
    stop: int


def expect(good: bool, sentence: str) -> None:
    """Refuse the file with a sentence."""
    if not good:
        raise ValueError(sentence)


class Cursor:
    """Reads on from where it is, never past the end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.words = data, 0, 0

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        self.at += count
        if self.at > len(self.data):
            raise ValueError(f"got {len(self.data)} bytes, expected {self.at} or more; the file is cut off or damaged")
        return self.data[self.at - count : self.at]

    def number(self, code: str) -> Any:
        """One number, in a format of the module `struct`."""
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def string(self) -> str:
        """A length and as many bytes of UTF-8."""
        self.words += 1
        expect(self.words <= WORDS, f"got more than {WORDS} strings; the file is damaged")
        text = self.take(self.number("Q"))
        try:
            return text.decode()
        except UnicodeDecodeError:
            raise ValueError(f"got the bytes {text[:20]!r} for a text, expected UTF-8; the file is damaged") from None

    def value(self) -> Any:
        """The value of a key: a number, a string, or an array of them."""
        kind = self.number("I")
        if kind == STRING:
            return self.string()
        if kind != ARRAY:
            expect(kind in FORMATS, f"got a value of kind {kind}, expected 0 to 12; the file is damaged")
            return self.number(FORMATS[kind])
        kind, count = self.number("I"), self.number("Q")
        if kind == STRING:
            return [self.string() for _ in range(count)]  # ends at the first one that isn't there
        expect(kind in FORMATS, f"got an array of kind {kind}, expected numbers or strings; the file is damaged")
        dtype = np.dtype(FORMATS[kind]).newbyteorder("<")
        return np.frombuffer(self.take(count * dtype.itemsize), dtype=dtype)

    def tensor_line(self) -> tuple[str, tuple[int, ...], int, int]:
        """Name, shape, number format, and where the bytes begin, counted from the end of the header."""
        name, axes = self.string(), self.number("I")
        expect(1 <= axes <= 4, f"{name[:40]}: got {axes} axes, expected 1 to 4; the file is damaged")
        shape = tuple(self.number("Q") for _ in range(axes))[::-1]
        return name, shape, self.number("I"), self.number("Q")


def read_header(data: bytes, architecture: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Values by key and tensors by name; a `ValueError` says in one sentence what's wrong with the file."""
    from gguf import GGML_QUANT_SIZES

    cursor = Cursor(data)
    expect((magic := cursor.take(4)) == b"GGUF", f"got {magic!r} at the start, expected b'GGUF'; it isn't a GGUF file")
    expect((version := cursor.number("I")) in (2, 3), f"got version {version}, expected 2 or 3, little-endian")
    tensor_count, key_count = cursor.number("Q"), cursor.number("Q")
    expect(max(tensor_count, key_count) <= MANY, f"got {tensor_count} tensors and {key_count} keys; it's damaged")
    values: dict[str, Any] = {}
    for _ in range(key_count):
        key = cursor.string()
        values[key] = cursor.value()
        found = str(values.get("general.architecture", architecture))[:40]
        expect(found == architecture, f"got a model of architecture {found!r}, expected {architecture!r}")
    lines = [cursor.tensor_line() for _ in range(tensor_count)]
    step = values.get("general.alignment", 32)
    expect(type(step) is int and 1 <= step <= 1 << 20, f"got alignment {str(step)[:40]}; the file is damaged")
    begin, tensors = -(-cursor.at // step) * step, {}
    for name, shape, kind, offset in lines:
        expect(kind in GGML_QUANT_SIZES, f"{name[:40]}: got number format {kind}, which gguf doesn't know")
        block, size = GGML_QUANT_SIZES[kind]
        expect(shape[-1] % block == 0, f"{name[:40]}: got rows of {shape[-1]}, expected a multiple of {block}")
        tensors[name] = Tensor(shape, kind, begin + offset, begin + offset + math.prod(shape) // block * size)
    sizes = [tensor.stop - tensor.start for tensor in tensors.values()]  # their sum counts: they may not overlap
    need = max([begin + sum(sizes), *(tensor.stop for tensor in tensors.values())])
    expect(need <= len(data), f"got {len(data)} bytes, expected {need} or more; the file is cut off or damaged")
    return values, tensors
