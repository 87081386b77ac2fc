#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests pass in a folder of any name: lit's substitutions there, and what scripts/lint says of RUN lines."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "checks"))
import run_lines

CONFIG = """
import os, sys
sys.path.insert(0, {support!r})
import lit_formats
config.name, config.suffixes = "paths", [".test"]
config.test_format = lit_formats.MeasuredShTest(lit_formats.Tier(lit_config))
config.test_source_root = os.path.dirname(__file__)
config.substitutions.append(("%tool", lit_formats.shell_word(os.path.join(config.test_source_root, "tool"))))
"""
TEST = """
RUN: echo text > %t.one && mkdir -p %t && cp %t.one %t/two
RUN: sh -c 'cat %t/two && cd %t && test "$(cat two)" = text && %tool %s "%{s}"' > %t.out
RUN: %tool "%{t}.out" %t.out
RUN: grep 'text' %t.out
"""


class Paths(unittest.TestCase):
    def lit(self, name, line=""):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / name
            folder.mkdir(parents=True)
            (folder / "lit.cfg.py").write_text(CONFIG.format(support=str(ROOT / "tests" / "support")))
            (folder / "a b.test").write_text(TEST + line)
            # Two arguments that name the one file.
            (folder / "tool").write_text('#!/bin/sh\ntest "$#" = 2 && test "$1" = "$2" && test -e "$1"\n')
            (folder / "tool").chmod(0o755)
            link = pathlib.Path(temporary) / "link"
            link.symlink_to(folder)
            done = [subprocess.run([LIT, "-v", str(path)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
                    for path in (folder, link)]
            return [one.returncode for one in done], "".join(one.stdout for one in done)

    def test_any_folder_does(self):
        for name in ("plain", "in mem+é/inmem", "b(c)&d;e"):
            codes, output = self.lit(name)
            self.assertEqual(codes, [0, 0], f"{name}: {output}")

    def test_this_would_notice(self):
        codes, output = self.lit("in mem", "RUN: %tool \"%t.out\" %t.out\n")
        self.assertEqual(codes, [1, 1], output)


class Lines(unittest.TestCase):
    def found(self, text):
        return list(run_lines.between_double_quotes(text))

    def test_between_double_quotes_paths_are_bare(self):
        self.assertEqual(self.found('''%expect %t.json 'open("%t.txt")' "%{s}" %s'''), ["%t"])
        self.assertEqual(self.found('''sh -c 'cd %t; test "$(cat %t/a)"' '''), ["%t"])
        self.assertEqual(self.found('''%expect %t.json 'types["A"].n == 1' 'types["B"].n == 2' && %inmem report %t'''), [])
        self.assertEqual(self.found(r'''grep \"a\" %t "%%s"'''), [])

    def test_scripts_preload_names(self):
        for path in ('env={"LD_PRELOAD": str(runtime)}', 'env["LD_PRELOAD"] = os.path.join(build, "rt.so")', '"LD_PRELOAD": f"{build}/rt.so"'):
            self.assertTrue(run_lines.PRELOADED.search(path), path)
        self.assertFalse(run_lines.PRELOADED.search('env |= {"LD_LIBRARY_PATH": str(lib), "LD_PRELOAD": "libinmem_rt.so"}'))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lit", required=True)
    LIT = parser.parse_args().lit
    unittest.main(argv=sys.argv[:1])
