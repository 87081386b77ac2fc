# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""resident-kernel.py INMEM PROGRAM - holds `inmem resident` against smaps and status of resident-kernel.cpp, with each kind of memory
that this kernel has."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

INMEM, PROGRAM = sys.argv[1:]
MM = pathlib.Path("/sys/kernel/mm")
MIB = 1 << 20
# Mapped and unmapped between two looks: the snapshot's lists, a thread's stack.
SLACK = 192 * 1024


@contextlib.contextmanager
def setting(path, value):
    """Sets a file of the kernel for some time; yields False if that is not allowed."""
    try:
        old = path.read_text().strip()
        path.write_text(value)
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        path.write_text(old)


@contextlib.contextmanager
def swap_file():
    """Yields True if there is swap, of the system or for this test."""
    if len(pathlib.Path("/proc/swaps").read_text().splitlines()) > 1:
        yield True
        return
    path = pathlib.Path("swap").resolve()
    path.touch(0o600)
    path.write_bytes(bytes(32 * MIB))
    made = subprocess.run(["/sbin/mkswap", path], capture_output=True).returncode == 0
    on = made and subprocess.run(["/sbin/swapon", path], capture_output=True).returncode == 0
    try:
        yield on
    finally:
        if on:
            subprocess.run(["/sbin/swapoff", path], check=True)
        path.unlink()


def figures(pid):
    """Sums of smaps, and status, in bytes."""
    out = {}
    for name in ("smaps", "status"):
        for word, kib in re.findall(r"^(\w+):\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/{name}").read_text(), re.MULTILINE):
            out[word] = out.get(word, 0) + int(kib) * 1024
    return out


def merged(pid):
    return int(pathlib.Path(f"/proc/{pid}/ksm_merging_pages").read_text()) * 4096


def near(what, found, wanted, slack=SLACK):
    if abs(found - wanted) > slack:
        sys.exit(f"{what}: {found}, expected {wanted}")


def look(words, wait=lambda pid: None):
    """What the command says of a program with this memory, and what the kernel does."""
    environment = {**os.environ, "INMEM_OPTIONS": f"mmap=on:output={words}.inmem"}
    with subprocess.Popen([PROGRAM, words, f"/inmem-test-{os.getpid()}"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as app:
        app.stdout.readline()
        try:
            wait(app.pid)
            kernel = figures(app.pid)
            kernel["ksm"] = merged(app.pid) if words == "ksm" else 0
            found = json.loads(subprocess.check_output([INMEM, "resident", "--format", "json", str(app.pid)]))
            text = subprocess.check_output([INMEM, "resident", str(app.pid)], text=True)
        finally:
            app.stdin.close()
    near(f"{words}: parts", sum(part["bytes"] for part in found["parts"]), found["rss_bytes"], 0)
    near(f"{words}: RSS", found["rss_bytes"], kernel["Rss"])
    near(f"{words}: page tables", found["page_table_bytes"], kernel["VmPTE"], 64 * 1024)
    unknown = next(part["bytes"] for part in found["parts"] if part["part"] == "unknown")
    if unknown * 100 > found["rss_bytes"]:
        sys.exit(f"{words}: {unknown} bytes without an owner, of {found['rss_bytes']}")
    return found, kernel, text


def mapped(found):
    return next(part["bytes"] for part in found["parts"] if part["part"] == "mapped")


def huge():
    found, kernel, _ = look("huge")
    near("huge pages", found["huge_bytes"], kernel["AnonHugePages"], 0)
    near("huge: mapped", mapped(found), 6 * MIB)
    return kernel["AnonHugePages"] > 0


def ksm():
    def wait(pid):
        before, calm = -1, 0
        for _ in range(600):
            time.sleep(0.05)
            now = merged(pid)
            calm = calm + 1 if now == before and now > 0 else 0
            before = now
            if now >= 4 * MIB or calm == 40:
                return

    with setting(MM / "ksm/pages_to_scan", "5000"), setting(MM / "ksm/sleep_millisecs", "10"), setting(MM / "ksm/run", "1") as on:
        if not on:
            return False
        found, kernel, text = look("ksm", wait)
    if not kernel["ksm"]:
        return False
    near("KSM", found["ksm_bytes"], kernel["ksm"], 256 * 1024)
    near("KSM: mapped", mapped(found), 4 * MIB)
    if "merged by KSM" not in text:
        sys.exit(f"KSM is not in the text: {text}")
    return True


def swap():
    with swap_file() as on:
        if not on:
            return False
        found, kernel, _ = look("swap")
    if "swap" in found["not_on_this_kernel"]:
        sys.exit("swap is on, and named as missing")
    near("swapped out", found["swapped_bytes"], kernel["VmSwap"], 64 * 1024)
    near("swap: mapped", mapped(found), 8 * MIB - kernel["VmSwap"])
    return kernel["VmSwap"] > 0


def hugetlb():
    pool = MM / "hugepages/hugepages-2048kB/nr_hugepages"
    with setting(pool, str(int(pool.read_text()) + 2)) as on:
        if not on or int(pool.read_text()) < 2:
            return False
        found, kernel, text = look("hugetlb")
    near("hugetlbfs", found["hugetlb_bytes"], kernel["HugetlbPages"], 0)
    if kernel["HugetlbPages"] and "hugetlbfs, not in RSS 4.0 MiB" not in text:
        sys.exit(f"hugetlbfs is not in the text: {text}")
    return kernel["HugetlbPages"] > 0


def tables():
    found, kernel, _ = look("tables")
    near("tables", found["page_table_bytes"], kernel["VmPTE"], 64 * 1024)
    if found["page_table_bytes"] < 2 * MIB:
        sys.exit(f"page tables: {found['page_table_bytes']}")
    near("tables: mapped", mapped(found), 512 * 4096)
    return True


def shared():
    found, kernel, _ = look("shared")
    near("shared", mapped(found), 6 * MIB)
    names = {(owner["name"] or "?").split()[0].rstrip("0123456789"): owner["bytes"] for owner in found["owners"] if owner["part"] == "mapped"}
    if names.get("/dev/shm/inmem-test-") != 3 * MIB or names.get("/dev/zero") != 2 * MIB or names.get("/SYSV") != MIB:
        sys.exit(f"shared: {names}")
    return True


FEATURES = {"huge pages": (MM / "transparent_hugepage/enabled", huge), "KSM": (MM / "ksm/run", ksm), "swap": (pathlib.Path("/proc/swaps"), swap),
            "hugetlbfs": (MM / "hugepages/hugepages-2048kB", hugetlb), "page tables": (MM, tables), "shared memory": (MM, shared)}
for name, (path, test) in FEATURES.items():
    if path.exists():
        print(f"{name}: {'tested' if test() else 'may not be switched on here'}")
    else:
        missing = look("none")[0]["not_on_this_kernel"]
        if missing is not None and name not in missing:
            sys.exit(f"{name} is not on this kernel, but the command does not say so: {missing}")
        print(f"{name}: not on this kernel")
