#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""archives - tarball, wheel and bill of materials of an installed inmem; the same bytes for the same files.

    archives.py tarball PREFIX VERSION MACHINE OUT_FOLDER
    archives.py wheel PREFIX VERSION MACHINE OUT_FOLDER
    archives.py deb FILE.deb
    archives.py sbom VERSION MACHINE OUT_FOLDER [PACKAGES]
    archives.py sums VERSION OUT_FOLDER

SOURCE_DATE_EPOCH is the time of all that they hold. `deb` finishes a package that CPack has made, in place: compressed
manual pages and changelog, copyright, checksums, times. PACKAGES lists what a cross build has compiled against, a name and
a version a line; without it that is what is installed.
"""

import base64
import gzip
import hashlib
import io
import json
import lzma
import os
import pathlib
import re
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
# Tests have no time for the smallest.
XZ_PRESET = int(os.environ.get("INMEM_XZ_PRESET", 9 | lzma.PRESET_EXTREME))
LICENCE = "Apache-2.0 WITH LLVM-exception"
SUMMARY = "Which types of object a C or C++ program allocates, where, how big, how long"
# Debian packages whose code is in bin/inmem, and the licence of each. ziglang is PyPI's: libc++ of the tool for musl.
INSIDE = {"libfmt-dev": "MIT", "libdw-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libelf-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later",
          "libprotobuf-dev": "BSD-3-Clause", "libpugixml-dev": "MIT", "libutf8proc-dev": "MIT", "libncurses-dev": "X11-distribute-modifications-variant",
          "libzstd-dev": "BSD-3-Clause", "zlib1g-dev": "Zlib", "liblzma-dev": "0BSD", "libbz2-dev": "bzip2-1.0.6",
          "libcpp-httplib-dev": "MIT", "libiberty-dev": "LGPL-2.1-or-later", "nlohmann-json3-dev": "MIT", "libcli11-dev": "BSD-3-Clause",
          "libtomlplusplus-dev": "MIT", "libxxhash-dev": "BSD-2-Clause", "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
          "libcapstone-dev": "BSD-3-Clause", "ziglang": LICENCE}


def files_below(prefix):
    """Files and links below a folder, in order, as (path, name relative to it)."""
    for folder, folders, names in os.walk(prefix):
        folders.sort()
        links = [each for each in folders if os.path.islink(os.path.join(folder, each))]
        for name in sorted([*names, *links]):
            path = pathlib.Path(folder, name)
            yield path, path.relative_to(prefix).as_posix()


def tarball(prefix, version, machine, out):
    base = f"inmem-{version}-linux-{machine}"
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, name in files_below(prefix):
            info = tar.gettarinfo(path, f"{base}/{name}")
            info.mtime, info.uid, info.gid, info.uname, info.gname = EPOCH, 0, 0, "root", "root"
            info.mode = 0o777 if info.issym() else 0o755 if info.mode & stat.S_IXUSR else 0o644
            with open(path, "rb") if info.isfile() else io.BytesIO() as file:
                tar.addfile(info, file if info.isfile() else None)
    target = out / f"{base}.tar.xz"
    target.write_bytes(lzma.compress(raw.getvalue(), preset=XZ_PRESET))
    return target


def wheel(prefix, version, machine, out):
    """Programs go into the environment's bin folder, all else below its root: nothing of Python runs at each compilation."""
    name, tag = f"inmem-{version}", f"py3-none-manylinux_2_28_{machine}"
    entries = []
    for path, relative in files_below(prefix):
        if relative.startswith("include/"):
            continue  # headers are in lib/inmem/include, for the compilers
        content = path.resolve().read_bytes() if not path.is_dir() else None
        if content is None:  # the link to the headers
            entries += [(f"{name}.data/data/{relative}/{inner}", each.read_bytes(), 0o644) for each, inner in files_below(path.resolve())]
        elif relative.startswith("bin/"):
            entries.append((f"{name}.data/scripts/{relative[4:]}", content, 0o755))
        elif path.is_symlink() and not relative.endswith((".so", ".so.0")):
            continue
        else:
            entries.append((f"{name}.data/data/{relative}", content, 0o755 if ".so" in relative or os.access(path, os.X_OK) else 0o644))
    metadata = (f"Metadata-Version: 2.1\nName: inmem\nVersion: {version}\nSummary: {SUMMARY}\nLicense: {LICENCE}\n"
                "Keywords: memory,profiler,heap,clang,C,C++\nRequires-Python: >=3.8\nClassifier: Operating System :: POSIX :: Linux\n"
                "Classifier: Topic :: Software Development :: Debuggers\nDescription-Content-Type: text/markdown\n\n")
    info = f"{name}.dist-info"
    entries += [("inmem/__init__.py", f'"""inmem: {SUMMARY[0].lower()}{SUMMARY[1:]}."""\n\n__version__ = "{version}"\n'.encode(), 0o644),
                (f"{info}/METADATA", metadata.encode() + (ROOT / "README.md").read_bytes(), 0o644),
                (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
                (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: inmem\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644)]
    record = "".join(f"{each},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
                     for each, content, _ in entries)
    entries.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))
    target = out / f"{name}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for each, content, mode in entries:
            entry = zipfile.ZipInfo(each, time.gmtime(max(EPOCH, 315532800))[:6])
            entry.external_attr, entry.compress_type, entry.create_system = (stat.S_IFREG | mode) << 16, zipfile.ZIP_DEFLATED, 3
            file.writestr(entry, content, compresslevel=9)
    return target


