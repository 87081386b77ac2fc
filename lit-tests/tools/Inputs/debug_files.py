# Types of one program whose debug information comes in many forms: each gives the same rows.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   debug_files.py INMEM SOURCE FOLDER FORMS COMPILER...
#
# FORMS: names of FORMS below, separated by commas, or "all".
import json
import os
import shutil
import subprocess
import sys

SPLIT = "objcopy --only-keep-debug app app.debug && strip -s app && "
LINKED = SPLIT + "objcopy --add-gnu-debuglink=app.debug app"
ID = """ID=$(readelf -n app | sed -n 's/.*Build ID: //p') && """
FORMS = {  # flags of the compiler, commands after the link, environment of inmem
    "dwarf3": ("-gdwarf-3", "", {}),
    "dwarf4": ("-gdwarf-4", "", {}),
    "dwarf5": ("-gdwarf-5", "", {}),
    "compressed": ("-g -gz=zlib", "", {}),
    "compressed-gnu": ("-g", "objcopy --compress-debug-sections=zlib-gnu app", {}),
    "split4": ("-gdwarf-4 -gsplit-dwarf", "", {}),
    "split5": ("-gdwarf-5 -gsplit-dwarf", "", {}),
    "debuglink": ("-g", LINKED, {}),
    "debuglink-folder": ("-g", LINKED + " && mkdir .debug && mv app.debug .debug", {}),
    "fetched": ("-g", SPLIT + ID + "mkdir -p cache/$ID && mv app.debug cache/$ID/debuginfo", {"DEBUGINFOD_CACHE_PATH": "@/cache"}),
    "fetched-home": (
        "-g",
        SPLIT + ID + "mkdir -p home/.cache/debuginfod_client/$ID && mv app.debug home/.cache/debuginfod_client/$ID/debuginfo",
        {"HOME": "@/home", "XDG_CACHE_HOME": ""},
    ),
    "dwz4": ("-gdwarf-4", "dwz app", {}),
    "dwz5": ("-gdwarf-5", "dwz app", {}),
    # The part that programs of a package share is in another file.
    "dwz-shared": ("-gdwarf-4", "cp app other && dwz -m shared -M $PWD/shared app other && test -s shared && " + LINKED, {}),
    "types4": ("-gdwarf-4 -fdebug-types-section", "", {}),
    "types5": ("-gdwarf-5 -fdebug-types-section", "", {}),
}
inmem, source, folder, names, *compilers = sys.argv[1:]


def run(command, cwd, env=None):
    done = subprocess.run(command, shell=True, cwd=cwd, capture_output=True, text=True, env={**os.environ, "DEBUGINFOD_URLS": "", **(env or {})})
    assert done.returncode == 0, (command, done)


def rows(compiler, name, flags, after, env):
    cwd = f"{folder}/{os.path.basename(compiler)}-{name}"
    shutil.rmtree(cwd, ignore_errors=True)
    os.makedirs(cwd)
    run(f"{compiler} -O2 {flags} {source} -o app -Wl,--build-id" + (f" && {after}" if after else ""), cwd)
    command = f"{inmem} run -q --trace app.inmem ./app 300 && {inmem} report --format json -o app.json app.inmem"
    run(command, cwd, {key: value.replace("@", cwd) for key, value in env.items()})
    with open(f"{cwd}/app.json") as file:
        return {(t["type"], t["allocations"], t["allocated_bytes"]) for t in json.load(file)["types"]}


tried = 0
for compiler in compilers:
    expected = rows(compiler, "plain", "-g", "", {})
    assert {("Session", 300, 33600), ("Node", 300, 16800), ("Left", 300, 12000), ("Right", 300, 12000)} <= expected, expected
    for name, form in FORMS.items():
        if name not in names.split(",") and names != "all" or ("dwz" in name and not shutil.which("dwz")):
            continue
        if name == "dwz5" and "clang" in compiler:  # dwz 0.15 refuses its .debug_addr
            continue
        found = rows(compiler, name, *form)
        assert found == expected, (compiler, name, sorted(map(str, expected - found)), sorted(map(str, found - expected)))
        tried += 1
assert tried >= len(compilers) * (3 if names != "all" else 12), tried
print(f"debug information in {tried} forms")
