#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""memory_limit.py PROGRAM WORK: runs safety/memory-limit.cpp in a cgroup with little memory.

  memory_limit.py --probe     exit code 0: such a cgroup can be made here

Makes a cgroup below its own, of version 1 or 2, and removes it. Exit code 1: something did not hold.
"""
import contextlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import time

LIMIT = 96 << 20
KILLED = -9


def own_group():
    """(folder, name of the limit's file); None: there is no such controller."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            folder = pathlib.Path("/sys/fs/cgroup/memory")
            return (folder / path.lstrip("/") if (folder / path.lstrip("/")).is_dir() else folder), "memory.limit_in_bytes"
        if not controllers and pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists():
            return pathlib.Path("/sys/fs/cgroup") / path.lstrip("/"), "memory.max"
    return None


@contextlib.contextmanager
def group():
    """A new cgroup's folder; an OSError where that cannot be."""
    parent, limit = own_group() or (None, None)
    if not parent:
        raise FileNotFoundError("no memory controller")
    made = parent / f"inmem-test-{os.getpid()}"
    made.mkdir()
    try:
        (made / limit).write_text(str(LIMIT))
        yield made
    finally:
        for _ in range(50000):  # until its last process is gone
            try:
                made.rmdir()
                break
            except OSError:
                time.sleep(0.02)


def run(program, work, name, options, *arguments):
    """(exit status, output, what the program knew, what its trace says)"""
    import expect
    trace, known = work / f"{name}.inmem", work / f"{name}.known"
    trace.unlink(missing_ok=True)
    with group() as folder:
        done = subprocess.run([program, known, *arguments], stdout=subprocess.PIPE, text=True, timeout=1800,
                              env=dict(os.environ, INMEM_OPTIONS=f"output={trace}{options}"),
                              preexec_fn=lambda: (folder / "cgroup.procs").write_text(str(os.getpid())))
    inmem = os.path.join(os.environ["INMEM_BUILD"], "bin", "inmem")
    read = subprocess.run([inmem, "report", "--format", "json", trace], capture_output=True, text=True, check=True)
    report = json.loads(read.stdout, object_hook=expect.Row)
    return done.returncode, done.stdout, struct.unpack("LL", known.read_bytes()), report, expect.failures


def problems(program, work):
    for name, options in (("below", ""), ("below-stacks", ":stacks=8")):
        status, output, _, report, failures = run(program, work, name, options, "1000")
        if (status, output) != (0, "done\n"):
            yield f"{name}: exit status {status}, output {output!r}"
        yield from failures(report, ['types["Item"].allocations == 1000', "processes[0].complete is True"])
    for name, options in (("beyond", ""), ("beyond-events", ":mode=trace"), ("beyond-stacks", ":stacks=8")):
        status, output, (begun, done), report, failures = run(program, work, name, options)
        if status != KILLED or done < 1000:
            yield f"{name}: exit status {status} after {done} blocks, expected the kernel's SIGKILL"
        yield from failures(report, [f'{done} <= types["Item"].allocations <= {begun}',
                                     'types["Item"].frees == 0', "processes[0].complete is False"])


def main():
    if sys.argv[1] == "--probe":
        try:
            with group() as folder:
                return subprocess.run(["true"], preexec_fn=lambda: (folder / "cgroup.procs").write_text(str(os.getpid())),
                                      ).returncode
        except (OSError, subprocess.SubprocessError):
            return 1
    work = pathlib.Path(sys.argv[2])
    work.mkdir(exist_ok=True)
    found = list(problems(sys.argv[1], work))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