def copyright_text():
    """The exception in full; Debian has the licence itself on every system."""
    text = (ROOT / "LICENSE").read_text()
    exception = text[text.index("---- LLVM Exceptions"):].splitlines()[1:]
    return ("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: inmem\n\nFiles: *\n"
            "Copyright: 2025-2026 The inmem authors\nLicense: Apache-2.0-with-LLVM-exception\n\nLicense: Apache-2.0-with-LLVM-exception\n"
            " On Debian systems, the full text of the Apache License, Version 2.0\n can be found in /usr/share/common-licenses/Apache-2.0.\n .\n"
            + "".join(f" {line}\n" if line.strip() else " .\n" for line in exception))


def compressed(path):
    with open(path, "rb") as file:
        content = file.read()
    path.unlink()
    with open(f"{path}.gz", "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(content)


def deb(target):
    target = pathlib.Path(target)
    name = target.name.split("_")[0]
    version = target.name.split("_")[1]
    with tempfile.TemporaryDirectory() as temporary:
        tree = pathlib.Path(temporary, "tree")
        subprocess.run(["dpkg-deb", "--raw-extract", target, tree], check=True)
        doc = tree / "usr/share/doc" / name
        doc.mkdir(parents=True, exist_ok=True)
        (doc / "LICENSE").unlink(missing_ok=True)  # copyright has it
        if (doc / "CHANGELOG.md").exists():
            (doc / "CHANGELOG.md").rename(doc / "changelog")
            compressed(doc / "changelog")
        (doc / "copyright").write_text(copyright_text())
        changes = f"inmem ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- The inmem project <inmem@example.org>  "
        (doc / "changelog.Debian").write_text(changes + time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(EPOCH)) + "\n")
        compressed(doc / "changelog.Debian")
        for page in list((tree / "usr/share/man").glob("man*/*.[0-9]")):
            compressed(page)
        overrides = ROOT / "packaging/debian" / f"{name}.lintian-overrides"
        if name.startswith("inmem-llvm-"):
            overrides = ROOT / "packaging/debian/inmem-llvm.lintian-overrides"
        if overrides.exists():
            folder = tree / "usr/share/lintian/overrides"
            folder.mkdir(parents=True)
            (folder / name).write_text(overrides.read_text())
        if name == "libinmem-rt":
            (tree / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")
            (tree / "DEBIAN/shlibs").write_text("libinmem_rt 0 libinmem-rt\nlibinmem_place 0 libinmem-rt\n")
        sums = []
        for path, relative in files_below(tree):
            if not relative.startswith("DEBIAN/") and not path.is_symlink():
                path.chmod(0o755 if relative.startswith("usr/bin/") or path.name in ("inmem-fix", "replayer") else 0o644)
                sums.append(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {relative}\n")
        (tree / "DEBIAN/md5sums").write_text("".join(sums))
        for path in [*tree.rglob("*"), tree]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
            elif path.parent.name == "DEBIAN":
                path.chmod(0o644)
            os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, target], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)})
    return target


def versions_inside(listed):
    """The version of each package whose code is inside, of those listed or of those installed."""
    if listed:
        known = dict(line.split() for line in pathlib.Path(listed).read_text().splitlines())
        return {name: known[name] for name in INSIDE if name in known}
    found = {}
    for name in INSIDE:
        query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
        if query.returncode == 0:
            found[name] = query.stdout
    return found


def sbom(version, machine, out, listed=None):
    """SPDX 2.3: inmem, and what is inside its program."""
    packages = [{"SPDXID": "SPDXRef-inmem", "name": "inmem", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "licenseConcluded": LICENCE, "licenseDeclared": LICENCE, "filesAnalyzed": False, "primaryPackagePurpose": "APPLICATION"}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-inmem"}]
    for name, inside in sorted(versions_inside(listed).items()):
        identity = "SPDXRef-" + name.replace("+", "p")
        registry = "pypi" if name == "ziglang" else "deb/debian"
        packages.append({"SPDXID": identity, "name": name, "versionInfo": inside, "downloadLocation": "NOASSERTION",
                         "licenseConcluded": "NOASSERTION", "licenseDeclared": INSIDE[name], "filesAnalyzed": False,
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": f"pkg:{registry}/{name}@{urllib.parse.quote(inside, safe='~')}"}]})
        relations.append({"spdxElementId": "SPDXRef-inmem", "relationshipType": "CONTAINS", "relatedSpdxElement": identity})
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"inmem-{version}-{machine}",
                "documentNamespace": f"https://spdx.org/spdxdocs/inmem-{version}-{machine}",
                "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)), "creators": ["Tool: scripts/package"]},
                "packages": packages, "relationships": relations}
    target = out / f"inmem-{version}-{machine}.spdx.json"
    target.write_text(json.dumps(document, indent=1) + "\n")
    return target


def sums(version, out):
    """SHA256SUMS of a release's files, which must be alone in their folder."""
    files = [path for path in sorted(out.iterdir()) if not path.name.startswith("SHA256SUMS")]
    for path in files:
        if not re.match(rf"(lib)?inmem[a-z0-9-]*[-_]{re.escape(version)}[-.]", path.name):
            sys.exit(f"archives: {path} is not of release {version}; remove it")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(lines))
    return out / "SHA256SUMS"


def main():
    # The function, how many arguments it takes, and which of them is the folder.
    kinds = {"tarball": (tarball, [4], 3), "wheel": (wheel, [4], 3), "deb": (deb, [1], None), "sbom": (sbom, [3, 4], 2), "sums": (sums, [2], 1)}
    kind = kinds.get(sys.argv[1]) if len(sys.argv) > 1 else None
    if not kind or len(sys.argv) - 2 not in kind[1]:
        print(__doc__, file=sys.stderr)
        return 2
    arguments = sys.argv[2:]
    if kind[2] is not None:
        arguments[kind[2]] = pathlib.Path(arguments[kind[2]])
        arguments[kind[2]].mkdir(parents=True, exist_ok=True)
    print(kind[0](*arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
