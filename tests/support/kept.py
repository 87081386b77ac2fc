# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of what does not depend on inmem, kept in a build folder from one run to the next.

A result is kept under a key of everything that it depends on: the parts that the caller
names (sources, flags, ...), the version of the compiler and every installed package.
"""
import functools
import hashlib
import json
import os
import pathlib
import subprocess

PACKAGES = pathlib.Path("/var/lib/dpkg/status")


@functools.cache
def system(compiler):
    """What this machine compiles with; None where that cannot be known."""
    if not PACKAGES.exists():
        return None
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    return version.stdout + hashlib.sha256(PACKAGES.read_bytes()).hexdigest() if version.returncode == 0 else None


def kept(build, name, compiler, parts, make):
    """The result of make(), a value of JSON, or an earlier one with the same parts."""
    machine = system(str(compiler))
    if machine is None:
        return make()
    key = hashlib.sha256(json.dumps([machine, parts]).encode()).hexdigest()
    path = pathlib.Path(build) / "kept" / f"{name}.json"
    try:
        found = json.loads(path.read_text())
        if found["key"] == key:
            return found["result"]
    except (OSError, ValueError, KeyError):
        pass
    result = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps({"key": key, "result": result}))
    new.replace(path)
    return json.loads(json.dumps(result))
