#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flags.py - the same results with whatever flags a program is compiled?

  flags.py --build FOLDER --llvm N [--smoke | --all] [--only PART]

Compiles forms.cpp, whose classes count themselves, with each set of flags of the table below. It must print what it
prints with plain clang; objects must be counted as it counts them, and none of its own blocks be without a type. A set that plain
clang does not build here is passed over. --smoke tries SMOKE, --all
FAST and SLOW; otherwise FAST is tried. Exit code 1: something does not hold.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "forms.cpp"

# One set a line; those of scripts/test first: of its first tier, of both tiers.
SMOKE = """
-O0
-O2 -flto=thin -fuse-ld=lld
-O1 -fsanitize=address
-O2 -fno-elide-constructors
"""
FAST = """
-O0
-O1
-O2
-O3
-Oz
-O2 -flto -fuse-ld=lld
-O2 -flto=thin -fuse-ld=lld
-O1 -fsanitize=address
-O1 -fsanitize=undefined
-O2 -std=c++26
-O2 -std=c++17
-O2 -static
-O2 -g -gsplit-dwarf -fdebug-types-section
-O2 -fno-elide-constructors
-O0 -fno-elide-constructors
-O2 -ffunction-sections -Wl,--gc-sections
-O2 -fprofile-instr-generate -fcoverage-mapping
-O2 -fno-inline
-O2 -fvisibility=hidden -fvisibility-inlines-hidden
-O2 -fno-plt -fcf-protection=full -fstack-protector-all
"""
SLOW = """
-Og
-Os
-Ofast
-O2 -march=native
-O2 -mavx2 -mfma
-O3 -funroll-loops -fvectorize -fslp-vectorize
-O2 -fno-vectorize -fno-slp-vectorize
-O2 -fno-unroll-loops
-O2 -ftrivial-auto-var-init=pattern
-O2 -ftrivial-auto-var-init=zero
-O2 -fno-strict-aliasing
-O2 -fstrict-vtable-pointers
-O2 -fwhole-program-vtables -flto -fvisibility=hidden -fuse-ld=lld
-O2 -flto -fsplit-lto-unit -funified-lto -fuse-ld=lld
-O0 -flto -fuse-ld=lld
-O2 -flto -Wl,--lto-O0 -fuse-ld=lld
-O2 -flto -Wl,--lto-O3 -fuse-ld=lld
-O2 -fuse-ld=lld -Wl,--icf=all
-O2 -fuse-ld=lld -Wl,--icf=safe -ffunction-sections
-O2 -fuse-ld=bfd
-O2 -fuse-ld=gold
-O2 -fno-pie -no-pie
-O2 -fPIE -pie
-O2 -fPIC
-O2 -static-pie
-O2 -mcmodel=medium
-O2 -mcmodel=large
-O2 -fno-rtti -DNO_RTTI
-O2 -g -gdwarf-2
-O2 -g -gdwarf-4
-O2 -g -gz=zlib
-O2 -g1
-O2 -gline-tables-only
-O2 -g -fno-standalone-debug
-O2 -g -gno-column-info
-O2 -g -fdebug-info-for-profiling
-O2 -fpseudo-probe-for-profiling
-O2 -g -gmodules
-O0 -g
-O0 -fstandalone-debug -g
-O1 -fsanitize=thread
-O1 -fsanitize=leak
-O1 -fsanitize=address,undefined
-O0 -fsanitize=address
-O1 -fsanitize=address -fsanitize-address-use-after-scope
-O1 -fsanitize=integer
-O1 -fsanitize=nullability
-O1 -fsanitize=float-divide-by-zero,bounds,vptr
-O1 -fsanitize=type
-O1 -fsanitize=realtime
-O1 -fsanitize=safe-stack
-O2 -fsanitize=cfi -flto -fvisibility=hidden -fuse-ld=lld
-O2 -fsanitize=kcfi
-O2 -fsanitize-trap=undefined -fsanitize=undefined
-O2 -fsanitize=undefined -fsanitize-minimal-runtime
-O2 -fsanitize-coverage=inline-8bit-counters
-O2 -fprofile-generate
-O2 -fcs-profile-generate
-O2 --coverage
-O2 -fxray-instrument
-O2 -pg
-O2 -finstrument-functions
-O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
-O2 -fomit-frame-pointer
-O2 -fno-asynchronous-unwind-tables
-O2 -fexperimental-new-constant-interpreter
-O2 -fno-sized-deallocation
-O2 -fsized-deallocation -faligned-allocation
-O2 -fno-builtin
-O2 -fno-builtin-malloc
-O2 -fassume-sane-operator-new
-O2 -fno-assume-sane-operator-new
-O2 -fno-threadsafe-statics
-O2 -fno-use-cxa-atexit
-O2 -fmerge-all-constants
-O2 -fno-common
-O2 -fno-semantic-interposition
-O2 -fsemantic-interposition
-O2 -ftls-model=initial-exec
-O2 -ftls-model=local-exec
-O2 -mtls-dialect=gnu2
-O2 -D_GLIBCXX_DEBUG
-O2 -D_GLIBCXX_ASSERTIONS
-O2 -D_GLIBCXX_USE_CXX11_ABI=0
-O2 -D_FORTIFY_SOURCE=3
-O2 -stdlib=libc++
-O2 -stdlib=libc++ -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_DEBUG
-O2 -std=c++20 -fno-char8_t
-O2 -std=c++23
-O2 -std=gnu++20 -fms-extensions
-O2 -fpermissive -pedantic
-O2 -Wl,-z,now -Wl,-z,relro
-O2 -Wl,--as-needed -Wl,-O2
-O2 -save-temps=obj
-O2 -fno-integrated-as
-O2 -fstack-clash-protection
-O2 -fsplit-stack
-O2 -mretpoline
-O2 -fzero-call-used-regs=used
-O2 -fbasic-block-sections=all
-O2 -falign-functions=64
-O2 -fcoroutines-ts
-O2 -frelaxed-template-template-args
-O2 -fno-delete-null-pointer-checks
-O2 -fstrict-enums -fstrict-return
-O2 -fapple-pragma-pack -fpack-struct=8
"""
# Sanitizers, profiles and static links bring code of their own, and -fpack-struct is for classes of this unit alone.
QUIET = ["-Wno-everything"]


