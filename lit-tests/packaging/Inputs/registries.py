#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries files for registries.

  registries.py make MAKER TARBALL RELEASES OUT files for the releases of a folder, whose path may have any letter
  registries.py action FOLDER WORK COMMAND      a GitHub action, then COMMAND as the next step of a job
  registries.py component FILE WORK COMMAND     a GitLab component, then COMMAND as the script of a job
  registries.py checksums FILES TARBALL         whether the files that are not run here name the tarball
  registries.py lint FILES                      a line for each linter; exit code 1 if one finds something
"""
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def bash(script, environment, folder):
    ran = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], env=environment, cwd=folder)
    if ran.returncode:
        sys.exit(ran.returncode)


def filled(text, known, begin, end):
    """`${{ inputs.prefix }}` and its like; an unknown one is an error."""
    return re.sub(re.escape(begin) + r"\s*([\w.]+)\s*" + re.escape(end), lambda found: known[found[1]], str(text))


def make(maker, tarball, releases, out):
    return subprocess.run([sys.executable, maker, tarball, pathlib.Path(releases).as_uri(), out]).returncode


def action(folder, work, command):
    import yaml
    work = pathlib.Path(work)
    work.mkdir(parents=True)
    folder = pathlib.Path(folder)
    content = yaml.safe_load((folder / "action.yml").read_text())
    files = {name: work / name for name in ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT")}
    known = {"runner.temp": str(work), "github.action_path": str(folder)}
    known |= {f"inputs.{name}": filled(each["default"], known, "${{", "}}") for name, each in content["inputs"].items()}
    assert content["runs"]["using"] == "composite"
    for step in content["runs"]["steps"]:
        own = {name: filled(value, known, "${{", "}}") for name, value in step["env"].items()}
        bash(step["run"], {**os.environ, **own, **{name: str(path) for name, path in files.items()}}, work)
    environment = dict(os.environ)
    for line in files["GITHUB_ENV"].read_text().splitlines():
        name, value = line.split("=", 1)
        environment[name] = value
    environment["PATH"] = os.pathsep.join([*files["GITHUB_PATH"].read_text().splitlines(), environment["PATH"]])
    assert files["GITHUB_OUTPUT"].read_text() == f"prefix={environment['INMEM_PREFIX']}\n"
    bash(command, environment, work)


def component(path, work, command):
    import yaml
    work = pathlib.Path(work)
    work.mkdir(parents=True)
    text = pathlib.Path(path).read_text()
    known = {f"inputs.{name}": each["default"] for name, each in next(yaml.safe_load_all(text))["spec"]["inputs"].items()}
    known["inputs.prefix"] = str(work / "inmem")
    job = list(yaml.safe_load_all(filled(text, known, "$[[", "]]")))[1][".inmem"]
    # The image of the job is bare; this machine has what apt-get would install.
    script = "\n".join(["apt-get() { true; }", *job["before_script"], command])
    bash(script, {**os.environ, **job["variables"]}, work)


def checksums(files, tarball):
    files, content = pathlib.Path(files), pathlib.Path(tarball).read_bytes()
    plain = hashlib.sha256(content).hexdigest()
    coded = "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()
    for name, wanted in {"homebrew/inmem.rb": plain, "spack/package.py": plain, "conan/conanfile.py": plain, "nix/default.nix": coded}.items():
        assert wanted in (files / name).read_text(), name
    source = json.loads((files / "bazel/source.json").read_text())
    overlay = hashlib.sha256((files / "bazel/BUILD.bazel").read_bytes()).digest()
    assert source["integrity"] == coded and source["overlay"]["BUILD.bazel"] == "sha256-" + base64.b64encode(overlay).decode()
    assert json.loads((files / "vcpkg/vcpkg.json").read_text())["version"] in source["url"]


def conan(files):
    """Makes a package of the tarball, in a home of its own."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "CONAN_HOME": home}
        for command in (["conan", "profile", "detect"], ["conan", "create", f"{files}/conan", "--no-remote"]):
            ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if ran.returncode:
                return ran
        found = list(pathlib.Path(home).rglob("p/bin/inmem"))
        return subprocess.run([found[0], "--version"], stdout=subprocess.PIPE, text=True) if found else ran


def lint(files):
    files = pathlib.Path(files)
    linters = [
        ("Spack", [sys.executable, "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", files / "spack/package.py"]),
        ("Homebrew", ["ruby", "-c", files / "homebrew/inmem.rb"]),
        ("Nix", ["nix-instantiate", "--parse", files / "nix/default.nix"]),
        ("Dockerfile", ["hadolint", files / "docker/Dockerfile"]),
        ("action", ["check-jsonschema", "--builtin-schema", "vendor.github-actions", files / "github/action.yml"]),
        ("Bazel", ["buildifier", "--mode=check", "--lint=warn", files / "bazel/BUILD.bazel", files / "bazel/MODULE.bazel"]),
        ("Conan", ["conan"]),
    ]
    status = 0
    for name, command in linters:
        if not shutil.which(command[0]):
            print(f"{name}: no {command[0]}")
            continue
        if name == "Conan":
            ran = conan(files)
        else:
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{name}: " + ("good" if ran.returncode == 0 else ran.stdout))
        status |= ran.returncode != 0
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit({"make": make, "action": action, "component": component, "checksums": checksums, "lint": lint}[sys.argv[1]](*sys.argv[2:]))
