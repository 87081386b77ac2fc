# gperftools' text as pprof with build ids, and as OpenTelemetry's profiles.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   other_forms.py pprof|otlp TEXT OUT [PATH]
#
# Modules are at PATH/NAME instead of their own paths, so that only --binary finds them.
import os
import re
import subprocess
import sys


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value) if value else b""
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def build_id(path):
    text = subprocess.run(["readelf", "-n", path], capture_output=True, text=True).stdout
    found = re.search(r"Build ID: (\w+)", text)
    return found[1] if found else ""


def read(text):
    """Rows of (blocks, bytes, addresses) that are alive, and mappings of code."""
    rows, maps = [], []
    for line in text.splitlines():
        if row := re.match(r"\s*(\d+):\s*(\d+) \[.*\] @ (.+)", line):
            if int(row[1]) and row[3].startswith("0x"):
                rows.append((int(row[1]), int(row[2]), [int(word, 16) for word in row[3].split()]))
        elif place := re.match(r"(\w+)-(\w+) r-xp (\w+) \S+ \d+\s+(/.*)", line):
            maps.append((int(place[1], 16), int(place[2], 16), int(place[3], 16), place[4]))
    return rows, maps


what, source, target, *path = sys.argv[1:]
with open(source) as file:
    rows, maps = read(file.read())
strings, locations = [""], {}


def text(of):
    if of not in strings:
        strings.append(of)
    return strings.index(of)


def moved(name):
    return os.path.join(path[0], os.path.basename(name)) if path else name


def module(address):
    return next((i + 1 for i, (start, end, *_rest) in enumerate(maps) if start <= address - 1 < end), 0)


for _blocks, _bytes, addresses in rows:
    for address in addresses:
        locations.setdefault(address, len(locations) + 1)
if what == "pprof":
    types = [("inuse_objects", "count"), ("inuse_space", "bytes")]
    out = b"".join(field(1, field(1, text(one)) + field(2, text(unit))) for one, unit in types)
    for blocks, size, addresses in rows:
        ids = b"".join(varint(locations[address]) for address in addresses)
        out += field(2, field(1, ids) + field(2, varint(blocks) + varint(size)))
    for number, (start, end, offset, name) in enumerate(maps, 1):
        place = field(1, number) + field(2, start) + field(3, end) + field(4, offset)
        out += field(3, place + field(5, text(moved(name))) + field(6, text(build_id(name))))
    for address, number in locations.items():
        # Return addresses less 1, as Go has them.
        out += field(4, field(1, number) + field(2, module(address)) + field(3, address - 1))
    out += b"".join(field(6, one) for one in strings)
else:
    attributes, mappings = [b""], [b""]
    for start, end, offset, name in maps:
        attributes.append(field(1, text("process.executable.build_id.gnu")) + field(2, field(1, build_id(name))))
        place = field(1, start) + field(2, end) + field(3, offset) + field(4, text(moved(name)))
        mappings.append(place + field(5, varint(len(attributes) - 1)))
    places, stacks, samples = [b""], [b""], [[], []]
    for address in locations:
        places.append(field(1, module(address)) + field(2, address - 1))
    for blocks, size, addresses in rows:
        stacks.append(field(1, b"".join(varint(locations[address]) for address in addresses)))
        for values, value in zip(samples, (size, blocks), strict=True):
            values.append(field(2, field(1, len(stacks) - 1) + field(4, varint(value))))
    profiles = b""
    for values, (one, unit) in zip(samples, (("inuse_space", "bytes"), ("inuse_objects", "count")), strict=True):
        profiles += field(2, field(1, field(1, text(one)) + field(2, text(unit))) + b"".join(values))
    tables = b"".join(field(number, one) for number, all_of in ((1, mappings), (2, places)) for one in all_of)
    tables += field(3, b"") + field(4, b"") + b"".join(field(5, one) for one in strings)
    tables += b"".join(field(6, one) for one in attributes) + b"".join(field(7, one) for one in stacks)
    out = field(1, field(2, profiles)) + field(2, tables)
with open(target, "wb") as file:
    file.write(out)
