#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""musl_libraries - builds what bin/inmem links for musl, which Debian has for glibc alone.

    musl_libraries.py SOURCES LLVM MUSL_CXX OUT

SOURCES has Debian's sources, unpacked. The compiler is that of LLVM (/usr/lib/llvm-N), the C++ library what scripts/musl_cxx.py made.
OUT/usr gets an archive and the headers of each library. Header-only libraries are links to those of this system.
"""

import pathlib
import re
import shutil
import subprocess
import sys

MUSL = "/usr/lib/x86_64-linux-musl"
HERE = pathlib.Path(__file__).resolve().parent / "musl"
TARGET = "x86_64-linux-musl"
# Terminals that need no file: those of most people, where no terminfo is installed.
TERMINALS = "xterm,xterm-256color,linux,screen,screen-256color,tmux,tmux-256color,vt100,dumb"
ELFUTILS = """\
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_POWEROF2 0
#define HAVE_DECL_RAWMEMCHR 0
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_DECL_STRERROR_R 1
#define HAVE_ERR_H 1
#define HAVE_FALLTHROUGH 1
#define HAVE_GCC_STRUCT 0
#define HAVE_MREMAP 1
#define HAVE_PROCESS_VM_READV 1
#define HAVE_STDATOMIC_H 1
#define HAVE_STRERROR_R 1
#define HAVE_SYS_USER_REGS 1
#define HAVE_VISIBILITY 1
#define ENABLE_LIBDEBUGINFOD 1
#define PACKAGE_NAME "elfutils"
#define PACKAGE_VERSION "0"
#define SIZEOF_LONG 8
#define USE_BZLIB 1
#define USE_LZMA 1
#define USE_ZLIB 1
#define USE_ZSTD 1
#include <eu-config.h>
"""
LIBERTY = "".join(f"#define HAVE_{each} 1\n" for each in (
    "ALLOCA_H", "INTTYPES_H", "LIMITS_H", "MEMORY_H", "STDINT_H", "STDLIB_H", "STRING_H", "STRINGS_H", "SYS_TYPES_H", "UNISTD_H"))
LZMA = "".join(f"#define {each} 1\n" for each in (
    *(f"HAVE_DECODER_{each}" for each in ("ARM", "ARM64", "ARMTHUMB", "DELTA", "IA64", "LZMA1", "LZMA2", "POWERPC", "SPARC", "X86")),
    "HAVE_CHECK_CRC32", "HAVE_CHECK_CRC64", "HAVE_CHECK_SHA256", "HAVE_CLOCK_GETTIME", "HAVE_CLOCK_MONOTONIC", "HAVE_DECODERS", "HAVE_INTTYPES_H",
    "HAVE_STDBOOL_H", "HAVE_STDINT_H", "HAVE_VISIBILITY", "HAVE__BOOL", "MYTHREAD_POSIX", "TUKLIB_FAST_UNALIGNED_ACCESS", "TUKLIB_SYMBOL_PREFIX lzma_"))
LZMA = LZMA.replace("lzma_ 1", "lzma_") + '#define ASSUME_RAM 128\n#define PACKAGE_NAME "xz"\n#define PACKAGE_URL ""\n#define SIZEOF_SIZE_T 8\n'


class Library:
    """An archive: its package, the sources in it, what is left out of these, how they are compiled, and what others include."""

    def __init__(self, package, sources, leave="$^", flags="", include=(), headers="", config=""):
        self.package, self.sources, self.leave, self.flags = package, sources.split(), leave, flags
        self.include, self.headers, self.config = include, headers.split(), config


PROTOBUF = "any any_lite arena arenastring arenaz_sampler descriptor descriptor.pb descriptor_database dynamic_message extension_set extension_set_heavy " \
    "generated_enum_util generated_message_bases generated_message_reflection generated_message_tctable_full generated_message_tctable_lite " \
    "generated_message_util implicit_weak_message inlined_string_field map map_field message message_lite parse_context reflection_ops repeated_field " \
    "repeated_ptr_field text_format unknown_field_set wire_format wire_format_lite io/coded_stream io/strtod io/tokenizer io/zero_copy_stream " \
    "io/zero_copy_stream_impl io/zero_copy_stream_impl_lite stubs/bytestream stubs/common stubs/int128 stubs/status stubs/statusor stubs/stringpiece " \
    "stubs/stringprintf stubs/structurally_valid stubs/strutil stubs/substitute stubs/time"
LIBRARIES = {
    "z": Library("zlib", "*.c", flags="-DHAVE_UNISTD_H -DHAVE_HIDDEN", headers="zlib.h zconf.h"),
    "bz2": Library("bzip2", "*.c", "bzip2|dlltest|mk251|spewG|unzcrash", headers="bzlib.h"),
    "zstd": Library("libzstd", "lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/decompress/*.S", flags="-DZSTD_MULTITHREAD",
                    headers="lib/zstd.h lib/zstd_errors.h"),
    "lzma": Library("xz-utils", "src/liblzma/*/*.c", "encoder|tablegen|small|easy|string_conv|_mt.c|outqueue|hardware|fastpos|price_table|filter_buffer",
                    include=("src/common", *(f"src/liblzma/{each}" for each in ("api", "common", "check", "lz", "rangecoder", "lzma", "delta", "simple"))),
                    config=LZMA, headers="src/liblzma/api/lzma.h src/liblzma/api/lzma/"),
    "utf8proc": Library("utf8proc", "utf8proc.c", flags="-DUTF8PROC_STATIC", headers="utf8proc.h"),
    "pugixml": Library("pugixml", "src/pugixml.cpp", headers="src/pugixml.hpp src/pugiconfig.hpp"),
    "iberty": Library("libiberty", "libiberty/cp-demangle.c libiberty/rust-demangle.c libiberty/safe-ctype.c", config=LIBERTY, include=("include",),
                      headers="include/demangle.h>libiberty/ include/ansidecl.h>libiberty/ include/libiberty.h>libiberty/"),
    "elf": Library("elfutils", "libelf/*.c lib/next_prime.c lib/crc32.c", config=ELFUTILS, include=("lib", "libelf"), headers="libelf/libelf.h libelf/gelf.h"),
    # What reads options and looks for modules of Linux takes argp and fts, which musl lacks, and is of no use here.
    "dw": Library("elfutils", "libdw/*.c libdwelf/*.c libebl/*.c libdwfl/*.c backends/*.c lib/crc32_file.c lib/error.c NoDisassembler.c",
                  "argp-std|linux-kernel-modules|common-reloc|linux-core-note|x86_corenote", config=ELFUTILS,
                  include=("lib", "libelf", "libebl", "libdw", "libdwelf", "libdwfl", "libasm", "backends", "debuginfod"),
                  flags="-DDEBUGINFOD_SONAME='\"libdebuginfod.so.1\"'",
                  headers="libdw/dwarf.h libdw/libdw.h>elfutils/ libdw/known-dwarf.h>elfutils/ libdwelf/libdwelf.h>elfutils/ libdwfl/libdwfl.h>elfutils/"
                          " version.h>elfutils/"),
    "protobuf": Library("protobuf", " ".join(f"src/google/protobuf/{each}.cc" for each in PROTOBUF.split()), flags="-DHAVE_PTHREAD=1 -std=c++17",
                        include=("src",)),
}
# Headers that need no library, or that are the same for any.
LINKS = ("CLI", "fmt", "google", "nlohmann", "toml++", "xxhash.h")
# What find_package() finds: its name, version, target and libraries.
PACKAGES = (("nlohmann_json", "3.11.2", "nlohmann_json::nlohmann_json", ""), ("fmt", "9.1.0", "fmt::fmt", ""), ("CLI11", "2.3.2", "CLI11::CLI11", ""),
            ("pugixml", "1.13", "pugixml::static", "libpugixml.a"))


def source_of(sources, package):
    """The folder of a package: its name is the package's, with or without -dev things, and a version."""
    found = [each for each in sources.glob(f"{package}-*/") if re.match(rf"{re.escape(package)}-\d", each.name)]
    if len(found) != 1:
        sys.exit(f"musl_libraries: {sources}: no source of {package}, or more than one")
    return found[0]


