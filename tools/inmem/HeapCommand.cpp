//===- HeapCommand.cpp - inmem heap ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Symbolizer.h"
#include "heap/SnapshotViews.h"

namespace inmem::tools {

namespace {

enum class HeapFormat { Text, Json, DevTools, Perfetto };

struct HeapState {
  std::vector<std::string> Files;
  HeapFormat Format = HeapFormat::Text;
  std::string Output;
  ColourMode Colour = ColourMode::Auto;
  std::optional<std::string> Why;
  size_t Top = 10, MostObjects = 1000000;
};

Outcome write(const HeapState &S, const std::string &Text) {
  if (const auto Done = writeText(S.Output, stdout, Text); !Done.ok())
    return Outcome::unwritable(Done);
  return {};
}

/// Reads a snapshot with references between its blocks.
trace::Result<heap::Heap> readGraph(const std::string &Path) {
  auto H = readNamedHeap(Path);
  if (H && !H->hasGraph())
    return trace::Status::error(
        Path, "was taken for `inmem resident`, without references between "
              "blocks: take one with `inmem ctl PID snapshot`");
  return H;
}

heap::Analysis analysed(const heap::Heap &H) {
  const Progress Working("following references");
  return heap::analyse(H);
}

Outcome diff(const HeapState &S, const report::Style &Look) {
  const auto Old = readGraph(S.Files[1]), New = readGraph(S.Files[2]);
  if (!Old || !New)
    return Outcome::unreadable(Old ? New.status() : Old.status());
  const heap::Analysis OldA = analysed(*Old), NewA = analysed(*New);
  return write(S, S.Format == HeapFormat::Json
                      ? heap::diffJson(*Old, OldA, *New, NewA, S.Top)
                      : heap::diffText(*Old, OldA, *New, NewA, Look, S.Top));
}

Outcome show(const HeapState &S) {
  const report::Style Look = styleFor(fileno(stdout), S.Colour);
  if (S.Files[0] == "diff") {
    if (S.Files.size() != 3)
      return Outcome::usage("heap diff: expected two snapshots");
    if (S.Format != HeapFormat::Text && S.Format != HeapFormat::Json)
      return Outcome::usage("heap diff: formats are text and json");
    if (S.Why)
      return Outcome::usage("heap diff: --why is for one snapshot");
    return diff(S, Look);
  }
  if (S.Files.size() != 1)
    return Outcome::usage("heap: expected one snapshot, or diff OLD NEW");
  if (S.Why && S.Format != HeapFormat::Text)
    return Outcome::usage("heap --why: the format is text");
  if (S.Why && S.Why->empty())
    return Outcome::usage("heap --why: expected a type or a pattern, such as "
                          "'Session*', found nothing");
  const auto H = readGraph(S.Files[0]);
  if (!H)
    return Outcome::unreadable(H.status());
  const heap::Analysis A = analysed(*H);
  if (S.Why) {
    const std::string Text = heap::whyText(*H, A, Look, *S.Why, S.Top);
    if (Text.empty())
      return Outcome::usage("heap --why: no object of the type '" + *S.Why +
                            "'");
    return write(S, Text);
  }
  switch (S.Format) {
  case HeapFormat::Json:
    return write(S, heap::jsonOf(*H, A, S.Top));
  case HeapFormat::Perfetto:
    return write(S, heap::perfettoOf(*H));
  case HeapFormat::DevTools:
    return write(S, heap::chromeOf(*H, A, S.MostObjects));
  case HeapFormat::Text:
    break;
  }
  return write(S, heap::textOf(*H, A, Look, S.Top));
}

} // namespace

Action setUpHeap(CommandLine &App) {
  const auto S = std::make_shared<HeapState>();
  const auto Top = std::make_shared<std::optional<size_t>>();
  App.option("FILE", S->Files, "a heap snapshot, or diff OLD NEW")
      .required()
      .reads();
  App.option("--why", S->Why,
             "why objects of a type are there: the shortest way from a root")
      .valueName("TYPE");
  App.option("--top", *Top, "rows of each table; 0: all")
      .valueName("N")
      .oneValue();
  App.choice("--format", S->Format,
             {{"text", HeapFormat::Text},
              {"json", HeapFormat::Json},
              {"heapsnapshot", HeapFormat::DevTools},
              {"perfetto", HeapFormat::Perfetto}},
             "text, json, heapsnapshot for DevTools, or perfetto")
      .valueName("NAME")
      .showDefault();
  App.option("--most", S->MostObjects,
             "objects of a heapsnapshot; where there are more, small ones are "
             "put together; 0: all")
      .valueName("N")
      .showDefault();
  App.option("-o,--output", S->Output, "file to write; -: standard output")
      .valueName("OUT")
      .writes();
  addColourOption(App, S->Colour);
  App.footer(
      "Shows the objects of a process and what holds them, leaks, duplicates. "
      "`inmem resident`\nexplains the memory around them: which pages are "
      "resident, and why.\n\n"
      "Snapshots come from inmem_snapshot(), `inmem ctl PID snapshot` or "
      "INMEM_OPTIONS=snapshot=exit.\n\n"
      "Examples:\n"
      "  inmem heap app.heap\n"
      "  inmem heap --why 'Session*' app.heap\n"
      "  inmem heap diff app.heap app.2.heap\n"
      "  inmem heap --format heapsnapshot -o app.heapsnapshot app.heap");
  return [S, Top]() -> Outcome {
    // Programs read all.
    S->Top = Top->value_or(S->Format == HeapFormat::Text ? 10 : 0);
    return show(*S);
  };
}

} // namespace inmem::tools
