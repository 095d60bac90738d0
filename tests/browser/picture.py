# SPDX-License-Identifier: MIT
"""PNG pictures as grey levels, and how far two of them differ."""
import struct
import zlib


def _unfilter(data, width, height, size):
    """The lines of a picture, whose pixels are `size` bytes: RFC 2083, section 6."""
    lines, before = [], bytes(width * size)
    step = width * size + 1
    for y in range(height):
        kind, line = data[y * step], bytearray(data[y * step + 1:(y + 1) * step])
        for i in range(len(line)):
            left = line[i - size] if i >= size else 0
            above = before[i]
            corner = before[i - size] if i >= size else 0
            if kind == 1:
                line[i] = (line[i] + left) & 255
            elif kind == 2:
                line[i] = (line[i] + above) & 255
            elif kind == 3:
                line[i] = (line[i] + (left + above) // 2) & 255
            elif kind == 4:
                line[i] = (line[i] + _paeth(left, above, corner)) & 255
        lines.append(bytes(line))
        before = line
    return lines


def _paeth(left, above, corner):
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def read(data):
    """(width, height, rows of grey levels) of a PNG of 8 bits a channel."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + length
    sizes = {0: 1, 2: 3, 6: 4}
    assert depth == 8 and colour in sizes and not interlaced, "a PNG of another kind"
    size = sizes[colour]
    lines = _unfilter(zlib.decompress(packed), width, height, size)
    if size > 1:
        lines = [bytes((2 * r + 5 * g + b) // 8 for r, g, b in
                       zip(line[0::size], line[1::size], line[2::size])) for line in lines]
    return width, height, lines


def write(width, height, lines):
    """A PNG of grey levels."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) +
            chunk(b"IEND", b""))


def difference(left, right, level):
    """The part of the pixels that differ by more than `level`, of what both pictures have."""
    width, height = min(left[0], right[0]), min(left[1], right[1])
    apart = sum(abs(a - b) > level for one, other in zip(left[2], right[2])
                for a, b in zip(one[:width], other[:width]))
    return apart / (width * height)
