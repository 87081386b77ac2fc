#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sign.sh SOURCE FOLDER: signs FOLDER/SHA256SUMS as scripts/package does, with a key made here. The agent's sockets need a short path.
set -euo pipefail
ROOT=$1 folder=$2
GNUPGHOME=$(mktemp -d)
export GNUPGHOME
trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
. "$ROOT/scripts/setup.sh"
. "$ROOT/packaging/sign.sh"
gpg --batch --quiet --passphrase '' --quick-generate-key 'inmem test <test@example.org>' ed25519 sign 1d
require_key test@example.org
sign_sums test@example.org "$folder"
gpg --batch --verify "$folder/SHA256SUMS.asc" "$folder/SHA256SUMS" 2>&1 | grep 'Good signature from "inmem test'
echo 'another line' >>"$folder/SHA256SUMS"
if gpg --batch --verify "$folder/SHA256SUMS.asc" "$folder/SHA256SUMS" 2>/dev/null; then exit 1; fi
echo 'a changed file is refused'
# Before packages are installed or built.
if timeout 1800 "$ROOT/scripts/package" --release 0.1.0 --sign nobody@example.org; then exit 1; fi
