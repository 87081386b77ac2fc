# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2154
# How scripts/package makes the tarball for musl: libraries from Debian's sources, then tool and runtime with them.
# Needs scripts/setup.sh, packaging/sysroot.sh, and the variables build, out, version and release of scripts/package.

MUSL_TARGET=x86_64-linux-musl
# As files are named that are for it.
MUSL_MACHINE=x86_64_musl
# Sources of Debian, and the package whose name and licence a bill of materials has.
MUSL_SOURCES=(bzip2:libbz2-dev elfutils:libdw-dev elfutils:libelf-dev libiberty:libiberty-dev libzstd:libzstd-dev ncurses:libncurses-dev
  protobuf:libprotobuf-dev pugixml:libpugixml-dev utf8proc:libutf8proc-dev xz-utils:liblzma-dev zlib:zlib1g-dev)
MUSL_HEADERS="libfmt-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libxxhash-dev"

# make_musl_root FOLDER: FOLDER/sysroot with the libraries, and FOLDER/packages, which lists them.
make_musl_root() {
  local folder=$1 wanted each sources
  ensure_python
  ensure_musl_cxx
  [ -e "$MUSL_CXX/.installed" ] || die "the tool for musl needs libc++ for it, in $MUSL_CXX"
  wanted="$MUSL_CXX_WHEEL ${MUSL_SOURCES[*]} $(cat "$ROOT/packaging/musl_libraries.py" "$ROOT"/packaging/musl/*.c | sha256sum)"
  [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ] || return 0
  say "      building libraries for musl into $folder/sysroot"
  sources=$folder/sources
  rm -rf "$folder/wanted" "$sources" "$folder/sysroot"
  mkdir -p "$sources"
  local -a apt names
  mapfile -t names < <(printf '%s\n' "${MUSL_SOURCES[@]%:*}" | sort -u)
  apt_apart "$sources" deb-src
  (cd "$sources" && apt-get "${apt[@]}" update && apt-get "${apt[@]}" source "${names[@]}") >"$folder/sources.log" 2>&1 ||
    { tail -n 5 "$folder/sources.log" >&2; die "cannot fetch the sources of libraries; see $folder/sources.log"; }
  for each in "${MUSL_SOURCES[@]}"; do
    echo "${each#*:} $(sed -n 's/^Version: //p' "$sources/${each%:*}"_*.dsc)"
  done >"$folder/packages"
  # shellcheck disable=SC2016,SC2086
  dpkg-query -W -f '${Package} ${Version}\n' $MUSL_HEADERS >>"$folder/packages"
  echo "libcpp-httplib-dev $(sed -n 's/^#define CPPHTTPLIB_VERSION "\(.*\)"/\1/p' "$build/httplib/httplib.h")" >>"$folder/packages"
  echo "${MUSL_CXX_WHEEL/==/ }" >>"$folder/packages"
  python3 "$ROOT/packaging/musl_libraries.py" "$sources" "/usr/lib/llvm-${LLVM_VERSIONS[0]}" "$MUSL_CXX" "$folder/sysroot" ||
    die "cannot build libraries for musl"
  rm -rf "$sources"
  echo "$wanted" >"$folder/wanted"
}

# build_for_musl FOLDER: with the first LLVM, whose libc++ it is.
build_for_musl() {
  local folder=$1/llvm-${LLVM_VERSIONS[0]}
  mkdir -p "$folder"
  cmake -S "$ROOT" -B "$folder" -G Ninja --toolchain "$ROOT/cmake/$MUSL_TARGET.cmake" -DCMAKE_BUILD_TYPE=Release -DINMEM_UNITY=ON \
    -DINMEM_BUILD_TESTS=OFF -DLLVM_VERSION="${LLVM_VERSIONS[0]}" -DINMEM_WITHOUT_PLUGIN=ON -DINMEM_PORTABLE=ON \
    -DINMEM_MUSL_CXX="$MUSL_CXX" -DINMEM_MUSL_ROOT="$1/sysroot" -DINMEM_XXHASH_INCLUDE="$1/sysroot/usr/include" \
    -DINMEM_HTTPLIB_INCLUDE="$build/httplib" -DINMEM_DUCKDB_INCLUDE="$DUCKDB" \
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib >"$folder/configure.log" 2>&1 ||
    { tail -n 15 "$folder/configure.log" >&2; die "configuring failed; see $folder/configure.log"; }
  NINJA_STATUS='   [%f/%t, %es] ' cmake --build "$folder"
}

# package_for_musl FOLDER
package_for_musl() {
  local prefix=$1/prefix component
  rm -rf "$prefix"
  for component in inmem libinmem-rt libinmem-dev; do
    cmake --install "$1/llvm-${LLVM_VERSIONS[0]}" --prefix "$prefix" --component "$component" --strip >>"$1/install.log" ||
      die "installing failed; see $1/install.log"
  done
  python3 "$ROOT/packaging/check_symbols.py" "$prefix" "$ROOT" >"$1/symbols.txt"
  python3 "$ROOT/packaging/archives.py" tarball "$prefix" "$version" "$MUSL_MACHINE" "$out"
  [ -z "$release" ] || python3 "$ROOT/packaging/archives.py" sbom "$version" "$MUSL_MACHINE" "$out" "$1/packages"
}
