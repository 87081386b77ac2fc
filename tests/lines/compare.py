#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare.py - do our readers of debug information agree with llvm-symbolizer?

  compare.py --frames FILE [--llvm N] [--work FOLDER]   a small corpus: compiles Inputs/source in many ways, --smoke in a few
  compare.py --frames FILE BINARY...                    programs and libraries with debug information

Holds the runtime's reader and the report's against each other and against llvm-symbolizer, at every call of
the code: functions, files and lines of all frames, inlined ones included. --frames is build/tests/inmem-frames.
Exit code 0: they agree; 1: some frame differs, and is printed; 77: a tool is missing.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SOURCE = pathlib.Path(__file__).resolve().parent / "Inputs" / "source"
KNOWN = 12  # differences that are printed for each file
# Of the variants those that --smoke has, by the end of their names.
SMOKE = ("22, DWARF 5", "split", "zlib", "ThinLTO", "gcc, DWARF 4", "clang 16, DWARF 4, in place", "dwz, relative name")


def tool(name, version):
    for path in (f"/usr/lib/llvm-{version}/bin/{name}", shutil.which(f"{name}-{version}"), shutil.which(name)):
        if path and os.access(path, os.X_OK):
            return path
    return None


# (name, compiler, flags, source as it is named, folder to compile in). {root} is the corpus's folder.
def variants(versions):
    newest = [("DWARF 2", ["-gdwarf-2"]), ("DWARF 3", ["-gdwarf-3"]), ("DWARF 4", ["-gdwarf-4"]), ("DWARF 5", ["-gdwarf-5"]),
              ("split", ["-gdwarf-5", "-gsplit-dwarf"]), ("zlib", ["-gz=zlib"]), ("zstd", ["-gz=zstd"]),
              ("tables", ["-gline-tables-only"]), ("sections", ["-ffunction-sections", "-Wl,--gc-sections"]),
              ("prefix map", ["-ffile-prefix-map={root}=/mapped"]), ("compilation directory", ["-fdebug-compilation-dir=/elsewhere"]),
              ("LTO", ["-flto", "-fuse-ld=lld"]), ("ThinLTO", ["-flto=thin", "-fuse-ld=lld"]), ("unoptimised", ["-O0"])]
    for name, flags in newest:
        yield f"clang {versions[0]}, {name}", versions[0], flags, "source/", "{root}"
    for version in versions:
        for dwarf in ("4", "5"):
            flags = [f"-gdwarf-{dwarf}"]
            yield f"clang {version}, DWARF {dwarf}, absolute from elsewhere", version, flags, "{root}/source/", "/usr"
            yield f"clang {version}, DWARF {dwarf}, in place", version, flags, "", "{root}/source"
    for dwarf in ("2", "3", "4", "5"):
        yield f"gcc, DWARF {dwarf}", "gcc", [f"-gdwarf-{dwarf}"], "source/", "{root}"
        yield f"gcc, DWARF {dwarf}, absolute from elsewhere", "gcc", [f"-gdwarf-{dwarf}"], "{root}/source/", "/usr"


