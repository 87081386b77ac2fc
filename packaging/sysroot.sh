# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What scripts/package takes of Debian without installing it: sources, and another architecture's packages to compile against.
# apt has lists and a state of its own there, so that this machine needs no foreign architecture.

# apt_apart FOLDER KIND [APT-OPTION...]: sets `apt` to apt's options for that folder. KIND is deb or deb-src.
apt_apart() {
  local folder=$1 kind=$2
  shift 2
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/parts"
  : >"$folder/status"
  # Where this machine has Debian's packages from. Of two archives with the same version apt asks the first: the main one,
  # as a mirror of the one with security fixes may lack what has moved on.
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI) $(RELEASE)' 'Created-By: Packages' | sort -ru |
    sed -n "s|^Debian main \(.*\)|$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \1 main|p" >"$folder/sources.list"
  apt=(-q -o "Dir::State::lists=$folder/lists" -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache"
    -o "Dir::Etc::sourcelist=$folder/sources.list" -o "Dir::Etc::sourceparts=$folder/parts" -o APT::Sandbox::User=root "$@")
}

# What a build links and includes: development files, and the libraries that their CMake packages want to see.
SYSROOT_PACKAGES="libc6 libc6-dev linux-libc-dev libcrypt-dev libgcc-s1 libgcc-12-dev libstdc++6 libstdc++-12-dev
  libxxhash-dev libzstd-dev zlib1g zlib1g-dev nlohmann-json3-dev libcli11-dev libfmt-dev libfmt9 libdw-dev libelf-dev libiberty-dev
  libutf8proc-dev libncurses-dev libncursesw6 libtinfo6 libtomlplusplus-dev libprotobuf-dev libpugixml-dev libpugixml1v5
  libcpp-httplib-dev liblzma-dev libbz2-dev libcapstone-dev"
sysroot_llvm() { echo "llvm-$1-dev libclang-$1-dev libllvm$1 libclang-cpp$1"; }

# make_sysroot ARCHITECTURE FOLDER LLVM...: unpacks Debian's packages of that architecture there, and lists them in FOLDER/packages.
make_sysroot() {
  local architecture=$1 folder=$2 each wanted
  shift 2
  wanted=$SYSROOT_PACKAGES
  for each in "$@"; do wanted+=" $(sysroot_llvm "$each")"; done
  [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ] || return 0
  say "      fetching Debian's packages for $architecture into $folder"
  rm -rf "$folder"
  mkdir -p "$folder/debs"
  local -a apt
  apt_apart "$folder/apt" deb -o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture"
  # shellcheck disable=SC2086
  (cd "$folder/debs" && apt-get "${apt[@]}" update && apt-get "${apt[@]}" download $wanted) >"$folder/log" 2>&1 ||
    { tail -n 5 "$folder/log" >&2; die "cannot fetch the packages for $architecture; see $folder/log"; }
  # shellcheck disable=SC2016
  for each in "$folder"/debs/*.deb; do
    dpkg-deb -x "$each" "$folder" || die "cannot unpack $each"
    dpkg-deb --show --showformat '${Package} ${Version}\n' "$each"
  done >"$folder/packages"
  # The plugins and inmem-fix link shared libraries, and the tool one archive.
  find "$folder"/usr/lib/llvm-*/lib -name '*.a' ! -name libLLVMDemangle.a -delete
  rm -rf "$folder/debs" "$folder/apt"
  echo "$wanted" >"$folder/wanted"
}
