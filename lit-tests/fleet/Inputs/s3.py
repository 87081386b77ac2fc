# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""s3.py INMEM FOLDER TRACE...: collects traces into a bucket of a server that fails in each way, and says what went right."""
import os
import queue
import random
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
import s3_server
from patience import until

inmem, folder, traces = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
source = folder / "from"
source.mkdir(parents=True)


def environment(server, **changes):
    out = {**os.environ, "AWS_ACCESS_KEY_ID": s3_server.ID, "AWS_SECRET_ACCESS_KEY": s3_server.SECRET, "AWS_SESSION_TOKEN": s3_server.TOKEN,
           "AWS_REGION": s3_server.REGION, "AWS_ENDPOINT_URL": server.url, "no_proxy": "127.0.0.1", **changes}
    return {name: value for name, value in out.items() if value is not None}


def command(*options):
    return [inmem, "collect", "--from", source, "--to", "s3://bucket/some where", "--settle", "0", *options]


def collect(server, *options, **changes):
    """Exit code and what was said, of a run over all traces."""
    for trace in traces:
        shutil.copy(trace, source)
    done = subprocess.run(command(*options), capture_output=True, text=True, env=environment(server, **changes))
    said = done.stdout + done.stderr
    for secret in (s3_server.SECRET, s3_server.TOKEN, "wrong secret", "Signature="):
        assert secret not in said, said
    return done.returncode, said


def check(what, code, said, wanted, text=""):
    assert code == wanted and text in said, f"{what}: exit code {code}: {said}"
    print("right:", what)


def check_objects(server, what):
    assert len(server.objects) == len(traces) and not server.uploads, (what, server.codes)
    for key, data in server.objects.items():
        assert key.startswith("/bucket/some where/date=1970-01-01/service=shop/"), key
        assert data[:4] == b"\x28\xb5\x2f\xfd", key
    assert not list(source.glob("*.inmem")), what


first = s3_server.Server()
check("traces are stored", *collect(first), 0, f"{len(traces)} traces to s3://bucket/some where")
check_objects(first, "first")
check("a retry finds them", *collect(first), 0, f"{len(traces)} already there")
check_objects(first, "again")

server = s3_server.Server()
check("a wrong secret", *collect(server, AWS_SECRET_ACCESS_KEY="wrong secret"), 4, "403 SignatureDoesNotMatch: as the test wants")
assert len(server.codes) == 1, "it is not tried again"
check("a wrong id", *collect(server, AWS_ACCESS_KEY_ID="x"), 4, "403 InvalidAccessKeyId")
check("no credentials", *collect(server, AWS_SECRET_ACCESS_KEY=None), 2, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
server.faults[:] = ["drop", "drop", "503", "429", ""]
check("a connection that is dropped, a server that is busy", *collect(server), 0, f"{len(traces)} traces to")
check_objects(server, "dropped")
assert server.objects == first.objects

server = s3_server.Server()
server.faults[:] = ["", "close"]  # a connection that was idle: libcurl sends the body again
check("a kept connection that is closed", *collect(server), 0, f"{len(traces)} traces to")
check_objects(server, "closed")
assert server.objects == first.objects

server = s3_server.Server()
server.faults[:] = ["corrupt"]
check("bytes that change on the way", *collect(server), 0, f"{len(traces)} traces to")
assert ("PUT", 400) in server.codes
assert server.objects == first.objects

server = s3_server.Server()
server.faults[:] = ["", "500", "", "", "corrupt"]
check("objects in parts", *collect(server, "--part-size", "1000", "--bandwidth", "1MB"), 0, f"{len(traces)} traces to")
check_objects(server, "parts")
assert server.objects == first.objects
assert [code for code in server.codes if code[0] == "DELETE"] == [("DELETE", 204)] * 2, server.codes
check("parts are not sent twice", *collect(server, "--part-size", "1000"), 0, f"{len(traces)} already there")

server.shutdown()
server.server_close()
check("a server that is away", *collect(server, "--attempts", "2"), 4, f"{len(traces)} waiting")
back = s3_server.Server()
check("one that is back", *collect(back), 0, f"{len(traces)} traces to")
check_objects(back, "back")

server, kills = s3_server.Server(), 0
random.seed(3)
for trace in traces:
    shutil.copy(trace, source)
while len(server.objects) < len(traces):
    daemon = subprocess.Popen(command("--daemon", "--bandwidth", "100kB", "--part-size", "3000"), env=environment(server), stderr=subprocess.DEVNULL)
    # It is killed between any two requests, however long they take.
    wanted = len(server.codes) + random.randrange(1, 8)
    until(lambda wanted=wanted: len(server.codes) >= wanted or len(server.objects) >= len(traces), "further requests")
    daemon.kill()
    daemon.wait()
    kills += 1
    assert kills < 200, server.codes
assert server.objects == first.objects
print("right: a collector that is killed again and again")

# At each step of the network: the request was not seen yet, or it was obeyed and the answer never came.
steps, ended = 0, False
shutil.rmtree(source)
source.mkdir()
while not ended:
    steps += 1
    for when in ("before", "after"):
        server = s3_server.Server()
        for trace in traces[:2]:
            shutil.copy(trace, source)
        victims = queue.Queue()
        server.kill, server.kill_at = lambda: victims.get().kill(), (steps, when)  # noqa: B023
        victim = subprocess.Popen(command("--part-size", "1000"), env=environment(server), stderr=subprocess.DEVNULL)
        victims.put(victim)
        ended = victim.wait() == 0
        if ended:
            break
        assert victim.returncode == -9, (steps, when, victim.returncode)
        server.kill = None
        done = subprocess.run(command(), capture_output=True, text=True, env=environment(server))
        assert done.returncode == 0 and len(server.objects) == 2, (steps, when, done.stderr, server.codes)
        assert server.objects.items() <= first.objects.items(), (steps, when)
        assert not list(source.rglob("*.inmem*")), (steps, when)
    server.shutdown()
    server.server_close()
assert steps > 8, steps
print("right: a collector that is killed at each step")

if shutil.which("openssl"):
    pair = [str(folder / "key.pem"), str(folder / "cert.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", pair[0], "-out", pair[1], "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair[1], pair[0])
    server = s3_server.Server(context)
    check("a certificate that nobody trusts", *collect(server, "--attempts", "1"), 4, "certificate")
    check("one that is trusted", *collect(server, AWS_CA_BUNDLE=pair[1]), 0)
    assert server.objects == first.objects
