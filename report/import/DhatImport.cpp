//===- DhatImport.cpp - Profiles of DHAT ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Version 2 of its JSON (valgrind/dhat/dh_main.c has the members). Lifetimes
// are sums in instructions, which are not lifetimes of ours.
//
//===----------------------------------------------------------------------===//
#include "report/formats/Json.h"
#include "report/import/Imported.h"
#include "trace/Format.h"

#include <fmt/format.h>

namespace inmem::report {

namespace {

/// Expected kind of a member, thrown to where the file's name is known.
struct Wrong {
  std::string What, Expected, Found;
};

class DhatReader {
public:
  explicit DhatReader(const Json &From) : J(From) {}

  Imported run() {
    if (!J.is_object() || !J.contains("dhatFileVersion"))
      throw Wrong{"no DHAT file", "an object with \"dhatFileVersion\"",
                  shown(J)};
    if (number(J, "dhatFileVersion") != 2)
      throw Wrong{"version of DHAT's file", "2", shown(J["dhatFileVersion"])};
    if (text(J, "mode") != "heap")
      throw Wrong{"mode of DHAT", "\"heap\"", shown(J["mode"])};
    Out.Tool = "dhat";
    Out.Unknown = trace::kFlagNoTemporary;
    Out.Pid = number(J, "pid");
    // Words as the shell would part them are not known.
    Out.Command = {text(J, "cmd")};
    // Some programs' own DHAT counts time, valgrind's counts instructions.
    if (const std::string Unit = text(J, "tu");
        Unit == "microsecs" || Unit == "\u00b5s" || Unit == "us")
      Out.DurationNs = number(J, "te") * 1000;
    const auto Lifetimes = J.find("bklt");
    if (Lifetimes == J.end() || !Lifetimes->is_boolean())
      throw Wrong{"member \"bklt\"", "true or false",
                  Lifetimes == J.end() ? "nothing" : shown(*Lifetimes)};
    Ends = Lifetimes->get<bool>();
    if (!Ends)
      Out.Unknown |= trace::kFlagNoFrees | trace::kFlagNoPeak;
    readFrames();
    for (const Json &Point : array(J, "pps"))
      read(Point);
    return std::move(Out);
  }

private:
  static std::string shown(const Json &Value) {
    if (Value.is_structured()) // of any depth
      return Value.is_array() ? "an array" : "an object";
    std::string Text =
        Value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (Text.size() > 60)
      Text = Text.substr(0, 57) + "...";
    return Text;
  }
  static const Json &member(const Json &Of, const char *Name) {
    const auto At = Of.find(Name);
    if (At == Of.end())
      throw Wrong{fmt::format("member \"{}\"", Name), "it", "nothing"};
    return *At;
  }
  static uint64_t number(const Json &Of, const char *Name) {
    const Json &Value = member(Of, Name);
    if (!Value.is_number_unsigned())
      throw Wrong{fmt::format("member \"{}\"", Name), "a number of 0 or more",
                  shown(Value)};
    return Value.get<uint64_t>();
  }
  static std::string text(const Json &Of, const char *Name) {
    const Json &Value = member(Of, Name);
    if (!Value.is_string())
      throw Wrong{fmt::format("member \"{}\"", Name), "a string", shown(Value)};
    return Value.get<std::string>();
  }
  static const Json &array(const Json &Of, const char *Name) {
    const Json &Value = member(Of, Name);
    if (!Value.is_array())
      throw Wrong{fmt::format("member \"{}\"", Name), "an array", shown(Value)};
    return Value;
  }

  void readFrames() {
    for (const Json &Frame : array(J, "ftbl")) {
      if (!Frame.is_string())
        throw Wrong{"element of \"ftbl\"", "a string", shown(Frame)};
      Frames.push_back(Out.frame(valgrindFrame(Frame.get<std::string>())));
    }
  }

  void read(const Json &Point) {
    if (!Point.is_object())
      throw Wrong{"element of \"pps\"", "an object", shown(Point)};
    uint32_t Stack = 0;
    const Json &Path = array(Point, "fs"); // innermost first
    for (auto F = Path.rbegin(); F != Path.rend(); ++F) {
      if (!F->is_number_unsigned() || F->get<uint64_t>() >= Frames.size())
        throw Wrong{"element of \"fs\"",
                    fmt::format("a number below {}", Frames.size()), shown(*F)};
      Stack = Out.stack(Stack, Frames[F->get<uint64_t>()]);
    }
    const uint64_t Bytes = number(Point, "tb"), Blocks = number(Point, "tbk");
    const uint64_t LeftBytes = Ends ? number(Point, "eb") : Bytes;
    const uint64_t Left = Ends ? number(Point, "ebk") : Blocks;
    if (LeftBytes > Bytes || Left > Blocks)
      throw Wrong{"what is alive at the end (\"eb\", \"ebk\")",
                  "no more than was allocated",
                  fmt::format("{} bytes in {} blocks", LeftBytes, Left)};
    ImportedRow &R = Out.row(Stack);
    R.Sum.Bytes += Bytes;
    R.Sum.Allocations += Blocks;
    R.Sum.FreedBytes += Bytes - LeftBytes;
    R.Sum.Frees += Blocks - Left;
    if (Ends) {
      R.AtPeak += number(Point, "gb");
      Out.PeakBytes += number(Point, "gb");
    }
  }

  const Json &J;
  bool Ends = true; ///< the file knows what became of blocks
  Imported Out;
  std::vector<uint32_t> Frames;
};

} // namespace

trace::Result<Imported> readDhat(const trace::Buffer &File) {
  const auto *Begin = reinterpret_cast<const char *>(File.bytes().data());
  try {
    const Json J = Json::parse(Begin, Begin + File.bytes().size());
    return DhatReader(J).run();
  } catch (const Json::parse_error &E) {
    const uint64_t At = E.byte ? E.byte - 1 : 0;
    return trace::Status::at(File.name(), At, "no DHAT file", "JSON",
                             At < File.bytes().size() ? "something else"
                                                      : "the end of the file");
  } catch (const Wrong &W) {
    return trace::Status::at(File.name(), 0, W.What, W.Expected, W.Found);
  }
}

} // namespace inmem::report
