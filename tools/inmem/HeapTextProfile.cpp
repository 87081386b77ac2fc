//===- HeapTextProfile.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HeapTextProfile.h"

#include "formats/pprof.pb.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <vector>

namespace inmem::tools {

namespace {

constexpr std::string_view kHead = "heap profile:", kThreaded = "heap_v2/";

/// Blocks and bytes that are alive, and all that there were.
using Figures = std::array<double, 4>;

class TextReader {
public:
  TextReader(const std::string &Name, pprof::Profile &Into)
      : File(Name), P(Into) {}

  trace::Status read(std::string_view Text);

private:
  trace::Status wrong(const char *What, const char *Expected) const {
    return trace::Status::at(File, Offset, What, Expected,
                             "'" + Line.substr(0, 60) + "'");
  }
  trace::Status readHead();
  trace::Status readRow(const std::string &Row, const char *At);
  void readMapping();
  bool readAddresses(const char *At);
  void addSample(const Figures &F);
  int64_t text(const std::string &Text);
  void finish();

  const std::string &File;
  pprof::Profile &P;
  std::string Line;
  uint64_t Offset = 0; ///< of the line
  bool IsThreaded = false, IsSampled = false;
  double Period = 0;
  std::vector<uint64_t> Stack;
  std::map<uint64_t, uint64_t> Locations; ///< by address
  std::map<std::string, int64_t> Texts;
};

int64_t TextReader::text(const std::string &Text) {
  const auto [At, IsNew] = Texts.try_emplace(Text, P.string_table_size());
  if (IsNew)
    P.add_string_table(Text);
  return At->second;
}

trace::Status TextReader::readHead() {
  std::string Kind = Line;
  if (const size_t At = Line.find('@'); Line.starts_with(kHead)) {
    if (At == std::string::npos)
      return wrong("head of a heap profile", "'@ heapprofile' or heap_v2");
    Kind = Line.substr(Line.find_first_not_of(" \t", At + 1));
  } else {
    IsThreaded = true;
  }
  const size_t Slash = Kind.find('/');
  Period = Slash == std::string::npos
               ? 0
               : std::strtod(Kind.c_str() + Slash + 1, nullptr);
  if (Kind.starts_with("heap/"))
    Period /= 2;
  IsSampled = Period > 1 && !Kind.starts_with("heapprofile");
  return {};
}

bool TextReader::readAddresses(const char *At) {
  Stack.clear();
  for (char *End = nullptr;; At = End) {
    const unsigned long long Address = std::strtoull(At, &End, 16);
    if (End == At)
      break;
    Stack.push_back(Address);
  }
  return std::string_view(At).find_first_not_of(" \t\r") ==
         std::string_view::npos;
}

trace::Status TextReader::readRow(const std::string &Row, const char *At) {
  Figures F = {};
  if (std::sscanf(Row.c_str(), " %lf: %lf [ %lf: %lf]", F.data(), &F[1], &F[2],
                  &F[3]) != 4 ||
      (At && !readAddresses(At)))
    return wrong("row of a heap profile",
                 "'BLOCKS: BYTES [BLOCKS: BYTES]' and addresses");
  addSample(F);
  return {};
}

void TextReader::addSample(const Figures &F) {
  pprof::Sample *S = P.add_sample();
  for (const uint64_t Address : Stack) {
    const auto [At, IsNew] =
        Locations.try_emplace(Address, Locations.size() + 1);
    if (IsNew) {
      pprof::Location *L = P.add_location();
      L->set_id(At->second);
      L->set_address(Address - 1); // within the call, as pprof has it
    }
    S->add_location_id(At->second);
  }
  for (const size_t Pair : {2u, 0u}) {
    const double Blocks = F[Pair], Bytes = F[Pair + 1];
    const double Scale = IsSampled && Blocks > 0 && Bytes > 0
                             ? 1 / (1 - std::exp(-Bytes / Blocks / Period))
                             : 1;
    S->add_value(std::llround(Blocks * Scale));
    S->add_value(std::llround(Bytes * Scale));
  }
}

/// `START-END r-xp OFFSET DEVICE INODE PATH`
void TextReader::readMapping() {
  unsigned long long Start = 0, End = 0, From = 0;
  char Access[8] = {};
  int Used = 0;
  if (std::sscanf(Line.c_str(), "%llx-%llx %7s %llx %*s %*s %n", &Start, &End,
                  Access, &From, &Used) != 4 ||
      std::string_view(Access).find('x') == std::string_view::npos)
    return;
  pprof::Mapping *M = P.add_mapping();
  M->set_id(static_cast<uint64_t>(P.mapping_size()));
  M->set_memory_start(Start);
  M->set_memory_limit(End);
  M->set_file_offset(From);
  M->set_filename(text(Line.substr(static_cast<size_t>(Used))));
}

void TextReader::finish() {
  const auto Add = [&](const char *Type, const char *Unit) {
    pprof::ValueType *V = P.add_sample_type();
    V->set_type(text(Type));
    V->set_unit(text(Unit));
  };
  Add("alloc_objects", "count");
  Add("alloc_space", "bytes");
  Add("inuse_objects", "count");
  Add("inuse_space", "bytes");
  P.set_default_sample_type(text("inuse_space"));
  if (IsSampled) {
    P.mutable_period_type()->set_type(text("space"));
    P.mutable_period_type()->set_unit(text("bytes"));
    P.set_period(std::llround(Period));
  }
  for (pprof::Location &L : *P.mutable_location())
    for (const pprof::Mapping &M : P.mapping())
      if (L.address() >= M.memory_start() && L.address() < M.memory_limit())
        L.set_mapping_id(M.id());
}

trace::Status TextReader::read(std::string_view Text) {
  text(""); // index 0
  bool InMaps = false;
  for (bool IsFirst = true; !Text.empty(); IsFirst = false) {
    const size_t End = std::min(Text.find('\n'), Text.size());
    Line = Text.substr(0, End);
    const size_t Blanks = Line.find_first_not_of(" \t");
    trace::Status Wrong;
    if (IsFirst)
      Wrong = readHead();
    else if (InMaps)
      readMapping();
    else if (Line.starts_with("MAPPED_LIBRARIES:") ||
             Line.starts_with("--- Memory map:") ||
             Line.starts_with("/proc/self/maps:"))
      InMaps = true;
    else if (Blanks == std::string::npos || Line[Blanks] == '#')
      ;
    else if (IsThreaded && Line[Blanks] == '@')
      Wrong = readAddresses(Line.c_str() + Blanks + 1)
                  ? trace::Status()
                  : wrong("stack of a heap profile", "addresses");
    else if (IsThreaded && Line.substr(Blanks).starts_with("t*:"))
      // The sum over all threads; before the first stack, over all stacks.
      Wrong = Stack.empty() ? trace::Status()
                            : readRow(Line.substr(Blanks + 3), nullptr);
    else if (const size_t At = Line.find('@'); IsThreaded)
      ; // figures of one thread
    else if (At == std::string::npos)
      Wrong = wrong("row of a heap profile", "'@' and addresses");
    else
      Wrong = readRow(Line.substr(0, At), Line.c_str() + At + 1);
    if (!Wrong.ok())
      return Wrong;
    Offset += End + 1;
    Text.remove_prefix(std::min(End + 1, Text.size()));
  }
  finish();
  return {};
}

} // namespace

bool isHeapText(std::string_view Text) {
  return Text.starts_with(kHead) || Text.starts_with(kThreaded);
}

trace::Status readHeapText(std::string_view Text, const std::string &File,
                           pprof::Profile &Into) {
  return TextReader(File, Into).read(Text);
}

} // namespace inmem::tools
