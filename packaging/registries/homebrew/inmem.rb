# typed: true
# frozen_string_literal: true

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# inmem as its release has it.
class Inmem < Formula
  desc "Which types of object a C or C++ program allocates, where and how long"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0" => { with: "LLVM-exception" }

  depends_on arch: :@BREW_ARCH@
  depends_on :linux
  depends_on "llvm"

  def install
    prefix.install Dir["*"]
  end

  test do
    (testpath/"a.cpp").write "struct A { int I; }; A *volatile Sink; int main() { Sink = new A; }"
    ENV["INMEM_CLANG"] = Formula["llvm"].opt_bin/"clang++"
    system bin/"inmem-clang++", "a.cpp", "-o", "a"
    system "./a"
    assert_match "A", shell_output("#{bin}/inmem report")
  end
end
