//===- DhatImport.cpp - Profiles of DHAT ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads version 2 of DHAT's JSON (valgrind/dhat/dh_main.c has the members),
// which Rust's crate dhat also writes. Its lifetimes are sums in instructions
// or microseconds, from which no histogram can be made.
//
//===----------------------------------------------------------------------===//
#include "report/import/Imported.h"
#include "report/import/Offsets.h"
#include "trace/format/Format.h"

#include <fmt/format.h>

namespace inmem::report {

namespace {

class DhatReader {
public:
  explicit DhatReader(const Json &From) : J(From) {}

  Imported run() {
    if (!J.is_object() || !J.contains("dhatFileVersion"))
      throw WrongJson{&J, "no DHAT file", "an object with \"dhatFileVersion\"",
                      shownJson(J)};
    if (numberIn(J, "dhatFileVersion") != 2)
      throw WrongJson{&J["dhatFileVersion"], "version of DHAT's file", "2",
                      shownJson(J["dhatFileVersion"])};
    // Valgrind's "copy" and "ad-hoc", and Rust's "rust-ad-hoc", have no blocks.
    if (const std::string Mode = textIn(J, "mode");
        Mode != "heap" && Mode != "rust-heap")
      throw WrongJson{&J["mode"], "mode of DHAT", "\"heap\" or \"rust-heap\"",
                      shownJson(J["mode"])};
    Out.Tool = "dhat";
    Out.Unknown = trace::kFlagNoTemporary;
    Out.Pid = numberIn(J, "pid");
    // The boundaries between the shell's words are unknown.
    Out.Command = {textIn(J, "cmd")};
    // Some programs' own DHAT counts time, valgrind's counts instructions.
    if (const std::string Unit = textIn(J, "tu");
        Unit == "microsecs" || Unit == "\u00b5s" || Unit == "us")
      Out.DurationNs =
          std::min<uint64_t>(numberIn(J, "te"), UINT64_MAX / 1000) * 1000;
    const Json &Lifetimes = memberOf(J, "bklt");
    if (!Lifetimes.is_boolean())
      throw WrongJson{&Lifetimes, "member \"bklt\"", "true or false",
                      shownJson(Lifetimes)};
    Ends = Lifetimes.get<bool>();
    if (!Ends)
      Out.Unknown |= trace::kFlagNoFrees | trace::kFlagNoPeak;
    readFrames();
    for (const Json &Point : arrayIn(J, "pps"))
      read(Point);
    return std::move(Out);
  }

private:
  void readFrames() {
    for (const Json &Frame : arrayIn(J, "ftbl")) {
      if (!Frame.is_string())
        throw WrongJson{&Frame, "element of \"ftbl\"", "a string",
                        shownJson(Frame)};
      Frames.push_back(Out.frame(valgrindFrame(Frame.get<std::string>())));
    }
  }

  void read(const Json &Point) {
    if (!Point.is_object())
      throw WrongJson{&Point, "element of \"pps\"", "an object",
                      shownJson(Point)};
    uint32_t Stack = 0;
    const Json &Path = arrayIn(Point, "fs"); // innermost first
    for (auto F = Path.rbegin(); F != Path.rend(); ++F) {
      if (!F->is_number_unsigned() || F->get<uint64_t>() >= Frames.size())
        throw WrongJson{&*F, "element of \"fs\"",
                        fmt::format("a number below {}", Frames.size()),
                        shownJson(*F)};
      Stack = Out.stack(Stack, Frames[F->get<uint64_t>()]);
    }
    const uint64_t Bytes = numberIn(Point, "tb");
    const uint64_t Blocks = numberIn(Point, "tbk");
    const uint64_t LeftBytes = Ends ? numberIn(Point, "eb") : Bytes;
    const uint64_t Left = Ends ? numberIn(Point, "ebk") : Blocks;
    if (LeftBytes > Bytes || Left > Blocks)
      throw WrongJson{&Point[LeftBytes > Bytes ? "eb" : "ebk"],
                      "what is alive at the end (\"eb\", \"ebk\")",
                      "no more than was allocated",
                      fmt::format("{} bytes in {} blocks", LeftBytes, Left)};
    ImportedRow &R = Out.row(Stack);
    R.Sum.Bytes += Bytes;
    R.Sum.Allocations += Blocks;
    R.Sum.FreedBytes += Bytes - LeftBytes;
    R.Sum.Frees += Blocks - Left;
    if (Ends) {
      const uint64_t AtPeak = numberIn(Point, "gb");
      R.AtPeak += AtPeak;
      Out.PeakBytes += AtPeak;
    }
  }

  const Json &J;
  bool Ends = true; ///< the file has the lifetimes of blocks
  Imported Out;
  std::vector<uint32_t> Frames;
};

} // namespace

trace::Result<Imported> readDhat(const trace::Buffer &File) {
  Imported Out;
  if (trace::Status Wrong =
          parseJson(File, "no DHAT file",
                    [&](const Json &J) { Out = DhatReader(J).run(); });
      !Wrong.ok())
    return Wrong;
  return Out;
}

} // namespace inmem::report
