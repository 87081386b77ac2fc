# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small S3 that believes nothing: it checks signatures, hashes and checksums, and fails when a test tells it to.

Knows PUT, HEAD, and uploads in parts, with If-None-Match. Objects are in `server.objects`."""
import base64
import hashlib
import hmac
import http.server
import sys
import threading
import urllib.parse

ID, SECRET, TOKEN, REGION = "an id", "a/secret+key", "a token", "eu-north-1"


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def sent_query(text):
    """The query as it is signed: sorted, each name with `=`."""
    return "&".join(sorted(part if "=" in part else part + "=" for part in text.split("&"))) if text else ""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, error="", body="", headers=()):
        if self.server.reached("after"):
            self.close_connection = True
            return
        self.server.codes.append((self.command, code))  # before the client may end
        if error:
            body = f"<?xml version=\"1.0\"?>\n<Error><Code>{error}</Code><Message>as the test wants</Message><AWSAccessKeyId>{ID}</AWSAccessKeyId></Error>"
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body.encode())

    def signature(self, path, query):
        """What is wrong with it; empty: nothing."""
        scheme, _, rest = self.headers.get("Authorization", "").partition(" ")
        fields = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        if scheme != "AWS4-HMAC-SHA256":
            return "AccessDenied"
        signed_id, day, region, service, end = fields["Credential"].split("/")
        if signed_id != ID:
            return "InvalidAccessKeyId"
        if region != REGION or self.headers.get("x-amz-security-token") != TOKEN:
            return "AccessDenied"
        names = fields["SignedHeaders"].split(";")
        for name in self.headers:
            if name.lower().startswith("x-amz-") or name.lower() in ("host", "if-none-match"):
                assert name.lower() in names, name
        lines = "".join(f"{name}:{self.headers[name].strip()}\n" for name in names)
        canonical = "\n".join([self.command, path, sent_query(query), lines, ";".join(names), self.headers["x-amz-content-sha256"]])
        time = self.headers["x-amz-date"]
        text = "\n".join([scheme, time, f"{day}/{region}/{service}/{end}", hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + SECRET).encode()
        for part in (time[:8], region, service, end):
            key = digest(key, part)
        return "" if hmac.new(key, text.encode(), hashlib.sha256).hexdigest() == fields["Signature"] else "SignatureDoesNotMatch"

    def body(self, fault):
        length = int(self.headers.get("Content-Length", 0))
        if fault in ("drop", "close"):  # in the middle, or instead of an answer
            self.rfile.read(length // 2 if fault == "drop" else length)
            self.connection.close()
            return None
        data = self.rfile.read(length)
        if len(data) < length:  # the sender died
            return None
        return data[:-1] + bytes([data[-1] ^ 1]) if fault == "corrupt" else data

    def do_POST(self):
        self.do_any()

    def do_PUT(self):
        self.do_any()

    def do_HEAD(self):
        self.do_any()

    def do_DELETE(self):
        self.do_any()

    def do_any(self):
        with self.server.lock:
            faults = self.server.faults
            fault = faults.pop(0) if faults and self.command in ("PUT", "POST") else ""
        data = self.body(fault)
        if data is None or self.server.reached("before"):
            self.close_connection = True
            return
        path, _, query = self.path.partition("?")
        if fault.isdigit():
            self.answer(int(fault), "SlowDown")
        elif wrong := self.signature(path, query):
            self.answer(403, wrong)
        elif hashlib.sha256(data).hexdigest() != self.headers["x-amz-content-sha256"]:
            self.answer(400, "XAmzContentSHA256Mismatch")
        elif (given := self.headers.get("x-amz-checksum-sha256")) and base64.b64encode(hashlib.sha256(data).digest()).decode() != given:
            self.answer(400, "BadDigest")
        elif not path.startswith("/bucket/"):
            self.answer(404, "NoSuchBucket")
        else:
            with self.server.lock:
                self.serve(urllib.parse.unquote(path), dict(urllib.parse.parse_qsl(query, keep_blank_values=True)), data)

    def serve(self, key, query, data):
        objects, uploads = self.server.objects, self.server.uploads
        taken = key in objects and self.headers.get("If-None-Match") == "*"
        if self.command == "HEAD":
            self.answer(200 if key in objects else 404)
        elif "uploads" in query:
            number = f"upload+{len(self.server.codes)}"
            uploads[number] = {}
            self.answer(200, body=f"<R><UploadId>{number}</UploadId></R>")
        elif self.command == "DELETE":
            del uploads[query["uploadId"]]
            self.answer(204)
        elif self.command == "PUT" and "partNumber" in query:
            tag = f"\"{hashlib.md5(data).hexdigest()}\""
            uploads[query["uploadId"]][int(query["partNumber"])] = tag, data
            self.answer(200, headers=[("eTag", tag)])
        elif taken:
            self.answer(412, "PreconditionFailed")
        elif self.command == "PUT":
            objects[key] = data
            self.answer(200)
        else:
            parts = uploads.pop(query["uploadId"])
            wanted = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>{parts[number][0]}</ETag></Part>" for number in sorted(parts))
            assert data.decode() == f"<CompleteMultipartUpload>{wanted}</CompleteMultipartUpload>", data
            objects[key] = b"".join(parts[number][1] for number in sorted(parts))
            self.answer(200, body="<R><ETag>x</ETag></R>")


class Server(http.server.ThreadingHTTPServer):
    """Runs in a thread of its own, until it is shut down."""
    daemon_threads = True

    def __init__(self, tls=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.kill, self.kill_at, self.killed, self.requests, self.steps = None, None, False, 0, threading.Lock()
        self.objects, self.uploads, self.codes, self.faults, self.lock = {}, {}, [], [], threading.Lock()
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def reached(self, when):
        """Whether the client is to die at this moment: `kill` says what kills it, `kill_at` when, as (requests, "before" or "after")."""
        if self.kill is None:
            return False
        with self.steps:
            if when == "before":
                self.requests += 1
            if (self.requests, when) == self.kill_at:
                self.kill()
                self.killed = True
            return self.killed

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # a client that was killed, or that does not trust us
            super().handle_error(request, client_address)
