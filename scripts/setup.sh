# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2034
# setup.sh - sourced by quickstart, test and lint: which packages inmem needs, and
# installing those that are missing. Needs bash and Debian's apt; changes
# nothing, and asks for nothing, where everything is there.
#
#   LLVM_VERSION   the LLVM to build for; default: the first of LLVM_VERSIONS

# The versions of LLVM that inmem is built and tested for; the first is the default.
LLVM_VERSIONS=(22 19 16)

# Packages by purpose. quickstart installs the first of these and clang, which brings
# the C and C++ libraries and binutils: each further package is time that a newcomer waits.
PACKAGES_BUILD="cmake ninja-build pkg-config"
PACKAGES_RUNTIME="libxxhash-dev libzstd-dev zlib1g-dev"
PACKAGES_WORKSHOP="build-essential g++ ccache git ca-certificates libdebuginfod1"
PACKAGES_LIBRARIES="nlohmann-json3-dev libcli11-dev libfmt-dev libdw-dev libgcc-12-dev libiberty-dev libutf8proc-dev libncurses-dev libtomlplusplus-dev
  libprotobuf-dev protobuf-compiler libpugixml-dev libcpp-httplib-dev libcapstone-dev"
PACKAGES_EXAMPLE="iso-codes"
packages_clang() { echo "clang-$1"; }
packages_llvm() { echo "$(packages_clang "$1") llvm-$1-dev libclang-$1-dev"; }
# For tests only. lit comes with the newest llvm-N-tools, FileCheck, not and
# split-file with each; sanitizers with libclang-rt-N-dev.
# golang-go reads profiles (go tool pprof); glibc-source has malloc's tests.
PACKAGES_TEST="zstd dwz libgtest-dev libgmock-dev catch2 doctest-dev libbenchmark-dev
  python3 python3-jsonschema python3-yaml patch jq gnupg meson valgrind heaptrack golang-go
  libcurl4-openssl-dev openssl tmux chromium-headless-shell python3-pil
  libjemalloc-dev libgoogle-perftools-dev libmimalloc-dev libboost-context-dev gdb nginx-light strace
  qemu-user libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross libgcc-12-dev-arm64-cross musl-dev mold"
# For the tests that scripts/test --all adds.
PACKAGES_TEST_ALL="qemu-system-arm glibc-source"
# For scripts/lint; clang-tidy is for scripts/tidy.
PACKAGES_LINT="git python3 python3-venv shellcheck clang-format-${LLVM_VERSIONS[0]} clang-tidy-${LLVM_VERSIONS[0]}"
# For scripts/package, and to check what it makes.
PACKAGES_PACKAGING="dpkg-dev fakeroot liblzma-dev libbz2-dev"
PACKAGES_PACKAGE_CHECK="mmdebstrap lintian python3-venv"
# And for another architecture: what runs its programs while they are built, and in a root of its own.
PACKAGES_CROSS="qemu-user"
PACKAGES_CROSS_CHECK="qemu-user-static"
# And for musl: the C library, what generates ncurses, and what Debian's sources are unpacked with.
PACKAGES_MUSL="musl-dev ncurses-bin make lld-${LLVM_VERSIONS[0]} libclang-rt-${LLVM_VERSIONS[0]}-dev python3-venv"
# For web/.
PACKAGES_WEB="nodejs npm"
packages_llvm_test() { echo "llvm-$1-tools lld-$1 libclang-rt-$1-dev"; }
# libc++ and libomp cannot be installed in two versions; the default LLVM's is tested.
PACKAGES_TEST+=" libc++-${LLVM_VERSIONS[0]}-dev libc++abi-${LLVM_VERSIONS[0]}-dev libomp-${LLVM_VERSIONS[0]}-dev"
# clang-apply-replacements, which reads what inmem fix writes.
PACKAGES_TEST+=" clang-tools-${LLVM_VERSIONS[0]}"

