# Types of the profiles that typed.cpp left here, as `go tool pprof` reads them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import re
import subprocess
import sys

inmem = sys.argv[1]
EXPECTED = {"Node": 2000 * 56, "Session": 2000 * 100}


def pprof(*words):
    return subprocess.run(["go", "tool", "pprof", *words], capture_output=True, text=True, check=True).stdout


def types_of(profile, rounded):
    """Bytes by type, and in all."""
    text = pprof("-raw", profile)
    header = next(line for line in text.splitlines() if "inuse_space/bytes" in line).split()
    column = [re.sub(r"\[.*", "", word) for word in header].index("inuse_space/bytes")
    found, total, last = {}, 0, None
    for line in text.splitlines():
        if row := re.match(r"\s*((?:-?\d+\s+)+)(\d+):|\s*((?:-?\d+ ?)+):", line):
            last = int((row[1] + row[2] if row[1] else row[3]).split()[column])
            total += last
        elif (label := re.search(r"\btype:\[(.*?)\]", line)) and last is not None:
            found[label[1]] = found.get(label[1], 0) + last
            last = None
    for name, size in EXPECTED.items():
        assert found.get(name) == size * (rounded if name == "Node" else 1) or rounded != 1 and found.get(name, 0) >= size, (name, found)
    return found, total


for file in (glob.glob("je.*.heap")[0], glob.glob("gp.*.heap")[0]):
    said = subprocess.run([inmem, "add-types", file, "-o", "typed.pb.gz"], capture_output=True, text=True, check=True).stdout
    types, total = types_of("typed.pb.gz", 1 if file.startswith("gp") else 2)
    text = next(size for name, size in types.items() if "char" in name or "string" in name)
    nodes = next(size for name, size in types.items() if "map" in name or "pair" in name or "_Rb_tree" in name)
    # What is left is of the C++ library's start, whose code has no debug information.
    assert sum(types.values()) >= 0.95 * total - 80000 and text >= 2000 * 51 and nodes >= 2000 * 72, (types, total)
    assert re.match(r"typed.pb.gz: types for \d+ of \d+ samples, ", said), said
    # pprof's own form, with frames; a label that is there already stays.
    subprocess.run([inmem, "add-types", "typed.pb.gz", "--frames", "-q", "-o", "framed.pb.gz"], check=True)
    assert types_of("framed.pb.gz", 1 if file.startswith("gp") else 2) == (types, total)
    assert "Node" in pprof("-top", "-cum", "framed.pb.gz") and "Session" in pprof("-peek", "Session", "framed.pb.gz")
    assert pprof("-top", "-unit=B", "-tagfocus=type=Session", "typed.pb.gz").count("B") > 1
    # Found by its build id where it is no longer at its path.
print("typed")
