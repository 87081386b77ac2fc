#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""one_name.py INMEM FOLDER: opens FOLDER/app.inmem in every view, and compares names and figures.

JSON's sites are what the others are compared with: each has the name of its blocks and exact figures.
"""
import base64
import collections
import csv
import io
import json
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree
import zlib

INMEM, FOLDER = sys.argv[1:]
LIBRARY = "(C and C++ library)"


def inmem(*words, columns=200, code=0, text=None):
    environment = dict(os.environ, COLUMNS=str(columns), LC_ALL="C.UTF-8")
    done = subprocess.run([INMEM, *words], cwd=FOLDER, env=environment, input=text, capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"inmem {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what}:\nexpected {expected}\nfound    {found}")


def scaled(value, step, units):
    value /= step
    unit = 0
    while value >= step - 0.5 and unit + 1 < len(units):
        value /= step
        unit += 1
    return (f"{value:.1f}" if value < 99.95 else f"{value:.0f}") + " " + units[unit]


def human_bytes(value):
    return f"{value} B" if value < 1024 else scaled(value, 1024, ["KiB", "MiB", "GiB"])


def human_count(value):
    return str(value) if value < 10000 else scaled(value, 1000, ["k", "M", "G"])


class Sums:
    """Bytes, blocks and live bytes by the name of blocks."""

    def __init__(self, sites):
        self.of = collections.defaultdict(lambda: [0, 0, 0])
        for site in sites:
            figures = self.of[site["name"]]
            for i, key in enumerate(("allocated_bytes", "allocations", "live_bytes")):
                figures[i] += int(site[key])
        self.of = {name: tuple(figures) for name, figures in self.of.items()}

    def ordered(self):
        """Rows as text has them: the largest first, what libraries keep last."""
        return sorted(self.of.items(), key=lambda row: (row[0] == LIBRARY, -row[1][0], row[0]))


def cells(line):
    return re.split(r" {2,}", line.strip())


def table(text, title, rows):
    """The rows of a section, each as its cells."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(title))
    return [cells(line) for line in lines[at + 2 : at + 2 + rows]]


def is_short_for(short, name):
    """Each piece of a name that was cut is in the name, in order, with or without `std::`."""
    pieces = [piece for piece in short.replace("std::", "").split("…") if piece]
    at = 0
    whole = name.replace("std::", "")
    for piece in pieces:
        found = whole.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return bool(pieces)


def check_rows(what, rows, expected, figures):
    same(f"{what}: rows", len(rows), len(expected))
    same(f"{what}: rows that read the same", len({row[0] for row in rows}), len(rows))
    for row in rows:
        if re.match(r"…\d+$|.*\[clone |.*[0-9]…", row[0]):
            sys.exit(f"{what}: {row[0]} is not a name")
    left = dict(expected)
    for row in rows:
        name = next((n for n in left if n == row[0]), None) or next((n for n in left if is_short_for(row[0], n)), None)
        if name is None:
            sys.exit(f"{what}: no blocks are called {row[0]}; there are {sorted(left)}")
        same(f"{what}: {name}", tuple(row[1 : 1 + len(figures(left[name]))]), figures(left.pop(name)))


def text(sums, sites):
    for width in (80, 120, 200):
        shown = inmem("report", "--by", "type", "--top", "0", "--details", "0", "--findings", "off", "app.inmem", columns=width)
        names = table(shown, "TYPES", len(sums.of))
        head = cells(shown.splitlines()[next(i for i, line in enumerate(shown.splitlines()) if line.startswith("TYPES")) + 1])
        share = "share" in head
        check_rows(
            f"text, {width} columns",
            [[row[0], row[1], row[3 if share else 2]] for row in names],
            sums.of,
            lambda f: (human_bytes(f[0]), human_count(f[1])),
        )
        places(width, sites)
    print("text at 80, 120 and 200 columns: same")