say() { printf '%s\n' "$*"; }
# Details that a script with a progress bar of its own leaves out (INMEM_DETAILS=).
INMEM_DETAILS=yes
detail() { [ -z "$INMEM_DETAILS" ] || say "$@"; }
complain() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { complain "$@"; exit 1; }
wrong_usage() { complain "$@"; exit 2; }

# Prints those of the given packages that are not installed.
missing_packages() {
  local name
  for name in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || echo "$name"
  done
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Reads apt's machine-readable status lines, prints one line for every tenth of the way. A script may define its own.
show_apt_progress() {
  awk -F: '
    $1 == "dlstatus" || $1 == "pmstatus" {
      part = $1 == "dlstatus" ? "downloading" : "installing"
      tenth = int($3 / 10)
      if (part != last || tenth > last_tenth) { printf "      %-11s %3d%%\n", part, $3; fflush() }
      last = part; last_tenth = tenth
    }'
}

# apt_install LOG NAME...: apt's status channel (fd 3) is opened by an inner shell,
# since sudo closes what it was given and packages' scripts must not write there.
apt_install() {
  local log=$1; shift
  as_root env DEBIAN_FRONTEND=noninteractive sh -c '
      exec apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=600 \
        -o Dpkg::Use-Pty=0 -o APT::Status-Fd=3 "$@" 3>&1 >&2' \
    apt "$@" </dev/null 2>"$log" | show_apt_progress
}

# ensure_packages NAME...: installs what is missing of the named packages.
ensure_packages() {
  local -a missing
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "      no apt-get on this system: these Debian packages must be there in some form:"
    say "      $*"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} = 0 ]; then
    detail "      all $# packages are there"
    return 0
  fi
  detail "      installing ${#missing[@]} of $# packages: ${missing[*]}"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "needs root to install them; as root, run: apt-get update && apt-get install ${missing[*]}"
  fi
  local apt_log
  apt_log=$(mktemp "${TMPDIR:-/tmp}/inmem-apt.XXXXXX")
  # The first try may fail because the lists of packages are absent or old.
  if ! known_to_apt "${missing[@]}" || ! apt_install "$apt_log" "${missing[@]}"; then
    detail "      updating the lists of packages"
    as_root apt-get update -q -o DPkg::Lock::Timeout=600 >"$apt_log" 2>&1 ||
      { tail -n 5 "$apt_log" >&2; die "apt-get update failed; see $apt_log"; }
    local unknown
    for unknown in "${missing[@]}"; do
      known_to_apt "$unknown" ||
        die "apt does not know the package $unknown; inmem's scripts expect Debian 12 with its main and security archives"
    done
    apt_install "$apt_log" "${missing[@]}" ||
      { tail -n 5 "$apt_log" >&2; die "apt-get install failed; see $apt_log"; }
  fi
  rm -f "$apt_log"
}

# The Python environment for what Debian does not have; after ensure_python.
PYTHON_ENV=$ROOT/build/python
SITE_ENV=$ROOT/build/python-docs

# Makes PYTHON_ENV hold what scripts/requirements.txt names, and nothing older.
ensure_python() { ensure_python_environment "$PYTHON_ENV" "$ROOT/scripts/requirements.txt"; }

# What scripts/docs builds the site with. Without it the site's test is skipped.
ensure_site() { ensure_python_environment "$SITE_ENV" "$ROOT/scripts/site/requirements.txt"; }

# The schema of SARIF that tests validate against, which is not ours to keep in the project. Without it they are skipped.
SARIF_SCHEMA=$ROOT/build/sarif-schema-2.1.0.json
ensure_sarif() {
  [ ! -s "$SARIF_SCHEMA" ] || return 0
  say "      fetching the schema of SARIF into $SARIF_SCHEMA"
  "$PYTHON_ENV/bin/python" "$ROOT/lit-tests/Inputs/sarif.py" --fetch "$SARIF_SCHEMA" ||
    complain "the schema of SARIF could not be fetched: its tests are skipped"
}

