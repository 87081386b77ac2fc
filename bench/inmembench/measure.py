# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running programs in turn and what can be said of the figures.

Other programs share the machine. So nothing is stated alone: in each round
every variant runs once, in rotated order, and a ratio is taken within its
round. Stated are the median over rounds, the quartiles, and their number.
"""
import json
import os
import statistics
import subprocess


class Failed(Exception):
    """A program did not do what it should: message for the table's reader."""


def summary(values):
    """Median, quartiles and number of a list of figures; None of an empty one."""
    if not values:
        return None
    ordered = sorted(values)
    if len(ordered) < 4:
        low, high = ordered[0], ordered[-1]
    else:
        low, _, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return {"median": statistics.median(ordered), "low": low, "high": high, "n": len(ordered)}


def ratios(rounds, variant, base="bare", key="cpu"):
    """Variant over base within each round; rounds is a list of {variant: figures}."""
    return summary([r[variant][key] / r[base][key] for r in rounds
                    if variant in r and base in r and r[base][key] > 0])


def values(rounds, variant, key):
    return summary([r[variant][key] for r in rounds if variant in r])


def geometric_mean(figures):
    figures = [f for f in figures if f]
    return statistics.geometric_mean(figures) if figures else None


def single(value, n=1):
    return None if value is None else {"median": value, "low": value, "high": value, "n": n}


def below(figure, limit):
    return None if figure is None else figure["median"] <= limit


def row(name, unit, cells, bar="", met=None, note=""):
    return {"row": name, "unit": unit, "cells": {k: v for k, v in cells.items() if v}, "bar": bar,
            "met": met, "note": note}


class Runner:
    """Starts programs through launch, pinned to one processor if asked."""

    def __init__(self, launcher, folder, cpu):
        self.launcher, self.folder, self.cpu = launcher, folder, cpu
        self.wall = self.busy = 0.0

    def run(self, command, env=None, pinned=True, expect=0):
        """Returns wall, user, system and cpu seconds, peak_kib, stdout, stderr."""
        result = os.path.join(self.folder, "launch.json")
        done = subprocess.run([self.launcher, result, str(self.cpu if pinned else -1), *command],
                              env={**os.environ, **(env or {})}, cwd=self.folder,
                              capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise Failed(f"{command[0]}: {done.stderr.strip()[-200:]}")
        with open(result) as file:
            figures = json.load(file)
        if figures["exit"] != expect:
            raise Failed(f"{os.path.basename(command[0])} ended with {figures['exit']}: {done.stderr.strip()[-200:]}")
        figures["cpu"] = figures["user"] + figures["system"]
        figures["stdout"], figures["stderr"] = done.stdout, done.stderr
        if pinned:
            self.wall += figures["wall"]
            self.busy += figures["cpu"]
        return figures

    def load(self):
        """Wall over CPU seconds of all single-threaded runs: 1.0 on an idle machine."""
        return self.wall / self.busy if self.busy else None


def interleave(rounds, variants, warm_up=True):
    """variants: {name: (function, every)}; runs function() in each round whose
    number `every` divides. Returns the rounds, the warm-up left out."""
    names = list(variants)
    results = []
    for number in range(-1 if warm_up else 0, rounds):
        shift = number % len(names)
        figures = {}
        for name in names[shift:] + names[:shift]:
            function, every = variants[name]
            if number < 0 and name not in ("bare", "default"):
                continue
            if number % every == 0 or number < 0:
                figures[name] = function()
                if figures[name] is None:
                    del figures[name]
        if number >= 0:
            results.append(figures)
    return results
