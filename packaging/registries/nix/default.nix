# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# inmem as its release has it: nix-build -E 'with import <nixpkgs> {}; callPackage ./. {}'
{
  lib,
  stdenv,
  fetchurl,
  autoPatchelfHook,
  makeWrapper,
  llvmPackages_19,
}:

stdenv.mkDerivation {
  pname = "inmem";
  version = "@VERSION@";

  src = fetchurl {
    url = "@URL@";
    hash = "@INTEGRITY@";
  };

  nativeBuildInputs = [
    autoPatchelfHook
    makeWrapper
  ];
  buildInputs = [ stdenv.cc.cc.lib ];
  # inmem-fix loads the libraries of the clang that it is for.
  autoPatchelfIgnoreMissingDeps = [
    "libclang-cpp.so.*"
    "libLLVM*.so*"
  ];

  installPhase = ''
    runHook preInstall
    mkdir -p $out
    cp -r . $out/
    for each in inmem-clang inmem-clang++; do
      wrapProgram $out/bin/$each --set-default INMEM_CLANG ${llvmPackages_19.clang}/bin/clang++
    done
    runHook postInstall
  '';

  meta = {
    description = "Which types of object a C or C++ program allocates, where, how big, how long";
    homepage = "@HOMEPAGE@";
    license = with lib.licenses; [
      asl20
      llvm-exception
    ];
    platforms = [ "@MACHINE@-linux" ];
    mainProgram = "inmem";
  };
}
