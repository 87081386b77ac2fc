# Types of the heap profiles of typed.cpp, as `go tool pprof` reads them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   add_types.py INMEM CASE PROFILE [OPTION]...
#
# CASE: "exact" if sizes are those asked for, "classes" if they are jemalloc's.
import re
import subprocess
import sys

COUNT = 2000
SIZES = {"Node": 56, "Session": 112, "AdminSession": 168, "Left": 40, "Right": 40}


def pprof(*words):
    return subprocess.run(["go", "tool", "pprof", *words], capture_output=True, text=True, check=True).stdout


def types_of(profile):
    """Live bytes by type, and all of them."""
    text = pprof("-raw", "-symbolize=none", profile)
    header = next(line for line in text.splitlines() if "inuse_space/bytes" in line).split()
    column = [re.sub(r"\[.*", "", word) for word in header].index("inuse_space/bytes")
    found, total, last = {}, 0, None
    for line in text.splitlines():
        if row := re.match(r"\s*((?:-?\d+\s+)*-?\d+):", line):
            if len(row[1].split()) == len(header):
                last = int(row[1].split()[column])
                total += last
        elif (label := re.search(r"\btype:\[(.*?)\]$", line.strip())) and last is not None:
            found[label[1]] = found.get(label[1], 0) + last
            last = None
    return found, total


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, (words, done)
    return done.stdout + done.stderr


if __name__ == "__main__":
    inmem, case, profile, *options = sys.argv[1:]
    said = run(inmem, "add-types", profile, *options, "-o", "typed.pb.gz")
    types, total = types_of("typed.pb.gz")
    print(types, total, said)
    for name, size in SIZES.items():
        least, most = COUNT * size, COUNT * size * (1 if case == "exact" else 1.25)
        assert least <= types.get(name, 0) <= most, (name, types)
    text = sum(size for name, size in types.items() if name in ("char", "std::string", "std::basic_string<char>"))
    assert text >= COUNT * 51, types
    # Of 100 bytes, 95 at least: the C++ library's own start has no debug information (72,704 bytes).
    assert sum(types.values()) >= 0.95 * (total - 81920), (types, total)
    assert re.search(r"typed.pb.gz: types for \d+ of \d+ samples, ", said), said
    # pprof's own form as input, with frames; labels that are there stay.
    run(inmem, "add-types", "typed.pb.gz", *options, "--frames", "-q", "-o", "framed.pb.gz")
    assert types_of("framed.pb.gz") == (types, total)
    peek = pprof("-symbolize=none", "-sample_index=inuse_space", "-peek", "^AdminSession$", "framed.pb.gz")
    assert "AdminSession" in peek, peek
    focus = pprof("-symbolize=none", "-sample_index=inuse_space", "-unit=B", "-tagfocus=type=^Node$", "-top", "typed.pb.gz")
    assert f"of {total}B total" in focus, focus
    root = pprof("-symbolize=none", "-sample_index=inuse_space", "-tagroot=type", "-traces", "typed.pb.gz")
    assert "Node" in root, root
    print("typed:", case)