def build(root, name, version, flags, prefix, folder):
    """The program, or None if this compiler has no such form."""
    prefix, folder = prefix.format(root=root), folder.format(root=root)
    flags = ["-g", "-O2", *(flag.format(root=root) for flag in flags), f"-I{prefix}include"]
    c, cxx = ("gcc", "g++") if version == "gcc" else (tool("clang", version), tool("clang++", version))
    if not c or not shutil.which(c) or not shutil.which(cxx):
        return None
    out = root / re.sub(r"\W+", "-", name)
    objects = []
    for compiler, file in ((cxx, "main.cpp"), (c, "take.c")):
        objects.append(f"{out}.{file}.o")
        command = [compiler, *(flag for flag in flags if not flag.startswith(("-Wl", "-fuse"))), "-c", prefix + file, "-o", objects[-1]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: not here: {done.stderr.strip().splitlines()[-1]}")
            return None
    subprocess.run([cxx, *flags, *objects, "-o", out], cwd=folder, check=True)
    return out


COMPRESSED = "compressed in all ways"
# Level and strategy of zlib: they vary the bit that a stream ends at.
STREAMS = {"level 1": (1, zlib.Z_DEFAULT_STRATEGY), "level 9": (9, zlib.Z_DEFAULT_STRATEGY), "filtered": (6, zlib.Z_FILTERED),
           "Huffman only": (9, zlib.Z_HUFFMAN_ONLY), "runs": (9, zlib.Z_RLE), "fixed": (9, zlib.Z_FIXED), "stored": (0, zlib.Z_DEFAULT_STRATEGY)}
SHF_COMPRESSED, ELFCOMPRESS_ZLIB = 0x800, 1


def compressed(plain, out, level, strategy, remainder):
    """A copy of an ELF file for 64 bits whose sections of debug information are compressed, and each end at an
    offset that leaves `remainder` when divided by 4."""
    file = bytearray(plain.read_bytes())
    table, = struct.unpack_from("<Q", file, 40)
    size, count, names = struct.unpack_from("<HHH", file, 58)
    names_at, = struct.unpack_from("<Q", file, table + size * names + 24)
    first = True
    for header in range(table, table + size * count, size):
        name, _, flags, _, at, length = struct.unpack_from("<IIQQQQ", file, header)
        if not file[names_at + name:].startswith(b".debug_"):
            continue
        deflate = zlib.compressobj(level, zlib.DEFLATED, 15, 8, strategy)
        data = struct.pack("<IIQQ", ELFCOMPRESS_ZLIB, 0, length, 1) + deflate.compress(bytes(file[at:at + length])) + deflate.flush()
        # The first section begins at a multiple of 4: a reader that maps all sections at once aligns that one.
        file += bytes(-len(file) % 4 if first else (remainder - len(file) - len(data)) % 4)
        first = False
        struct.pack_into("<QQQQ", file, header + 8, flags | SHF_COMPRESSED, 0, len(file), len(data))
        file += data
    out.write_bytes(file)
    out.chmod(0o755)
    return out


def compressions(plain):
    """Files that are compressed in each way and end in each place, from one that is not."""
    for name, (level, strategy) in STREAMS.items():
        for remainder in range(4):
            out = plain.with_name(f"compressed-{level}-{strategy}-{remainder}")
            yield f"zlib, {name}, end at 4n+{remainder}", compressed(plain, out, level, strategy, remainder)


def shared(root, version, absolute):
    """(a program whose debug information is partly in a file that it shares with another, the same before), or None."""
    if not tool("dwz", version):
        print("dwz: not here")
        return None
    programs = [build(root, f"dwz {level} {absolute}", version, ["-gdwarf-4", f"-O{level}"], "source/", "{root}") for level in (2, 1)]
    plain = programs[0].with_suffix(".plain")
    shutil.copy(programs[0], plain)
    name = f"{programs[0].name}.common"
    subprocess.run(["dwz", "-m", name, "-M", root / name if absolute else name, *programs], cwd=root, check=True)
    return programs[0], plain


def calls(file, objdump):
    """Addresses as a stack shows them: within each call, by its last byte."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", "-j", ".text", file],
                          capture_output=True, text=True, check=True).stdout
    found, pending = [], False
    for line in text.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(\S+)", line)
        if match and pending:
            found.append(int(match.group(1), 16) - 1)
        if match:
            pending = match.group(2).startswith("call")
    return found


# What a reader does not know of a variant, by a part of its name: docs/stacks.md says so.
LIMITS = {("split", "runtime"): "position", ("zstd", "runtime"): "nothing", ("zstd", "report"): "nothing"}


def within_limits(name, reader, rows, right):
    """Whether `rows` are all that can be known, though `right` has more."""
    limit = next((limit for (part, of), limit in LIMITS.items() if part in name and of == reader), None)
    if limit == "position":
        return bool(rows) and rows[0][1:] == right[0][1:]
    return limit == "nothing" and not any(frame.line for frame in rows)


Frame = collections.namedtuple("Frame", "function file line")


def ours(frames, reader, file, addresses):
    path = f"{file.parent}//{file.name}"  # as a search path with a slash at its end makes it
    done = subprocess.run([frames, reader, path], input="".join(f"{a:x}\n" for a in addresses), capture_output=True, text=True)
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode:
        raise SystemExit(f"{frames} {reader} {file}: exit code {done.returncode}: {done.stderr}")
    found, current = {}, None
    for line in done.stdout.splitlines():
        if line.startswith("  "):
            function, path, number = line[2:].split("\t")
            current.append(Frame(function, path, int(number)))
        else:
            current = found[int(line, 16)] = []
    return found


def theirs(symbolizer, file, addresses):
    done = subprocess.run([symbolizer, f"--obj={file}", "--no-demangle", "--output-style=JSON", "--inlining"],
                          input="".join(f"0x{a:x}\n" for a in addresses), capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        found[int(answer["Address"], 16)] = [Frame(s["FunctionName"], s["FileName"], s["Line"]) for s in answer.get("Symbol", [])]
    return found


def normal(frames, linker_names):
    """The outermost function has the linker's name, which the runtime takes from elsewhere, and may have several."""
    rows = [frame._replace(file=frame.file.replace("/./", "/")) for frame in frames]
    if rows:
        rows[-1] = rows[-1]._replace(function=min(linker_names.get(rows[-1].function, [rows[-1].function])))
    return rows


def without_arguments(name):
    """A function's name without its template arguments, which compilers spell in their own ways."""
    while (inner := re.sub(r"<[^<>]*>", "", name)) != name:
        name = inner
    return name.strip()


def without_scopes(rows, right):
    """The report qualifies functions that have no linkage name; llvm-symbolizer has the bare name."""
    if len(rows) != len(right):
        return rows
    return [mine._replace(function=bare.function)
            if not bare.function.startswith("_Z") and without_arguments(mine.function).endswith(f"::{without_arguments(bare.function)}") else mine
            for mine, bare in zip(rows, right, strict=True)]


def aliases(file, nm):
    """{function: all of its names}."""
    text = subprocess.run([nm, str(file)], capture_output=True, text=True).stdout
    at = collections.defaultdict(set)
    for line in text.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1] in "tTwWiI":
            at[parts[0]].add(parts[2])
    return {name: names for names in at.values() if len(names) > 1 for name in names}


