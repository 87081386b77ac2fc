# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links between documents lead to files and headings that exist."""
import os
import re
import urllib.parse

import markdown_it


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def parse(path):
    with open(path) as file:
        return markdown_it.MarkdownIt("commonmark").enable("table").parse(file.read())


def text_of(inline):
    return "".join(token.content for token in inline.children if token.type in ("text", "code_inline"))


def anchors(path):
    found = set()
    tokens = parse(path)
    for before, token in zip(tokens, tokens[1:], strict=False):
        if before.type == "heading_open":
            name, count = slug(text_of(token)), 0
            while (name if not count else f"{name}-{count}") in found:
                count += 1
            found.add(name if not count else f"{name}-{count}")
    return found


def targets(path):
    """Yields (line, target) of each link and picture."""
    for token in parse(path):
        for child in token.children or ():
            target = child.attrGet("href") if child.type == "link_open" else child.attrGet("src") if child.type == "image" else None
            if target:
                yield (token.map or [0])[0] + 1, target


def check(tree, _fix):
    for file in tree.matching("*.md"):
        folder = os.path.dirname(file)
        for line, target in targets(tree.path(file)):
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                continue
            leads = os.path.normpath(os.path.join(folder, urllib.parse.unquote(url.path))) if url.path else file
            if not os.path.exists(tree.path(leads)):
                yield f"{file}:{line}: link to {target}: no such file"
            elif url.fragment and leads.endswith(".md") and url.fragment not in anchors(tree.path(leads)):
                yield f"{file}:{line}: link to {target}: no such heading"
