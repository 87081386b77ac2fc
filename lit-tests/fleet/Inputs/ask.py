# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts of this folder share: `inmem query` as a function."""
import json
import subprocess


def ask(inmem, folder, question, *params):
    """The rows of an answer, each a dictionary."""
    command = [inmem, "query", question, folder, "--format", "json"]
    for param in params:
        command += ["--param", param]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{question}: {done.stderr}"
    return json.loads(done.stdout)
