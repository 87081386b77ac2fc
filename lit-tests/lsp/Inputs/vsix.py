# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""vsix.py FILE INMEM SOURCE: the package is whole, and its commands and settings are those of the server and of the docs."""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree
import zipfile

from lsp_client import Client, check


def main():
    file, inmem, source = sys.argv[1:]
    with zipfile.ZipFile(file) as package:
        check("whole", package.testzip(), None)
        names = set(package.namelist())
        manifest = json.loads(package.read("extension/package.json"))
        about = xml.etree.ElementTree.fromstring(package.read("extension.vsixmanifest"))
        code = package.read("extension/" + manifest["main"].removeprefix("./"))
        icon = "extension/" + manifest["contributes"]["viewsContainers"]["activitybar"][0]["icon"]
    # The code is one file: neither sources nor modules go along.
    check("files", sorted(n for n in names if "node_modules" in n or n.endswith(".ts")), [])
    check("the icon", icon in names, True)
    check("the client is in the code", b"inmem/heat" in code and b"textDocument/inlayHint" in code, True)
    identity = next(e for e in about.iter() if e.tag.endswith("}Identity"))
    check("identity", (identity.get("Id"), identity.get("Version")), (manifest["name"], manifest["version"]))
    # The server's own commands are the extension's, but for the one that only code actions use.
    client = Client(inmem, ".")
    offered = client.hello["capabilities"]["executeCommandProvider"]["commands"]
    client.end()
    check("commands", sorted(c["command"] for c in manifest["contributes"]["commands"]), sorted(set(offered) - {"inmem.fix"}))
    with open(f"{source}/docs/howto/editor.md", encoding="utf-8") as docs:
        section = docs.read().split("## Settings")[1].split("\n## ")[0]
    documented = set(re.findall(r"^\| `(\w+)` \|", section, re.M))
    settings = {name.removeprefix("inmem.") for name in manifest["contributes"]["configuration"]["properties"]}
    check("settings", sorted(settings - {"path", "heat"}), sorted(documented))
    check("the program runs", subprocess.run([inmem, "--version"], capture_output=True, check=True).returncode, 0)


main()
