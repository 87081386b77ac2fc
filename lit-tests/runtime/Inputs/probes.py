# Holds what a listener to the runtime's probes heard against the report of the same run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess
import sys

inmem, listen, file, program, trace = sys.argv[1:6]


def heard(options):
    if os.path.exists(trace):
        os.remove(trace)
    done = subprocess.run(
        [listen, file, program],
        env={**os.environ, "INMEM_OPTIONS": f"output={trace}:quiet=1:{options}"},
        capture_output=True,
        text=True,
        check=True,
    )
    words = done.stdout.split()
    assert words[-2:] == ["exit", "7"], done
    report = subprocess.run([inmem, "report", "--format", "json", trace], capture_output=True, text=True, check=True)
    return dict(zip(words[::2], words[1::2], strict=True)), json.loads(report.stdout)["totals"]


# One byte: each block is sampled, and stands for itself.
said, totals = heard("sample_bytes=1")
assert int(said["alloc"]) == totals["allocations"] >= 2000, (said, totals)
assert int(said["free"]) == totals["frees"] >= 1800, (said, totals)
assert int(said["bytes"]) == int(said["weight"]) == totals["allocated_bytes"] >= 2000 * 200, (said, totals)
# Weights add up to the report's estimate, up to half a byte for each.
said, totals = heard("sample_bytes=2000")
assert 100 < int(said["alloc"]) < 500 and 0 < int(said["free"]) < int(said["alloc"]), said
assert abs(int(said["weight"]) - totals["allocated_bytes"]) <= int(said["alloc"]), (said, totals)
assert int(said["weight"]) > 2 * int(said["bytes"]), said
# Not without sampling.
said, totals = heard("mode=summary")
assert (said["alloc"], said["free"]) == ("0", "0"), said
