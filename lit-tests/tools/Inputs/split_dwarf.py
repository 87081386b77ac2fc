#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether types and lines of split DWARF are those of the same program in one file.

  split_dwarf.py INMEM RUNTIME FOLDER COMPILER FLAGS FORM...

A FORM is how the units are kept: dwo (as the compiler wrote them), zstd (those, compressed), a tool that makes a package, or
cut:TOOL (half of that package: one line names it, and all that needs no units is still known).
"""
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command, cwd):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    if done.returncode:
        sys.exit(f"split_dwarf.py: {' '.join(command)}: {done.stderr}")
    return done


def build(folder, compiler, flags):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for unit in ("one", "two"):
        run(*compiler.split(), "-O1", "-g", *flags, "-c", f"{HERE}/split/{unit}.cpp", "-o", f"{unit}.o", cwd=folder)
    run(*compiler.split(), "one.o", "two.o", "-o", "program", cwd=folder)


def rows(inmem, runtime, folder):
    said = run(inmem, "run", "-q", "--runtime", runtime, "--trace", "trace.inmem", "--", "./program", cwd=folder).stderr
    report = json.loads(run(inmem, "report", "--format", "json", "trace.inmem", cwd=folder).stdout)
    found = sorted((str(kind["type"]), site["line"] or 0, (site["function"] or "").partition("(")[0], site["allocations"])
                   for kind in report["types"] for site in kind["sites"] if site["line"] or kind["type"])
    return found, said


def keep(folder, form):
    """Leaves the units in that form; those of the compiler are in a folder of their own."""
    for old in glob.glob(f"{folder}/program.dwp"):
        os.unlink(old)
    shutil.copytree(f"{folder}/units", folder, dirs_exist_ok=True)
    units = glob.glob(f"{folder}/*.dwo")
    if form == "zstd":
        for unit in units:
            run("objcopy", "--compress-debug-sections=zstd", unit, cwd=folder)
    elif form != "dwo":
        run(form.removeprefix("cut:"), "-e", "program", "-o", "program.dwp", cwd=folder)
        for unit in units:
            os.unlink(unit)
    if form.startswith("cut:"):
        os.truncate(f"{folder}/program.dwp", os.path.getsize(f"{folder}/program.dwp") // 2)


def main():
    inmem, runtime, folder, compiler, flags, *forms = sys.argv[1:]
    build(folder, compiler, [flag for flag in flags.split() if flag != "-fdebug-types-section"])
    wanted, _ = rows(inmem, runtime, folder)
    failed = not any(row[0] == "Derived" for row in wanted)
    build(folder, compiler, ["-gsplit-dwarf", *flags.split()])
    os.mkdir(f"{folder}/units")
    for unit in glob.glob(f"{folder}/*.dwo"):
        shutil.move(unit, f"{folder}/units")
    for form in forms:
        keep(folder, form)
        found, said = rows(inmem, runtime, folder)
        if form.startswith("cut:"):
            # Lines of the program's own code are in its file.
            same = (len(said.splitlines()) == 1 and "program.dwp: " in said and
                    sum(row[3] for row in found if row[1]) == sum(row[3] for row in wanted if row[1]))
        else:
            same = found == wanted and not said
        if not same:
            failed = True
            print(f"{compiler} {flags} {form}: {said}\n  found  {found}\n  wanted {wanted}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
