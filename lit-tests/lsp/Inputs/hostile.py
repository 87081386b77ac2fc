# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hostile.py INMEM FOLDER: input that no editor sends, files outside, traces that are cut and folders without one."""
import json
import pathlib
import shutil
import subprocess
import sys

from lsp_client import Client, at, check, span, uri


def errors(client):
    """Bytes that are no message are refused, and the next message is read."""
    for data, code in (
        (b"Content-Length: many\r\n\r\n", -32700),
        (b"Content-Length: 99999999999999999999\r\n\r\n", -32700),
        (b"Content-Length: 999999999\r\n\r\n", -32700),
        (b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", -32700),
        (b"X: y\r\n\r\n", -32700),
        (b"Content-Length: 5\r\n\r\n{\"a\":", -32700),
        (b"Content-Length: 2\r\n\r\n\xff\xfe", -32700),
        (b"content-length:  4 \r\nContent-Type: x\r\n\r\nnull", -32600),
        (b"Content-Length: 2\n\n[]", -32600),
        (b"x" * 5000 + b"\r\n", -32700),
    ):
        client.raw(data)
        while "method" in (answer := client.read()):
            pass
        check(data[:40], answer["error"]["code"], code)
    check("no method", client.ask("textDocument/rename")["code"], -32601)
    check("twice", client.ask("initialize")["code"], -32600)
    client.send({"id": 77, "result": None})
    client.send({"id": "text", "error": {"code": 1, "message": "x"}})
    client.tell("$/cancelRequest", id=1)
    client.tell("what/ever")


def documents(client, root, file):
    """Documents that are not files, that are outside, or that are not open."""
    for name in ("untitled:Untitled-1", "file://other/share/a.cpp", "file:///%00", "file:///%zz", "", "git:/a.cpp?x", uri("/etc/passwd")):
        about = {"uri": name}
        client.tell("textDocument/didOpen", textDocument={**about, "languageId": "cpp", "version": 1, "text": "int X;\n"})
        check(name, client.ask("textDocument/inlayHint", textDocument=about, range=span((0, 0), (9, 0))), [])
        check(name, client.ask("textDocument/hover", textDocument=about, position=at(0, 4)), None)
        check(name, client.ask("textDocument/codeAction", textDocument=about, range=span((0, 0), (9, 0)), context={}), [])
    for params in ({}, {"textDocument": None}, {"textDocument": 3}, {"textDocument": {"uri": uri(file)}, "range": {"start": 1}, "position": {"line": -1}}):
        for method in ("inlayHint", "codeLens", "hover", "codeAction"):
            check((method, params), client.ask("textDocument/" + method, **params) in ([], None), True)
    client.tell("textDocument/didChange", textDocument={"uri": uri(file)}, contentChanges=[{"text": "x"}])
    client.open(file)
    client.change(file, {"range": span((9999, 9999), (9998, 5)), "text": "x"}, 3, {"range": "all"}, {})
    check("a change far behind the end", len(client.hints(file)), 3)
    client.change(file, {"text": ""})
    check("an empty text", client.hints(file), {})
    client.change(file, {"text": "\r\n\r😀\n\xff"}, {"range": span((1, 1), (1, 2)), "text": "y"})
    client.document("hover", file, position=at(1 << 31, 1 << 31))
    client.change(file, {"text": file.read_text()})
    check("the text is back", len(client.hints(file)), 3)
    for arguments in ([], [3], [{"uri": 4, "line": "x"}], [{"finding": -1}], [{"trace": "/nowhere.inmem"}], None):
        for command in ("inmem.fix", "inmem.snapshot"):
            client.ask("workspace/executeCommand", command=command, arguments=arguments)
    client.said.clear()
    client.ask("workspace/executeCommand", command="inmem.compare", arguments=[{"trace": "/nowhere.inmem"}])
    check("no such trace", "/nowhere.inmem: cannot open" in client.until("window/showMessage")["message"], True)
    client.until("inmem/changed", lambda p: not p["comparing"])
    check("the hints are back", len(client.hints(file)), 3)


def traces(inmem, root, file):
    """A trace that is cut is shown; what is no trace is named, and the next one is shown."""
    other = root / "other"
    shutil.rmtree(other, ignore_errors=True)
    other.mkdir()
    client = Client(inmem, other)
    client.open(file)
    check("without traces", client.hints(file), {})
    check("no findings", client.ask("inmem/findings"), [])
    for command in ("run", "compare", "open", "snapshot", "fix"):
        check(command, client.ask("workspace/executeCommand", command="inmem." + command)["code"], -32803)
    whole = (root / "traces" / "one.inmem").read_bytes()
    client.said.clear()
    (other / "a.inmem").write_bytes(whole[:48000])
    client.until("window/logMessage", lambda p: "cut short" in p["message"])
    client.until("inmem/changed", lambda p: p["trace"])
    check("a cut trace", len(client.hints(file)), 3)
    (other / "b.inmem").write_bytes(b"no trace" * 100)
    check("garbage", "b.inmem" in client.until("window/showMessage")["message"], True)
    check("the other one is still shown", len(client.hints(file)), 3)
    (other / "deep").mkdir()
    (other / "c.inmem").symlink_to("/etc/passwd")
    (other / "deep" / "d.inmem").write_bytes(whole)
    client.until("inmem/changed", lambda p: p["trace"].endswith("/deep/d.inmem"))
    client.end()


def ends(inmem, root):
    client = Client(inmem, root)
    client.end(code=1)  # exit without shutdown
    client = Client(inmem, root)
    client.process.stdin.close()
    check("the end of input", client.process.wait(), 1)
    body = b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}'
    message = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    early = subprocess.run([inmem, "lsp", "--stdio"], input=message, capture_output=True, check=False)
    check("not initialized", json.loads(early.stdout.split(b"\r\n\r\n")[1])["error"]["code"], -32002)


def main():
    inmem, root = sys.argv[1], pathlib.Path(sys.argv[2])
    file = root / "src" / "app.cpp"
    client = Client(inmem, root, "--trace", "traces/*.inmem")
    client.until("inmem/changed", lambda p: p["trace"])
    errors(client)
    documents(client, root, file)
    client.end()
    traces(inmem, root, file)
    ends(inmem, root)


if __name__ == "__main__":
    main()
