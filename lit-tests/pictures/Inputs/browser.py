# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""browser.py --inmem PROGRAM --golden DIR --work DIR --chromium PROGRAM: makes every
picture and page, reads them as XML, opens them in Chromium and looks.

Golden files hold the boxes and tables as the browser has laid them out, not pixels:
fonts and antialiasing differ between machines, and a change of words shows better in
words. That something is painted at all is asked of a screenshot: each box has its
colour at the corner where no label reaches."""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from common import HERE, Goldens, arguments, assemble
from PIL import Image

METRICS = ("bytes", "count", "live", "peak", "lived")
SVG = "{http://www.w3.org/2000/svg}"
LEFT, WHOLE = 10, 1180  # of a flame graph, in pixels


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


class Browser:
    def __init__(self, program, work):
        self.program, self.work = program, pathlib.Path(work)

    def open(self, page, *options):
        """Standard output, and the console's errors."""
        done = subprocess.run(
            [self.program, "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files",
             f"--user-data-dir={self.work}/profile", "--enable-logging=stderr", "--force-device-scale-factor=1",
             *options, (self.work / page).resolve().as_uri()],
            capture_output=True, text=True, timeout=1800)
        errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return done.stdout, errors

    def look_at(self, pages):
        probe = (HERE / "probe.html").read_text(encoding="utf-8")
        (self.work / "probe.html").write_text(probe.replace("/*PAGES*/", ",".join(f"'{p}'" for p in pages)), encoding="utf-8")
        dom, errors = self.open("probe.html", "--virtual-time-budget=60000", "--dump-dom")
        check("errors of scripts", errors, [])
        found = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)
        if not found or not found[1]:
            sys.exit(f"the probe did not end:\n{dom[:2000]}")
        return json.loads(html.unescape(found[1]))

    def screenshot(self, page, width, height):
        path = self.work / f"{page}.png"
        self.open(page, f"--screenshot={path}", f"--window-size={width},{height}")
        return Image.open(path).convert("RGB")


def boxes_of(path):
    """What the file says, read by another parser."""
    root = xml.etree.ElementTree.parse(path).getroot()
    for group in root.iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect")
        yield (group.find(f"{SVG}title").text, [float(rect.get(k)) for k in ("x", "y", "width", "height")])


def check_picture(name, path, seen):
    check(f"{name}: errors", seen["errors"], [])
    written = list(boxes_of(path))
    check(f"{name}: titles", [b["title"] for b in seen["boxes"]], [title for title, _ in written])
    if len(written) < (5 if name == "flame-odd" else 10):
        sys.exit(f"{name}: only {len(written)} boxes")
    for box, (title, shape) in zip(seen["boxes"], written, strict=True):
        if max(abs(a - b) for a, b in zip(box["shape"], shape, strict=True)) > 0.5 or min(box["shape"][2:]) <= 0:
            sys.exit(f"{name}: {title}: written {shape}, laid out {box['shape']}")
        # A wider font than expected may reach over a little.
        if box["labelWidth"] > max(box["shape"][2], 1) * 1.2:
            sys.exit(f"{name}: the label of {title} is wider than its box: {box}")
    if name == "flame-odd":
        check("boxes below 0.1 %", any("<0.1 %" in title for title, _ in written), True)
    x, _, width, _ = seen["zoomed"]["shape"]
    check(f"{name}: zoomed", (round(x), round(width)), (LEFT, WHOLE))
    check(f"{name}: after reset", seen["reset"]["shown"], len(written))
    if abs(seen["reset"]["shape"][2] - dict(written)[seen["zoomed"]["title"]][2]) > 0.5 and len(dict(written)) == len(written):
        sys.exit(f"{name}: reset left a width of {seen['reset']['shape'][2]}")
    check(f"{name}: found main", seen["marked"] >= 1, True)
    check(f"{name}: a bad expression is answered", "complaint" in seen, True)
    check(f"{name}: no mark left", seen["unmarked"], 0)


def text_of_picture(seen):
    lines = [seen["title"] or ""]
    for box in seen["boxes"]:
        x, y, width, height = box["shape"]
        lines.append(f"{x:8.1f} {y:6.1f} {width:7.1f} {height:5.1f}  {box['title']}")
    return "\n".join(lines) + "\n"


