# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of real editors with `inmem lsp`, one message a line: {"from": "client" or "server", "message": …}.
The first line has the licence and the editor.

  session.py record FILE ROOT COMMAND...   stands between an editor, which starts it as its server, and COMMAND
  session.py replay FILE ROOT INMEM        sends the editor's messages, and compares each answer

A replay waits for each message that the server sent at the same place, never for time; other notifications in between do not count.
What the server says of itself before it has read the trace depends on how long that takes; a recording is rid of it by hand.
The folder of the project is @ROOT@, the text of a document that is opened @TEXT@.
"""
import json
import pathlib
import subprocess
import sys
import threading

from lsp_client import Client, check


def read(stream):
    """The next message, and its bytes; None at the end."""
    head, length = b"", 0
    while line := stream.readline():
        head += line
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        if not line.strip():
            body = stream.read(length)
            return json.loads(body), head + body
    return None


def record(file, root, command):
    root = str(pathlib.Path(root).resolve())
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lock = threading.Lock()

    def pass_on(source, to, who):
        while found := read(source):
            message, data = found
            if message.get("method") == "textDocument/didOpen":
                message["params"]["textDocument"]["text"] = "@TEXT@"
            if "processId" in message.get("params", {}):
                message["params"]["processId"] = None
            with lock, open(file, "a", encoding="utf-8") as into:
                into.write(json.dumps({"from": who, "message": message}, ensure_ascii=False).replace(root, "@ROOT@") + "\n")
            to.write(data)
            to.flush()
        to.close()

    threading.Thread(target=pass_on, args=(sys.stdin.buffer, server.stdin, "client"), daemon=True).start()
    pass_on(server.stdout, sys.stdout.buffer, "server")
    sys.exit(server.wait())


def plain(value):
    """A value without what depends on the build: the version, and where its docs are."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in ("serverInfo", "codeDescription", "docs")}
    return value


class Replay(Client):
    """Sends what the file has instead of the messages of Client."""

    def ask(self, method, **params):
        return {}

    def tell(self, method, **params):
        pass

    def wait_for(self, where, wanted):
        try:
            self.until(wanted["method"], lambda params: (plain(params) or None) == (wanted.get("params") or None))
        except SystemExit as end:
            sys.exit(f"{where}: expected {wanted}, found {self.said}; {end}")

    def answer(self, number):
        while "method" in (answer := self.read()):
            pass
        check("the id of an answer", answer["id"], number)
        return answer


def replay(file, root, inmem):
    root = pathlib.Path(root).resolve()
    client = Replay(inmem, root, "--trace", "traces/one.inmem")
    for number, line in enumerate(pathlib.Path(file).read_text(encoding="utf-8").splitlines(), 1):
        entry = json.loads(line.replace("@ROOT@", str(root)))
        message = plain(entry.get("message", {}))
        where = f"{file}:{number}"
        if entry.get("from") == "client":
            if message.get("method") == "textDocument/didOpen":
                path = message["params"]["textDocument"]["uri"].removeprefix("file://")
                message["params"]["textDocument"]["text"] = pathlib.Path(path).read_text(encoding="utf-8")
            client.send(message)
        elif "method" in message:
            client.wait_for(where, message)
        elif message:
            check(where, plain(client.answer(message["id"])["result"]), message["result"])
    client.process.stdin.close()  # Emacs does not send `exit`
    check("the exit code", client.process.wait(), 0)


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(sys.argv[2], sys.argv[3], sys.argv[4:])
    replay(*sys.argv[2:5])
