# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which fast tests judge a slip, room by room: the one table to edit."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Unit:
    """A GoogleTest program below the build folder, and the target that builds it."""
    target: str
    tests: str = ""  # Which tests of it, as --gtest_filter has it; none: all.
    only: tuple = ()  # Parts of the paths of sources that it judges; none: all of the room.
    slow: bool = False  # --quick leaves it out.

    @property
    def name(self):
        return f"{self.target} {self.tests}".strip()

    @property
    def targets(self):
        return [self.target]


@dataclasses.dataclass(frozen=True)
class Lit:
    """Folders or files of lit-tests. What of plugin and runtime no target builds comes from the tree's build folder."""
    paths: tuple
    only: tuple = ()
    targets: tuple = ("inmem", "inmem-clang", "inmem-clang++", "inmem-assemble")
    slow: bool = True
    reuse: bool = False  # What the tests compile is the same for all slips: it is compiled once.

    @property
    def name(self):
        return "lit " + " ".join(self.paths)


@dataclasses.dataclass(frozen=True)
class Room:
    """Steps run in order, cheapest first; the first test that fails ends them."""
    steps: tuple
    # Targets compiled without optimisation: their tests hold nothing that depends on it.
    unoptimised: tuple = ()
    # Headers compiled once for those targets.
    precompiled: tuple = ()
    # A slip that eats memory stops here; 0 where tests reserve much address space.
    memory: int = 0


STANDARD = ("<algorithm>", "<functional>", "<map>", "<optional>", "<string>", "<unordered_map>", "<vector>")
JSON = ("<nlohmann/json.hpp>", "<fmt/format.h>")
GB = 1 << 30
# Those that try every byte of a trace, or make long ones, take twenty times as long as all others.
LONG = "DamagedReport.*:Growth.*"
SHORT = "-" + LONG
WRAPPED = "Wrapper.*"

# The lit tests that know most of what a part of the tool does.
CTL = ("tools/ctl.cpp", "tools/top.cpp")
SYMBOLS = ("stacks/symbolize.cpp", "stacks/lines.cpp", "stacks/lines-ends.cpp", "stacks/names.cpp", "stacks/debuginfod.cpp")
WRAPPER = ("wrapper/flags.test", "wrapper/help.test", "wrapper/places.test", "wrapper/which-clang.test")
RUNS = ("runtime/inmem-run.cpp", "tools/run-uninstrumented.test", "tools/errors.test")
FLEET = tuple(f"fleet/{name}.test" for name in ("export", "query", "compact", "expire", "collect-s3"))
ALL = ("lit-depends",)
# Lit tests of what some folders of the runtime do alone.
RUNTIME = ((("graph",), ("graph", "heap")), (("heap",), ("graph", "heap")), (("objects",), ("objects",)),
           (("stacks", "callers"), ("stacks", "unwind")), (("threads",), ("profiler", "threads", "watch", "workers")))

ROOMS = {
    "trace": Room(
        steps=(Unit("inmem_trace_tests"), Unit("inmem_report_tests", SHORT, slow=True), Unit("inmem_tool_tests", slow=True),
               Lit(("tools", "stacks"), reuse=True)),
        unoptimised=("inmem_trace", "inmem_trace_tests"), precompiled=STANDARD, memory=8 * GB),
    "report": Room(
        steps=(Unit("inmem_report_tests", SHORT), Unit("inmem_tool_tests", "*Transcript*"), Unit("inmem_report_tests", LONG, slow=True),
               Lit(("tools", "stacks", "pictures"), reuse=True)),
        unoptimised=("inmem_profile", "inmem_report", "inmem_report_tests"), precompiled=STANDARD + JSON, memory=8 * GB),
    "heap": Room(
        steps=(Unit("inmem_heap_tests"), Lit(("heap",), reuse=True)),
        unoptimised=("inmem_heap", "inmem_heap_tests"), precompiled=STANDARD + JSON, memory=8 * GB),
    "fleet": Room(  # its headers are compiled with report's, so with the same optimisation
        steps=(Unit("inmem_fleet_tests"), Lit(FLEET, targets=("inmem", "inmem-assemble"), reuse=True)),
        unoptimised=("inmem_fleet", "inmem_fleet_tests"), precompiled=STANDARD + JSON, memory=8 * GB),
    "debuginfo": Room(
        steps=(Unit("inmem_debuginfo_tests"), Lit(SYMBOLS, reuse=True)),
        unoptimised=("inmem_debuginfo", "inmem_debuginfo_tests"), memory=8 * GB),
    "place": Room(
        steps=(Unit("inmem_place_tests"), Lit(("place",), targets=("inmem_place", "inmem_place_static", "inmem_place_wrap"))),
        precompiled=STANDARD),
    "tools": Room(
        steps=(Unit("inmem_tool_tests", WRAPPED, only=("tools/wrapper/",)), Unit("inmem_tool_tests", "-" + WRAPPED, only=("tools/inmem/",)),
               Lit(RUNS, only=("RunCommand", "LiveTypes"), reuse=True),
               Lit(CTL, only=("CtlCommand", "TopCommand", "LiveProcess", "LiveTypes"), reuse=True),
               Lit(SYMBOLS, only=("Symboliz",), reuse=True),
               Lit(("tools", "stacks"), only=("tools/inmem/",), reuse=True),
               Lit(WRAPPER, only=("tools/wrapper/",)), Lit(("wrapper",), only=("tools/wrapper/",))),
        unoptimised=("inmem", "inmem_tool_tests", "inmem-clang", "inmem-clang++"), precompiled=STANDARD),
    "fix": Room(  # what changes code is judged by lit tests, each of which compiles for seconds
        steps=(Unit("inmem_fix_tests", only=("fix/code/Edits", "fix/code/Database", "fix/RequestFile")),
               Lit(("fix",), targets=("inmem", "inmem-fix", "inmem-clang", "inmem-clang++"), reuse=True))),
    "runtime": Room(
        steps=(Unit("runtime_unit_test"), Unit("runtime_threads_test"), Lit(("runtime", "scopes"), targets=ALL), Lit(("safety",), targets=ALL),
               *(Lit(tests, only=tuple(f"runtime/{folder}/" for folder in folders), targets=ALL) for tests, folders in RUNTIME))),
    "plugin": Room(
        steps=(Lit(("ast", "ir", "filters"), targets=ALL), Lit(("types", "objects"), targets=ALL))),
}
