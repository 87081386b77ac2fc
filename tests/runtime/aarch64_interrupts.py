#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""aarch64_interrupts - a signal between any two instructions of an event loses no count on AArch64.

    aarch64_interrupts.py --build FOLDER --runtime FOLDER --llvm N --work FOLDER

A program allocates, resizes and frees blocks again and again. qemu-user's debugger interface steps through one round to learn
the addresses of the runtime's instructions. It then stops each further round at the next of these, and delivers a signal whose
handler does the same at the same lines. The program keeps its own counts: the trace must have as many allocations and frees, or
report what is missing as dropped. Exit code 0: it does; 1: it does not.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

from recorded import PATIENCE, Failed, finish, step

SYSROOT = "/usr/aarch64-linux-gnu"
END_OF_PROGRAM = 1 << 24  # it is not position-independent; libraries are further up
SIGNAL = 0x1E  # SIGUSR1, as the protocol numbers signals
# An allocator that a signal may interrupt at any instruction, and call.
ALLOCATOR = r"""
#include <stdlib.h>
#include <string.h>
_Alignas(64) static char Room[1 << 26];
static size_t Used;
void *malloc(size_t Size) { return Room + __atomic_fetch_add(&Used, (Size + 63) / 32 * 32, __ATOMIC_RELAXED) + 32; }
void free(void *P) {}
void *calloc(size_t Count, size_t Size) { return malloc(Count * Size); }
void *realloc(void *P, size_t Size) { return malloc(Size); }
"""
PROGRAM = r"""
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct Item { long Values[SIZE]; };
static unsigned long Made, Handled;
__attribute__((noinline)) static Item *make() {
  __atomic_fetch_add(&Made, 1, __ATOMIC_RELAXED);
  return new Item;
}
__attribute__((noinline)) static void drop(Item *One) { delete One; }
__attribute__((noinline)) static void resize() {
  __atomic_fetch_add(&Made, 2, __ATOMIC_RELAXED);
  void *Some = std::malloc(sizeof(Item));
  asm volatile("" : "+r"(Some));
  Some = std::realloc(Some, 2 * sizeof(Item));
  asm volatile("" : "+r"(Some));
  std::free(Some);
}
static void onSignal(int) {
  ++Handled;
  drop(make());
  resize();
}
// Each pair ends here.
extern "C" __attribute__((noinline)) void behind() { asm volatile(""); }
int main() {
  struct sigaction Action;
  std::memset(&Action, 0, sizeof Action);
  Action.sa_handler = onSignal;
  sigaction(SIGUSR1, &Action, nullptr);
  for (int I = 0; I < PAIRS; ++I) {
    drop(make());
    resize();
    behind();
  }
  std::printf("%lu %lu\n", Made, Handled);
}
"""
# Name: (longs in a block, rounds before the first signal, options, limit of dropped events per signal: an event that
# interrupts the guarded part of another is dropped).
CASES = {
    "as usual": (100, 40, "", 0.05),
    "thinned": (3, 1030, "", 0),
    "clock=events": (3, 1030, "clock=events", 0),
    "mode=trace": (3, 1030, "mode=trace", 3),
}


class Debugger:
    """The program in qemu, by the remote protocol."""

    def __init__(self, path, process):
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + PATIENCE
        while self.socket.connect_ex(path) != 0:
            if process.poll() is not None or time.monotonic() > end:
                raise Failed("qemu does not wait for a debugger")
            time.sleep(0.05)
        self.received = b""
        self.ask("qXfer:features:read:target.xml:0,ff")  # from then on registers may be asked for

    def ask(self, text):
        self.socket.sendall(f"${text}#{sum(text.encode()) & 255:02x}".encode())
        while True:
            found = re.search(rb"\$([^#]*)#..", self.received)
            if found:
                self.received = self.received[found.end():]
                self.socket.sendall(b"+")
                return found[1].decode()
            more = self.socket.recv(4096)
            if not more:
                raise Failed("qemu has ended")
            self.received += more

    def place(self):
        return int.from_bytes(bytes.fromhex(self.ask("p20")), "little")

    def run_to(self, *places, command="c"):
        """\\returns where it stops; None if it ends."""
        for place in places:
            self.ask(f"Z0,{place:x},4")
        if not self.ask(command).startswith("T05"):
            return None
        for place in places:
            self.ask(f"z0,{place:x},4")
        return self.place()

    def steps_to(self, place):
        """Executes up to there. \\returns each instruction's address once, in order. Loops are left by running: exclusive loads
        and stores never succeed in single steps."""
        passed, at, last = collections.Counter(), self.place(), 0
        while at != place:
            if passed[at] > 20 and at < last:
                at = self.run_to(last + 4, place)
                continue
            passed[at] += 1
            last = at
            self.ask("s")
            at = self.place()
        return list(passed)


