#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install.sh PREFIX - unpacks a release of inmem into PREFIX, unless it is there.
# INMEM_URL and INMEM_SHA256 name another archive than that of version @VERSION@.
set -euo pipefail
prefix=${1:?needs a folder}
url=${INMEM_URL:-@URL@}
sum=${INMEM_SHA256:-@SHA256@}
[ ! -x "$prefix/bin/inmem" ] || exit 0
archive=$(mktemp)
trap 'rm -f "$archive"' EXIT
curl --fail --silent --show-error --location --output "$archive" "$url"
echo "$sum  $archive" | sha256sum --check --quiet
mkdir -p "$prefix"
tar -C "$prefix" --strip-components=1 -xJf "$archive"
