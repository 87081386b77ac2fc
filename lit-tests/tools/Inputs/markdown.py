# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""markdown.py INMEM TRACE...: summaries are short, valid tables, and names are code in them."""
import json
import subprocess
import sys

from markdown_it import MarkdownIt


def tables(text):
    """Rows of cells, as a parser of GitHub's Markdown reads them; and HTML that got through."""
    rows, html, inside = [], [], False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            rows.append([])
        if token.type in ("table_open", "table_close"):
            inside = token.type == "table_open"
        if token.type == "html_block":
            html.append(token.content)
        if token.type == "inline":
            html += [child.content for child in token.children if child.type == "html_inline"]
            if inside:
                rows[-1].append("".join(child.content for child in token.children))
    return rows, html


def main():
    inmem, *traces = sys.argv[1:]
    for trace in traces:
        for by in ("type", "site"):
            for top in ("3", "1000"):
                text = subprocess.run([inmem, "report", "--no-symbols", "--format", "markdown", "--by", by, "--top", top, trace], capture_output=True,
                                      text=True, check=True).stdout
                if len(text.encode()) > 4000:
                    sys.exit(f"{trace}: {len(text.encode())} characters")
                rows, html = tables(text)
                if html:
                    sys.exit(f"{trace}: markup got through: {html}")
                if len(rows) < 2 or len({len(row) for row in rows}) != 1:
                    sys.exit(f"{trace}: rows of different lengths: {rows}")
                if f"inmem report --by site {trace}" not in text:
                    sys.exit(f"{trace}: no next command in\n{text}")
                if by == "type" and "shop" in trace:
                    first = json.loads(subprocess.run([inmem, "report", "--no-symbols", "--format", "json", trace], capture_output=True, check=True).stdout)
                    if rows[1][0] != (first["types"][0]["alias"] or first["types"][0]["type"]):
                        sys.exit(f"{rows[1]} is not {first['types'][0]['type']}")


if __name__ == "__main__":
    main()
