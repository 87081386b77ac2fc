# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""s3_versitygw.py INMEM VERSITYGW FOLDER LARGE TRACE...: collects into a bucket of a server that others wrote.

LARGE is a trace that takes several parts, of at least 5 MB each."""
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

inmem, versitygw, folder, large, traces = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4], sys.argv[5:]
source, bucket = folder / "from", folder / "data" / "bucket"
source.mkdir(parents=True)
bucket.mkdir(parents=True)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
server = subprocess.Popen([versitygw, "--port", f"127.0.0.1:{port}", "posix", str(bucket.parent)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env={**os.environ, "ROOT_ACCESS_KEY": "id", "ROOT_SECRET_KEY": "secret"})
environment = {**os.environ, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
               "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "no_proxy": "127.0.0.1"}


def check(what, wanted, text, files, *options, **changes):
    for trace in files:
        shutil.copy(trace, source)
    done = subprocess.run([inmem, "collect", "--from", source, "--to", "s3://bucket/all", "--settle", "0", *options], capture_output=True, text=True,
                          env={**environment, **changes})
    assert done.returncode == wanted and text in done.stderr, f"{what}: {done.returncode}: {done.stderr}"
    print("right:", what)


try:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as there:
            if there.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    check("a wrong secret", 4, "SignatureDoesNotMatch", traces, AWS_SECRET_ACCESS_KEY="other")
    check("traces", 0, f"{len(traces)} traces to", [])
    check("a retry", 0, f"{len(traces)} already there", traces)
    check("parts", 0, "1 trace to", [large], "--part-size", "5MB")
    check("a retry of parts", 0, "1 already there", [large], "--part-size", "5MB")
    stored = [str(file) for file in bucket.rglob("*.inmem.zst")]
    assert len(stored) == len(traces) + 1, stored
    assert max(os.path.getsize(file) for file in stored) > 10 << 20, "not in parts"
    subprocess.run([inmem, "merge", "-o", folder / "all.inmem", *stored], check=True)
finally:
    server.terminate()
    server.wait()
