"""A data set of SAS (.sas7bdat), made up, of one page: the only way to have one without SAS.

Source: Shotwell (2013), SAS7BDAT database binary format; sub-format of 32-bit Windows.
"""

import struct

_MAGIC = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
_HEADER, _PAGE = 1024, 8192


def data_set(columns, rows):
    """`columns`: name, width (0 for a number), format, label. Rows hold texts, numbers, None, or '.A'."""
    text, texts = bytearray(b" " * 28), {}

    def kept(word):
        if word not in texts:
            text.extend(bytes(-len(text) % 4))
            # counted from the end of the signature of the subheader
            texts[word] = (0, len(text), len(word))
            text.extend(word)
        return texts[word]

    pointed = [tuple(kept(word.encode()) for word in (name, form, label)) for name, _, form, label in columns]
    text.extend(bytes(-len(text) % 4))
    widths = [width or 8 for _, width, _, _ in columns]
    length = -(-sum(widths) // 8) * 8
    size = struct.pack("<I", 0xF7F7F7F7).ljust(20, b"\0") + struct.pack("<2i", length, len(rows))
    size = size.ljust(36, b"\0") + struct.pack("<2i", len(columns), 0)
    size = size.ljust(52, b"\0") + struct.pack("<3i", _PAGE, 0, len(rows))
    subheaders = [size.ljust(480, b"\0"), struct.pack("<I2i", 0xF6F6F6F6, len(columns), 0)]
    subheaders.append(struct.pack("<iH", -3, len(text) + 4) + bytes(text)[2:] + bytes(12))
    names = b"".join(struct.pack("<4H", *name, 0) for name, _, _ in pointed)
    subheaders.append(struct.pack("<i4H", -1, len(names) + 8, 0, 0, 0) + names + bytes(8))
    vectors, at = b"", 0
    for (_, width, _, _), wide in zip(columns, widths, strict=True):
        vectors += struct.pack("<2iH2B", at, wide, 4, 2 if width else 1, 0)
        at += wide
    subheaders.append(struct.pack("<i4H", -4, len(vectors) + 8, 0, 0, 0) + vectors + bytes(8))
    for _, form, label in pointed:
        subheaders.append(
            struct.pack("<i", -1026).ljust(34, b"\0") + struct.pack("<6H", *form, *label) + bytes(6)
        )
    return _header() + _page(
        subheaders, b"".join(_row(row, columns).ljust(length, b"\0") for row in rows), len(rows)
    )


def _row(row, columns):
    return b"".join(
        (cell or "").encode().ljust(width) if width else _number(cell)
        for cell, (_, width, _, _) in zip(row, columns, strict=True)
    )


def _number(cell):
    if cell is None or isinstance(cell, str):
        tag = 1 if cell is None else 2 + ord(cell[1]) - ord("A")
        return struct.pack("<Q", 0xFFFF << 48 | (~tag & 0xFF) << 40)
    return struct.pack("<d", cell)


def _header():
    head = _MAGIC + bytes.fromhex("2222003222010232")
    head = head.ljust(70, b"\0") + bytes([20])
    head = head.ljust(84, b"\0") + b"SAS FILE" + b"MADEUP".ljust(64) + b"DATA    " + struct.pack("<2d", 0, 0)
    head = head.ljust(196, b"\0") + struct.pack("<3i", _HEADER, _PAGE, 1)
    return head.ljust(216, b"\0") + b"9.0401M1W32_PRO".ljust(_HEADER - 216, b"\0")


def _page(subheaders, body, rows):
    page = bytearray(_PAGE)
    page[16:24] = struct.pack("<4H", 512, len(subheaders) + rows, len(subheaders), 0)
    at, end = 24, _PAGE
    for each in subheaders:
        end -= -(-len(each) // 4) * 4
        page[end : end + len(each)] = each
        page[at : at + 12] = struct.pack("<2i2BH", end, len(each), 0, 0, 0)
        at += 12
    at = -(-at // 8) * 8
    assert at + len(body) <= end
    page[at : at + len(body)] = body
    return bytes(page)
