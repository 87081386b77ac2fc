#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tests/tiers.toml names tests that exist, each once."""
import pathlib
import re
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
with open(ROOT / "tests" / "tiers.toml", "rb") as file:
    TIERS = tomllib.load(file)
CTEST = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("CMakeLists.txt"))


def known_to_ctest(name):
    """True if a CMakeLists.txt adds it: by this name, or by a pattern such as runtime_${Target}."""
    adders = r"(?:add_test\(NAME|set\(Name|inmem_add_threads_test\(|inmem_add_whole_and_smoke\()"
    return any(re.fullmatch(re.sub(r"\\\$\\\{\w+\\\}", r"[\\w.]+", re.escape(pattern)), name)
               for pattern in re.findall(adders + r" *([\w.${}]+)", CTEST) if pattern != "${Name}")


class Tiers(unittest.TestCase):
    def test_each_name_is_a_test(self):
        for name in [*TIERS["second"], *TIERS["smoke"]["tests"]]:
            with self.subTest(name=name):
                self.assertTrue(any((ROOT / "lit-tests").glob(name)) if "/" in name else known_to_ctest(re.sub(r"\*|\[\w+\]", "any", name)))

    def test_a_smoke_test_is_in_the_first_tier(self):
        self.assertEqual(set(TIERS["smoke"]["tests"]) & set(TIERS["second"]), set())
        self.assertEqual(sorted(TIERS["smoke"]["tests"]), TIERS["smoke"]["tests"])
        self.assertEqual(len(set(TIERS["smoke"]["tests"])), len(TIERS["smoke"]["tests"]))

    def test_a_stand_in_is_for_a_test_of_the_second_tier(self):
        for name, whole in TIERS["instead"].items():
            self.assertIn(whole, TIERS["second"])
            self.assertNotIn(name, TIERS["second"])

    def test_reasons_are_given(self):
        for name, reason in TIERS["second"].items():
            self.assertGreater(len(reason.split()), 2, name)


if __name__ == "__main__":
    unittest.main()