def text_of_page(seen):
    lines = [f"title: {seen['title']}", *(f"heading: {h}" for h in seen["heads"])]
    for table in seen["tables"]:
        lines.append("table")
        lines += [" | ".join(" ".join(cell.split()) for cell in row).rstrip() for row in (table["titles"], *table["rows"])]
    return "\n".join(lines) + "\n"


def check_page(name, seen):
    check(f"{name}: errors", seen["errors"], [])
    check(f"{name}: wider than the window", seen["overflow"] > 0, False)
    for table in seen["tables"]:
        check(f"{name}: empty rows", table["empty"], 0)
        if not table["rows"] or min(table["shape"][2:]) <= 0:
            sys.exit(f"{name}: an empty table: {table}")
        if "down" in table:
            check(f"{name}: sorted", table["down"], sorted(table["down"], reverse=True))
            check(f"{name}: sorted the other way", table["up"], sorted(table["up"]))


def check_painted(name, image, boxes):
    """Each box that is wide enough has its colour in the lower right corner."""
    looked = 0
    for box in boxes:
        x, y, width, height = box["shape"]
        if width < 4:
            continue
        colour = tuple(int(n) for n in re.findall(r"\d+", box["fill"]))
        found = image.getpixel((int(x + width - 2), int(y + height - 2)))
        if max(abs(a - b) for a, b in zip(colour, found, strict=True)) > 12:
            sys.exit(f"{name}: {box['title']} is painted {found} instead of {colour}")
        looked += 1
    if looked < 10:
        sys.exit(f"{name}: only {looked} boxes to look at")


def main():
    options = arguments("chromium")
    work = pathlib.Path(options.work)
    assemble(options.work)
    (work / "odd.txt").write_text((HERE / "odd-names.trace").read_text(encoding="utf-8"), encoding="utf-8")

    def inmem(*words):
        subprocess.run([options.inmem, *words], cwd=work, check=True)

    subprocess.run([os.environ["INMEM_ASSEMBLE"], "-o", "odd.inmem", "odd.txt"], cwd=work, check=True)
    pictures = {f"flame-{m}": ["--metric", m, "new.inmem"] for m in METRICS}
    pictures["flame-bottom-up"] = ["--bottom-up", "--lines", "new.inmem"]
    pictures["flame-odd"] = ["--title", '"odd" & <names>', "odd.inmem"]
    for name, words in pictures.items():
        inmem("flame", "--no-symbols", "-o", f"{name}.svg", *words)
    inmem("flame", "--no-symbols", "--type", "no such type", "-o", "flame-none.svg", "new.inmem")
    inmem("diff", "--format", "html", "--by", "type,site,stack", "-o", "diff.html", "old.inmem", "new.inmem")
    inmem("diff", "--format", "html", "-o", "diff-odd.html", "old.inmem", "odd.inmem")

    browser = Browser(options.chromium, options.work)
    seen = browser.look_at([*(f"{name}.svg" for name in pictures), "flame-none.svg", "diff.html", "diff-odd.html"])
    goldens = Goldens(options.golden)
    for name in pictures:
        check_picture(name, work / f"{name}.svg", seen[f"{name}.svg"])
        goldens.compare(f"{name}.golden", text_of_picture(seen[f"{name}.svg"]))
    check("nothing to draw", (seen["flame-none.svg"]["errors"], seen["flame-none.svg"]["none"]), ([], True))
    for name in ("diff", "diff-odd"):
        check_page(name, seen[f"{name}.html"])
        goldens.compare(f"{name}-html.golden", text_of_page(seen[f"{name}.html"]))
    check_painted("flame-bytes", browser.screenshot("flame-bytes.svg", 1200, 800), seen["flame-bytes.svg"]["boxes"])
    page = browser.screenshot("diff.html", 1300, 900)
    if len(page.getcolors(1 << 24)) < 16:
        sys.exit("diff.html: the page is blank")
    goldens.finish()


if __name__ == "__main__":
    main()
