#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the shell steps of a GitHub workflow, an action or a GitLab job, as their runners do.

  ci_steps.py FILE.yml [INPUT=VALUE...]    inputs are an action's

Each step is a bash of its own with -e (GitLab: one for all), in the current
folder. Steps that are others' actions are left out and named. Variables that are
set already stay. The exit code is that of the first step that fails; what is to
run in any case runs all the same.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml


def variables(given):
    return {name: value for name, value in (given or {}).items() if name not in os.environ}


def bash(script, environment):
    print("+ " + script.strip().replace("\n", "\n+ "), flush=True)
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], env=environment).returncode


def github(workflow):
    status = 0
    for job in workflow["jobs"].values():
        environment = dict(os.environ, GITHUB_ACTIONS="true", **variables(workflow.get("env")))
        for step in job["steps"]:
            if "run" not in step:
                print("left out: " + step["uses"])
            elif status == 0 or "always()" in str(step.get("if", "")):
                status = bash(step["run"], environment) or status
    return status


def action(content, path, given):
    inputs = {name: one.get("default", "") for name, one in content["inputs"].items()} | given
    known = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(path.resolve().parent)}

    def expanded(text):
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: known[match[1]], text)

    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder) / name for name in ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT")}
        for step in content["runs"]["steps"]:
            if "run" not in step:
                print("left out: " + step["uses"])
                continue
            own = {name: expanded(value) for name, value in step.get("env", {}).items()}
            status = bash(step["run"], os.environ | own | {name: str(file) for name, file in files.items()})
            if status:
                return status
        for name, file in files.items():
            print(f"{name}: {file.read_text().strip()}")
    return 0


def gitlab(jobs):
    for job in jobs.values():
        environment = dict(os.environ, CI_PROJECT_DIR=os.getcwd(), **variables(job.get("variables")))
        status = bash("\n".join(job.get("before_script", []) + job["script"]), environment)
        if status:
            return status
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as text:
        content = yaml.safe_load(text)
    if "runs" in content:
        sys.exit(action(content, pathlib.Path(sys.argv[1]), dict(word.split("=", 1) for word in sys.argv[2:])))
    sys.exit(github(content) if "jobs" in content else gitlab(content))
