#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""addresses.py TRACE ADDRESSES visible|hidden: looks for a program's addresses in its trace.

Any aligned word of the trace within 1 MB of one of the addresses counts, those of
the header's clock aside. `visible`: at least one is there; `hidden`: none.
"""
import struct
import sys

trace, addresses, expected = sys.argv[1:]
with open(trace, "rb") as file:
    data = file.read()
words = struct.unpack(f"<{len(data) // 8}Q", data[:len(data) // 8 * 8])
with open(addresses) as file:
    near = [int(text, 16) for text in file.read().split()]
found = [(place * 8, hex(word)) for place, word in enumerate(words)
         if any(abs(word - address) < 1 << 20 for address in near)]
if bool(found) != (expected == "visible"):
    sys.exit(f"addresses.py: {len(found)} words are addresses, for instance {found[:5]}; they should be {expected}")
