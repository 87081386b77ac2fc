# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""features.py INMEM FOLDER: hints, hovers, findings, actions and commands for the program in FOLDER."""
import os
import pathlib
import shutil
import subprocess
import sys

from lsp_client import FULL, Client, at, check, span, uri

PUSH, NEW, EMOJI = 16, 21, 29  # lines of app.cpp, from 0
KEPT = 17  # of hosted.cpp


def hints(client, file, text):
    """Lines follow their content; what has changed is marked; unsaved text counts, not the file."""
    client.open(file)
    first = client.hints(file)
    check("lines", list(first), [PUSH, NEW, EMOJI])
    check("a growing vector", first[PUSH].endswith("  std::vector<int> buffer"), True)
    check("figures", first[PUSH].split(" · ")[1], "2400")
    check("a class", first[NEW], "32 B · 1  app::Node")
    # Columns count UTF-16 units: the smiley is two.
    whole = {"range": span((EMOJI, 0), (EMOJI, 0))}
    (hint,) = client.document("inlayHint", file, **whole)
    check("the end of the line", hint["position"]["character"], len(text.splitlines()[EMOJI].encode("utf-16-le")) // 2)
    client.change(file, {"range": span((0, 0), (0, 0)), "text": "// one\n// two\n"})
    check("moved", client.hints(file), {line + 2: label for line, label in first.items()})
    client.change(file, {"range": span((NEW + 2, 2), (NEW + 2, 8)), "text": "return  /**/ "})
    check("changed", client.hints(file)[NEW + 2], first[NEW] + " (stale)")
    client.change(file, {"range": span((EMOJI + 2, 0), (EMOJI + 3, 0)), "text": ""})
    check("removed", list(client.hints(file)), [PUSH + 2, NEW + 2])
    client.change(file, {"text": text.replace("\n", "\r\n")})
    check("CR LF", client.hints(file), first)
    # A column behind the smiley: what is replaced is what the editor meant.
    column = text.splitlines()[EMOJI].index("First") + 1
    client.change(file, {"text": text}, {"range": span((EMOJI, column), (EMOJI, column + 5)), "text": "Start"})
    check("a change behind a smiley", client.hints(file)[EMOJI], first[EMOJI] + " (stale)")
    client.change(file, {"range": span((EMOJI, column), (EMOJI, column + 5)), "text": "First"})
    check("and back", client.hints(file), first)
    return first


def hovers(client, file, text):
    value = client.document("hover", file, position=at(PUSH, 6))["contents"]["value"]
    for part in ("**`std::vector<int> buffer`**", "2400 blocks", "```text", "│", "`one.inmem`"):
        check(f"hover has {part}", part in value, True)
    column = text.splitlines()[6].index("Node")
    value = client.document("hover", file, position=at(6, column + 1))["contents"]["value"]
    parts = ("**`app::Node`** · 32 bytes, alignment 8", "     0     1  char Kind", "     1     7  (padding)", "14 bytes of padding", "needs 24 bytes")
    for part in (*parts, "64 B alive in 2"):
        check(f"hover of a class has {part}: {value}", part in value, True)
    check("nothing", client.document("hover", file, position=at(2, 0)), None)
    column = text.splitlines()[EMOJI].rindex("Node") + 1
    value = client.document("hover", file, position=at(EMOJI, column))["contents"]["value"]
    check("a class and its line", ("alignment 8" in value, "---" in value), (True, True))


def findings(client, file):
    said = client.until("textDocument/publishDiagnostics", lambda p: p["uri"] == uri(file) and p["diagnostics"])
    (one,) = [d for d in said["diagnostics"] if d["code"] == "vector-regrowth"]
    check("where", one["range"]["start"], at(PUSH, 4))
    check("severity", (one["severity"], one["source"]), (2, "inmem"))
    check("docs", one["codeDescription"]["href"], "https://x.y/findings.md#vector-regrowth-string-regrowth")
    tree = client.ask("inmem/findings")
    check("tree", [(row["rule"], row.get("line")) for row in tree][:1], [("vector-regrowth", PUSH)])
    heat = client.ask("inmem/heat", textDocument={"uri": uri(file)})
    check("heat", [row["line"] for row in heat], [PUSH, NEW, EMOJI])
    return one


def actions(client, file, root, diagnostic):
    offered = client.document("codeAction", file, range=span((PUSH, 0), (PUSH, 1)), context={"diagnostics": [diagnostic]})
    check("titles", [a["title"].split(" (")[0] for a in offered], ["Apply the edit of inmem fix", "Why does this line allocate?", "Add a budget for this line"])
    only = client.document("codeAction", file, range=span((PUSH, 0), (PUSH, 1)), context={"diagnostics": [], "only": ["quickfix"]})
    check("only", [a["kind"] for a in only], ["quickfix"])
    create, edit = offered[2]["edit"]["documentChanges"]
    check("a new file", create, {"kind": "create", "uri": uri(root / "budget.toml")})
    text = edit["edits"][0]["newText"]
    check("a budget", text.splitlines()[:2], ["[sites.'*src/app.cpp:17']", "blocks = 2400"])
    (root / "budget.toml").write_text(text)
    done = subprocess.run([client.inmem, "check", "--budget", "budget.toml", "traces/one.inmem"], cwd=root, capture_output=True, text=True)
    check(f"the budget holds: {done.stdout}{done.stderr}", done.returncode, 0)
    again = client.document("codeAction", file, range=span((PUSH, 0), (PUSH, 1)), context={"diagnostics": []})
    check("a budget that is there", len(again), 2)
    (root / "budget.toml").unlink()

    client.answers["workspace/applyEdit"] = {"applied": True}
    client.said.clear()
    result = client.ask("workspace/executeCommand", **{k: offered[0]["command"][k] for k in ("command", "arguments")})
    check("fixed", result, {"applied": True})
    changes = client.until("workspace/applyEdit")["edit"]["changes"]
    check("files", list(changes), [uri(file)])
    lines = file.read_text().splitlines(keepends=True)
    for edit in sorted(changes[uri(file)], key=lambda e: -e["range"]["start"]["line"]):
        lines[edit["range"]["start"]["line"] : edit["range"]["end"]["line"]] = [edit["newText"]]
    check("the edit", "Out.reserve(" in "".join(lines), True)
    # An edit of a file whose text is not saved would hit other lines.
    client.change(file, {"range": span((0, 0), (0, 0)), "text": "\n"})
    refused = client.ask("workspace/executeCommand", command="inmem.fix", arguments=[{"finding": 0}])
    check("unsaved", "save " in refused["message"], True)
    client.change(file, {"range": span((0, 0), (1, 0)), "text": ""})


def commands(client, file, root):
    # The page, at the line as it was compiled.
    client.ask("workspace/executeCommand", command="inmem.open", arguments=[{"uri": uri(file), "line": PUSH}])
    url = client.until("window/showDocument")
    check("the page", (url["external"], url["uri"].startswith("http://127.0.0.1:"), "#source?file=src%2Fapp.cpp&line=17" in url["uri"]), (True, True, True))
    check("no pid", "does not run" in client.ask("workspace/executeCommand", command="inmem.snapshot")["message"], True)
    check("no command", client.ask("workspace/executeCommand", command="rm")["code"], -32602)
    check("no finding", client.ask("workspace/executeCommand", command="inmem.fix", arguments=[{"finding": 99}])["code"], -32803)
    # A newer trace is followed, and compared with the one before.
    shutil.copy(root / "two.inmem", root / "traces" / "new.inmem")
    os.utime(root / "traces" / "new.inmem")
    client.until("inmem/changed", lambda p: p["trace"].endswith("/new.inmem"))
    check("a newer trace", client.hints(file)[PUSH].split(" · ")[1], "2408")
    client.said.clear()
    check("compare", client.ask("workspace/executeCommand", command="inmem.compare"), {"comparing": True})
    client.until("inmem/changed", lambda p: p["comparing"])
    check("changes", client.hints(file), {PUSH: "+1020 B · +8  std::vector<int> buffer"})
    check("in a hover", "| blocks | 2400 | 2408 | +8 |" in client.document("hover", file, position=at(PUSH, 6))["contents"]["value"], True)
    client.said.clear()
    client.ask("workspace/executeCommand", command="inmem.compare")
    client.until("inmem/changed", lambda p: not p["comparing"])
    # The command of a trace runs only if the user agrees.
    client.answers["window/showMessageRequest"] = {"title": "Cancel"}
    check("cancelled", client.ask("workspace/executeCommand", command="inmem.run"), None)
    client.answers["window/showMessageRequest"] = {"title": "Run"}
    check("run", client.ask("workspace/executeCommand", command="inmem.run"), {"code": 0})
    client.until("inmem/changed", lambda p: p["trace"].endswith(".inmem") and "/inmem." in p["trace"])
    for trace in (root / "traces").glob("*.inmem"):
        if trace.name != "one.inmem":
            trace.unlink()
    client.until("inmem/changed", lambda p: p["trace"].endswith("/one.inmem"))


def snapshot(inmem, root):
    """A heap snapshot of the program that the trace is of while it runs, and of a process that is named; then it ends."""
    folder = root / "running"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    env = {**os.environ, "INMEM_OPTIONS": f"periodic=1:output={folder}/app.inmem"}
    program = subprocess.Popen([root / "hosted", "wait"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        check("it runs", program.stdout.readline(), b"ready\n")
        client = Client(inmem, root, "--trace", "running/*.inmem")
        client.until("inmem/changed", lambda p: p["trace"])
        # The first is of the trace's program, the second of a process that the client names.
        for arguments in ({}, {"arguments": [{"pid": program.pid}]}):
            before = set(folder.glob("*.heap"))
            client.said.clear()
            result = client.ask("workspace/executeCommand", command="inmem.snapshot", **arguments)
            made = set(folder.glob("*.heap")) - before
            check(f"a snapshot, {result}", len(made), 1)
            (made,) = made
            check("the snapshot is named", made.name in result["output"], True)
            check("the user sees it", made.name in client.until("window/showMessage")["message"], True)
            shown = subprocess.run([inmem, "heap", made], capture_output=True, text=True, check=True).stdout
            check("what is in it", "Kept" in shown, True)
        program.communicate(b"\n")
        check("the program ended well", program.returncode, 0)
        check("the process is gone", client.ask("workspace/executeCommand", command="inmem.snapshot", arguments=[{"pid": program.pid}])["code"], -32803)
        client.end()
    finally:
        program.kill()


def recorded_program(inmem, root):
    """The trace's own command, with its arguments, in the workspace's folder; its output and its code are shown."""
    folder = root / "recorded"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    env = {**os.environ, "INMEM_OPTIONS": f"output={folder}/first.inmem"}
    subprocess.run([root / "hosted", "fail", "two words"], env=env, check=False)
    client = Client(inmem, root, "--trace", "recorded/*.inmem")
    file = root / "src" / "hosted.cpp"
    client.open(file)
    client.until("inmem/changed", lambda p: p["trace"])
    client.answers["window/showMessageRequest"] = {"title": "Run"}
    client.said.clear()
    check("its code", client.ask("workspace/executeCommand", command="inmem.run"), {"code": 3})
    question = next(m["params"]["message"] for m in client.said if m["method"] == "window/showMessageRequest")
    check("the whole command is shown", question.startswith("inmem: run ") and " fail 'two words' in " in question, True)
    said = [m["params"]["message"] for m in client.said if m["method"] in ("window/showMessage", "window/logMessage")]
    check("its output is shown", any("two words failed in " + str(root.resolve()) in message for message in said), True)
    check("its code is shown", any("ended with code 3" in message for message in said), True)
    client.until("inmem/changed", lambda p: "/recorded/inmem." in p["trace"])
    check("the new trace has the same line", list(client.hints(file))[0], KEPT)
    # The setting names another program, which needs no question.
    client.tell("workspace/didChangeConfiguration", settings={"inmem": {"program": [str(root / "hosted")]}})
    client.said.clear()
    check("another program", client.ask("workspace/executeCommand", command="inmem.run"), {"code": 0})
    check("no question", [m for m in client.said if m["method"] == "window/showMessageRequest"], [])
    client.end()


def old_text(inmem, root, file, text):
    """The text that was compiled is found in git, if the file has changed since."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "src"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    file.write_text("// changed\n" + text)
    client = Client(inmem, root, "--trace", "traces/*.inmem")
    client.open(file)
    client.until("workspace/inlayHint/refresh")
    client.until("workspace/inlayHint/refresh")
    check("from git", list(client.hints(file)), [PUSH + 1, NEW + 1, EMOJI + 1])
    client.end()
    shutil.rmtree(root / ".git")
    client = Client(inmem, root, "--trace", "traces/*.inmem")
    client.open(file)
    client.until("inmem/changed")
    check("not known", [label.endswith(" (stale)") for label in client.hints(file).values()], [True] * 3)
    client.end()
    file.write_text(text)


def accesses(inmem, root, file, text):
    client = Client(inmem, root, "--trace", "counted.inmem")
    client.open(file)
    client.until("inmem/changed", lambda p: p["trace"])
    value = client.document("hover", file, position=at(6, text.splitlines()[6].index("Node") + 1))["contents"]["value"]
    rows = {line.split()[-1]: line.split()[:4] for line in value.splitlines() if line[:6].strip().isdigit()}
    check("reads and writes of a member", rows["Next"], ["24", "8", "2", "2"])
    check("a member that is not accessed", rows["Value"], ["8", "8", "-", "-"])
    client.end()


def settings(inmem, root, file):
    lens = {"textDocument": {}}
    client = Client(inmem, root, "--trace", "traces/*.inmem", capabilities=lens)
    client.open(file)
    client.until("inmem/changed")
    check("lenses instead of hints", (client.hints(file), [x["range"]["start"]["line"] for x in client.document("codeLens", file)]), ({}, [PUSH, NEW, EMOJI]))
    client.tell("workspace/didChangeConfiguration", settings={"inmem": {"hints": "inlay", "threshold": 50, "diagnostics": False}})
    check("a threshold", list(client.hints(file)), [PUSH])
    client.tell("workspace/didChangeConfiguration", settings={"hints": "off"})
    check("off", (client.hints(file), client.document("codeLens", file)), ({}, []))
    client.said.clear()
    client.tell("workspace/didChangeConfiguration", settings={"inmem": {"hints": "loud"}})
    check("a wrong one", client.until("window/showMessage")["message"], 'inmem: settings: hints: expected auto, inlay, lens or off, found "loud"')
    client.end()


def main():
    inmem, root = sys.argv[1], pathlib.Path(sys.argv[2])
    file = root / "src" / "app.cpp"
    text = file.read_text()
    client = Client(inmem, root, "--trace", "traces/*.inmem", options={"docs": "https://x.y"})
    client.inmem = inmem
    check("capabilities", [client.hello["capabilities"][k] for k in ("positionEncoding", "hoverProvider", "inlayHintProvider")], ["utf-16", True, True])
    client.until("inmem/changed", lambda p: p["trace"])
    diagnostic = findings(client, file) if not client.open(file) else None
    client.tell("textDocument/didClose", textDocument={"uri": uri(file)})
    hints(client, file, text)
    hovers(client, file, text)
    actions(client, file, root, diagnostic)
    commands(client, file, root)
    client.end()
    utf8 = {**FULL, "general": {"positionEncodings": ["utf-8", "utf-16"]}}
    client = Client(inmem, root, "--trace", "traces/*.inmem", capabilities=utf8)
    check("utf-8", client.hello["capabilities"]["positionEncoding"], "utf-8")
    client.open(file)
    client.until("inmem/changed", lambda p: p["trace"])
    (hint,) = client.document("inlayHint", file, range=span((EMOJI, 0), (EMOJI, 0)))
    check("bytes", hint["position"]["character"], len(text.splitlines()[EMOJI].encode()))
    client.end()
    old_text(inmem, root, file, text)
    accesses(inmem, root, file, text)
    settings(inmem, root, file)
    snapshot(inmem, root)
    recorded_program(inmem, root)


if __name__ == "__main__":
    main()