def places(width, sites):
    """Each site has its file and line at any width, and those of one template's instances read differently."""
    shown = inmem("report", "--by", "site", "--top", "0", "--findings", "off", "app.inmem", columns=width)
    rows = table(shown, "SITES", len(sites))
    lines = collections.Counter(re.findall(r"one_name\.cpp:(\d+)", "\n".join(row[0] + " " + row[1] for row in rows)))
    users = [site.get("caller") or site for site in sites]
    expected = collections.Counter(str(at["line"]) for at in users if at["file"] and at["file"].endswith("one_name.cpp"))
    same(f"sites, {width} columns: lines", lines, expected)
    instances = [tuple(row[:3]) for row in rows if "make  " in row[0] + "  " and any("Row" in cell for cell in row)]
    same(f"sites, {width} columns: {sorted(instances)} differ", len(set(instances)), 4)


def screen(sums):
    for width in (80, 120, 200):
        shown = inmem("report", "app.inmem", columns=width)
        if width == 80 and len(shown.splitlines()) > 49:
            sys.exit(f"one screen: {len(shown.splitlines())} lines")
        rows = table(shown, "TYPES", min(8, len(sums.of)))
        expected = dict(sums.ordered()[: len(rows)])
        check_rows(f"one screen, {width} columns", rows, expected, lambda f: (human_bytes(f[0]), human_count(f[1])))
    print("one screen: same")


def csv_rows(sums):
    rows = csv.DictReader(io.StringIO(inmem("report", "--format", "csv", "--by", "site", "app.inmem")))
    same("CSV", Sums(rows).of, sums.of)
    print("CSV: same")


