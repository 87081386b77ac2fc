# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_musl - the tarball for musl in a root that has musl's loader, a static busybox and nothing else: for check.py.

Programs are compiled on this machine by the tarball for glibc, with the runtime of the one for musl. What that one's tool
says of their traces is compared with what the other says, byte for byte: both see the same files by the same names.
"""

import os
import pathlib
import shlex
import shutil
import stat
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CXX = ROOT / "build/musl-cxx"
MUSL = "/usr/lib/x86_64-linux-musl"
LOADER = "lib/ld-musl-x86_64.so.1"
LLVM = "22"
FLAGS = ["--target=x86_64-linux-musl", f"--sysroot={MUSL}", "-isystem", "/usr/include/x86_64-linux-musl", f"-B{MUSL}", f"-L{MUSL}", "--rtlib=compiler-rt",
         "--unwindlib=none", "-fuse-ld=lld", "-Wno-unused-command-line-argument", "-O1", "-g"]
PROGRAM = """\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
typedef struct Item { long Values[4]; } Item;
typedef struct Kept { char Bytes[100]; } Kept;
static Item *volatile Last;
static void *work(void *Unused) {
  for (int I = 0; I < 500; ++I) {
    Item *New = malloc(sizeof(Item));
    Last = New;
    free(New);
  }
  return NULL;
}
static int byText(const void *A, const void *B) { return strcmp(*(char *const *)A, *(char *const *)B); }
int main(void) {
  static Kept *All[20];
  char *Words[50];
  pthread_t Other;
  pthread_create(&Other, NULL, work, NULL);
  work(NULL);
  pthread_join(Other, NULL);
  for (int I = 0; I < 20; ++I)
    All[I] = calloc(1, sizeof(Kept));
  for (int I = 0; I < 50; ++I) {
    Words[I] = malloc(8);
    snprintf(Words[I], 8, "%d", I * 7919 % 1000);
  }
  qsort(Words, 50, sizeof *Words, byText);
  if (fork() == 0)
    exit(All[19] && malloc(77) ? 0 : 1);
  int Status = 0;
  wait(&Status);
  printf("first %s\\n", Words[0]);
  return Status;
}
"""
# What both tools are asked, of TRACES: the one for musl in its root. They exit with the same code, too.
VIEWS = [
    *(f"report --by {by} --format {form} {{trace}}" for by in ("type", "site", "stack", "thread", "frees", "blame", "finding")
      for form in ("text", "json")),
    "report --top 0 --details 30 --findings all --diagnostics {trace}", "report --format csv {trace}", "report --format markdown --sort name {trace}",
    *(f"export --format {form} -o - {{trace}}" for form in ("pprof", "collapsed", "speedscope", "dhat", "perfetto", "heaptrack", "otlp")),
    "flame --format svg {trace}", "html -o - {trace}", "dump {trace}", "merge -o - {trace}", "diff --format json cxx.inmem {trace}", "diff cxx.inmem {trace}",
    "check --baseline cxx.inmem {trace}", "check --baseline {trace} --format json {trace}", "heap cxx.heap", "heap --format json cxx.heap",
]
TRACES = ("c.inmem", "static.inmem", "cxx.inmem", "run.inmem")


ENVIRONMENT = ["env", "-i", "HOME=/tmp", "TERM=xterm", "LC_ALL=C.UTF-8", f"INMEM_CLANG=/usr/bin/clang-{LLVM}"]


class MuslRoot:
    """The root. `place` is a folder in it, which is seen by that name outside, too; `inside` is where it is."""

    def __init__(self, check, work):
        self.check, self.folder, self.place, self.log = check, work / "musl", work / "musl-try", work / "musl.log"
        self.inside = self.folder / self.place.relative_to("/")
        shutil.rmtree(self.folder, ignore_errors=True)
        for each in ("bin", "lib", "proc", "tmp", "dev", "etc"):
            (self.folder / each).mkdir(parents=True)
        os.mknod(self.folder / "dev/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        shutil.copy(f"/{LOADER}", self.folder / LOADER)
        check.run(["apt-get", "-q", "download", "busybox-static"], self.log, cwd=self.folder / "tmp")
        check.run(["dpkg-deb", "-x", *(self.folder / "tmp").glob("*.deb"), self.folder / "tmp/busybox"], self.log)
        shutil.move(self.folder / "tmp/busybox/bin/busybox", self.folder / "bin/busybox")
        for name in ("sh", "cat", "ls", "grep", "mkdir"):
            (self.folder / "bin" / name).symlink_to("busybox")
        self.inside.mkdir(parents=True)
        self.place.mkdir(exist_ok=True)

    def run(self, command):
        inside = ["/bin/busybox", *ENVIRONMENT, "PATH=/bin", "sh", "-c", f"cd {shlex.quote(str(self.place))} && {command}"]
        self.check.run(["unshare", "--mount", "--pid", "--fork", f"--root={self.folder}", "--mount-proc", *inside], self.log)

    def run_outside(self, *command):
        """By this machine's programs."""
        enter = 'mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"'
        self.check.run(["unshare", "--mount", "sh", "-c", enter, "sh", self.inside, self.place, *ENVIRONMENT, "PATH=/usr/bin:/bin", *command], self.log)