# ensure_python_environment FOLDER REQUIREMENTS
ensure_python_environment() {
  if cmp -s "$2" "$1/requirements.txt"; then return 0; fi
  say "      installing Python packages into $1"
  rm -rf "$1"
  python3 -m venv "$1" || die "python3 -m venv failed; install python3-venv"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r "$2" ||
    die "pip could not install what $2 names"
  cp "$2" "$1/requirements.txt"
}

# The page of `inmem html` (web/): what builds and tests it, as web/package-lock.json
# says, in web/node_modules. Without it its tests are skipped.
ensure_web() {
  local room=$ROOT/web
  # Where Node comes with its own npm, Debian's package of that name does not fit.
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    # shellcheck disable=SC2086
    ensure_packages $PACKAGES_WEB
  fi
  if cmp -s "$room/package-lock.json" "$room/node_modules/.installed"; then return 0; fi
  say "      installing what builds and tests the page into $room/node_modules"
  # Not `npm ci`: it wants packages of every system in the lock file, which npm itself leaves out.
  if (cd "$room" && npm install --no-save --ignore-scripts --loglevel=error >/dev/null); then
    cp "$room/package-lock.json" "$room/node_modules/.installed"
  else
    complain "npm could not install what $room/package-lock.json names: tests of the page are skipped"
  fi
}

# DuckDB for `inmem query` and for export to Parquet: the library of its Node package, which is
# loaded when it is needed, and the header of the same version, which that package lacks.
DUCKDB_NPM=@duckdb/node-bindings-linux-x64@1.5.6-r.1
DUCKDB_SHA512=IXcrZJE6kEqM0Z4wwdVnGBHX/frOS33VPNAwDXQ/Q+Fs84b058Qe94chrCCIcNJlG8Y3UHIUU4eBeCQxW5mN1Q==
DUCKDB_GO=github.com/duckdb/duckdb-go-bindings@v0.10506.0
DUCKDB_GO_SUM=h1:+s/v55ghAy8MV/QJnwuafD9n+ZoYQkrRd/ceSU0KReA=
DUCKDB=$ROOT/build/duckdb

# And what fetches them.
ensure_fleet() {
  command -v go >/dev/null || ensure_packages golang-go
  # shellcheck disable=SC2086
  command -v npm >/dev/null || ensure_packages $PACKAGES_WEB
  ensure_duckdb
}

# Fetches both into $DUCKDB. Without them their tests are skipped.
ensure_duckdb() {
  local wanted="$DUCKDB_NPM $DUCKDB_GO"
  [ "$(cat "$DUCKDB/.installed" 2>/dev/null)" != "$wanted" ] || return 0
  [ "$(uname -m)" = x86_64 ] || { complain "no DuckDB is known for $(uname -m): its tests are skipped"; return 0; }
  say "      fetching DuckDB into $DUCKDB"
  rm -rf "$DUCKDB"
  mkdir -p "$DUCKDB/fetched"
  if (cd "$DUCKDB/fetched" && fetch_duckdb); then
    rm -rf "$DUCKDB/fetched"
    echo "$wanted" >"$DUCKDB/.installed"
  else
    rm -rf "$DUCKDB"
    complain "DuckDB could not be fetched: its tests are skipped"
  fi
}

