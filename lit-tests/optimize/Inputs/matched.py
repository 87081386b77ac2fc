# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""matched.py PROFILE.yaml REMARKS - exit code 1 unless LLVM found 95 of 100 contexts of the profile again (-Rpass=memprof)."""
import pathlib
import re
import sys

profile, remarks = (pathlib.Path(each).read_text() for each in sys.argv[1:3])
contexts = set(re.findall(r"- Callstack:\n((?: +- \{.*\n)+)", profile))
matched = set(re.findall(r"matched alloc context .* full context id (\d+)", remarks))
print(f"{len(matched)} of {len(contexts)} contexts")
sys.exit(len(contexts) < 15 or len(matched) < 0.95 * len(contexts))
