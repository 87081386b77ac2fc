//===- ImportCommand.cpp - inmem import -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Command.h"
#include "Output.h"
#include "report/import/Imported.h"

namespace inmem::tools {

Action setUpImport(CommandLine &App) {
  struct ImportState {
    std::string File, Output;
    const report::ImportFormat *Format = nullptr;
  };
  const auto S = std::make_shared<ImportState>();
  std::string Help;
  for (const report::ImportFormat &F : report::importFormats())
    Help += "  " + std::string(F.Name) + ": " + std::string(F.Help) + "\n";
  App.option("FILE", S->File, "what the other tool wrote; .gz and .zst too")
      .required()
      .reads();
  App.choice("--format", S->Format,
             choicesOf(report::importFormats(), &report::ImportFormat::Name),
             "one of {}")
      .valueName("NAME")
      .required();
  App.option("-o,--output", S->Output,
             "the trace to write; - is standard output")
      .valueName("OUT")
      .required()
      .writes();
  App.footer("Formats:\n" + Help +
             "\nWhat a format does not know is unknown in reports: null in "
             "JSON, ? in text.\n\nExamples:\n"
             "  inmem import --format heaptrack -o app.inmem "
             "heaptrack.app.1.zst\n"
             "  inmem import --format pprof -o heap.inmem heap.pb.gz && inmem "
             "html -o heap.html heap.inmem");
  return [S]() -> Outcome {
    const auto File = trace::Buffer::open(S->File);
    if (!File)
      return Outcome::unreadable(File.status());
    const auto Read = S->Format->Read(**File);
    if (!Read)
      return Outcome::unreadable(Read.status());
    const auto Bytes = Read->write();
    if (!Bytes)
      return Outcome::unreadable(Bytes.status());
    const trace::Status Done = writeText(
        S->Output, stdout,
        {reinterpret_cast<const char *>(Bytes->data()), Bytes->size()});
    return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
  };
}

} // namespace inmem::tools
