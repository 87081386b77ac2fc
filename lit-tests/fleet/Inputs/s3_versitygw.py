# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""s3_versitygw.py INMEM VERSITYGW FOLDER LARGE TRACE...: collects into a bucket of a server that others wrote, and through its failures.

LARGE is a trace that takes several parts, of at least 5 MB each."""
import contextlib
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from faulty_proxy import Proxy
from patience import until

inmem, versitygw, folder, large, traces = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4], sys.argv[5:]
source = folder / "from"
source.mkdir(parents=True)
environment = {**os.environ, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "no_proxy": "127.0.0.1"}


def answers(port):
    with socket.socket() as there:
        return there.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def serving(data, megabytes=None):
    """A server whose buckets are folders of `data`, in a file system of so many MB of its own; gives its port."""
    (data / "bucket").mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [versitygw, "--port", f"127.0.0.1:{port}", "posix", str(data)]
    if megabytes:
        mount = 'mount -t tmpfs -o size="$1" none "$2" && mkdir "$2/bucket" && shift 2 && exec "$@"'
        command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh", f"{megabytes}m", str(data), *command]
    with open(folder / "server.log", "a") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "ROOT_ACCESS_KEY": "id", "ROOT_SECRET_KEY": "secret"})
    try:
        until(lambda: server.poll() is not None or answers(port), "a server that answers")
        yield port
    finally:
        server.terminate()
        server.wait()


def check(what, wanted, text, url, files, *options, **changes):
    for trace in files:
        shutil.copy(trace, source)
    if isinstance(url, int):
        url = f"http://127.0.0.1:{url}"
    done = subprocess.run([inmem, "collect", "--from", source, "--to", "s3://bucket/all", "--settle", "0", *options], capture_output=True, text=True,
                          env={**environment, "AWS_ENDPOINT_URL": url, **changes})
    assert done.returncode == wanted and text in done.stderr, f"{what}: {done.returncode}: {done.stderr}"
    print("right:", what, flush=True)


def stored(data):
    return {file.relative_to(data): file.read_bytes() for file in data.rglob("*.inmem.zst")}


good = folder / "good"
with serving(good) as port:
    check("a wrong secret", 4, "SignatureDoesNotMatch", port, traces, AWS_SECRET_ACCESS_KEY="other")
    check("traces", 0, f"{len(traces)} traces to", port, [])
    check("a retry", 0, f"{len(traces)} already there", port, traces)
    check("parts", 0, "1 trace to", port, [large], "--part-size", "5MB")
    check("a retry of parts", 0, "1 already there", port, [large], "--part-size", "5MB")
whole = stored(good)
assert len(whole) == len(traces) + 1, whole.keys()
assert max(map(len, whole.values())) > 10 << 20, "not in parts"
subprocess.run([inmem, "merge", "-o", folder / "all.inmem", *(good / name for name in whole)], check=True)

faulty = folder / "faulty"
with serving(faulty) as port:
    proxy = Proxy(port)
    proxy.faults[:] = [100, 1]
    check("a connection that is dropped", 0, f"{len(traces)} traces to", proxy.url, traces)
    proxy.faults[:] = [6 << 19, "corrupt"]
    check("a part that is dropped, one that changes on the way", 0, "1 trace to", proxy.url, [large], "--part-size", "5MB")
    assert proxy.done == [100, 1, 6 << 19, "corrupt"], proxy.done
    assert stored(faulty) == whole, stored(faulty).keys() ^ whole.keys()
    shutil.rmtree(faulty / "bucket" / "all")
    proxy.faults[:] = ["corrupt", "", "corrupt"]
    check("a byte that changes on the way", 0, f"{len(traces)} traces to", proxy.url, traces)
    assert proxy.done[-3:] == ["corrupt", "", "corrupt"], proxy.done
    shutil.rmtree(faulty / "bucket" / "all")
    proxy.faults[:] = ["corrupt"] * 99
    check("bytes that always change", 4, "wait", proxy.url, traces[:1], "--attempts", "2")
    assert not stored(faulty)
    proxy.faults[:] = []
    check("the retry after it", 0, "1 trace to", proxy.url, [])

if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], capture_output=True).returncode:
    print("no namespaces: a full disk is not tried")
else:
    full = folder / "full"
    with serving(full, megabytes=8) as port:
        check("a full disk", 4, "wait", port, [*traces, large], "--part-size", "5MB", "--attempts", "2")
    shutil.rmtree(full)
    with serving(full) as port:
        check("what waited, when there is room", 0, "", port, [], "--part-size", "5MB")
    assert any(name in stored(full) and stored(full)[name] == data for name, data in whole.items() if len(data) > 10 << 20)
print("right: all")
