#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""emulated - runs a command whose AArch64 programs run by qemu-user, and nothing else on this machine does.

    emulated.py [--root FOLDER] COMMAND [ARGUMENT...]

Needs root, qemu-user-static and Linux 6.7, the first in which a user namespace registers binary formats for itself alone. The command has a
user namespace with the ids of this machine, mounts and processes of its own, and FOLDER as its root if there is one.
"""

import os
import pathlib
import subprocess
import sys

# As Debian's qemu-user-static has it: header and mask of an ELF file of that machine. F: opened now, so that a root needs no qemu.
FORMAT = (r":qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
          r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/qemu-aarch64-static:OCF")
FORMATS = "/proc/sys/fs/binfmt_misc"
# qemu 7.2 takes long for maps of the whole address space.
RESERVED = "QEMU_RESERVED_VA=0x200000000"
# Waits until ids are mapped; programs that begin after that are root's.
WAIT = 'read -r go && exec "$0" "$@"'
ENTER = f"""\
set -e
mount -t proc proc /proc
mount -t binfmt_misc none {FORMATS} 2>/dev/null || {{ echo 'emulated: binary formats of a user namespace need Linux 6.7' >&2; exit 77; }}
printf '%s' "$1" >{FORMATS}/register
root=$2
shift 2
[ -z "$root" ] || {{ mount -t proc proc "$root/proc"; exec chroot "$root" "$@"; }}
exec "$@"
"""


def run(command, root="", **options):
    """The command's exit code; its standard input is empty."""
    words = ["unshare", "--user", "sh", "-c", WAIT, "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", FORMAT, root, *command]
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, env={**os.environ, **dict([RESERVED.split("=")])}, **options)
    # Wait until the process has left our namespace for its own.
    own, ours = pathlib.Path(f"/proc/{process.pid}"), os.readlink("/proc/self/ns/user")
    while process.poll() is None and os.readlink(own / "ns/user") == ours:
        os.sched_yield()
    if process.poll() is None:
        for ids in ("uid_map", "gid_map"):
            (own / ids).write_text("0 0 65536\n")
        process.stdin.write(b"go\n")
    process.stdin.close()
    return process.wait()


def main():
    words, root = sys.argv[1:], ""
    if len(words) > 2 and words[0] == "--root":
        root, words = words[1], words[2:]
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    return run(words, root)


if __name__ == "__main__":
    sys.exit(main())
