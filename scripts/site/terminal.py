# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""terminal.py --columns N <TEXT >PICTURE: draws what a program printed to a terminal, with its colours, as SVG.

The picture asks for no fonts from elsewhere. Its <desc> has the text, for those who cannot see it and for tests."""
import argparse
import io
import sys
from xml.sax.saxutils import escape

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<desc>DESCRIPTION</desc>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px; line-height: {line_height}px; \
white-space: pre }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def picture(text, columns):
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False)
    shown = Text.from_ansi(text, no_wrap=True, overflow="crop")
    console.print(shown, crop=True)
    drawn = console.export_svg(title="", theme=MONOKAI, code_format=FORMAT, unique_id="t")
    # After the drawing, whose braces mean something.
    return drawn.replace("DESCRIPTION", escape(shown.plain.rstrip("\n")), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, required=True)
    sys.stdout.write(picture(sys.stdin.read(), parser.parse_args().columns))
