# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""serve.py --inmem PROGRAM --inputs DIR --work DIR: `inmem serve` under 200 connections, some
of them slow, some that make no sense; and what it must not answer."""
import argparse
import atexit
import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import zlib

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import PATIENCE

CONNECTIONS = 200


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "serve", "--no-symbols", folder], stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        url = urllib.parse.urlparse(self.process.stdout.readline().strip())
        self.port, self.token = url.port, urllib.parse.parse_qs(url.query)["token"][0]

    def get(self, path, token=None, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            separator = "&" if "?" in path else "?"
            connection.request(method, f"{path}{separator}token={self.token if token is None else token}", headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def raw(self, text, wait=1.0):
        """What comes back for bytes that may make no sense."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection, contextlib.suppress(OSError):
            connection.sendall(text)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(65536)
        return b""

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024


def head(page):
    """The JSON that a page shows."""
    data = zlib.decompress(base64.b64decode(re.search(rb'id="inmem-data">([^<]*)<', page)[1]))
    return json.loads(data[4:4 + int.from_bytes(data[:4], "little")])


def listed(page):
    """Each trace is there with what it says of its run; of a broken one, why it says nothing."""
    traces = {trace["file"]: trace for trace in head(page)["traces"]}
    check("names", sorted(traces), ["broken.inmem", "new.inmem", "old.inmem"])
    broken = traces.pop("broken.inmem")
    check("what a broken one says", (bool(broken["error"]), broken["command"], broken["build"]), (True, "", ""))
    for name, trace in traces.items():
        says = tuple(trace[key] for key in ("command", "pid", "host", "start_unix_ns", "running", "build", "error"))
        check(name, says, ("./shop", 4711, "box", 1000000000, False, "c0ffee", ""))


def refuses(server, secret):
    check("no token", server.get("/", token="")[0], 403)
    check("a wrong token", server.get("/", token="0" * 32)[0], 403)
    check("another name", server.get("/", Host="x.y")[0], 403)
    check("another site", server.get("/", Origin="http://x.y")[0], 403)
    check("its own site", server.get("/", Origin=f"http://127.0.0.1:{server.port}")[0], 200)
    check("a post", server.get("/", method="POST")[0], 405)
    check("a put", server.get("/trace?file=x.inmem", method="PUT")[0], 405)
    for name in ("../secret.inmem", "..%2Fsecret.inmem", "%2e%2e/secret.inmem", urllib.parse.quote(str(secret), safe=""), "link.inmem", "pipe.inmem",
                 "new.inmem%00.txt", "", ".", "deeper/new.inmem", "notes.txt"):
        for path in ("/trace?file=", "/data?file=", "/diff?new=new.inmem&old="):
            check(f"{path}{name}", server.get(path + name)[0], 404)
    for path in ("/../secret.inmem", "/etc/passwd", "/trace/../../etc/passwd", "//etc/passwd", "/new.inmem"):
        check(path, server.get(path)[0], 404)


def malformed(server):
    for text in (b"", b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\xff" * 2000, b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                 b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"GET /?" + b"a=b&" * 20000 + b" HTTP/1.1\r\n\r\n"):
        answer = server.raw(text)
        if b" 200 " in answer[:20]:
            sys.exit(f"{text[:40]!r} was answered: {answer[:100]!r}")


def slow(server, expected):
    """Reads a page a little at a time."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(f"GET /trace?file=new.inmem&token={server.token} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
        got = b""
        while piece := connection.recv(16384):
            got += piece
            time.sleep(0.02)
    return got.split(b"\r\n\r\n", 1)[1] == expected


def main():
    parser = argparse.ArgumentParser()
    for name in ("inmem", "inputs", "work"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    work = pathlib.Path(options.work)
    folder = work / "traces"
    folder.mkdir(parents=True)
    for name in ("old", "new"):
        text = (pathlib.Path(options.inputs) / f"shop-{name}.trace").read_text(encoding="utf-8")
        # The program's own file has a build ID that no library has.
        (work / "trace").write_text(text.replace('path="shop" build-id=0a0b', 'path="/opt/shop/shop" build-id=c0ffee'), encoding="utf-8")
        subprocess.run([os.environ["INMEM_ASSEMBLE"], "-o", folder / f"{name}.inmem", work / "trace"], check=True)
    secret = work / "secret.inmem"
    secret.write_bytes((folder / "new.inmem").read_bytes())
    (folder / "link.inmem").symlink_to(secret)
    os.mkfifo(folder / "pipe.inmem")
    (folder / "notes.txt").write_text("not a trace", encoding="utf-8")
    (folder / "broken.inmem").write_bytes(b"no trace at all")
    before = sorted((p.name, p.lstat().st_mtime_ns, p.lstat().st_size) for p in folder.iterdir())

    server = Server(options.inmem, folder)
    status, page, headers = server.get("/")
    check("the list", (status, headers["X-Content-Type-Options"], headers["Referrer-Policy"]), (200, "nosniff", "no-referrer"))
    listed(page)
    check("the token", len(server.token), 32)
    refuses(server, secret)
    malformed(server)
    check("a broken trace", server.get("/trace?file=broken.inmem")[0], 422)
    status, expected, _ = server.get("/trace?file=new.inmem")
    check("a page", status, 200)
    check("two", server.get("/diff?old=old.inmem&new=new.inmem")[0], 200)
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        lazy = [pool.submit(slow, server, expected) for _ in range(CONNECTIONS // 8)]
        quick = [pool.submit(server.get, "/trace?file=new.inmem") for _ in range(CONNECTIONS - len(lazy))]
        for answer in quick:
            status, body, _ = answer.result()
            check("a page under load", (status, body == expected), (200, True))
        check("slow readers", [each.result() for each in lazy], [True] * len(lazy))
    if server.memory() > 400:
        sys.exit(f"it takes {server.memory()} MB")
    check("the list again", server.get("/")[1], page)
    # One that says nothing does not keep it from ending.
    with socket.create_connection(("127.0.0.1", server.port)):
        server.process.send_signal(signal.SIGINT)
        check("exit code", server.process.wait(PATIENCE), 0)
    check("the folder", sorted((p.name, p.lstat().st_mtime_ns, p.lstat().st_size) for p in folder.iterdir()), before)


if __name__ == "__main__":
    main()
