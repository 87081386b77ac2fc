# Attaches to nginx's worker again and again while it serves, and holds its answers, its log and its state against those without.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   attachnginx.py INMEM NGINX FOLDER ROUNDS
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

inmem, nginx, folder, rounds = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), int(sys.argv[4])
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
EACH = 5  # answers that a round waits for while it is attached
SIZES = {"small": 100, "page": 20_000, "large": 300_000}
FILES = {name: bytes((i * 7 + size) % 251 for i in range(size)) for name, size in SIZES.items()}
for name, content in FILES.items():
    with open(f"{folder}/{name}", "wb") as file:
        file.write(content)
# A path of a socket is short.
sockets = tempfile.mkdtemp()
# The worker of a master that runs as root would be another user's, without the right to write a trace here.
user = "user root;" if os.geteuid() == 0 else ""
with open(f"{folder}/nginx.conf", "w") as conf:
    conf.write(f"""
{user} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen unix:{sockets}/s; root {folder}; gzip on; gzip_types *; gzip_min_length 10; }}
}}
""")


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(f"{sockets}/s")


def answer(connection, name):
    connection.request("GET", "/" + name)
    got = connection.getresponse()
    body = got.read()
    assert got.status == 200 and body == FILES[name], (name, got.status, len(body))


class Client(threading.Thread):
    """Requests without end, on a connection that is kept and on one for each."""

    def __init__(self):
        super().__init__()
        self.done, self.ends, self.wrong = 0, False, None
        self.more = threading.Condition()

    def run(self):
        try:
            kept = Connection("nginx")
            while not self.ends:
                for name in FILES:
                    answer(kept, name)
                    new = Connection("nginx")
                    answer(new, name)
                    new.close()
                    with self.more:
                        self.done += 2
                        self.more.notify_all()
        except Exception as wrong:
            with self.more:
                self.wrong = wrong
                self.more.notify_all()

    def wait_for_answers(self, count):
        with self.more:
            until = self.done + count
            self.more.wait_for(lambda: self.done >= until or self.wrong)
            assert not self.wrong, self.wrong


def run(*words):
    done = subprocess.run([inmem, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def listens():
    """True once the server accepts connections: its socket has a name from bind() on, and refuses them until listen()."""
    try:
        Connection("nginx").connect()
        return True
    except OSError:
        return False


def state(pid):
    """Signals, threads, and the files that are mapped, but for inmem's library and what that needs. A private copy of the trace stays."""
    with open(f"/proc/{pid}/status") as of:
        found = dict(line.split(":", 1) for line in of)
    # glibc's own handlers: the first thread of a process installs them for good.
    signals = {name: int(found[name], 16) & ~(3 << 31) for name in ("SigIgn", "SigCgt", "SigBlk")}
    with open(f"/proc/{pid}/maps") as maps:
        rows = [line.split(maxsplit=5) for line in maps if "/" in line]
    files = {path.strip() for _, access, _, _, _, path in rows if not (access.endswith("p") and path.startswith(folder))}
    return signals, found["Threads"], sorted(f for f in files if "libinmem_rt" not in f and "libgcc_s" not in f)


server = subprocess.Popen([nginx, "-p", folder, "-c", f"{folder}/nginx.conf"], stderr=subprocess.PIPE)
try:
    while not listens():
        assert server.poll() is None, server.stderr.read()
    client = Client()
    client.start()
    client.wait_for_answers(EACH)
    with open(f"/proc/{server.pid}/task/{server.pid}/children") as children:
        (worker,) = children.read().split()
    before = state(worker)
    for number in range(rounds):
        trace = f"{folder}/{number}.inmem"
        run("attach", worker, "-q", "--trace", trace)
        client.wait_for_answers(EACH)
        run("detach", worker, "-q")
        assert state(worker) == before, (before, state(worker))
        report = json.loads(run("report", "--format", "json", trace))
        totals = report["totals"]
        assert report["processes"][0]["complete"] and totals["allocations"] >= max(EACH, totals["frees"]) > 0, totals
        os.remove(trace)
    client.wait_for_answers(EACH)
    client.ends = True
    client.join()
    assert not client.wrong, client.wrong
    # The same worker served each request, and had nothing to complain of.
    with open(f"/proc/{server.pid}/task/{server.pid}/children") as children:
        assert children.read().split() == [worker]
finally:
    server.terminate()
    server.wait()
    shutil.rmtree(sockets)
assert server.returncode == 0, server.returncode
with open(f"{folder}/access.log") as log:
    served = len(log.readlines())
with open(f"{folder}/error.log") as log:
    complaints = [line for line in log if "[notice]" not in line]
assert served == client.done and not complaints, (served, client.done, complaints)
print(f"nginx: {rounds} rounds, {served} requests")
