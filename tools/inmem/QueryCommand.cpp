//===- QueryCommand.cpp - inmem query -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/OutputFile.h"
#include "cli/Terminal.h"
#include "files/FleetTemp.h"
#include "fleet/folder/SqlViews.h"
#include "fleet/query/Question.h"
#include "fleet/tables/Batch.h"
#include "fleet/tables/Durable.h"
#include "report/base/Words.h"
#include "report/text/Sheet.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace inmem::tools {

using report::didYouMean;

namespace {

namespace fs = std::filesystem;

enum class QueryFormat { Table, Csv, Json, Parquet, Budget };

struct QueryState {
  std::vector<std::string> Words; ///< question and folder
  std::vector<std::string> Params;
  QueryFormat Format = QueryFormat::Table;
  ColourMode Colour = ColourMode::Auto;
  std::string Output, Memory = "1GB", Temp, TempLimit = "10GB";
  std::string Html, Trace, Traces;
  size_t Threads = 0;
  bool List = false, Show = false;
};

/// A stored question, or \p Word itself as SQL.
trace::Result<fleet::Question> questionFor(const std::string &Word) {
  const bool Sql = std::ranges::any_of(Word, [](char C) {
    return std::isspace(static_cast<unsigned char>(C)) != 0;
  });
  if (Sql) {
    fleet::Question Out;
    Out.Sql = Word;
    return Out;
  }
  auto All = fleet::storedQuestions(fleet::queryFolder());
  if (!All)
    return All.status();
  std::vector<std::string> Names;
  for (fleet::Question &Q : *All) {
    if (Q.Name == Word)
      return std::move(Q);
    Names.push_back(Q.Name);
  }
  return trace::Status::error("", "query: no stored question is called '" +
                                      Word + "'" + didYouMean(Word, Names) +
                                      "; --list names them");
}

Outcome listQuestions() {
  const auto All = fleet::storedQuestions(fleet::queryFolder());
  if (!All)
    return Outcome::unreadable(All.status());
  const report::Style Look = styleFor(STDOUT_FILENO, ColourMode::Never);
  report::Sheet Out(Look);
  for (const fleet::Question &Q : *All) {
    Out.line(Q.Name);
    Out.paragraph(Q.Help, 4);
    for (const fleet::QuestionParameter &P : Q.Parameters)
      Out.paragraph("--param " + P.Name + '=' + P.Default.value_or("…") + "  " +
                        P.Help,
                    4);
  }
  const trace::Status Done = writeText("", stdout, std::move(Out).take());
  return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
}

/// Runs the question and writes rows as a Parquet file.
Outcome writeParquet(fleet::Duck &Engine, const std::string &Sql,
                     const std::vector<fleet::Parameter> &Given,
                     const std::string &Output) {
  const std::string Part = fleet::partOf(Output).string();
  if (const trace::Status Done =
          Engine.runWith("COPY (\n" + Sql + "\n) TO " + fleet::sqlText(Part) +
                             " (FORMAT parquet, COMPRESSION zstd)",
                         Given);
      !Done.ok()) {
    unlink(Part.c_str());
    return Outcome::usage("query: " + Done.str());
  }
  const trace::Status Done = fleet::publish(Output);
  return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
}

/// The output file that is also a file of the fleet; empty if there is none.
std::string overwritten(const QueryState &S, const std::string &Folder) {
  std::error_code Error;
  for (const std::string &File : {S.Output, S.Html})
    if (!File.empty() && File != "-")
      for (const auto &Entry : fs::recursive_directory_iterator(Folder, Error))
        if (isSameFile(Entry.path().string(), File))
          return File;
  return "";
}

/// The result in any format but Parquet.
trace::Result<std::string> printed(const QueryState &S,
                                   const fleet::QueryResult &Found) {
  switch (S.Format) {
  case QueryFormat::Budget:
    return fleet::resultBudget(Found);
  case QueryFormat::Csv:
    return fleet::resultCsv(Found);
  case QueryFormat::Json:
    return fleet::resultJson(Found);
  case QueryFormat::Table:
  case QueryFormat::Parquet:
    break;
  }
  return fleet::resultText(Found, styleFor(STDOUT_FILENO, S.Colour));
}

Outcome runQuestion(const QueryState &S, const std::string &Folder,
                    const fleet::Question &Q) {
  if (const std::string File = overwritten(S, Folder); !File.empty())
    return Outcome::usage("query: " + File + " is an input and the output");
  const auto Given = fleet::valuesFor(Q, S.Params);
  if (!Given)
    return Outcome::usage("query: " + Given.status().str());
  const TempFolder Temp(S.Temp);
  if (Temp.Path.empty())
    return Outcome::usage("query: " + std::string(kNoTempFolder));
  const bool Parquet = S.Format == QueryFormat::Parquet;
  std::vector<std::string> Writable;
  if (Parquet)
    Writable.push_back(fs::absolute(fleet::partOf(S.Output)).string());
  auto Engine = fleet::openFleet(Folder,
                                 {.Memory = S.Memory,
                                  .TempFolder = Temp.Path,
                                  .TempLimit = S.TempLimit,
                                  .Threads = S.Threads},
                                 Writable);
  if (!Engine)
    return Outcome::usage("query: " + Engine.status().str());
  std::string Sql = fleet::withDollars(Q.Sql);
  // A trailing `;` would end the statement that embeds this one.
  while (!Sql.empty() && (Sql.back() == ';' ||
                          std::isspace(static_cast<unsigned char>(Sql.back()))))
    Sql.pop_back();
  if (const trace::Status Bad = Engine->checkReadOnly(Sql); !Bad.ok())
    return Outcome::usage("query: " + Bad.str());
  std::optional<Progress> Working("asking the fleet");
  if (Parquet)
    return writeParquet(*Engine, Sql, *Given, fs::absolute(S.Output).string());
  const auto Found = Engine->query(Sql, *Given);
  if (!Found)
    return Outcome::usage("query: " + Found.status().str());
  const auto Text = S.Html.empty() ? printed(S, *Found)
                                   : fleet::resultPage(*Found, Q, *Given);
  if (!Text)
    return Outcome::usage("query: " + Text.status().str());
  Working.reset();
  const trace::Status Done =
      writeText(S.Html.empty() ? S.Output : S.Html, stdout, *Text);
  return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
}

/// The file of a trace: where `inmem collect` stores it, or anywhere below \p
/// Folder.
std::optional<fs::path> fileBelow(const fs::path &Folder,
                                  const fleet::QueryResult &A,
                                  const std::string &Id) {
  const auto Cell = [&](const char *Name) {
    const auto At =
        std::ranges::find(A.Columns, Name, &fleet::QueryResult::Column::Name);
    return A.Rows[0][static_cast<size_t>(At - A.Columns.begin())].value_or("");
  };
  const std::string Name = Cell("trace_file");
  const auto IsIt = [&](const fs::path &File) {
    const auto Traces = trace::readTraces(File.string());
    return Traces && std::ranges::any_of(*Traces, [&](const trace::Trace &T) {
             return std::to_string(fleet::keyOf(T).TraceId) == Id;
           });
  };
  fs::path Likely =
      Folder / ("date=" + Cell("date")) / ("service=" + Cell("service")) / Name;
  std::error_code Error;
  if (fs::exists(Likely, Error) && IsIt(Likely))
    return Likely;
  for (const auto &File : fs::recursive_directory_iterator(Folder, Error))
    if (File.path().filename() == Name && IsIt(File.path()))
      return File.path();
  return std::nullopt;
}

Outcome printTraceFile(const QueryState &S) {
  auto Engine = fleet::openFleet(S.Words[0], {.Memory = S.Memory});
  if (!Engine)
    return Outcome::usage("query: " + Engine.status().str());
  const auto Found =
      Engine->query("SELECT trace_file, date, service FROM processes WHERE "
                    "CAST(trace_id AS VARCHAR) = " +
                    fleet::sqlText(S.Trace));
  if (!Found)
    return Outcome::usage("query: " + Found.status().str());
  if (Found->Rows.empty())
    return Outcome::usage("query --trace: " + S.Words[0] +
                          " has no trace of id " + S.Trace);
  const auto File = fileBelow(S.Traces, *Found, S.Trace);
  if (!File)
    return Outcome::unreadable(trace::Status::error(
        S.Traces, "has no file " + Found->Rows[0][0].value_or("") +
                      " with the trace of id " + S.Trace));
  const trace::Status Done = writeText(S.Output, stdout, File->string() + '\n');
  return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
}

Outcome query(const QueryState &S) {
  if (S.List)
    return listQuestions();
  if (!S.Traces.empty() && S.Trace.empty())
    return Outcome::usage("query --traces: expected --trace ID, too");
  if (!S.Trace.empty()) {
    if (S.Words.size() != 1)
      return Outcome::usage("query --trace: expected ID and DIR");
    if (!S.Traces.empty())
      return printTraceFile(S);
    fleet::Question Q;
    Q.Sql = "SELECT * FROM processes WHERE CAST(trace_id AS VARCHAR) = :id";
    QueryState With = S;
    With.Params = {};
    Q.Name = "trace";
    Q.Parameters = {{"id", "", false, S.Trace}};
    return runQuestion(With, S.Words[0], Q);
  }
  if (S.Words.empty())
    return Outcome::usage(
        "query: expected a question, or --list; see `inmem query --help`");
  const auto Q = questionFor(S.Words[0]);
  if (!Q)
    return Outcome::usage(Q.status().str());
  if (S.Show) {
    const trace::Status Done = writeText("", stdout, Q->Sql);
    return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
  }
  if (S.Words.size() < 2)
    return Outcome::usage("query: expected the fleet's folder");
  if (S.Format == QueryFormat::Parquet && (S.Output.empty() || S.Output == "-"))
    return Outcome::usage("query --format parquet: expected -o FILE");
  return runQuestion(S, S.Words[1], *Q);
}

} // namespace

