#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks keep when a part of them fails."""
import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from unittest import mock

BENCH = pathlib.Path(__file__).resolve().parent.parent.parent / "bench"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))
from inmembench import placing, rows, table
from inmembench.measure import Failed, row

FIGURES = {"peak": 2 << 20, "steady": 1 << 20, "faults": 100, "cpu": 0.5}
MEASURED = {placing.LIVE: {"peak": 1 << 20, "steady": 1 << 19}, "glibc": FIGURES, "inmem": {**FIGURES, "steady": 3 << 19}}


def optimize_script():
    loader = SourceFileLoader("optimize", str(BENCH / "optimize"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("optimize", loader))
    loader.exec_module(module)
    return module


class Optimize(unittest.TestCase):
    def test_a_program_that_fails_loses_no_other(self):
        said = []

        def figures_of(name, _folder):
            said.append(out.getvalue())
            if name == "two":
                raise Failed("two-plain ended with 3")
            return MEASURED
        out, errors = io.StringIO(), io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            file = pathlib.Path(folder, "figures.json")
            code = optimize_script().measure_all(["one", "two", "three"], file, figures_of)
            written = json.loads(file.read_text())
        self.assertEqual(code, 1)
        self.assertEqual(written, {"one": MEASURED, "three": MEASURED})
        self.assertEqual(errors.getvalue(), "optimize: two was not measured: two-plain ended with 3\n")
        self.assertEqual(said[0], "")
        self.assertEqual(said[1], said[2])  # printed before the next program began
        self.assertEqual(said[1].splitlines(), [
            "| one | live blocks | 1.0 MiB | 0.5 MiB |  |  |",
            "| one | glibc | 2.0 MiB | 1.0 MiB | 100 | 0.50 s |",
            "| one | inmem | 2.0 MiB (+0.0 %) | 1.5 MiB (+50.0 %) | 100 (+0.0 %) | 0.50 s (+0.0 %) |"])
        self.assertIn("| three | inmem |", out.getvalue())

    def test_all_measured(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(optimize_script().measure_all(["one"], None, lambda *_: MEASURED), 0)

    def test_live_bytes_of_a_run_that_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder, "bin", "inmem")
            tool.parent.mkdir()

            def live(code, printed):
                tool.write_text(f"#!/bin/sh\necho cannot run >&2\necho '{printed}'\nexit {code}\n")
                tool.chmod(0o755)
                return placing.live_bytes(folder, ["program", "7"])
            known = '{"live_bytes": {"peak": 5, "steady": 3, "over_time": [1, 5]}}'
            self.assertEqual(live(0, known), {"peak": 5, "steady": 3})
            self.assertEqual(live(1, known), {"peak": 5, "steady": 3})
            with self.assertRaisesRegex(Failed, "inmem ended with 3: cannot run"):
                live(3, known)
            with self.assertRaisesRegex(Failed, "could not be recorded"):
                live(0, '{"live_bytes": null}')


class Objects(unittest.TestCase):
    def rows(self, times=None, instructions=None):
        """The rows of one program after another, each part as it was given or failing."""
        def interleave(*_):
            if isinstance(times, Failed):
                raise times
            return [{"bare": {"cpu": 1.0}, "nocount": {"cpu": 2.0}, "default": {"cpu": 2.0}}]

        def all_instructions(*_):
            if isinstance(instructions, Failed):
                raise instructions
            return 1000
        with mock.patch.multiple(rows, interleave=interleave, all_instructions=all_instructions):
            return list(rows.objects(mock.MagicMock(rounds=1)))

    def test_times_stay_where_counting_fails(self):
        found = self.rows(instructions=Failed("no valgrind"))
        self.assertEqual(len(found), 6)
        self.assertEqual(found[0]["cells"]["default"]["median"], 1.0)
        self.assertTrue(found[0]["met"])
        self.assertEqual((found[1]["cells"], found[1]["met"], found[1]["note"]), ({}, None, "no valgrind"))

    def test_counts_stay_where_timing_fails(self):
        found = self.rows(times=Failed("ended with 1"))
        self.assertEqual((found[0]["cells"], found[0]["met"], found[0]["note"]), ({}, None, "ended with 1"))
        self.assertTrue(found[1]["met"])

    def test_both(self):
        self.assertTrue(all(each["met"] for each in self.rows()))


class Table(unittest.TestCase):
    def test_a_long_note_is_below_the_table(self):
        long = "bare 1.27 s; reading the clock at both ends of a block takes it to 1.04"
        printed = table.lines([row("json", "x", {}, note=long), row("lua", "x", {}, note="mean")])
        self.assertEqual([line.split() for line in printed[2:4]],
                         [["|", "json", "|", "x", "|", "below", "|"], ["|", "lua", "|", "x", "|", "mean", "|"]])
        self.assertEqual(printed[4:], ["", f"- json: {long}"])

    def test_nothing_is_below_a_table_of_short_notes(self):
        self.assertEqual(len(table.lines([row("lua", "x", {}, note="mean")])), 3)


if __name__ == "__main__":
    unittest.main()
