# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heap.py FILE.json CONDITION...: evaluates conditions on what `inmem heap --format json` wrote; tables can be
indexed by type."""

import json
import sys


class Node(dict):
    def __getattr__(self, name):
        return wrapped(self[name])


class Rows(list):
    def __getitem__(self, key):
        if isinstance(key, str):
            return next(wrapped(row) for row in self if row["type"] == key)
        return wrapped(super().__getitem__(key))


def wrapped(value):
    if isinstance(value, dict):
        return Node(value)
    return Rows(value) if isinstance(value, list) else value


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    report = json.loads(text)
    names = {name: wrapped(value) for name, value in report.items()}
    failed = False
    for condition in sys.argv[2:]:
        try:
            good = eval(condition, {}, names)
        except (KeyError, StopIteration, IndexError) as error:
            good, condition = False, f"{condition} ({error!r})"
        if not good:
            failed = True
            print(f"not so: {condition}")
    if failed:
        sys.exit(text[:20000])


if __name__ == "__main__":
    main()
