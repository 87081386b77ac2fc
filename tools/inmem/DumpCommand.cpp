//===- DumpCommand.cpp - inmem dump ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReportOptions.h"
#include "cli/Command.h"
#include "cli/OutputFile.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/RowFilter.h"
#include "report/base/Units.h"
#include "trace/read/Reader.h"
#include "trace/text/Text.h"

#include <optional>
#include <unistd.h>

namespace inmem::tools {

Action setUpDump(CommandLine &App) {
  struct DumpState {
    std::vector<std::string> Files;
    bool Types = false, Events = false, Offsets = false;
    std::string Output, MinBytes = "0";
    Globs Only;
  };
  const auto S = std::make_shared<DumpState>();
  App.option("FILE", S->Files, "trace files").required().reads();
  App.flag("--types", S->Types,
           "types only: size, alignment and fields of each");
  App.flag("--events", S->Events, "event by event (mode=trace)");
  App.flag("--offsets", S->Offsets,
           "the offset of each record in the file, as comments");
  App.option("-o,--output", S->Output, "write to a file")
      .valueName("FILE")
      .writes();
  addGlobOptions(App, S->Only.Types, S->Only.Sites);
  App.option("--thread", S->Only.Threads,
             "only threads whose name matches a glob, or of this tid or index")
      .valueName("GLOB")
      .oneValue();
  App.option("--min-bytes", S->MinBytes,
             "leave out sites and types that allocated less, such as 64k")
      .valueName("SIZE")
      .showDefault();
  App.footer("Examples:\n"
             "  inmem dump trace.inmem | less\n"
             "  inmem dump --types trace.inmem\n"
             "  inmem dump --events --offsets trace.inmem\n"
             "  inmem dump --type 'app::*' --thread worker trace.inmem");
  return [S]() -> Outcome {
    S->Only.Types = splitList(S->Only.Types);
    S->Only.Sites = splitList(S->Only.Sites);
    S->Only.Threads = splitList(S->Only.Threads);
    const auto MinBytes = report::parseBytes(S->MinBytes);
    if (!MinBytes)
      return Outcome::usage(
          "--min-bytes: expected a size such as 64k, found '" + S->MinBytes +
          "'");
    S->Only.MinBytes = *MinBytes;
    if (S->Types && !S->Only.Threads.empty())
      return Outcome::usage("dump --types: types belong to no thread; --thread "
                            "does not apply");
    // Events are not kept in memory: pieces are written as they arrive.
    auto To = OutputFile::open(S->Output, stdout);
    if (!To)
      return Outcome::unwritable(To.status());
    const trace::TextSink Sink = [&](std::string_view Piece) {
      To->write(Piece);
    };
    // On a terminal its own text is what shows that it works.
    std::optional<Progress> Working;
    if (!isatty(fileno(To->stream())))
      Working.emplace("writing " + trace::escaped(S->Output));
    Outcome Out;
    for (const std::string &File : S->Files) {
      const auto Traces = trace::readTraces(File);
      if (!Traces) {
        std::fflush(To->stream());
        return Outcome::unreadable(Traces.status());
      }
      for (const trace::Trace &T : *Traces) {
        if (S->Files.size() > 1 || Traces->size() > 1)
          Sink("# " + File + ", pid " + std::to_string(T.Header.Pid) + "\n");
        const RowFilter Chosen(T, S->Only);
        const RowFilter *Filter = S->Only.any() ? &Chosen : nullptr;
        if (S->Types)
          trace::dumpTypes(T, Sink, Filter);
        else
          trace::dump(T, {S->Events, S->Offsets, Filter}, Sink);
      }
      if (const auto Damage = firstDamage(*Traces); Damage && Out.Code == kDone)
        Out = Outcome::unreadable(*Damage);
    }
    if (const auto Done = To->commit(); !Done.ok() && Out.Code == kDone)
      Out = Outcome::unwritable(Done);
    return Out;
  };
}

} // namespace inmem::tools
