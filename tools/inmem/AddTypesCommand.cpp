//===- AddTypesCommand.cpp - inmem add-types ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "profiles/TypedProfile.h"
#include "report/base/Units.h"

#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <zlib.h>

namespace inmem::tools {

namespace {

struct AddTypesState {
  std::string File, Output;
  std::vector<std::string> Binaries;
  bool Requested = false, Frames = false, Quiet = false;
};

/// Compresses in gzip's format, as pprof writes its profiles; empty on failure.
std::string compressed(const std::string &Bytes) {
  z_stream Stream = {};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&Stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string Out(deflateBound(&Stream, Bytes.size()), '\0');
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
  Stream.avail_in = static_cast<uInt>(Bytes.size());
  Stream.next_out = reinterpret_cast<Bytef *>(Out.data());
  Stream.avail_out = static_cast<uInt>(Out.size());
  const int Code = deflate(&Stream, Z_FINISH);
  Out.resize(Code == Z_STREAM_END ? Stream.total_out : 0);
  deflateEnd(&Stream);
  return Out;
}

Outcome addTypesTo(const AddTypesState &S) {
  const auto File = trace::Buffer::open(S.File);
  if (!File)
    return Outcome::unreadable(File.status());
  std::optional<Progress> Working("finding types for " + S.File);
  auto Typed = addTypes(**File, S.Binaries, S.Frames, S.Requested);
  Working.reset();
  if (!Typed)
    return Outcome::unreadable(Typed.status());
  if (S.Output.ends_with(".gz"))
    Typed->Bytes = compressed(Typed->Bytes);
  if (const auto Done = writeText(S.Output, stdout, Typed->Bytes); !Done.ok())
    return Outcome::unwritable(Done);
  if (!S.Quiet)
    for (const std::string &Note : Typed->Notes)
      fmt::print(stderr, "inmem: {}\n", Note);
  if (!S.Quiet && S.Output != "-")
    fmt::print("{}: types for {} of {} samples, {} of {}\n", S.Output,
               Typed->Counts.Typed, Typed->Counts.Samples,
               report::humanBytes(Typed->Counts.TypedBytes),
               report::humanBytes(Typed->Counts.Bytes));
  return {};
}

} // namespace

Action setUpAddTypes(CommandLine &App) {
  const auto S = std::make_shared<AddTypesState>();
  App.option("PROFILE", S->File,
             "a heap profile: pprof's (.pb, .gz), OpenTelemetry's, or the text "
             "of jemalloc (heap_v2) or gperftools")
      .required()
      .reads();
  App.option("-o,--output", S->Output,
             "the profile with types; compressed if the name ends with .gz; - "
             "is standard output")
      .valueName("OUT")
      .required()
      .writes();
  App.option("--binary", S->Binaries,
             "a program or library of the profile, if it is not where it was; "
             "found by its build id, else by its name. May be given more than "
             "once")
      .oneValue()
      .valueName("FILE")
      .reads();
  App.flag("--frames", S->Frames,
           "also add a frame with the type's name at the root of each stack, "
           "so that any viewer's flame graph begins with types");
  App.choice("--sizes", S->Requested, {{"classes", false}, {"requested", true}},
             "of jemalloc, which counts its size classes: {}. requested: bytes "
             "become the sizes that the program asked for, if the type has one "
             "in the class")
      .valueName("WHICH")
      .showDefault();
  App.flag("-q,--quiet", S->Quiet, "print nothing if all is well");
  App.footer("Types are inferred from the programs' debug information, as for "
             "`inmem run`. Each sample whose\ntype is found gets the label "
             "`type`; the rest of the profile stays as it is.\n\n"
             "Examples:\n"
             "  inmem add-types heap.pb.gz -o typed.pb.gz\n"
             "  go tool pprof -tagroot=type -http=: typed.pb.gz\n"
             "  inmem add-types jeprof.4711.0.f.heap --frames -o typed.pb.gz");
  return [S]() -> Outcome { return addTypesTo(*S); };
}

} // namespace inmem::tools
