#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds inmem from INMEM_REPOSITORY, at INMEM_REF if that is set, and installs it
# into INMEM_PREFIX, unless that has one. Installs the clang that it was built for,
# if there is none. For the image (Dockerfile) and the action (action.yml).
set -eu
: "${INMEM_PREFIX:?where to install}"

install_packages() {
  apt-get update -q && apt-get install -y -q --no-install-recommends "$@"
}

if [ -x "$INMEM_PREFIX/bin/inmem" ]; then
  echo "inmem is in $INMEM_PREFIX already"
else
  : "${INMEM_REPOSITORY:?where inmem is cloned from}"
  command -v git >/dev/null || install_packages git ca-certificates
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  git clone -q "$INMEM_REPOSITORY" "$work/inmem"
  git -C "$work/inmem" checkout -q "${INMEM_REF:-HEAD}"
  "$work/inmem/scripts/quickstart" --all
  cmake --install "$work/inmem/build" --prefix "$INMEM_PREFIX" >/dev/null
  echo "installed inmem into $INMEM_PREFIX"
fi

clang=$(sed -n 's/^set(inmem_LLVM_VERSION \([0-9]*\))$/clang-\1/p' "$INMEM_PREFIX"/lib*/cmake/inmem/inmemSettings.cmake)
command -v "$clang" >/dev/null || install_packages "$clang"
