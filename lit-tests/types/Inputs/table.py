# The table that types=table leaves, and the code next to it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   table.py same FILE FILE      the code and its relocations are equal
#   table.py types FILE TYPE...  calls have exactly these types
import struct
import subprocess
import sys


def sections(path):
    """Names, flags and contents."""
    with open(path, "rb") as file:
        data = file.read()
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    text = headers[names]
    for header in headers:
        name = data[text[4] + header[0] :].split(b"\0", 1)[0].decode()
        yield name, header[2], data[header[4] : header[4] + header[5]] if header[1] != 8 else b""


def code(path):
    done = subprocess.run(["objdump", "-d", "-r", path], capture_output=True, text=True, check=True)
    return done.stdout.split("\n", 3)[3]


def table(path):
    found = {}
    for name, flags, data in sections(path):
        if name in (".inmem.types", ".inmem.type_names"):
            assert not flags & 2, (name, "is loaded")
            found[name] = data
    names = found.get(".inmem.type_names", b"")
    for at in range(0, len(found.get(".inmem.types", b"")), 32):
        address, size, type_at, file_at, line, flags = struct.unpack_from("<QQIIII", found[".inmem.types"], at)
        text = [names[i:].split(b"\0", 1)[0].decode() for i in (type_at, file_at)]
        if address:
            yield address, size, text[0], text[1], line, flags


what, path, *rest = sys.argv[1:]
if what == "same":
    assert code(path) == code(rest[0]), f"{path} and {rest[0]} differ"
    print("same")
else:
    entries = list(table(path))
    disassembly = code(path).split("\n")
    for address, size, name, file, line, flags in entries:
        print(hex(address), size, repr(name), file, line, flags)
        # Each entry is behind a call.
        at = next(i for i, text in enumerate(disassembly) if text.lstrip().startswith(f"{address:x}:"))
        assert "call" in disassembly[at - 1], disassembly[at - 2 : at + 1]
        assert not name or (line > 0 and file), (file, line)
    types = {entry[2] for entry in entries if entry[2]}
    assert types == set(rest), (sorted(types), sorted(rest))
