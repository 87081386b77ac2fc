# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""init.py INMEM FOLDER CMAKE: what inmem init writes, builds and takes back, for each kind of project."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INMEM, FOLDER, CMAKE = sys.argv[1], Path(sys.argv[2]), sys.argv[3]


def require(good, *said):
    if not good:
        sys.exit(" ".join(str(word) for word in said))


def init(folder, *words):
    return subprocess.run([INMEM, "init", *words], cwd=folder, capture_output=True, text=True)


def content(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def project(name, *files):
    # Where autotools build, no folder's name may have a blank: configure refuses it.
    folder = Path(tempfile.mkdtemp()) if name == "autotools" else FOLDER / f"a {name}"
    folder.mkdir(exist_ok=True)
    for file in files:
        shutil.copy(FOLDER / file, folder)
    return folder


def written(folder):
    """Runs it twice: the second time changes nothing."""
    ran = init(folder)
    require(ran.returncode == 0, ran)
    first = content(folder)
    again = init(folder)
    require(again.returncode == 0 and again.stdout == ran.stdout and content(folder) == first, again)
    return ran.stdout


def undone(folder, before):
    ran = init(folder, "--undo")
    require(ran.returncode == 0 and content(folder) == before, ran, sorted(content(folder)))
    require(init(folder, "--undo").returncode == 2)


def builds(kind, program, *files):
    folder = project(kind, *files)
    if kind == "autotools":
        (folder / "configure").chmod(0o755)
    before = content(folder)
    said = written(folder)
    require(said.startswith(f"{kind}: wrote "), said)
    command = next(line.split(":", 1)[1] for line in said.splitlines() if line.startswith("build:"))
    path = f"{Path(CMAKE).parent}:{os.environ['PATH']}"
    subprocess.run(["bash", "-ec", command], cwd=folder, check=True, capture_output=True, env={**os.environ, "PATH": path})
    trace = folder / "t.inmem"
    subprocess.run([folder / program], check=True, env={**os.environ, "INMEM_OPTIONS": f"output={FOLDER}/t.inmem"})
    report = subprocess.run([INMEM, "report", "--format", "json", FOLDER / "t.inmem"], capture_output=True, check=True)
    require(any(t["type"] == "Thing" for t in json.loads(report.stdout)["types"]), kind, "records no type")
    (FOLDER / "t.inmem").unlink()
    if kind == "CMake":  # inmem fix -p build-inmem
        commands = json.loads((folder / "build-inmem" / "compile_commands.json").read_text())
        require(any(each["file"].endswith("app.cpp") for each in commands), commands)
    shutil.rmtree(folder / "build-inmem", ignore_errors=True)
    if kind == "Make":
        (folder / "app").unlink()
        (folder / "app.o").unlink()
    require(not trace.exists())
    undone(folder, before)
    if kind == "autotools":
        shutil.rmtree(folder)
    print(f"{kind}: builds, records, undone")


def others_stay():
    folder = project("mixed", "CMakeLists.txt", "app.cpp")
    mine = {"version": 4, "configurePresets": [{"name": "mine", "binaryDir": "b"}]}
    (folder / "CMakeUserPresets.json").write_text(json.dumps(mine))
    require(init(folder).returncode == 0)
    both = json.loads((folder / "CMakeUserPresets.json").read_text())
    require([p["name"] for p in both["configurePresets"]] == ["mine", "inmem"] and both["version"] == 4, both)
    require(init(folder, "--undo").returncode == 0)
    require(json.loads((folder / "CMakeUserPresets.json").read_text()) == mine)
    (folder / "CMakeUserPresets.json").write_text("{ what")
    require(init(folder).returncode == 3 and (folder / "CMakeUserPresets.json").read_text() == "{ what")
    folder = project("lines")
    (folder / "WORKSPACE").touch()
    (folder / ".bazelrc").write_text("build --jobs=2")  # no end of line
    require(init(folder).returncode == 0)
    require((folder / ".bazelrc").read_text().startswith("build --jobs=2\n# >>> inmem init\nbuild:inmem "))
    require(init(folder, "--undo").returncode == 0 and (folder / ".bazelrc").read_text() == "build --jobs=2\n")
    print("presets and lines of others stay")


def several():
    folder = project("CMake and Meson", "CMakeLists.txt", "Makefile", "app.cpp")
    for mark in ("meson.build", "MODULE.bazel"):
        (folder / mark).touch()

    def serves(*names, files):
        before = content(folder)
        said = written(folder)
        expected = [line for name in names for line in (name, "build")]
        require([line.split(":", 1)[0] for line in said.splitlines() if not line.startswith("note:")] == [*expected, "then", "undo"], said)
        rest = {"Meson": "meson.build", "Bazel": "MODULE.bazel", "Make": "Makefile", "CMake": "CMakeLists.txt"}
        for name, mark in rest.items():
            note = f"note:   nothing for {name} ({mark}): this folder has {' and '.join(names)}; see inmem init --for\n"
            require((note in said) == (name not in names), name, said)
        require(sorted(set(content(folder)) - set(before)) == files, content(folder).keys())
        undone(folder, before)

    serves("CMake", files=["CMakeUserPresets.json"])  # the first of those that are here
    (folder / "out" / "meson-info").mkdir(parents=True)
    serves("Meson", files=["inmem.ini"])  # the one that was built
    (folder / "bazel-out").symlink_to("/nowhere")
    serves("Meson", "Bazel", files=[".bazelrc", "inmem.ini"])
    before = content(folder)
    said = init(folder, "--for", "make")
    require(said.returncode == 0 and said.stdout.startswith("Make: wrote inmem.mk\n") and "note:" not in said.stdout, said)
    undone(folder, before)
    refused = init(folder, "--for", "autotools")
    require(refused.returncode == 2 and refused.stderr == "inmem: init: autotools: expected configure or configure.ac in this folder\n", refused)
    require(init(folder, "--for", "scons").returncode == 2)
    require(content(folder) == before)
    print("several: what the build uses is served, the rest is named")


def libraries():
    """A folder with a licence of others is a library's; one below third_party with the project's own is not."""
    folder = project("libraries", "CMakeLists.txt", "app.cpp")
    layout = {"LICENSE": "ours", "lib/fm t/LICENSE.rst": "theirs", "lib/fm t/include/fmt/core.h": "", "lib/own/COPYING": "ours\n",
              "lib/own/a.cpp": "", "third_party/json/LICENSE": "theirs", "third_party/json/json.hpp": "", "vendor/core/LICENSE": " ours",
              "vendor/core/core.h": "", "docs/licenses/LICENSE": "theirs", "out/CMakeCache.txt": "", "out/b/LICENSE": "theirs", "out/b/b.c": "",
              "mod/.git": "", "mod/COPYING": "theirs", "mod/m.c": "", "src/license.h": "", "src/licensed/b.c": ""}
    for name, text in layout.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    options = ["-fplugin-arg-inmem-library=lib/fm?t/*", "-fplugin-arg-inmem-mine=vendor/core/*"]
    marks = {"cmake": "CMakeLists.txt", "make": "Makefile", "meson": "meson.build", "bazel": "MODULE.bazel", "autotools": "configure"}
    for kind, mark in marks.items():
        (folder / mark).touch()
        before = content(folder)
        ran = init(folder, "--for", kind)
        require(ran.returncode == 0, ran)
        reasons = [line for line in ran.stdout.splitlines() if line.startswith(("library:", "mine:"))]
        require(reasons == ["library: lib/fm?t/*: lib/fm t/LICENSE.rst is not the project's",
                            "mine:    vendor/core/*: vendor/core/LICENSE is the project's"], ran.stdout)
        text = "".join(value.decode() for name, value in content(folder).items() if name not in before)
        require(all(text.count(option) >= (1 if kind == "bazel" else 2) for option in options), kind, text)
        undone(folder, before)
    ran = init(folder, "--for", "cmake", "--library", "con$trib/*,b/*", "--mine", "third_party/json/*")
    cache = json.loads((folder / "CMakeUserPresets.json").read_text())["configurePresets"][0]["cacheVariables"]
    require(cache["CMAKE_CXX_FLAGS_INIT"] == f"{options[0]},con?trib/*,b/* {options[1]},third_party/json/*", cache)
    # They reach the compiler, beside the user's flags.
    (folder / "lib/fm t/include/fmt/core.h").write_text("struct Text { int A[8]; };\ninline Text *text() { return new Text; }\n")
    (folder / "app.cpp").write_text('#include "lib/fm t/include/fmt/core.h"\nText *volatile Sink;\nint main() { Sink = text(); }\n')
    for command in ([CMAKE, "--preset", "inmem"], [CMAKE, "--build", "--preset", "inmem"]):
        made = subprocess.run(command, cwd=folder, env={**os.environ, "CXXFLAGS": "-DTHE_USERS"}, capture_output=True, text=True)
        require(made.returncode == 0, made)
    command = json.loads((folder / "build-inmem" / "compile_commands.json").read_text())[0]["command"]
    require("-DTHE_USERS" in command and options[1] in command, command)
    subprocess.run([folder / "build-inmem/app"], check=True, env={**os.environ, "INMEM_OPTIONS": f"output={FOLDER}/t.inmem"})
    report = subprocess.run([INMEM, "report", "--format", "json", FOLDER / "t.inmem"], capture_output=True, check=True)
    sites = [site.get("caller") or site for t in json.loads(report.stdout)["types"] if t["type"] == "Text" for site in t["sites"]]
    require([(Path(site["file"]).name, site["line"]) for site in sites] == [("app.cpp", 3)], sites)
    print("libraries: library= and mine= by licences, for each kind of build")


def the_rest():
    for kind, mark, file in (("Meson", "meson.build", "inmem.ini"), ("Bazel", "MODULE.bazel", ".bazelrc")):
        folder = project(kind)
        (folder / mark).touch()
        before = content(folder)
        require(written(folder).startswith(f"{kind}: wrote {file}\n"))
        require("inmem-clang" in (folder / file).read_text())
        undone(folder, before)
    print("Meson and Bazel: written, undone")
    folder = project("empty")
    ran = init(folder)
    require(ran.returncode == 2 and ran.stderr.startswith("inmem: init: expected CMakeLists.txt"), ran)
    require(ran.stderr.endswith(" or Makefile in this folder\n"), ran)
    for below in ("b/make/Makefile", "b/other/meson.build", "c/d/e/CMakeLists.txt", ".git/Makefile"):
        (folder / below).parent.mkdir(parents=True)
        (folder / below).touch()
    ran = init(folder)
    require(ran.returncode == 2 and ran.stderr.endswith(" or Makefile in this folder; b/make has one\n"), ran)
    (folder / "a").mkdir()
    (folder / "a/meson.build").touch()
    require(init(folder).stderr.endswith("; a has one\n"))
    print("nothing to do: refused, with the project below")


def installed_below_a_blank():
    prefix, folder = FOLDER / "in $talled" / "bin", FOLDER / "makes"
    prefix.mkdir(parents=True)
    (folder / "sub").mkdir(parents=True)
    shutil.copy(INMEM, prefix)
    for name in ("inmem-clang", "inmem-clang++"):
        (prefix / name).write_text('#!/bin/sh\necho "compiled by $0"\n')
        (prefix / name).chmod(0o755)
    (folder / "Makefile").write_text("all:\n\t$(CXX) -c a.cpp\n\t$(MAKE) -C sub\n")
    (folder / "sub" / "Makefile").write_text("all:\n\t$(CC) -c b.c\n")
    subprocess.run([prefix / "inmem", "init"], cwd=folder, check=True, capture_output=True)
    made = subprocess.run(["make", "-f", "inmem.mk"], cwd=folder, capture_output=True, text=True)
    compiled = [line for line in made.stdout.splitlines() if line.startswith("compiled by")]
    require(compiled == [f"compiled by {prefix}/{name}" for name in ("inmem-clang++", "inmem-clang")], made)
    print("make: a prefix with a blank and a dollar")
    folder = project("autotools")
    (folder / "configure").write_text('#!/bin/sh\nfor word; do case $word in C*=*) echo "$word" ;; esac; done > words\n')
    (folder / "configure").chmod(0o755)
    subprocess.run([prefix / "inmem", "init"], cwd=folder, check=True, capture_output=True)
    (folder / "build").mkdir()
    subprocess.run(["../inmem-configure", "CFLAGS=-O1 -g"], cwd=folder / "build", check=True)
    words = (folder / "build" / "words").read_text().splitlines()
    require(words == [f"CC={folder}/build/inmem-clang", f"CXX={folder}/build/inmem-clang++", "CFLAGS=-O1 -g"], words)
    for name in ("inmem-clang", "inmem-clang++"):
        require((folder / "build" / name).resolve() == (prefix / name).resolve(), name)
    shutil.rmtree(folder)
    print("autotools: a prefix with a blank")


builds("Make", "app", "Makefile", "compile.make", "app.cpp")
builds("CMake", "build-inmem/app", "CMakeLists.txt", "app.cpp")
builds("autotools", "build-inmem/app", "configure", "app.cpp")
installed_below_a_blank()
others_stay()
several()
libraries()
the_rest()