def symbols(llvm, program):
    text = subprocess.run([f"llvm-nm-{llvm}", program], capture_output=True, text=True, check=True).stdout
    return {words[2]: int(words[0], 16) for words in map(str.split, text.splitlines()) if len(words) == 3}


def compile_program(options, program, size, pairs):
    plugin, target = options.build / "lib/libinmem.so", ["--target=aarch64-linux-gnu", "-O2", "-g1"]
    allocator, source = program.with_suffix(".c"), program.with_suffix(".cpp")
    allocator.write_text(ALLOCATOR)
    source.write_text(PROGRAM)
    step([f"clang-{options.llvm}", *target, "-fno-builtin", "-c", allocator, "-o", program.with_suffix(".o")], "compiling the allocator")
    step([f"clang++-{options.llvm}", *target, "-std=c++17", "-fuse-ld=lld", "-no-pie", f"-DSIZE={size}", f"-DPAIRS={pairs}",
          f"-fplugin={plugin}", f"-fpass-plugin={plugin}", source, program.with_suffix(".o"), "-o", program,
          "-Wl,--no-as-needed", options.runtime / "libinmem_rt.so", f"-Wl,-rpath,{options.runtime}"], "compiling the program")


def interrupt(debugger, at, first):
    """A signal before each instruction of the runtime, in a pair each. \\returns how many."""
    behind, sent = at["behind"], 0
    for _ in range(first):
        debugger.run_to(behind)
        debugger.ask("s")  # a breakpoint stops again where it is
    for place in [place for place in debugger.steps_to(behind) if place > END_OF_PROGRAM]:
        debugger.ask("s")
        if debugger.run_to(place, behind) == place:
            debugger.run_to(behind, command=f"C{SIGNAL:02x}")
            sent += 1
    debugger.ask("c")
    return sent


def run(options, program, first, settings):
    """\\returns the trace, the signals, and what the program printed."""
    trace, gate = program.with_suffix(".inmem"), program.with_suffix(".socket")
    for old in (trace, gate):
        old.unlink(missing_ok=True)
    environment = {**os.environ, "INMEM_OPTIONS": f"output={trace}:{settings}".strip(":")}
    with subprocess.Popen(["qemu-aarch64", "-cpu", "cortex-a72", "-R", "0x200000000", "-g", gate, "-L", SYSROOT, program],
                          stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            sent = interrupt(Debugger(str(gate), process), symbols(options.llvm, program), first)
            return trace, sent, list(map(int, process.stdout.read().split()))
        finally:
            process.kill()


def check(options, name):
    size, first, settings, drops = CASES[name]
    program = options.work / re.sub(r"\W", "-", name)
    compile_program(options, program, size, first + 4000)
    trace, sent, (made, handled) = run(options, program, first, settings)
    done = subprocess.run([options.build / "bin/inmem", "report", "--no-symbols", "--format", "json", trace], capture_output=True, text=True)
    report = json.loads(done.stdout)
    sites = [site for row in report["types"] for site in row["sites"] if (site["file"] or "").endswith(".cpp")]
    allocations, frees, left = (sum(site[each] for site in sites) for each in ("allocations", "frees", "live_bytes"))
    dropped = report["processes"][0]["dropped_events"]
    if sent < 200 or handled != sent:
        raise Failed(f"{handled} of {sent} signals were handled, at least 200 expected")
    # An allocation that is dropped has no free that is an event.
    if made - frees != dropped or allocations < frees or (left and not dropped):
        raise Failed(f"{allocations} allocations and {frees} frees of {made}, {left} bytes left, and {dropped} events said to be dropped")
    if dropped > drops * sent:
        raise Failed(f"{dropped} events were dropped in {sent} signals")
    return f"{sent} signals, {made} blocks, {dropped} events dropped"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--build", "--runtime", "--work"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.build, options.runtime, options.work = (each.resolve() for each in (options.build, options.runtime, options.work))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return finish([(f"{name}: {{}}", pool.submit(check, options, name)) for name in options.cases or CASES])


if __name__ == "__main__":
    sys.exit(main())
