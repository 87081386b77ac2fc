# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Signatures of scripts/package, by a key of gpg's that the caller names.

# require_key KEY: before a build of minutes, not after it.
require_key() {
  command -v gpg >/dev/null || die "--sign needs gpg; install gnupg"
  gpg --batch --list-secret-keys -- "$1" >/dev/null 2>&1 || die "gpg has no secret key '$1' to sign with"
}

# sign_sums KEY FOLDER: FOLDER/SHA256SUMS.asc, which is checked.
sign_sums() {
  gpg --batch --yes --local-user "$1" --armor --output "$2/SHA256SUMS.asc" --detach-sign "$2/SHA256SUMS" || die "gpg cannot sign with '$1'"
  gpg --batch --quiet --verify "$2/SHA256SUMS.asc" "$2/SHA256SUMS" 2>/dev/null || die "$2/SHA256SUMS.asc does not verify"
}
