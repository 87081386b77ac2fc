# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2034
# packages.sh - sourced by bench/run after scripts/setup.sh: what the benchmark
# needs beyond a build of inmem. Needs bash and Debian's apt.

# Peers that it is compared with, tools that count, what programs are made of.
PACKAGES_BENCH="libgtest-dev libgmock-dev libjemalloc-dev libmimalloc-dev python3 heaptrack valgrind nlohmann-json3-dev dpkg-dev tcl make binutils linux-perf libeigen3-dev libasio-dev catch2 mold sqlite3 git"
packages_bench() { echo "$PACKAGES_BENCH libclang-rt-$1-dev"; }

# bench_prepare VERSION [INMEM]: everything that must be there before a run;
# with INMEM=build also inmem itself.
bench_prepare() {
  # shellcheck disable=SC2046,SC2086
  ensure_packages $PACKAGES_BUILD $PACKAGES_RUNTIME $PACKAGES_WORKSHOP $PACKAGES_LIBRARIES $(packages_llvm "$1") $(packages_bench "$1")
  [ "${2-}" != build ] || { configure "$1" && cmake --build "$(build_folder "$1")"; }
}

# source_lines: apt's lines for the sources of this Debian, from wherever apt has
# its packages, or from INMEM_BENCH_MIRROR.
source_lines() {
  local release
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  if [ -n "${INMEM_BENCH_MIRROR-}" ]; then
    echo "deb-src $INMEM_BENCH_MIRROR $release main"
  else
    apt-get indextargets --format "deb-src \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
      "Created-By: Packages" "Origin: Debian" "Release: $release" "Component: main" | sort -u
  fi
}

# fetch_source FOLDER NAME: unpacks the source of a Debian package below FOLDER,
# with lists and cache of its own: the system's list of archives stays as it is.
# From a mirror that lacks Debian's changes, the upstream source alone.
fetch_source() {
  local folder=$1 name=$2 apt=$1/apt
  local -a options=(
    -q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt" -o APT::Sandbox::User=)
  mkdir -p "$apt/lists/partial" "$apt/archives/partial"
  if [ ! -s "$apt/sources.list" ]; then
    source_lines >"$apt/sources.list"
    [ -s "$apt/sources.list" ] || { echo "apt knows no archive of this Debian" >&2; return 1; }
    apt-get "${options[@]}" update >"$apt/log" 2>&1 || { rm -f "$apt/sources.list"; tail -n 5 "$apt/log" >&2; return 1; }
  fi
  (cd "$folder" && apt-get "${options[@]}" source "$name" >"$apt/log" 2>&1) ||
    (cd "$folder" && apt-get "${options[@]}" --tar-only source "$name" >>"$apt/log" 2>&1 && mkdir -p "$name-upstream" &&
      tar -xf "$name"_*.orig.tar.* -C "$name-upstream" --strip-components=1) ||
    { tail -n 5 "$apt/log" >&2; return 1; }
}

# corpus_prepare VERSION: everything that bench/corpus/run needs beyond inmem.
PACKAGES_CORPUS="libcli11-dev unicode-data perl time"
corpus_prepare() {
  # shellcheck disable=SC2046,SC2086
  ensure_packages $PACKAGES_BUILD $PACKAGES_RUNTIME $PACKAGES_WORKSHOP $PACKAGES_LIBRARIES $(packages_llvm "$1") $PACKAGES_BENCH $PACKAGES_CORPUS \
    "libc++-$1-dev" "libc++abi-$1-dev"
}
