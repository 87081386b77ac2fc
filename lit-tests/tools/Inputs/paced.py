# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""paced.py < DUMP > DUMP: the text of a trace in which snapshots follow each other every 25 ms."""
import re
import sys

text = sys.stdin.read()
header = dict(re.findall(r"([\w-]+)=(\d+)", text.partition("\n")[0]))
second, start, start_ns = (int(header[name]) for name in ("ticks-per-second", "start-ticks", "start-unix-ns"))
taken = re.findall(r"^extent snapshot sequence=(\d+) .*?ticks=(\d+)", text, re.MULTILINE)


def ticks(number):
    return start + number * second // 40


for number, (_, old) in enumerate(taken, 1):
    text = text.replace(f"ticks={old} ", f"ticks={ticks(number)} ")
at = {sequence: start_ns + number * 25_000_000 for number, (sequence, _) in enumerate(taken, 1)}
text = re.sub(r"^(extent snapshot sequence=(\d+) .*?unix-ns=)\d+", lambda found: f"{found[1]}{at[found[2]]}", text, flags=re.MULTILINE)
end = len(taken) + 1
text = re.sub(r"end-unix-ns=\d+", f"end-unix-ns={start_ns + end * 25_000_000}", text, count=1)
sys.stdout.write(re.sub(r"last-ticks=\d+", f"last-ticks={ticks(end)}", text, count=1))
