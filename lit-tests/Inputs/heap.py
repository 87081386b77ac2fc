# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heap.py FILE.json CONDITION...: evaluates conditions on the output of `inmem heap --format json`. Tables can be
indexed by type."""

import json
import sys

import conditions


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
    path, wanted = conditions.parse(__doc__)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    report = json.loads(text)
    names = {name: wrapped(value) for name, value in report.items()}
    failed = False
    for condition in wanted:
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