def put_headers(name, library, source, include):
    for each in library.headers:
        path, _, folder = each.partition(">")
        if path.endswith("/"):
            shutil.copytree(source / path, include / pathlib.Path(path).name)
            continue
        (include / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(source / path, include / folder)


def put_packages(usr, llvm):
    for folder in ("Config", "Demangle"):  # of LLVM: its demangler is a header
        link = usr / "lib" / llvm.name / "include/llvm" / folder
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(llvm / "include/llvm" / folder)
    for link in LINKS:
        (usr / "include" / link).symlink_to(f"/usr/include/{link}")
    for name, version, target, archive in PACKAGES:
        folder = usr / "lib/cmake" / name
        folder.mkdir(parents=True)
        lines = [f"add_library({target} INTERFACE IMPORTED)"]
        if archive:
            lines.append(f"set_property(TARGET {target} PROPERTY INTERFACE_LINK_LIBRARIES {usr}/lib/{archive})")
        (folder / f"{name}Config.cmake").write_text("\n".join(lines) + "\n")
        (folder / f"{name}ConfigVersion.cmake").write_text(f"set(PACKAGE_VERSION {version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")


def ncurses(flags, llvm, source, work, usr):
    """A script: its own configure and make, which generate most of it. Programs that do so are this system's."""
    options = ["--host=x86_64-linux-musl", "--build=x86_64-linux-gnu", "--prefix=/usr", "--enable-widec", "--with-termlib=tinfo", "--with-normal",
               *(f"--without-{each}" for each in ("ada", "cxx", "cxx-binding", "debug", "manpages", "progs", "tests", "tack", "shared")),
               *(f"--disable-{each}" for each in ("db-install", "stripping", "home-terminfo", "lib-suffixes")), "--with-build-cc=cc",
               f"--with-fallbacks={TERMINALS}", "--with-tic-path=/usr/bin/tic", "--with-infocmp-path=/usr/bin/infocmp",
               "--with-default-terminfo-dir=/usr/share/terminfo", "--with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo"]
    return f"""\
mkdir -p {work}/ncurses
cd {work}/ncurses
exec >log 2>&1
export CC={llvm}/bin/clang AR={llvm}/bin/llvm-ar RANLIB={llvm}/bin/llvm-ranlib CFLAGS='{flags}'
export LDFLAGS='--rtlib=compiler-rt --unwindlib=none -fuse-ld=lld -B{MUSL} -L{MUSL}'
{source}/configure {' '.join(options)}
make -C include
make -C ncurses
cp lib/libtinfo.a {usr}/lib/
mkdir -p {usr}/include/ncursesw
cp include/curses.h include/unctrl.h include/ncurses_dll.h {usr}/include/ncursesw
ln -s ncursesw/curses.h ncursesw/unctrl.h ncursesw/ncurses_dll.h {usr}/include/
cp lib/libncurses.a {usr}/lib/libncursesw.a
"""


def ninja_file(sources, llvm, cxx, work, usr):
    common = (f"--target={TARGET} --sysroot={MUSL} -isystem {cxx}/include -isystem /usr/include/{TARGET} -O2 -fPIC -ffunction-sections -fdata-sections -w"
              # Assertions have the paths of files: as Debian's own packages have them, wherever these are built.
              f" -D_GNU_SOURCE -ffile-prefix-map={sources}=/usr/src -ffile-prefix-map={usr}=/usr -ffile-prefix-map={work}=.")
    more = f"-nostdinc++ -isystem {cxx}/include -isystem {llvm}/include/c++/v1"
    cache = shutil.which("ccache") or ""
    yield f"rule c\n  command = {cache} {llvm}/bin/clang {common} $flags -c $in -o $out\n"
    yield f"rule cxx\n  command = {cache} {llvm}/bin/clang++ {more} {common} $flags -c $in -o $out\n"
    yield f"rule archive\n  command = rm -f $out && {llvm}/bin/llvm-ar rcs $out $in\n"
    for name, library in LIBRARIES.items():
        source = source_of(sources, library.package)
        own = work / name
        own.mkdir()
        if library.config:
            (own / "config.h").write_text(library.config)
        flags = " ".join([*["-DHAVE_CONFIG_H"] * bool(library.config), library.flags, f"-I{own}", *(f"-I{source}/{each}" for each in library.include),
                          f"-I{usr}/include"])
        objects = []
        for pattern in library.sources:
            # Of another folder: ours, in place of what a library generates.
            for path in sorted(source.glob(pattern)) or [HERE / pattern]:
                if not re.search(library.leave, path.name):
                    objects.append(own / f"{path.parent.name}-{path.stem}.o")
                    rule = "cxx" if path.suffix in {".cc", ".cpp"} else "c"
                    yield f"build {objects[-1]}: {rule} {path}\n  flags = {flags}\n"
        yield f"build {usr}/lib/lib{name}.a: archive {' '.join(map(str, objects))}\n"
    (work / "ncurses.sh").write_text(ncurses(common, llvm, source_of(sources, "ncurses"), work, usr))
    yield f"rule script\n  command = sh -e $in\nbuild {usr}/lib/libncursesw.a: script {work}/ncurses.sh\n"


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sources, llvm, cxx, out = (pathlib.Path(each).resolve() for each in sys.argv[1:])
    usr, work = out / "usr", out / "work"
    for old in (usr, work):
        shutil.rmtree(old, ignore_errors=True)
    for folder in (usr / "include", usr / "lib", work):
        folder.mkdir(parents=True)
    put_packages(usr, llvm)
    for name, library in LIBRARIES.items():
        put_headers(name, library, source_of(sources, library.package), usr / "include")
    (work / "build.ninja").write_text("".join(ninja_file(sources, llvm, cxx, work, usr)))
    done = subprocess.run(["ninja", "-C", work], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:])
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