def markdown_rows(shown):
    """The figures of a table of types by name."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.splitlines()]
    return {row[0].strip("`"): tuple(row[2:]) for row in rows if len(row) == 5 and row[0].startswith("`")}


def markdown(sums):
    shown = inmem("report", "--format", "markdown", "--top", "50", "--findings", "off", "app.inmem")
    found = markdown_rows(shown)
    check_rows("Markdown", [(name, *row) for name, row in found.items()], sums.of, lambda f: (human_bytes(f[0]), human_count(f[1]), human_bytes(f[2])))
    print("Markdown: same")


def top(sums):
    lines = inmem("top", "--once", "--top", "0", "app.inmem", columns=300).splitlines()[2:-1]
    rows = [cells(line) for line in lines]
    found = {row[0]: (row[-1], row[1]) for row in rows}
    same("top", found, {n: (human_bytes(f[0]), human_bytes(f[2])) for n, f in sums.of.items()})
    print("top: same")


def page_data(file):
    """Head and columns of a page, as docs of web/ have them."""
    with open(os.path.join(FOLDER, file), encoding="utf-8") as page_of:
        text_of = re.search(r'id="inmem-data">([^<]*)<', page_of.read())[1]
    plain = zlib.decompress(base64.b64decode(text_of))
    at = 4 + struct.unpack("<I", plain[:4])[0]
    head, columns = json.loads(plain[4:at]), {}
    for name, count, _ in head["columns"]:
        values, value, shift = [], 0, 0
        while len(values) < count:
            value |= (plain[at] & 127) << shift
            shift += 7
            if plain[at] < 128:
                values.append(value)
                value = shift = 0
            at += 1
        columns[name] = values
    return head, columns


def page(sums):
    inmem("html", "-o", "app.html", "app.inmem")
    head, columns = page_data("app.html")
    names = [head["sides"][0]["strings"][i] for i in columns["0.site.alias"]]
    found = collections.defaultdict(lambda: [0, 0, 0])
    for site, *figures in zip(columns["0.row.site"], columns["0.row.bytes"], columns["0.row.allocations"], columns["0.row.liveBytes"], strict=True):
        for i, value in enumerate(figures):
            found[names[site]][i] += value
    same("page", {n: tuple(f) for n, f in found.items()}, sums.of)
    print("page: same")


def folded(file):
    found = collections.Counter()
    for line in file.read().splitlines():
        stack, value = line.rsplit(" ", 1)
        found[stack.split(";")[-1]] += int(value)
    return found


def speedscope(file):
    content = json.load(file)
    frames = content["shared"]["frames"]
    found = collections.Counter()
    first = content["profiles"][0]
    for stack, weight in zip(first["samples"], first["weights"], strict=True):
        found[frames[stack[-1]]["name"]] += weight
    return found


def dhat(file):
    content = json.load(file)
    found = collections.Counter()
    for point in content["pps"]:
        found[content["ftbl"][point["fs"][0]].removeprefix("type ")] += point["tb"]
    return found


def callgrind(file):
    names, found, function = {}, collections.Counter(), ""
    for line in file.read().splitlines():
        if named := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line):
            if named[3]:
                names[named[2]] = named[3]
            if named[1] == "fn":
                function, called = names[named[2]], False
        elif line.startswith("calls="):
            called = True
        elif re.match(r"\d+ \d+ \d+ \d+$", line):
            if not called:
                found[function] += int(line.split()[1])
            called = False
    return collections.Counter({n.removeprefix("type "): v for n, v in found.items()})


def heaptrack(file):
    strings, locations, infos, found = [""], {}, [], collections.Counter()
    parents = [None]
    for line in file.read().splitlines():
        words = line.split(" ")
        if words[0] == "s":
            strings.append(line[2:])
        elif words[0] == "i":
            locations[len(locations) + 1] = int(words[3], 16)
        elif words[0] == "t":
            parents.append((int(words[1], 16), int(words[2], 16)))
        elif words[0] == "a":
            infos.append((int(words[1], 16), int(words[2], 16)))
        elif words[0] == "+":
            size, trace = infos[int(words[1], 16)]
            found[strings[locations[parents[trace][0]]].removeprefix("type ")] += size
    return found


def fields(data):
    """The fields of a message of protobuf: (number, integer or bytes)."""
    at = 0

    def integer():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = integer()
        value = integer()
        if key & 7 == 2:
            at += value
            value = data[at - value : at]
        yield key >> 3, value


def packed(value):
    """The integers of a packed field."""
    if isinstance(value, int):
        return [value]
    return [one for _, one in fields(b"".join(b"\x08" + part for part in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", value)))]


def pprof(sums):
    """Bytes, blocks and live bytes of a profile, by the label and by the leaf that have the type."""
    for words in ((), ("--frames", "type")):
        inmem("export", "--format", "pprof", *words, "-o", "pprof", "app.inmem")
        with open(os.path.join(FOLDER, "pprof"), "rb") as file:
            content = list(fields(file.read()))
        strings = [value.decode() for number, value in content if number == 6]
        kinds = [strings[dict(fields(value))[1]] for number, value in content if number == 1]
        functions = {of[1]: strings[of[2]] for of in (dict(fields(value)) for number, value in content if number == 5)}
        leaves = {}
        for number, value in content:
            if number == 4:
                of = list(fields(value))
                first = next(one for key, one in of if key == 4)
                leaves[dict(of)[1]] = functions[dict(fields(first))[1]]
        found = collections.defaultdict(lambda: [0, 0, 0])
        for number, value in content:
            if number != 2:
                continue
            of = list(fields(value))
            values = dict(zip(kinds, [one for key, part in of if key == 2 for one in packed(part)], strict=True))
            labels = {strings[label[1]]: strings[label.get(2, 0)] for label in (dict(fields(part)) for key, part in of if key == 3)}
            leaf = leaves[next(one for key, part in of if key == 1 for one in packed(part))]
            name = leaf.removeprefix("type ") if words else labels["type"]
            for i, kind in enumerate(("alloc_space", "alloc_objects", "inuse_space")):
                found[name][i] += values[kind]
        same(f"pprof {' '.join(words)}", {n: tuple(f) for n, f in found.items()}, sums.of)


def exports(sums):
    expected = {name: figures[0] for name, figures in sums.of.items()}
    for name, read in (("collapsed", folded), ("speedscope", speedscope), ("dhat", dhat), ("callgrind", callgrind), ("heaptrack", heaptrack)):
        inmem("export", "--format", name, "-o", name, "app.inmem")
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            found = {n: v for n, v in read(file).items() if v > 0}
        same(name, {n.replace(":", ";") if name == "collapsed" else n: v for n, v in found.items()},
             {n.replace(":", ";") if name == "collapsed" else n: v for n, v in expected.items()})
    pprof(sums)
    print("exports: same")


def speedscope_names(sums):
    """Every profile of the file has the same tips; names that are no blocks' are functions of the program."""
    with open(os.path.join(FOLDER, "speedscope"), encoding="utf-8") as file:
        content = json.load(file)
    frames = [frame["name"] for frame in content["shared"]["frames"]]
    for profile in content["profiles"]:
        tips = {frames[stack[-1]] for stack in profile["samples"] if stack}
        if not tips <= set(sums.of):
            sys.exit(f"speedscope, {profile['name']}: no blocks are called {sorted(tips - set(sums.of))}")
    print("speedscope: same")