def unpack(root, tarball, folder):
    folder.mkdir(parents=True)
    root.check.run(["tar", "-C", folder, "--strip-components=1", "-xf", tarball], root.log)


def compile_programs(root, host, lib):
    """All but plain are instrumented."""
    (host / "lib/x86_64-linux-musl").symlink_to(lib)
    for name, text in (("c.c", PROGRAM), ("cxx.cpp", root.check.PROGRAM)):
        (root.inside / name).write_text(text)
    headers = ["-nostdinc++", f"-isystem{CXX}/include", f"-isystem/usr/lib/llvm-{LLVM}/include/c++/v1", "-std=c++20"]
    root.run_outside(host / "bin/inmem-clang", *FLAGS, "-pthread", "c.c", "-o", "c")
    root.run_outside(host / "bin/inmem-clang", *FLAGS, "-pthread", "-static", "c.c", "-o", "static")
    root.run_outside(host / "bin/inmem-clang++", *headers, *FLAGS, "cxx.cpp", "-o", "cxx", "-nostdlib++", f"-L{CXX}", "-lc++")
    root.run_outside(f"clang-{LLVM}", *FLAGS, "-pthread", "c.c", "-o", "plain")


def record(root, prefix):
    """By the programs themselves, and by the tool, which preloads the runtime beside it."""
    tool = shlex.quote(f"{prefix}/bin/inmem")
    libraries = f"export LD_LIBRARY_PATH={shlex.quote(f'{prefix}/lib')} && "
    root.run(libraries + "INMEM_OPTIONS=output=c.inmem:stacks=16:frees=on:mode=trace ./c &&"
             " INMEM_OPTIONS=output=static.inmem:stacks=16:frees=on ./static && INMEM_OPTIONS=output=cxx.inmem:stacks=16:frees=on:snapshot=exit ./cxx")
    root.run(f"{tool} run --trace run.inmem --options stacks=16:frees=on --format json -o run.json -- ./plain && grep -q '\"allocations\": *10' run.json")
    root.run(libraries + f"{tool} run -- ./cxx 2>&1 | grep Order")
    root.run(libraries + f"{tool} doctor ./cxx && {tool} doctor cxx.inmem")
    root.run(f"mkdir said && {tool} report --format json -o said/report.json cxx.inmem")


def compare(root, prefix, host):
    """\\returns how often both tools said the same."""
    asked = list(dict.fromkeys(view.format(trace=trace) for view in VIEWS for trace in TRACES))
    (root.inside / "ask.sh").write_text("".join(
        f'"$2" {words} >$1.{number}.txt 2>$1.{number}.log </dev/null; echo $? >>$1.{number}.log\n' for number, words in enumerate(asked)))
    root.run(f"sh ask.sh said/musl {shlex.quote(f'{prefix}/bin/inmem')}")
    root.run_outside("sh", "ask.sh", "said/glibc", host / "bin/inmem")
    for number, words in enumerate(asked):
        for kind in ("txt", "log"):
            one, other = (root.inside / f"said/{library}.{number}.{kind}" for library in ("musl", "glibc"))
            if one.read_bytes() != other.read_bytes():
                raise root.check.Failed(f"inmem {words}: {one} and {other} differ")
        if one.read_text().split()[-1] not in {"0", "1"}:
            raise root.check.Failed(f"inmem {words}: see {one}")
    return len(asked)


def check_row(check, packages, work):
    """check is the module check.py. \\returns the row of the table"""
    start = time.monotonic()
    tarballs = [sorted(packages.glob(f"*-linux-{machine}.tar.xz")) for machine in ("x86_64_musl", "x86_64")]
    if not all(tarballs):
        raise check.Failed(f"{packages}: needs a tarball for musl and one for glibc, which compiles")
    root = MuslRoot(check, work)
    prefix, host = root.place / "an odd, path/x", work / "musl-host"
    began = time.monotonic()
    unpack(root, tarballs[0][-1], root.inside / prefix.relative_to(root.place))
    installed = time.monotonic() - began
    shutil.rmtree(host, ignore_errors=True)
    unpack(root, tarballs[1][-1], host)
    compile_programs(root, host, prefix / "lib")
    record(root, prefix)
    same = compare(root, prefix, host)
    check.check_report(root.inside / "said/report.json")
    size = tarballs[0][-1].stat().st_size / 1e6
    print(f"   musl: {same} answers of both tools are equal; {time.monotonic() - start:.0f} s in all")
    shutil.rmtree(root.folder)
    return f"| tarball | musl and busybox | x86-64 | {LLVM} | yes | on Debian | yes | yes | yes | {installed:.0f} | {size:.1f} |"
