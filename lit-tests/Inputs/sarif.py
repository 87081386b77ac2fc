#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Validates SARIF files against the official JSON schema of SARIF 2.1.0.

  sarif.py --fetch SCHEMA.json        stores the schema, unless it is there
  sarif.py SCHEMA.json FILE.sarif...  validates; needs the module jsonschema

The schema is not part of this project. It comes with the source of Microsoft's Python
package sarif-om, which pip fetches and checks by its hash.
"""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

PACKAGE = "sarif-om==1.0.4 --hash=sha256:cd5f416b3083e00d402a92e449a7ff67af46f11241073eea0461802a3b5aef98"
SCHEMA = "sarif_om-1.0.4/sarif-2.1.0-rtm.4.json"
# What the standard's errata have tightened since: where a region begins must be said.
REGION_BEGINS = [{"required": [place]} for place in ("startLine", "charOffset", "byteOffset")]


def fetch(target):
    if os.path.exists(target):
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "requirements.txt").write_text(PACKAGE + "\n")
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                               "--no-binary", ":all:", "--require-hashes", "--requirement", folder / "requirements.txt", "--dest", folder],
                              capture_output=True, text=True, timeout=1800)
        archives = list(folder.glob("*.tar.gz"))
        if done.returncode or len(archives) != 1:
            sys.exit(f"sarif.py: {done.stderr.strip()[-500:] or 'pip left no archive'}")
        with tarfile.open(archives[0]) as archive:
            schema = json.load(archive.extractfile(SCHEMA))
    schema["definitions"]["region"]["anyOf"] = REGION_BEGINS
    with open(target + ".new", "w") as out:
        json.dump(schema, out)
    os.replace(target + ".new", target)


def validate(schema, files):
    import jsonschema
    with open(schema) as text:
        validator = jsonschema.Draft4Validator(json.load(text))
    broken = 0
    for name in files:
        with open(name) as text:
            content = json.load(text)
        for error in validator.iter_errors(content):
            print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
            broken += 1
        results = sum(len(run.get("results", [])) for run in content["runs"])
        print(f"{name}: SARIF {content['version']}, {results} results")
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--fetch":
        fetch(sys.argv[2])
    else:
        sys.exit(validate(sys.argv[1], sys.argv[2:]))
