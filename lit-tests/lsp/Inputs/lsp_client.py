# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of `inmem lsp` for tests: sends messages, keeps what the server says on its own, and waits for events, never for time."""
import json
import os
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from patience import PATIENCE


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


def uri(path):
    return pathlib.Path(os.path.realpath(path)).as_uri()


FULL = {
    "workspace": {
        "inlayHint": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
    },
    "window": {"showDocument": {"support": True}},
    "textDocument": {
        "inlayHint": {},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor"]}}},
    },
}


class Client:
    def __init__(self, inmem, root, *words, capabilities=None, options=None, env=None):
        self.process = subprocess.Popen(
            [inmem, "lsp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env={**os.environ, **(env or {})}
        )
        # A server that does not say what is waited for is ended, and the test with it.
        self.guard = threading.Timer(PATIENCE, self.process.kill)
        self.guard.daemon = True
        self.guard.start()
        self.last = 0
        self.said = []  # notifications and requests of the server, in order
        self.answers = {}  # what to answer to its requests, by method
        self.hello = self.ask(
            "initialize",
            processId=None,
            rootUri=uri(root),
            capabilities=FULL if capabilities is None else capabilities,
            initializationOptions={"threshold": 0.001, **(options or {})},
        )
        self.tell("initialized")

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def tell(self, method, **params):
        self.send({"method": method, "params": params})

    def start(self, method, **params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        return self.last

    def read(self):
        """The next message that is an answer; the others go to `said`."""
        while True:
            length = None
            while line := self.process.stdout.readline().strip():
                name, value = line.split(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                sys.exit(f"the server ended with code {self.process.wait()}")
            message = json.loads(self.process.stdout.read(length))
            check("jsonrpc", message.get("jsonrpc"), "2.0")
            if "method" not in message:
                return message
            self.said.append(message)
            if "id" in message:
                self.send({"id": message["id"], "result": self.answers.get(message["method"])})
            return message

    def ask(self, method, **params):
        number = self.start(method, **params)
        while "method" in (answer := self.read()) or answer["id"] != number:
            pass
        return answer.get("result", answer.get("error"))

    def until(self, method, fits=lambda params: True):
        """Waits for a message of the server; what it said before counts, and is taken."""
        while True:
            for at, message in enumerate(self.said):
                if message["method"] == method and fits(message.get("params", {})):
                    del self.said[: at + 1]
                    return message.get("params", {})
            self.read()

    def open(self, path, text=None):
        if text is None:
            text = pathlib.Path(path).read_bytes().decode()
        self.tell("textDocument/didOpen", textDocument={"uri": uri(path), "languageId": "cpp", "version": 1, "text": text})

    def change(self, path, *changes):
        self.tell("textDocument/didChange", textDocument={"uri": uri(path), "version": 2}, contentChanges=list(changes))

    def document(self, method, path, **params):
        return self.ask("textDocument/" + method, textDocument={"uri": uri(path)}, **params)

    def hints(self, path):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1 << 30, "character": 0}}
        return {hint["position"]["line"]: hint["label"] for hint in self.document("inlayHint", path, range=whole)}

    def end(self, code=0):
        if code == 0:
            check("shutdown", self.ask("shutdown"), None)
            check("after shutdown", self.ask("textDocument/hover")["code"], -32600)
            self.tell("exit")
        else:
            self.tell("exit")
        check("exit code", self.process.wait(), code)


def at(line, character=0):
    return {"line": line, "character": character}


def span(first, last):
    return {"start": at(*first), "end": at(*last)}