def run(command, folder, **environment):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800,
                          env={"PATH": os.environ["PATH"], "ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "exitcode=0", **environment})


def sets(options):
    lines = (SMOKE if options.smoke else FAST + (SLOW if options.all else "")).strip().splitlines()
    for line in lines:
        if not options.only or options.only in line:
            yield [word for word in line.split() if word] + ([] if "-std=" in line else ["-std=c++20"])


def counted(output):
    """{class: (constructed, destroyed)} as the program says."""
    return {name: (int(made), int(gone)) for name, made, gone in re.findall(r"^SELF (\w+) (\d+) (\d+)$", output, re.M)}


def problems(options, flags, plain, folder):
    """What does not hold with these flags; None: plain clang does not build it either."""
    command = [*flags, *QUIET, SOURCE.name, "-o"]
    (folder / SOURCE.name).write_text(SOURCE.read_text())
    built = run([options.build / "bin" / "inmem-clang++", *command, "app"], folder)
    if built.returncode:
        reference = run([options.clang, *command, "plain"], folder)
        return None if reference.returncode else [f"does not build: {built.stderr.strip().splitlines()[-1]}"]
    (folder / "app.inmem").unlink(missing_ok=True)
    done = run([folder / "app"], folder, INMEM_OPTIONS="output=app.inmem")
    if (done.returncode, done.stdout) != plain:
        # Some flags change what a program does.
        run([options.clang, *command, "plain"], folder).check_returncode()
        reference = run([folder / "plain"], folder)
        plain = (reference.returncode, reference.stdout)
    if (done.returncode, done.stdout) != plain:
        return [f"exit code {done.returncode}, prints {done.stdout[:200]!r} {done.stderr[:300]!r}"]
    report = run([options.build / "bin" / "inmem", "report", "--format", "json", "--by", "site", "app.inmem"], folder)
    types = run([options.build / "bin" / "inmem", "report", "--format", "json", "app.inmem"], folder)
    if report.returncode or types.returncode:
        return [f"report: {report.stderr}{types.stderr}"]
    found = {row["type"]: row.get("objects") for row in json.loads(types.stdout)["types"]}
    out = []
    for name, right in counted(done.stdout).items():
        objects = found.get(name) or {"constructed": {}, "destroyed": 0}
        is_now = (sum(objects["constructed"].values()), objects["destroyed"])
        if is_now != right:
            out.append(f"{name}: constructed and destroyed {right}, counted {is_now}")
    for site in json.loads(report.stdout)["sites"]:
        if not site["type"] and (site["file"] or "").endswith(SOURCE.name):
            out.append(f"no type: {site['function']} {site['file']}:{site['line']}")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--smoke", action="store_true", help="four sets")
    parser.add_argument("--all", action="store_true", help="all sets, half a minute of CPU time for each forty")
    parser.add_argument("--only", help="sets that have this part")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.clang = f"/usr/lib/llvm-{options.llvm}/bin/clang++"
    if not os.access(options.clang, os.X_OK):
        print(f"no {options.clang}")
        return 77
    bad = held = passed_over = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run([options.clang, "-std=c++20", "-O0", *QUIET, str(SOURCE), "-o", "plain"], folder).check_returncode()
        done = run([folder / "plain"], folder)
        plain = (done.returncode, done.stdout)
        if len(counted(done.stdout)) != 7:
            raise SystemExit(f"the program says {done.stdout!r}")
        for flags in sets(options):
            found = problems(options, flags, plain, folder)
            if found is None:
                passed_over += 1
                print(f"not here: {' '.join(flags)}")
            elif found:
                bad += 1
                print(f"{' '.join(flags)}:", *found, sep="\n    ")
            else:
                held += 1
    print(f"{held} sets of flags hold, {bad} do not, {passed_over} do not build here")
    return 1 if bad or not held else 0


if __name__ == "__main__":
    sys.exit(main())
