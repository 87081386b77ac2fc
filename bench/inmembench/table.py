# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results as one table, for a terminal or for a document."""

COLUMNS = (("bare", "bare"), ("default", "inmem"), ("exact", "inmem, clock=exact"), ("heaptrack", "heaptrack"),
           ("memprof", "MemProf"), ("dhat", "DHAT"), ("bytehound", "bytehound"))
LEGEND = ("median (quartiles; number). x: over bare in the same round, CPU time of user and system; "
          "the smaller the better.")


LONGEST_NOTE = 60  # characters


def digits(value):
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def cell(figure):
    if not figure:
        return ""
    text = digits(figure["median"])
    if figure["n"] > 1 and figure["high"] != figure["low"]:
        text += f" ({digits(figure['low'])}–{digits(figure['high'])}; {figure['n']})"
    return text


def verdict(met):
    return {True: "yes", False: "NO", None: ""}[met]


def lines(rows):
    """The table as lines of a Markdown table, aligned for the terminal too, and long notes as a list below it."""
    grid = [["what", "unit", *(title for _, title in COLUMNS), "bar", "met", "note"]]
    below = []
    for each in rows:
        note = " ".join(each["note"].split()).replace("|", "/")
        if len(note) > LONGEST_NOTE:
            below.append(f"- {each['row']}: {note}")
            note = "below"
        grid.append([each["row"], each["unit"], *(cell(each["cells"].get(key)) for key, _ in COLUMNS),
                     each["bar"], verdict(each["met"]), note])
    kept = [i for i in range(len(grid[0])) if i < 2 or any(r[i] for r in grid[1:])]
    widths = {i: max(len(r[i]) for r in grid) for i in kept}
    out = ["| " + " | ".join(r[i].ljust(widths[i]) for i in kept) + " |" for r in grid]
    out.insert(1, "| " + " | ".join("-" * max(widths[i], 3) for i in kept) + " |")
    return [*out, "", *below] if below else out
