//===- SymbolizeCommand.cpp - inmem symbolize -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Steps.h"

#include "cli/OutputFile.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "trace/text/Symbols.h"
#include "trace/text/Text.h"

#include <csignal>
#include <cstdio>
#include <optional>
#include <set>

namespace inmem::tools {

namespace {

/// Symbols found for the addresses of one process.
struct Found {
  trace::SourceTable Sources;
  trace::SiteTypes Types;
  size_t Missing = 0;
  std::set<std::string> Modules; ///< modules without symbols
};

Found find(const trace::Trace &T, Symbolizer &Symbols, bool Again) {
  Found Out;
  for (const trace::Address &A : T.Addresses) {
    if (A.Id == 0 || (A.Flags & trace::kAddressSignal))
      continue;
    const trace::Module &M = T.module(A.Module);
    const bool Known = !Again && !A.Source.empty();
    std::vector<trace::SourceFrame> Frames;
    if (!M.Path.empty())
      for (const report::SourceLocation &P :
           Known ? Symbols.improve(M.Path, M.BuildId, A.Offset, A.Source)
                 : Symbols.expand(M.Path, M.BuildId, A.Offset))
        Frames.push_back({P.Function, P.File, P.Line, P.Column});
    if (Frames.empty() && Known)
      continue;
    if (Frames.empty()) {
      ++Out.Missing;
      Out.Modules.insert(M.Path.empty() ? "code without a file"
                                        : std::string(M.Path));
    } else {
      Out.Sources[A.Id] = std::move(Frames);
    }
  }
  for (const trace::Entry &E : T.Entries)
    if (const trace::Site &S = T.site(E.Site);
        S.Kind == INMEM_SITE_CALLER && S.ofBlocks() && E.Type == 0 &&
        (Again || !T.FoundTypes.contains(E.Site)))
      if (auto Type = Symbols.typeOf(T, E))
        Out.Types[E.Site] = std::move(*Type);
  return Out;
}

void writeBytes(OutputFile &To, std::span<const std::byte> Bytes) {
  To.write({reinterpret_cast<const char *>(Bytes.data()), Bytes.size()});
}

/// Writes all of a file's processes, with the results for each.
void writeAll(OutputFile &To, const std::vector<trace::Trace> &Traces,
              const std::vector<Found> &Founds) {
  for (size_t I = 0; I < Traces.size(); ++I) {
    const trace::Trace &T = Traces[I];
    const auto Bytes = T.File->bytes().subspan(T.Base, T.End - T.Base);
    if (Founds[I].Sources.empty() && Founds[I].Types.empty()) {
      writeBytes(To, Bytes);
      continue;
    }
    const auto Added = trace::addSymbols(T, Founds[I].Sources, Founds[I].Types);
    writeBytes(To, Added.Header);
    writeBytes(To, Bytes.subspan(Added.Header.size()));
    writeBytes(To, Added.Extent);
  }
}

} // namespace

Outcome symbolize(const std::string &File, Symbolizer &Symbols, bool Again,
                  bool Quiet) {
  const auto Traces = readInputs({File});
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  if (const auto Damage = firstDamage(*Traces))
    return Outcome::unreadable(*Damage);
  std::optional<Progress> Working("finding symbols for " +
                                  trace::escaped(File));
  std::vector<Found> Founds;
  Found All;
  size_t Added = 0, Types = 0;
  for (const trace::Trace &T : *Traces) {
    if (T.Cut)
      return {kUnreadable, File + ": cut short: symbols have no place in it"};
    if (T.Header.State == trace::RunState::Running &&
        ::kill(static_cast<pid_t>(T.Header.Pid), 0) == 0)
      return {kUnreadable, File + ": process " + std::to_string(T.Header.Pid) +
                               " is still running"};
    Founds.push_back(find(T, Symbols, Again));
    Added += Founds.back().Sources.size();
    Types += Founds.back().Types.size();
    All.Missing += Founds.back().Missing;
    All.Modules.merge(Founds.back().Modules);
  }
  Working.reset();
  if (!Quiet) {
    std::printf("%s: %zu code addresses named, %zu not\n", File.c_str(), Added,
                All.Missing);
    if (Types > 0)
      std::printf("  types of %zu sites without instrumentation\n", Types);
    for (const std::string &Module : All.Modules)
      std::printf("  no symbols for %s\n", Module.c_str());
  }
  if (Added == 0 && Types == 0)
    return {};
  auto To = OutputFile::replace(File);
  if (!To)
    return Outcome::unwritable(To.status());
  writeAll(*To, *Traces, Founds);
  const trace::Status Done = To->commit();
  return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
}

Action setUpSymbolize(CommandLine &App) {
  struct SymbolizeState {
    std::vector<std::string> Files, Folders;
    bool Again = false, Quiet = false;
  };
  const auto S = std::make_shared<SymbolizeState>();
  App.option("FILE", S->Files, "trace files, changed in place").required();
  App.option("--debug-dir", S->Folders,
             "a folder with .build-id/ab/cdef.debug; may be repeated")
      .valueName("DIR")
      .oneValue();
  App.flag("--again", S->Again, "also what has symbols already");
  App.flag("-q,--quiet", S->Quiet, "no summary");
  App.footer(
      "Files are found by path, if they are still the same build, else by "
      "build id:\nin --debug-dir, /usr/lib/debug, the cache of debuginfod "
      "clients, and on the\nservers of DEBUGINFOD_URLS.\n\nExamples:\n"
      "  inmem symbolize trace.inmem\n"
      "  inmem symbolize --debug-dir ./symbols trace.inmem");
  return [S]() -> Outcome {
    Symbolizer Symbols(S->Folders);
    for (const std::string &File : S->Files)
      if (Outcome O = symbolize(File, Symbols, S->Again, S->Quiet);
          O.Code != kDone)
        return O;
    return {};
  };
}

} // namespace inmem::tools
