# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mcp_lines.py INMEM OLD NEW: talks to `inmem mcp` as a client of the protocol does."""
import json
import subprocess
import sys

sys.path.insert(0, sys.argv[0].rsplit("/", 3)[0] + "/Inputs")
from patience import PATIENCE


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


class Client:
    def __init__(self, inmem):
        self.process = subprocess.Popen([inmem, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.last = 0

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, **params):
        self.last += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}))
        answer = self.read()
        check("id", (answer["jsonrpc"], answer["id"]), ("2.0", self.last))
        return answer.get("result", answer.get("error"))

    def call(self, name, **arguments):
        result = self.ask("tools/call", name=name, arguments=arguments)
        check("content", [part["type"] for part in result["content"]], ["text"])
        return result["isError"], result["content"][0]["text"]


def main():
    inmem, old, new = sys.argv[1:]

    def output(*words):
        return subprocess.run([inmem, *words], capture_output=True, text=True, check=True).stdout

    client = Client(inmem)
    hello = client.ask("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={"name": "test", "version": "1"})
    check("version", hello["protocolVersion"], "2025-03-26")
    check("name", hello["serverInfo"]["name"], "inmem")
    client.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    check("ping", client.ask("ping"), {})
    check("another version", client.ask("initialize", protocolVersion="1999-01-01")["protocolVersion"], "2025-06-18")
    tools = client.ask("tools/list")["tools"]
    check("tools", [tool["name"] for tool in tools], ["report", "sites", "findings", "diff", "propose_fix", "verify_fix"])
    for tool in tools:
        check(tool["name"], (tool["inputSchema"]["type"], set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])), ("object", True))

    check("report", client.call("report", file=new), (False, output("report", "--format", "markdown", new)))
    check("sites", client.call("sites", file=new, top=3), (False, output("report", "--format", "markdown", "--by", "site", "--top", "3", new)))
    failed, text = client.call("findings", file=new)
    check("findings", (failed, json.loads(text)), (False, json.loads(output("report", "--format", "json", new))["findings"]))
    failed, text = client.call("diff", old=old, new=new)
    check("diff", (failed, "std::string buffer" in text), (False, True))
    # Notes on an incomplete trace are separate content, so that the first one is still valid JSON.
    cut = f"{new}.cut.inmem"
    with open(new, "rb") as whole, open(cut, "wb") as part:
        part.write(whole.read()[:-4096])
    for name, arguments in (("findings", {"file": cut}), ("diff", {"old": old, "new": cut})):
        content = client.ask("tools/call", name=name, arguments=arguments)["content"]
        check(f"{name} of a cut trace", [part["text"].startswith("note: ") and "cut short" in part["text"] for part in content], [False, True])
    text = client.call("report", file=new, type="shop::*")[1]
    check("a type", ("`shop::Catalog`" in text, "unordered container buckets" in text), (True, False))
    check("no file", client.call("report")[0], True)
    check("a file that is not there", client.call("sites", file="/nowhere.inmem")[0], True)
    check("a wrong order", client.call("report", file=new, sort="colour")[0], True)
    check("a wrong phase", client.call("report", file=new, phase="nowhen")[0], True)
    # What is wrong is named: a parameter that is missing, unknown, of another type, or that leads nowhere.
    for name, arguments, said in (
        ("report", {}, "file: expected path of a trace"),
        ("diff", {"new": new}, "old: expected path of a trace"),
        ("diff", {"old": old}, "new: expected path of a trace"),
        ("propose_fix", {"file": old}, "database: expected compile_commands.json"),
        ("propose_fix", {"file": old, "database": "/nowhere"}, "no compilation database: /nowhere"),
        ("verify_fix", {"file": old, "database": "/nowhere", "build": "true"}, "command: expected shell command"),
        ("diff", {"old": old, "new": "/nowhere.inmem"}, "new: /nowhere.inmem: cannot open"),
        ("report", {"file": "/nowhere.inmem"}, "file: /nowhere.inmem: cannot open"),
        ("report", {"file": new, "topp": 3}, "topp: the tool 'report' has no such parameter; it has file, top, type, sort or phase; did you mean 'top'?"),
        ("report", {"file": new, "top": "3"}, 'top: expected a number, 0 or more, found "3"'),
        ("sites", {"file": [new]}, "file: expected a string, found ["),
        ("sites", {"file": new, "sort": "byte"}, "did you mean 'bytes'?"),
        ("findings", {"file": new, "top": 3}, "top: the tool 'findings' has no such parameter; it has file"),
    ):
        failed, text = client.call(name, **arguments)
        check((name, arguments), (failed, said in text), (True, True))
    check("arguments of another kind", client.ask("tools/call", name="report", arguments=[new])["code"], -32602)
    client.send(json.dumps({"jsonrpc": "2.0", "id": 99}))
    check("no method", client.read()["error"], {"code": -32600, "message": "method: expected the name of one"})
    for tool in tools:
        check("unknown arguments", tool["inputSchema"]["additionalProperties"], False)
    check("a wrong tool", client.ask("tools/call", name="delete")["code"], -32602)
    check("a wrong method", client.ask("resources/read")["code"], -32601)
    for line, code in (("{", -32700), ("[]", -32600), ("7", -32600)):
        client.send(line)
        check(line, client.read()["error"]["code"], code)
    client.process.stdin.close()
    check("exit code", client.process.wait(PATIENCE), 0)


if __name__ == "__main__":
    main()
