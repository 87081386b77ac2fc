#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""guest - a whole AArch64 machine under qemu, with a kernel of Debian's, that runs programs of this machine's folders.

    guest.py FOLDER PROGRAM [ARGUMENT...]    runs one there

FOLDER is that of a running guest: class Guest boots one. A program finds there its own file and the shared libraries beside it, the guest's
libraries, and the variables INMEM*. What it writes below the folder of its file comes back; so do its output and exit code.
"""

import contextlib
import fcntl
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from recorded import PATIENCE, Failed

SYSROOT = pathlib.Path("/usr/aarch64-linux-gnu/lib")
LIBRARIES = ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"]
LOADER = "ld-linux-aarch64.so.1"
WORKERS = 2
# A program FILE of AArch64 is FILE.aarch64 here, where FILE is a script that has the guest run it: as that file.
REAL = ".aarch64"


def archive(entries):
    """An initramfs (cpio, newc) of (name, mode, bytes)."""
    out = bytearray()
    for number, (name, mode, data) in enumerate([*entries, ("TRAILER!!!", 0, b"")], 1):
        device = (5, 1) if name == "dev/console" else (0, 0)
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        out += b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    return out


def contents(init, busybox):
    """\\returns what is in the guest from its start."""
    libraries = str(SYSROOT)[1:]
    folders = ["dev", "bin", "lib", *reversed([str(each) for each in pathlib.PurePath(libraries).parents][:-1]), libraries]
    yield from ((name, 0o40755, b"") for name in folders)
    yield "dev/console", 0o20600, b""
    yield "init", 0o100755, init.read_bytes()
    yield "bin/busybox", 0o100755, busybox.read_bytes()
    yield from ((f"bin/{name}", 0o120777, b"busybox") for name in ("sh", "cat", "kill", "mkfifo", "rm", "sleep", "test", "usleep"))
    yield f"lib/{LOADER}", 0o100755, (SYSROOT / LOADER).read_bytes()
    yield from ((f"{libraries}/{name}", 0o100755, (SYSROOT / name).read_bytes()) for name in LIBRARIES)


class Guest:
    """Is booted when it is entered, and off when it is left. FILES are there for each program."""

    def __init__(self, folder, kernel, init, files=(), processor="max,pauth-impdef=on"):
        self.folder, self.kernel, self.init, self.files, self.processor = folder, kernel, init, files, processor
        self.about = self.machine = None

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for each in self.folder.iterdir():
            each.unlink()
        (self.folder / "files").write_text("".join(f"{each}\n" for each in self.files))
        initramfs = self.folder / "initramfs"
        initramfs.write_bytes(archive(contents(self.init, self.kernel / "busybox")))
        console = self.folder / "console"
        self.machine = subprocess.Popen([
            "qemu-system-aarch64", "-M", "virt", "-cpu", self.processor, "-smp", str(WORKERS), "-m", "1536", "-nic", "none", "-display", "none",
            "-monitor", "none", "-no-reboot", "-serial", f"file:{console}", "-kernel", self.kernel / "vmlinuz", "-initrd", initramfs,
            "-semihosting-config", "enable=on,target=native,userspace=on",
            "-append", f"console=ttyAMA0 quiet panic=-1 rdinit=/init workers={WORKERS} guest={self.folder}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.folder / "qemu", "wb"))
        try:
            self.about = wait_for(self.folder / "ready", self.machine)
        except Failed as fault:
            self.__exit__()
            said = "".join(each.read_text(errors="replace")[-3000:] for each in (self.folder / "qemu", console) if each.exists())
            raise Failed(f"the guest does not come up: {fault}\n{said}") from None
        return self

    def __exit__(self, *_):
        self.machine.kill()
        self.machine.wait()

    def wrap(self, program):
        """From now on PROGRAM is a script that runs it there."""
        real = program.with_name(program.name + REAL)
        program.rename(real)
        program.write_text(f'#!/bin/sh\nexec {sys.executable} "{pathlib.Path(__file__).resolve()}" "{self.folder}" "{program}" "$@"\n')
        program.chmod(0o755)


def wait_for(path, machine=None):
    """\\returns the text of a file, once it is there."""
    end = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(FileNotFoundError):
            if text := path.read_text():
                return text
        if machine and machine.poll() is not None:
            raise Failed(f"qemu ended with {machine.returncode}")
        if time.monotonic() > end:
            raise Failed(f"nothing came within {PATIENCE} s")
        time.sleep(0.005)


@contextlib.contextmanager
def free_worker(folder):
    """The number of one, which nobody else has meanwhile, and that of its next job."""
    while True:
        for worker in range(WORKERS):
            with open(folder / f"turn.{worker}", "a+") as turn:
                try:
                    fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                turn.seek(0)
                number = int(turn.read() or 0)
                turn.truncate(0)
                turn.write(str(number + 1))
                turn.flush()
                yield worker, number
                return
        time.sleep(0.005)


def file_entry(path, source=None):
    source = source or path
    return f"F{source.stat().st_mtime_ns} {path}\n{source}"


def run(folder, words):
    """\\returns exit code, output and errors of a program of this machine's files in the guest of that folder."""
    program = pathlib.Path(words[0]).resolve()
    real = program.with_name(program.name + REAL)
    known = [pathlib.Path(each) for each in (folder / "files").read_text().split("\n") if each]
    files = [file_entry(program, real if real.exists() else None), *map(file_entry, [*program.parent.glob("*.so"), *known])]
    environment = {name: value for name, value in os.environ.items() if name.startswith("INMEM")}
    environment |= {"PATH": "/bin", "HOME": "/", "LD_LIBRARY_PATH": ":".join(map(str, [SYSROOT, *(each.parent for each in known)]))}
    job = [*files, *(f"E{name}={value}" for name, value in environment.items()), f"D{program.parent}", f"T{PATIENCE}",
           f"A{program}", *(f"A{word}" for word in words[1:])]
    with free_worker(folder) as (worker, number):
        part = folder / f"part.{worker}.{number}"
        part.write_bytes(b"".join(text.encode() + b"\0" for text in job))
        part.rename(folder / f"job.{worker}.{number}")
        status = int(wait_for(folder / f"done.{worker}.{number}"))
        return status, *((folder / f"{kind}.{worker}.{number}").read_bytes() for kind in ("out", "err"))


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        status, out, err = run(pathlib.Path(sys.argv[1]), sys.argv[2:])
    except Failed as fault:
        print(f"guest: {fault}", file=sys.stderr)
        return 125
    sys.stdout.buffer.write(out)
    sys.stderr.buffer.write(err)
    return status


if __name__ == "__main__":
    sys.exit(main())