def shown(frames):
    return " <- ".join(f"{f.function} {f.file}:{f.line}" for f in frames) or "nothing"


def compare(options, name, file, plain):
    """How many calls the readers disagree on, and of how many. llvm-symbolizer reads `plain`, the same program in a
    form that it knows."""
    objdump, symbolizer, nm = (tool(name, options.llvm) for name in ("llvm-objdump", "llvm-symbolizer", "llvm-nm"))
    addresses = calls(file, objdump)
    if options.every > 1:
        addresses = addresses[:: options.every]
    names = aliases(file, nm)
    # Code without debug information (the C library's start) is not asked.
    llvm = {a: f for a, f in theirs(symbolizer, plain, addresses).items() if f and f[0].line}
    readers = {reader: ours(options.frames, reader, file, sorted(llvm)) for reader in ("runtime", "report")}
    differ = 0
    for address, frames in sorted(llvm.items()):
        rows = {"llvm-symbolizer": frames, **{reader: found.get(address, []) for reader, found in readers.items()}}
        alike = {reader: normal(row, names) for reader, row in rows.items()}
        if alike["runtime"] and frames:
            alike["runtime"][-1] = alike["runtime"][-1]._replace(function=alike["llvm-symbolizer"][-1].function)
        right = alike["llvm-symbolizer"]
        alike["report"] = without_scopes(alike["report"], right)
        if any(row != right and not within_limits(name, reader, row, right) for reader, row in alike.items()):
            differ += 1
            if differ <= KNOWN:
                print(f"{file.name} {address:#x}", *(f"    {name:16}{shown(row)}" for name, row in rows.items()), sep="\n")
    return differ, len(llvm)


def corpus(root, versions, only, smoke):
    """(name, program or None, the same as llvm-symbolizer is to read it), for each whose name has the part `only`."""
    for one in variants(versions):
        if only in one[0] and (not smoke or one[0].endswith(SMOKE)):
            file = build(root, *one)
            yield one[0], file, file
    for absolute in (True, False):
        name = f"dwz, {'absolute' if absolute else 'relative'} name"
        if only in name and (not smoke or name.endswith(SMOKE)):
            yield name, *(shared(root, versions[0], absolute) or (None, None))
    if only in COMPRESSED and not smoke:
        plain = build(root, COMPRESSED, versions[0], ["-gdwarf-5"], "source/", "{root}")
        for name, file in compressions(plain):
            yield name, file, plain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", required=True)
    parser.add_argument("--llvm", default="22")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth call")
    parser.add_argument("--only", help="variants whose name has this part")
    parser.add_argument("--smoke", action="store_true", help="only one variant of each kind")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not all(tool(name, options.llvm) for name in ("llvm-objdump", "llvm-symbolizer", "llvm-nm")):
        print("no llvm-objdump, llvm-symbolizer or llvm-nm")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        root = (options.work or pathlib.Path(temporary)).resolve()
        root.mkdir(parents=True, exist_ok=True)
        files = [(str(file), file, file) for file in options.files]
        if not files:
            shutil.copytree(SOURCE, root / "source", dirs_exist_ok=True)
            versions = [v for v in (options.llvm, "22", "19", "16") if tool("clang", v)]
            versions = list(dict.fromkeys(versions))
            files = corpus(root, versions, options.only or "", options.smoke)
        for name, file, plain in files:
            if file:
                differ, of = compare(options, name, file, plain)
                wrong = f"{differ} of {of} calls differ" if differ else "no call has a line" if of == 0 else None
                print(f"{name}: {wrong or f'{of} calls agree'}")
                bad += wrong is not None
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
