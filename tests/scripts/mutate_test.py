# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/mutate on a toy: which slips it finds, and what it says of them."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
from mutation import rooms, slips

HEADER = """#pragma once
struct Counts {
  long Blocks = 0, Bytes = 0;
  // double Blocks;
  int Level = 0;
};
int clamp(int Value, int Most);
int weigh(int Count, int Weight);
"""
SOURCE = """#include "toy.h"
#include <algorithm>
namespace toy {
static int unused() { return 0; }
} // namespace toy

int clamp(int Value, int Most) {
  if (Value < 0 && Most >= 0)
    return 0;
  return Value > Most ? Most : Value;
}

int weigh(int Count, int Weight) {
  int Sum = 0; // a < b
  for (int I = 0; I < Count; ++I)
    Sum += 1 * Weight;
  return Sum;
}

template <class T> struct Holder {
  explicit Holder(T V) : Value{V}, Other(V) {}
  void clear() { Value = T(); }
  T Value, Other;
};
"""
TEST = """#include "../toy/toy.h"
int main() { return clamp(-1, 5) == 0 && clamp(7, 5) == 5 && clamp(3, 5) == 3 && clamp(0, 5) == 0 && clamp(-3, -7) == -7 ? 0 : 1; }
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(inmem CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_library(toy STATIC toy/toy.cpp)
add_executable(toy_test tests/test.cpp)
target_link_libraries(toy_test PRIVATE toy)
"""


def found(source, fields=()):
    return slips.of("toy.cpp", source, fields)


def lines_after(source, kind, fields=()):
    return [slip.diff(source)[-1][1:].strip() for slip in found(source, fields) if slip.kind == kind]


class Slips(unittest.TestCase):
    def test_operators_of_expressions_and_no_brackets_of_templates(self):
        self.assertEqual(lines_after(SOURCE, "off by one"),
                         ["if (Value <= 0 && Most >= 0)", "if (Value < 0 && Most > 0)", "return Value >= Most ? Most : Value;",
                          "for (int I = 0; I <= Count; ++I)"])
        self.assertEqual(lines_after(SOURCE, "logic"), ["if (Value < 0 || Most >= 0)"])

    def test_conditions_factors_and_statements(self):
        self.assertIn("if (!(Value < 0 && Most >= 0))", lines_after(SOURCE, "negated"))
        self.assertEqual(lines_after(SOURCE, "forgotten condition"), ["if (Value < 0)"])
        self.assertEqual(lines_after(SOURCE, "forgotten factor"), ["Sum += 1;"])
        self.assertEqual(lines_after(SOURCE, "dropped statement"), [";", "void clear() { ; }"])

    def test_wrong_variables_are_of_the_same_type_and_declared_before(self):
        self.assertIn("return Most > Most ? Most : Value;", lines_after(SOURCE, "wrong variable"))
        self.assertFalse([line for line in lines_after(SOURCE, "wrong variable") if "clamp" in line or "std" in line])

    def test_wrong_fields_are_members_of_one_class(self):
        fields = slips.fields_of(HEADER)
        self.assertEqual(fields, [["Blocks", "Bytes"]])
        self.assertEqual(lines_after("long f(Counts C) {\n  return C.Bytes + C.Level;\n}\n", "wrong field", fields),
                         ["return C.Blocks + C.Level;"])

    def test_escaping_is_forgotten(self):
        source = 'string f(string Name) {\n  return "<" + escaped(Name) + cut(Name, 3);\n}\n'
        self.assertEqual(lines_after(source, "not escaped"), ['return "<" + (Name) + cut(Name, 3);'])

    def test_early_returns_suit_the_function(self):
        self.assertIn("void clear() { return; Value = T(); }", lines_after(SOURCE, "early return"))
        self.assertIn("int weigh(int Count, int Weight) { return {};", lines_after(SOURCE, "early return"))

    def test_functions_have_names_and_comments_are_left_alone(self):
        functions = {slip.function for slip in found(SOURCE)}
        self.assertEqual(functions, {"unused", "clamp", "weigh", "clear"})
        self.assertFalse([slip for slip in found("int f() {\n  // a < b\n  return 0; /* a && b */\n}\n") if slip.kind in ("off by one", "logic")])

    def test_a_slip_keeps_the_lines_and_its_id(self):
        first, second = found(SOURCE), found("// one line more\n" + SOURCE)
        for slip in first:
            self.assertEqual(slip.applied(SOURCE).count("\n"), SOURCE.count("\n"))
            self.assertNotEqual(slip.applied(SOURCE), SOURCE)
        self.assertEqual([slip.id for slip in first], [slip.id for slip in second])
        self.assertEqual(len({slip.id for slip in first}), len(first))

    def test_the_order_is_fixed_by_the_seed_and_spread(self):
        every = found(SOURCE)
        once, again, other = (list(slips.pick(every, seed)) for seed in (1, 1, 2))
        self.assertEqual(once, again)
        self.assertNotEqual(once, other)
        self.assertEqual(set(once), set(every))
        self.assertGreaterEqual(len({slip.function for slip in once[:4]}), 3)
        self.assertGreaterEqual(len({slip.kind for slip in once[:6]}), 5)