def diff(sums):
    same("diff of a trace with itself", inmem("diff", "app.inmem", "app.inmem").splitlines()[-1], "nothing changed")
    later = Sums(json.loads(inmem("report", "--format", "json", "--by", "site", "later.inmem"))["sites"])
    names = set(sums.of) | set(later.of)
    changed = {n for n in names if sums.of.get(n) != later.of.get(n)}
    lines = inmem("diff", "--top", "0", "app.inmem", "later.inmem", columns=250).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  type"))
    rows = [cells(line) for line in lines[first + 1 : first + 1 + len(changed)]]
    found = {row[0]: next(c for c in row[1:] if re.search(r" (B|[KM]iB)$", c)) for row in rows}
    same("diff", found, {n: human_bytes(later.of[n][0]) for n in changed})
    print("diff: same")


def check(report):
    with open(os.path.join(FOLDER, "budget.toml"), "w", encoding="utf-8") as budget:
        budget.write("[totals]\nallocated_bytes = 1\nallocations = 1\npeak_live_bytes = 1\n")
    junit, sarif = os.path.join(FOLDER, "junit.xml"), os.path.join(FOLDER, "sarif.json")
    found = json.loads(inmem("check", "--budget", "budget.toml", "--format", "json", "--junit", junit, "--sarif", sarif, "app.inmem", code=1))
    limits = [limit for run in found["runs"] for limit in run["limits"]]
    measured = {limit["key"]: limit["value"] for limit in limits}
    totals = report["totals"]
    same("check", measured, {"bytes": totals["allocated_bytes"], "blocks": totals["allocations"], "peak_live_bytes": totals["peak_live_bytes"]})
    for file in (junit, sarif):
        with open(file, encoding="utf-8") as text_of:
            content = text_of.read()
        for figure in (totals["allocated_bytes"], totals["allocations"], totals["peak_live_bytes"]):
            if str(figure) not in content and human_bytes(figure) not in content and human_count(figure) not in content:
                sys.exit(f"{file}: no {figure}")
    print("check: same")


def check_names(report, sums):
    """A limit for each type whose blocks have one name: JSON, JUnit and SARIF say that name, with its exact figure."""
    split = {kind["name"] for row in report["types"] for kind in row.get("kinds", [])}
    names = {name: figures for name, figures in sums.of.items() if name not in split and name != LIBRARY and figures[0] > 1}
    with open(os.path.join(FOLDER, "types.toml"), "w", encoding="utf-8") as budget:
        for name in names:
            budget.write(f"[types.{json.dumps(name)}]\nallocated_bytes = 1\n")
    junit, sarif = os.path.join(FOLDER, "types.xml"), os.path.join(FOLDER, "types.sarif")
    found = json.loads(inmem("check", "--budget", "types.toml", "--format", "json", "--junit", junit, "--sarif", sarif, "app.inmem", code=1))
    limits = [limit for run in found["runs"] for limit in run["limits"]]
    measured = {re.match(r"types\.'(.*)' bytes$", limit["limit"])[1]: limit["value"] for limit in limits}
    same("check by type", measured, {n: f[0] for n, f in names.items()})
    cases = [case.get("name") + " " + "".join(f.get("message", "") for f in case) for case in xml.etree.ElementTree.parse(junit).iter("testcase")]
    with open(sarif, encoding="utf-8") as file:
        results = [result["message"]["text"] for run in json.load(file)["runs"] for result in run["results"]]
    for view, texts in (("JUnit", cases), ("SARIF", results)):
        for name, figures in names.items():
            if not any(name in each and f"{figures[0]:,}" in each.replace("'", ",") or name in each and str(figures[0]) in each for each in texts):
                sys.exit(f"{view}: no {name} with {figures[0]} in\n" + "\n".join(texts))
    print("JUnit and SARIF: same")
    annotations(names)


