# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test formats for lit: with them one run of lit holds every test of every build.

MeasuredShTest  lit's own shell tests
CtestFormat     the tests that ctest knows of a build folder, one lit test each

Both run what the tier of the run has (tests/tiers.toml), and end a test's output with a line `cpu-seconds: N`, user and system time of all
processes that it waited for, and start tests first that tests/bounds.toml lists as slow.
"""
import fnmatch
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import tomllib

import hangs
import lit.formats
import lit.Test
import lit.TestRunner
import sizes

BOUNDS = pathlib.Path(__file__).resolve().parent.parent / "bounds.toml"
TIERS = BOUNDS.with_name("tiers.toml")


def cpu_seconds():
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def is_first(config, lit_config):
    """True for the suite of the LLVM that a run tests first, with all that it has."""
    return str(config.llvm_version) == lit_config.params.get("first-llvm", "22")


def once(config, lit_config, folder, but=()):
    """config.excludes of a folder whose tests the compiler has no part in, `but` for some: with the first LLVM all
    of them run, with the others only those."""
    if is_first(config, lit_config):
        return config.excludes
    unknown = set(but) - set(os.listdir(folder))
    if unknown:
        lit_config.fatal(f"{folder}: no {', '.join(sorted(unknown))}")
    return [*config.excludes, *(name for name in os.listdir(folder) if name not in but)]


def measured(execute):
    """The result of a test, with the CPU time that it took. A worker of lit runs one test at a time."""
    before = cpu_seconds()
    result = execute()
    if isinstance(result, tuple):
        result = lit.Test.Result(*result)
    result.output = f"{(result.output or '').rstrip()}\ncpu-seconds: {cpu_seconds() - before:.3f}\n"
    return result


def shell_word(text):
    r"""A word for a RUN line, whatever the path: /a b/c becomes /a\ b/c. Other than in quotes, such a word may be
    a part of `sh -c '...'`."""
    return re.sub(r"[^\w@%+=:,./-]", r"\\\g<0>", text)


def shell_words(words):
    return " ".join(map(shell_word, words))


def path_substitutions(original):
    """lit's own substitutions, with %s, %S, %p and %t as words; %{s}, %{S}, %{p} and %{t} are bare, for use between
    double quotes."""
    def substitutions(*arguments, **named):
        found = original(*arguments, **named)
        bare = [("%{" + name[1] + "}", text) for name, text in found if name in ("%s", "%S", "%p", "%t")]
        return bare + [(name, shell_word(text) if name in ("%s", "%S", "%p", "%t") else text) for name, text in found]
    return substitutions


lit.TestRunner.getDefaultSubstitutions = path_substitutions(lit.TestRunner.getDefaultSubstitutions)


class Tier:
    """The tests of a suite that a run takes.

    `--param tier=first`: those of the first tier; without it, all of both tiers.
    `--param fast=PATH,...`: of ctest's those that are quick, of lit's the smoke tests and those below the given paths.
    """

    def __init__(self, lit_config, smoke=False):
        """smoke: the first tier has only the tests of [smoke] from this suite."""
        with open(TIERS, "rb") as file:
            self.tiers = tomllib.load(file)
        with open(BOUNDS, "rb") as file:
            self.slow = tomllib.load(file)["slow"]
        self.is_first = lit_config.params.get("tier") == "first"
        self.fast = lit_config.params.get("fast")
        self.smoke = smoke

    def has(self, name, is_lit):
        """True if a run takes the test of this name; is_lit: one of lit's own, not of ctest's."""
        if not self.is_first:
            taken = name not in self.tiers["instead"]
        elif self.smoke:
            taken = name in self.tiers["smoke"]["tests"]
        else:
            taken = not any(fnmatch.fnmatchcase(name, pattern) for pattern in self.tiers["second"])
        if self.fast is None:
            return taken
        if not is_lit:
            return taken and name not in self.slow
        return name in self.tiers["smoke"]["tests"] or name in self.fast.split(",")


class SlowFirst:
    """The order of a first run: lit itself keeps the times of earlier ones."""

    def __init__(self):
        with open(BOUNDS, "rb") as file:
            self.slow = tomllib.load(file)["slow"]

    def ordered(self, test):
        test.previous_elapsed = test.previous_elapsed or float(self.slow.get("/".join(test.path_in_suite), 0))
        return test


class MeasuredShTest(lit.formats.ShTest):
    def __init__(self, tier):
        super().__init__(execute_external=False)
        self.tier, self.order = tier, SlowFirst()

    def getTestsForPath(self, suite, path, lit_config, config):
        for test in super().getTestsForPath(suite, path, lit_config, config):
            test = self.order.ordered(test)
            if self.tier.has("/".join(test.path_in_suite), is_lit=True):
                yield test

    def execute(self, test, lit_config):
        return measured(lambda: super(MeasuredShTest, self).execute(test, lit_config))


class CtestFormat(lit.formats.base.TestFormat):
    """Tests are those that `ctest --show-only` lists; what it says of them is obeyed, or they fail."""

    # What the listing says of a test without changing how it is run.
    IGNORED = {"COST", "LABELS", "PROCESSORS"}
    OBEYED = {"DISABLED", "ENVIRONMENT", "SKIP_REGULAR_EXPRESSION", "SKIP_RETURN_CODE", "TIMEOUT", "WILL_FAIL", "WORKING_DIRECTORY"}
    DEFAULT_TIMEOUT = 600

    def __init__(self, ctest, folder, tier):
        self.ctest, self.folder, self.tier, self.order = ctest, folder, tier, SlowFirst()

    def getTestsInDirectory(self, suite, path, lit_config, config):
        if path:
            return
        listing = subprocess.run([self.ctest, "--test-dir", self.folder, "--show-only=json-v1"], capture_output=True, text=True)
        if listing.returncode:
            lit_config.fatal(f"{self.folder}: ctest lists no tests: {listing.stderr}")
        tests = json.loads(listing.stdout)["tests"]
        if not tests:
            lit_config.fatal(f"{self.folder}: ctest knows no tests")
        for entry in tests:
            properties = {each["name"]: each["value"] for each in entry.get("properties", [])}
            if not self.tier.has(entry["name"], is_lit=False):
                continue
            if self.tier.fast is not None and "slow" in properties.get("LABELS", []):
                continue
            test = self.order.ordered(lit.Test.Test(suite, (entry["name"],), config))
            test.command, test.properties = entry.get("command"), properties
            yield test

    def execute(self, test, _):
        return measured(lambda: self.run(test.command, test.properties))

    def run(self, command, properties):
        unknown = set(properties) - self.IGNORED - self.OBEYED
        if unknown:
            return lit.Test.UNRESOLVED, f"tests/support/lit_formats.py does not know the property {', '.join(sorted(unknown))}"
        if properties.get("DISABLED"):
            return lit.Test.UNSUPPORTED, "disabled"
        if not command:
            return lit.Test.FAIL, "its program was not built"
        try:
            code, output = self.outcome(command, properties)
        except OSError as error:
            return lit.Test.FAIL, f"{command[0]}: {error.strerror}"
        if code is None:
            return lit.Test.TIMEOUT, output
        skips = properties.get("SKIP_REGULAR_EXPRESSION", [])
        if code == properties.get("SKIP_RETURN_CODE", 0) != 0 or any(re.search(skip, output) for skip in skips):
            return lit.Test.UNSUPPORTED, output
        passed = (code == 0) != bool(properties.get("WILL_FAIL"))
        return (lit.Test.PASS, output) if passed else (lit.Test.FAIL, f"{' '.join(command)}\n{output}\nexit code {code}")

    def outcome(self, command, properties):
        """(exit code, or None if it took too long, and what it printed)."""
        environment = dict(os.environ)
        if self.tier.is_first:
            environment.update(sizes.first_tier_environment())
        environment.update(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        timeout = properties.get("TIMEOUT", self.DEFAULT_TIMEOUT)
        # A file: processes that outlive the test may hold a pipe open.
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, process_group=0,
                                       env=environment, cwd=properties.get("WORKING_DIRECTORY", self.folder))
            code, why = hangs.wait_or_kill(process, timeout)
            log.seek(0)
            output = log.read().decode(errors="replace")
        return code, output if code is not None else f"{' '.join(command)}\n{output}\n{why}"