Action setUpQuery(CommandLine &App) {
  const auto S = std::make_shared<QueryState>();
  App.option("QUESTION", S->Words,
             "a stored question's name, or a SELECT in SQL; then the fleet's "
             "folder")
      .valueName("QUESTION DIR")
      .between(0, 2);
  App.flag("--list", S->List, "the stored questions with their parameters");
  App.flag("--show", S->Show, "the SQL of a stored question");
  App.option("--param", S->Params, "a parameter of the question; repeat it")
      .valueName("NAME=VALUE")
      .oneValue();
  App.choice("--format", S->Format,
             {{"table", QueryFormat::Table},
              {"csv", QueryFormat::Csv},
              {"json", QueryFormat::Json},
              {"parquet", QueryFormat::Parquet},
              {"budget", QueryFormat::Budget}},
             "table, csv, json, parquet, or budget (of inmem check)")
      .showDefault();
  App.option("--html", S->Html, "a page with the answer; - is standard output")
      .valueName("FILE")
      .writes();
  App.option("-o,--output", S->Output,
             "the file to write; default: standard output")
      .valueName("FILE")
      .writes();
  App.option("--trace", S->Trace,
             "the trace of an id: where it ran, and its file's name")
      .valueName("ID");
  App.option("--traces", S->Traces,
             "with --trace: the folder that has the traces; prints the path of "
             "the file, for inmem html")
      .valueName("FOLDER");
  App.option("--memory", S->Memory, "most memory to use")
      .valueName("SIZE")
      .showDefault();
  App.option("--temp", S->Temp, "folder for what does not fit; default: TMPDIR")
      .valueName("DIR");
  App.option("--temp-limit", S->TempLimit, "most that temporary files may take")
      .valueName("SIZE")
      .showDefault();
  App.option("--threads", S->Threads, "0: as many as there are processors")
      .valueName("N");
  addColourOption(App, S->Colour, "{}", "--color,--colour");
  App.footer("Examples:\n"
             "  inmem query --list\n"
             "  inmem query top-types fleet --param top=5\n"
             "  inmem query growth fleet --param old=12 --param new=13\n"
             "  inmem query budget fleet --param service=web --format budget "
             "-o budget.toml\n"
             "  inmem html -o page.html $(inmem query --trace ID fleet "
             "--traces /mnt/traces)\n"
             "  inmem query 'SELECT service, max(peak_live_bytes) FROM "
             "processes GROUP BY service' fleet --format csv");
  return [S] { return query(*S); };
}

} // namespace inmem::tools