# Runs in an empty folder within $DUCKDB.
fetch_duckdb() {
  local go found
  go=$(command -v /usr/lib/go/bin/go || command -v go) || { complain "go is missing; install golang-go"; return 1; }
  npm pack "$DUCKDB_NPM" --loglevel=error >/dev/null || return 1
  found=$(base64 -d <<<"$DUCKDB_SHA512" | od -An -v -tx1 | tr -d ' \n')
  sha512sum --status --check <<<"$found  $(echo ./*.tgz)" || { complain "$DUCKDB_NPM has another checksum"; return 1; }
  tar xzf ./*.tgz package/libduckdb.so package/LICENSE || return 1
  printf 'module fetch\n\ngo 1.19\n' >go.mod
  found=$(GOFLAGS=-mod=mod "$go" mod download -json "$DUCKDB_GO") || return 1
  grep -qF "\"Sum\": \"$DUCKDB_GO_SUM\"" <<<"$found" || { complain "$DUCKDB_GO has another checksum"; return 1; }
  found=$(sed -n 's/.*"Dir": "\(.*\)",/\1/p' <<<"$found")
  cp "$found/include/duckdb.h" .. && mv package/libduckdb.so .. && mv package/LICENSE ../LICENSE.duckdb && chmod u+w ../duckdb.h
}

# A server of S3 for the tests of `inmem collect`, which are skipped without it. It takes Go 1.25 and minutes to
# build, so that it is kept.
VERSITYGW_GO=github.com/versity/versitygw/cmd/versitygw@v1.8.0
VERSITYGW=$ROOT/build/versitygw
ensure_versitygw() {
  local version
  [ "$(cat "$VERSITYGW/.installed" 2>/dev/null)" != "$VERSITYGW_GO" ] || return 0
  version=$(go env GOVERSION 2>/dev/null) || version=none
  if ! [[ $version =~ ^go1\.([0-9]+) ]] || [ "${BASH_REMATCH[1]}" -lt 25 ]; then
    say "      versitygw takes Go 1.25 and here is $version: tests against it are skipped"
    return 0
  fi
  say "      building versitygw into $VERSITYGW"
  mkdir -p "$VERSITYGW"
  if GOBIN=$VERSITYGW GOTOOLCHAIN=local go install "$VERSITYGW_GO"; then
    echo "$VERSITYGW_GO" >"$VERSITYGW/.installed"
  else
    complain "versitygw could not be built: tests against it are skipped"
  fi
}

# The viewer of profiles, for the test that opens some in it, which is skipped without it.
SPEEDSCOPE_NPM=speedscope@1.25.0
SPEEDSCOPE=$ROOT/build/speedscope
ensure_speedscope() {
  [ "$(cat "$SPEEDSCOPE/.installed" 2>/dev/null)" != "$SPEEDSCOPE_NPM" ] || return 0
  rm -rf "$SPEEDSCOPE"
  mkdir -p "$SPEEDSCOPE"
  if (cd "$SPEEDSCOPE" && npm pack --silent "$SPEEDSCOPE_NPM" >/dev/null && tar -xzf ./*.tgz --strip-components=1); then
    echo "$SPEEDSCOPE_NPM" >"$SPEEDSCOPE/.installed"
  else
    complain "$SPEEDSCOPE_NPM could not be fetched: its test is skipped"
  fi
}

# libc++ for musl, for the tests of programs in C++, which are skipped without it. It takes minutes of CPU, so that it is kept.
MUSL_CXX_WHEEL=ziglang==0.17.1
MUSL_CXX_SHA256=ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
MUSL_CXX=$ROOT/build/musl-cxx
ensure_musl_cxx() {
  [ "$(cat "$MUSL_CXX/.installed" 2>/dev/null)" != "$MUSL_CXX_WHEEL" ] || return 0
  [ "$(uname -m)" = x86_64 ] || { complain "no libc++ for musl is built on $(uname -m): its tests are skipped"; return 0; }
  say "      building libc++ for musl into $MUSL_CXX"
  rm -rf "$MUSL_CXX" "$MUSL_CXX.fetched"
  mkdir -p "$MUSL_CXX.fetched"
  if (cd "$MUSL_CXX.fetched" && fetch_musl_cxx) && "$ROOT/scripts/musl_cxx.py" "$MUSL_CXX.fetched"/*.whl "/usr/lib/llvm-${LLVM_VERSIONS[0]}" "$MUSL_CXX"; then
    echo "$MUSL_CXX_WHEEL" >"$MUSL_CXX/.installed"
  else
    rm -rf "$MUSL_CXX"
    complain "libc++ for musl could not be built: tests of programs in C++ for musl are skipped"
  fi
  rm -rf "$MUSL_CXX.fetched"
}

# Runs in an empty folder.
fetch_musl_cxx() {
  "$PYTHON_ENV/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: "$MUSL_CXX_WHEEL" || return 1
  sha256sum --status --check <<<"$MUSL_CXX_SHA256  $(echo ./*.whl)" || { complain "$MUSL_CXX_WHEEL has another checksum"; return 1; }
}

# A kernel for AArch64 and busybox, for the tests of whole machines under qemu, which are skipped without them. They are Debian's.
# ensure_aarch64_kernel FOLDER PACKAGE [SUITE-SUFFIX]
AARCH64_KERNEL=$ROOT/build/aarch64-kernel
AARCH64_KERNEL_16K=$ROOT/build/aarch64-kernel-16k
ensure_aarch64_kernel() {
  [ ! -e "$1/.installed" ] || return 0
  say "      fetching a kernel for AArch64 into $1"
  rm -rf "$1"
  mkdir -p "$1/fetched"
  if (fetch_aarch64_kernel "$@") >"$1.log" 2>&1; then
    rm -rf "$1/fetched"
    touch "$1/.installed"
  else
    rm -rf "$1"
    complain "no kernel for AArch64 could be fetched: tests of whole machines are skipped; see $1.log"
  fi
}

fetch_aarch64_kernel() {
  local folder=$1 package=$2 suffix=${3-} real each
  local -a apt
  # shellcheck source=packaging/sysroot.sh
  . "$ROOT/packaging/sysroot.sh"
  apt_apart "$folder/fetched" deb -o APT::Architecture=arm64 -o APT::Architectures::=arm64
  [ -z "$suffix" ] || sed -i "s/^\(.* [a-z]*\) main\$/&\n\1$suffix main/" "$folder/fetched/sources.list"
  apt-get "${apt[@]}" update || return 1
  # The package only names that of the newest version.
  real=$(apt-cache "${apt[@]}" depends "$package" | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
  (cd "$folder/fetched" && apt-get "${apt[@]}" download "$real" busybox-static) || return 1
  for each in "$folder"/fetched/*.deb; do
    dpkg-deb --fsys-tarfile "$each" | tar x -C "$folder/fetched" --wildcards './boot/vmlinuz-*' './bin/busybox' 2>/dev/null
  done
  mv "$folder"/fetched/boot/vmlinuz-* "$folder/vmlinuz" && mv "$folder/fetched/bin/busybox" "$folder"
}

# True if apt has a candidate for every named package.
known_to_apt() {
  [ "$(apt-cache policy "$@" 2>/dev/null | grep -c '^  Candidate: [^(]')" -ge $# ]
}

# Checks LLVM_VERSION and sets its default.
choose_llvm() {
  local version
  LLVM_VERSION=${LLVM_VERSION:-${LLVM_VERSIONS[0]}}
  for version in "${LLVM_VERSIONS[@]}"; do
    [ "$version" != "$LLVM_VERSION" ] || return 0
  done
  wrong_usage "LLVM_VERSION=$LLVM_VERSION is not one of: ${LLVM_VERSIONS[*]}"
}

# The build folder of an LLVM version: build/ for the default, build-N/ for others.
build_folder() {
  if [ "$1" = "${LLVM_VERSIONS[0]}" ]; then echo "$ROOT/build"; else echo "$ROOT/build-$1"; fi
}

# configure VERSION FOLDER [cmake options]: configures a build folder for that version.
configure() {
  local version=$1 folder=$2; shift 2
  local -a generator=()
  # From nothing, several sources at once take a third less; CONTRIBUTING.md has the other way.
  [ -e "$folder/CMakeCache.txt" ] || generator=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DINMEM_UNITY=ON)
  mkdir -p "$folder"
  cmake -S "$ROOT" -B "$folder" "${generator[@]}" -DLLVM_VERSION="$version" -DINMEM_WITHOUT_LLVM=OFF "$@" >"$folder/configure.log" 2>&1 ||
    { tail -n 15 "$folder/configure.log" >&2; die "configuring failed; see $folder/configure.log"; }
}
