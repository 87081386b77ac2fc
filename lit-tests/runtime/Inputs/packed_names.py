# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""packed_names.py INMEM PLAIN PACKED STATIC LIBRARY: compares the names in traces, and what is loaded.

PLAIN is compiled with names=plain; the others are of the same source."""
import os
import re
import subprocess
import sys

inmem, plain, packed, static, library = sys.argv[1:]
NUMBERS = re.compile(r"\b(?:id|type|cell|module|offset|index)=\S+ ?")


def names(program, *arguments):
    """Sites, types and objects of a run, without the numbers that depend on their order."""
    trace = f"{program}.inmem"
    if os.path.exists(trace):
        os.unlink(trace)
    code = subprocess.run([program, *arguments], env={**os.environ, "INMEM_OPTIONS": f"output={trace}"}, check=False)
    assert code.returncode == (-9 if arguments else 0), code
    dump = subprocess.run([inmem, "dump", trace], check=True, capture_output=True, text=True).stdout
    lines = [line for line in dump.splitlines() if re.match(r" +(site|type|object|field|frame|source|called-site) ", line)]
    return sorted({NUMBERS.sub("", line) for line in lines if "Entry<" in line or "5Entry" in line or "source" in line})


def loaded(program):
    """Bytes of the segments that are loaded."""
    headers = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True).stdout
    return sum(int(line.split()[5], 16) for line in headers.splitlines() if line.split()[:1] == ["LOAD"])


expected = names(plain)
assert len(expected) > 100, expected
assert names(packed) == expected
assert names(packed, "killed") == expected
assert names(packed, "killed", library) == expected
assert names(static) == expected
print(loaded(plain), loaded(packed))
assert loaded(packed) < 0.75 * loaded(plain), (loaded(packed), loaded(plain))