def annotations(names):
    """GitHub's: each limit that breaks at a line is in the annotation of the line, by the name of the blocks; the first with its exact figure."""
    shown = inmem("check", "--budget", "types.toml", "--github", "app.inmem", code=1)
    lines = [line.replace("%25", "%").replace("%3A", ":").replace("%2C", ",") for line in shown.splitlines() if line.startswith("::error ")]
    for name in names:
        if not any(f"bytes of {name}" in line for line in lines):
            sys.exit(f"GitHub: no {name} in\n" + "\n".join(lines))
    for line in lines:
        found = re.search(r"::bytes of (.*): found (\d+) bytes(?: \((.*?)\))?, allowed", line)
        if not found:
            sys.exit(f"GitHub: no figure in {line}")
        bytes_of = names[found[1]][0]
        same(f"GitHub: {found[1]}", (int(found[2]), found[3] or human_bytes(bytes_of)), (bytes_of, human_bytes(bytes_of)))
    # The table of causes has the same figures.
    for line in inmem("check", "--budget", "types.toml", "app.inmem", columns=250, code=1).splitlines():
        if row := re.match(r" +\S+ [×%]  bytes of (.*?)  +[<≤]=? [\d.]+ \S+  +([\d.]+ \S+)  ", line):
            same(f"check: {row[1]}", row[2], human_bytes(names[row[1]][0]))
    print("annotations: same")


def mcp(sums):
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "report", "arguments": {"file": "app.inmem"}}},
    ]
    answers = inmem("mcp", text="".join(json.dumps(call) + "\n" for call in calls)).splitlines()
    shown = json.loads(answers[-1])["result"]["content"][0]["text"]
    rows = [(name, *row) for name, row in markdown_rows(shown).items()]
    check_rows("MCP", rows, dict(sums.ordered()[: len(rows)]), lambda f: (human_bytes(f[0]), human_count(f[1]), human_bytes(f[2])))
    same("MCP: rows", len(rows) >= 10, True)
    print("MCP: same")


def frees(sums):
    known = json.loads(inmem("report", "--format", "json", "--frees", "app.inmem"))["frees"]
    for part in ("functions", "cells"):
        if not {row["name"] for row in known[part]} <= set(sums.of):
            sys.exit(f"frees, {part}: no blocks are called {sorted({row['name'] for row in known[part]} - set(sums.of))}")
    print("frees: same")


def finding_titles(report):
    """Titles of findings about one kind of blocks are cut alike, about two kinds never into one text."""
    names = [finding["about"] for finding in report["findings"]]
    same("findings: about several kinds", len(set(names)) >= 3, True)
    for width in (80, 120, 200):
        lines = inmem("report", "--by", "finding", "app.inmem", columns=width).splitlines()
        titles = [found[1] for line in lines if (found := re.match(r"  (?:high|medium|low) +(.*?)(?: · .*)?$", line))]
        same(f"findings, {width} columns", len(titles), len(names))
        pairs = set(zip(names, titles, strict=True))
        for name, title in pairs:
            if not is_short_for(title, name):
                sys.exit(f"findings, {width} columns: {title} is not {name}")
        same(f"findings, {width} columns: {sorted(pairs)}", (len({n for n, _ in pairs}), len({t for _, t in pairs})), (len(pairs), len(pairs)))
    print("findings: same")


def heap(sums):
    """Names, and bytes of what only the program allocates: what a library keeps may come and go at the end."""
    content = json.loads(inmem("heap", "--format", "json", "--top", "0", "app.heap"))
    found = {kind["name"]: kind["bytes"] for kind in content["kinds"]}
    mine = {n: f[2] for n, f in sums.of.items() if f[2] > 0 and n not in (LIBRARY, "(unknown type)")}
    if sums.of.get(LIBRARY, (0, 0, 0))[2] and LIBRARY not in found:
        sys.exit(f"heap: the libraries' blocks are not called {LIBRARY}: {sorted(found)}")
    same("heap", {n: v for n, v in found.items() if n in mine}, mine)
    same("heap: bytes", sum(found.values()), content["totals"]["bytes"])
    for part in ("leaks", "duplicates", "largest"):
        if not {row["name"] for row in content[part]} <= set(found):
            sys.exit(f"heap, {part}: no blocks are called {sorted({row['name'] for row in content[part]} - set(found))}")
    shown = inmem("heap", "--top", "0", "app.heap", columns=200)
    rows = table(shown, "TYPES", len(found))
    same("heap: text", {row[0] for row in rows} >= set(mine), True)
    print("heap: same")
    lines = json.loads(inmem("resident", "--format", "json", "--top", "0", "app.heap"))["pins"]
    live = collections.Counter()
    for line in lines:
        live[line["name"]] += line["live_bytes"]
    same("resident", {n: v for n, v in live.items() if n in mine}, mine)
    print("resident: same")


