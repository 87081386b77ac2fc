#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Validates SARIF files against the official JSON schema of SARIF 2.1.0.

  sarif.py --fetch SCHEMA.json        stores the schema, unless it is there
  sarif.py SCHEMA.json FILE.sarif...  validates; needs the module jsonschema

The schema is not part of this project. It comes, unchanged, with the Go module
go-sarif, which is fetched through `go mod download` and checked by its hash.
"""
import json
import os
import subprocess
import sys
import tempfile

MODULE = "github.com/owenrumney/go-sarif/v3@v3.3.1"
HASH = "h1:bKY8YnWcY8zYTiGVObC5wZLlfEvMkCxK9XMGXBbzEtQ="
SOURCE = "pkg/report/v210/sarif/schema.go"


def fetch(target):
    if os.path.exists(target):
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, GOPATH=folder, GOFLAGS="-modcacherw", GOTOOLCHAIN="local",
                           GONOSUMDB="*")
        done = subprocess.run(["go", "mod", "download", "-json", MODULE], cwd=folder,
                              env=environment, capture_output=True, timeout=120)
        module = json.loads(done.stdout or "{}")
        if module.get("Error") or done.returncode:
            sys.exit(f"sarif.py: {module.get('Error') or done.stderr.decode()}")
        if module["Sum"] != HASH:
            sys.exit(f"sarif.py: {MODULE}: expected {HASH}, found {module['Sum']}")
        with open(os.path.join(module["Dir"], SOURCE)) as source:
            schema = json.loads(source.read().split("`")[1])
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
