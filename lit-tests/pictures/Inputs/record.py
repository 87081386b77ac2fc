#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""record.py BUILD: records shop-old.trace and shop-new.trace anew with the inmem of
a build folder. What belongs to one machine is replaced; figures of time are those
of the day, so the golden files change with them."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
START = 1_000_000_000


def without_machine(text, folder):
    start = int(re.search(r"start-unix-ns=(\d+)", text)[1])
    text = re.sub(r"\b((?:start|end)?-?unix-ns)=(\d+)", lambda m: f"{m[1]}={int(m[2]) - start + START}", text)
    for pattern, replacement in [
        (re.escape(folder) + "/", ""),
        (r'executable="[^"]*"', 'executable="/opt/shop/shop"'),
        (r'host="[^"]*"', 'host="box"'),
        (r"\bpid=\d+ parent=\d+", "pid=4711 parent=4710"),
        (r"build-id=[0-9a-f]+", "build-id=0a0b"),
        (r'(module id=\d+ .*path=")[^"]*/', r"\1/opt/shop/"),
    ]:
        text = re.sub(pattern, replacement, text)
    for number, tid in enumerate(dict.fromkeys(re.findall(r"\btid=(\d+)", text))):
        text = re.sub(rf"\btid={tid}\b", f"tid={4711 + number}", text)
    return text


def main():
    build = os.path.abspath(sys.argv[1])
    for version, flags in (("old", []), ("new", ["-DNEW"])):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/src")
            shutil.copy(f"{HERE}/shop.cpp", f"{folder}/src")
            run = {"cwd": folder, "check": True, "text": True}
            subprocess.run([f"{build}/bin/inmem-clang++", "-std=c++20", "-O1", "-g1", "-pthread", *flags, "src/shop.cpp",
                            "-o", "shop"], **run)
            subprocess.run(["./shop"], stdout=subprocess.DEVNULL,
                           env={"INMEM_OPTIONS": "stacks=16:frees=on:output=shop.inmem"}, **run)
            text = subprocess.run([f"{build}/bin/inmem", "dump", "shop.inmem"], stdout=subprocess.PIPE, **run).stdout
            with open(f"{HERE}/shop-{version}.trace", "w", encoding="utf-8") as out:
                out.write("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                          f"# {' with '.join(['shop.cpp', *flags])}, recorded by record.py.\n" + without_machine(text, folder))


if __name__ == "__main__":
    main()