# Titles of columns: the word that every view uses, and words that no view uses for it.
WORDS = {"allocated by": ("made by", "place"), "kept": ("of those made",), "median": ("p50", "median life"), "blocks/s": ("made/s",),
         "retained": (), "verdict": (), "holds back": ()}
TABLES = (
    (("report",), ("allocated by", "kept", "median", "allocated", "live")),
    (("report", "--full"), ("allocated by", "kept", "median", "allocated", "live")),
    (("report", "--by", "site"), ("allocated by", "median", "allocated", "live")),
    (("report", "--by", "thread"), ("allocated", "freed here")),
    (("report", "--by", "stack"), ("allocated", "live")),
    (("report", "--by", "frees"), ("allocated by, freed by",)),
    (("top", "--once"), ("▾live", "blocks/s", "allocated")),
    (("diff", "later.inmem"), ("allocated", "live")),
    (("check", "--budget", "words.toml"), ("allocated by",)),
    (("heap",), ("allocated by", "retained", "verdict")),
    (("resident",), ("allocated by", "kept", "holds back")),
)


def titles():
    """Each view calls a column what the others call it."""
    others = {other: word for word, known in WORDS.items() for other in known}
    with open(os.path.join(FOLDER, "words.toml"), "w", encoding="utf-8") as file:
        file.write("[totals]\nlive_bytes = 1\n")
    for words, expected in TABLES:
        trace = "app.heap" if words[0] in ("heap", "resident") else "app.inmem"
        shown = inmem(*words, trace, columns=240, code=1 if words[0] == "check" else 0)
        found = {cell for line in shown.splitlines() for cell in cells(line)}
        if missing := set(expected) - found:
            sys.exit(f"titles, {' '.join(words)}: no column {sorted(missing)}\n{shown}")
        if wrong := found & set(others):
            sys.exit(f"titles, {' '.join(words)}: {', '.join(f'{word} for {others[word]}' for word in sorted(wrong))}")
    inmem("html", "-o", "words.html", "app.inmem")
    with open(os.path.join(FOLDER, "words.html"), encoding="utf-8") as file:
        script = re.search(r"<script[^>]*>(.*?)</script>", re.sub(r'<script[^>]*id="inmem-data".*?</script>', "", file.read(), flags=re.S), re.S)[1]
    texts = set(re.findall(r"[\"'`]([a-z][a-z /0-9]*)[\"'`]", script))
    if missing := {"allocated by", "allocated", "live", "median", "kept", "freed here", "verdict"} - texts:
        sys.exit(f"titles, page: no column {sorted(missing)}")
    if wrong := texts & (set(others) - {"place", "p50"}):  # keys of the data
        sys.exit(f"titles, page: {sorted(wrong)}")
    print("titles: same")


def main():
    report = json.loads(inmem("report", "--format", "json", "--by", "type,site", "app.inmem"))
    sums = Sums(report["sites"])
    kinds = [row for t in report["types"] for row in t.get("kinds", [t]) if t["allocations"]]
    same("JSON's kinds and sites", Sums(kinds).of, sums.of)
    if "std::string buffer" not in sums.of or "char" not in sums.of:
        sys.exit(f"the program has a string's buffer and plain characters: {sorted(sums.of)}")
    text(sums, report["sites"])
    screen(sums)
    csv_rows(sums)
    markdown(sums)
    top(sums)
    page(sums)
    exports(sums)
    speedscope_names(sums)
    diff(sums)
    check(report)
    check_names(report, sums)
    mcp(sums)
    frees(sums)
    finding_titles(report)
    heap(sums)
    titles()


if __name__ == "__main__":
    main()
