# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""variant.py TRACE NUMBER: the text of a trace, as if another process of another build had written it."""
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
number = int(sys.argv[2])
labels = f'  note kind=labels ticks=1 text="service=shop,build={number % 2},host=ci-{number % 3},team=core"\n'
print(text.replace("pid=4711 ", f"pid={number} ", 1).replace('  process "./shop"\n', '  process "./shop"\n' + labels, 1), end="")
