# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How each variant of a program is run: bare, with inmem's options, under a peer."""
import glob
import os

from . import run_rows
from .measure import Failed

PEERS = ("heaptrack", "memprof", "dhat", "bytehound")


class Bench:
    """What rows need: programs, a runner, how often to repeat."""

    def __init__(self, builds, runner, rounds, quick):
        self.builds, self.runner, self.rounds, self.quick = builds, runner, rounds, quick
        self.work = runner.folder
        self.peer_failures = {}
        self.pairs = None  # results of the pair rows, for those derived from them

    def trace(self):
        return os.path.join(self.work, "trace.inmem")

    def command(self, variant, program, arguments):
        """(argv, environment) of a program under a variant. `program` is a
        function from a kind of build to an executable."""
        options = f"output={self.trace()}"
        if variant == "heaptrack":
            preload = next(iter(glob.glob("/usr/lib/heaptrack/libheaptrack_preload.so") +
                                glob.glob("/usr/lib/*/heaptrack/libheaptrack_preload.so")), None)
            if not preload:
                raise Failed("heaptrack's library was not found")
            # Without its interpreter, which would take a processor of its own.
            return [program("bare"), *arguments], {
                "LD_PRELOAD": preload, "DUMP_HEAPTRACK_OUTPUT": os.path.join(self.work, "heaptrack.raw")}
        if variant == "bytehound":
            return [program("bare"), *arguments], {
                "LD_PRELOAD": run_rows.bytehound(), "MEMORY_PROFILER_OUTPUT": os.path.join(self.work, "bytehound.dat")}
        if variant in run_rows.KINDS:
            tool = os.path.join(self.builds.inmem, "bin", "inmem")
            more = ["--options", "stacks=16"] if variant == "run-stacks" else []
            return [tool, "run", "-q", "--trace", self.trace(), *more, "--", program("bare"), *arguments], {}
        if variant == "memprof":
            return [program("memprof"), *arguments], {"MEMPROF_OPTIONS": f"log_path={self.work}/memprof"}
        if variant == "dhat":
            return ["valgrind", "--tool=dhat", "--dhat-out-file=/dev/null", program("bare"), *arguments], {}
        if variant in ("bare", "readings"):
            return [program(variant), *arguments], {}
        if variant == "preloaded":
            return [program("bare"), *arguments], {
                "LD_LIBRARY_PATH": os.path.join(self.builds.inmem, "lib"), "LD_PRELOAD": "libinmem_rt.so", "INMEM_OPTIONS": options}
        extra = {"default": "", "exact": ":clock=exact", "events": ":clock=events", "trace": ":mode=trace",
                 "off": ":mode=off", "stacks": ":stacks=16", "contexts": ":stacks=16", "frame-pointers": ":stacks=16", "sampled": ":sample_bytes=524288",
                 "nocount": "", "all-lives": ":mode=trace:clock=exact", "watched": ":watch=500ms,1GiB:watch_output=/dev/null",
                 "wall": ":profile=5ms", "cpu": ":profile=1ms:profile_clock=cpu"}[variant]
        kinds = {"nocount": "inmem-nocount", "contexts": "inmem-contexts", "frame-pointers": "inmem-fp"}
        return [program(kinds.get(variant, "inmem")), *arguments], {
            "INMEM_OPTIONS": options + extra}

    def clean(self):
        for name in [self.trace(), *glob.glob(os.path.join(self.work, "memprof*")),
                     os.path.join(self.work, "heaptrack.raw"), os.path.join(self.work, "bytehound.dat")]:
            if os.path.isfile(name):
                os.unlink(name)

    def run(self, variant, program, arguments, pinned=True, expect=0):
        argv, env = self.command(variant, program, arguments)
        self.clean()
        return self.runner.run(argv, env, pinned, expect)

    def every(self, variant):
        """A peer's figure needs no more rounds than show its order of size."""
        if variant == "dhat":
            return max(self.rounds, 1)
        return 3 if variant in PEERS and self.rounds >= 3 else 1

    def variants(self, names, program, arguments, pinned=True, parse=None, expect=0):
        """For interleave(): each variant as a function that runs it once. expect: its exit code."""
        def once(variant):
            def run():
                chosen = arguments(variant) if callable(arguments) else arguments
                try:
                    figures = self.run(variant, program, chosen, pinned, expect)
                except Failed as problem:
                    if variant not in PEERS:
                        raise
                    self.peer_failures[variant] = str(problem)  # its cell stays empty
                    return None
                if parse:
                    figures["cpu"] = parse(figures["stdout"])
                return figures
            return run
        return {name: (once(name), self.every(name)) for name in names}
