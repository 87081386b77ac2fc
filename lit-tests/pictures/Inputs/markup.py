# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""markup.py PICTURE.svg REPORT.xml: reads both with Python's parser, which knows
nothing of ours, and looks for the names of odd-names.trace."""
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def expect(what, texts, wanted):
    if not any(wanted in text for text in texts):
        sys.exit(f"{what}: expected {wanted!r} in one of\n" + "\n".join(map(repr, texts)))


picture, report = (xml.etree.ElementTree.parse(path).getroot() for path in sys.argv[1:3])
titles = [title.text for title in picture.iter(f"{SVG}title")]
for name in ('Map<"a" & \'b\', ]]>>: ', "Control??[31m??End: ", 'operator<<""_s &: ', "small</script><script>alert(1)</script>: ",
             "größe<日本語>: ", ", <0.1 %"):
    expect("titles", titles, name)
if len(list(picture.iter(f"{SVG}script"))) != 1:
    sys.exit("a name became a script")
expect("the picture's title", [text.text or "" for text in picture.iter(f"{SVG}text")], './odd "&" <app>: bytes allocated')

cases = list(report.iter("testcase"))
expect("test cases", [case.get("classname") for case in cases], "types.'Map<\"a\" & *'")
failures = [failure for case in cases for failure in case.iter("failure")]
if len(failures) != 3:
    sys.exit(f"expected 3 failures, found {len(failures)}")
expect("messages", [failure.get("message") for failure in failures], 'operator<<""_s&')
texts = [failure.text for failure in failures]
expect("texts", texts, 'Map<"a" & \'b\', ]]>>  ')
expect("texts", texts, 'a"<&>.cpp:3')
expect("texts", texts, "Control??[31m??End")