class WholeRun(unittest.TestCase):
    def git(self, *command):
        return subprocess.run(["git", "-c", "user.name=toy", "-c", "user.email=toy@example.com", "-C", self.root, *command],
                              check=True, capture_output=True, text=True).stdout

    def test_noticed_survived_and_equivalent(self):
        expected = {
            ("clamp", "negated", "if (!(Value < 0 && Most >= 0))"): "noticed",
            ("weigh", "early return", "int weigh(int Count, int Weight) { return {};"): "survived",
            ("weigh", "wrong variable", "for (int I = 0; I < I; ++I)"): "survived",
            # Nothing of an unused function or of a template that nobody uses is in the object.
            ("unused", "constant", "static int unused() { return 1; }"): "equivalent",
            ("clear", "early return", "void clear() { return; Value = T(); }"): "equivalent",
            ("weigh", "arithmetic", "Sum += 1 / Weight;"): "survived",
            ("clamp", "wrong variable", "return Most > Most ? Most : Value;"): "noticed",
            ("clamp", "forgotten condition", "if (Value < 0)"): "noticed",
        }
        with tempfile.TemporaryDirectory() as folder:
            self.root = pathlib.Path(folder).resolve() / "toy"
            for path, text in {"toy/toy.h": HEADER, "toy/toy.cpp": SOURCE, "tests/test.cpp": TEST, "CMakeLists.txt": CMAKE,
                               ".gitignore": "/build/\n"}.items():
                (self.root / path).parent.mkdir(parents=True, exist_ok=True)
                (self.root / path).write_text(text)
            self.git("init", "-q")
            self.git("add", "-A")
            self.git("commit", "-qm", "toy")
            # The copy holds what is not committed, too.
            (self.root / "tests/test.cpp").write_text(TEST + "// changed\n")
            loader = importlib.machinery.SourceFileLoader("mutate", str(SCRIPTS / "mutate"))
            mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
            loader.exec_module(mutate)
            mutate.ROOT = self.root
            rooms.ROOMS.clear()
            rooms.ROOMS["toy"] = rooms.Room(steps=(rooms.Unit("toy_test"),), unoptimised=("toy",))
            sys.argv = ["mutate", "--folder", str(self.root / "build/mutate"), "--nice", "0"]
            every = slips.of("toy/toy.cpp", SOURCE, slips.fields_of(HEADER))
            for slip in every:
                if (slip.function, slip.kind, slip.diff(SOURCE)[-1][1:].strip()) in expected:
                    sys.argv += ["--only", slip.id]
            before = self.git("status", "--porcelain"), self.git("worktree", "list")
            os.environ["CCACHE_DISABLE"] = "1"
            self.assertEqual(mutate.main(), 1)
            self.assertEqual((self.git("status", "--porcelain"), self.git("worktree", "list")), before)
            self.assertFalse((self.root / "build/mutate/tree").exists())
            results = json.loads((self.root / "build/mutate/results.json").read_text())["slips"]
            self.assertEqual({(result["function"], result["kind"], result["diff"][-1][1:].strip()): result["verdict"] for result in results},
                             expected)
            # Nothing of the last slip is left: without one the tests pass, and each is judged as before.
            noticed = [result for result in results if result["verdict"] == "noticed"]
            for result in noticed:
                sys.argv = [*sys.argv[:5], "--only", result["id"]]
                self.assertEqual(mutate.main(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
