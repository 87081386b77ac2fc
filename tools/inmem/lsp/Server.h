//===- Server.h - inmem lsp -------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Language Server Protocol 3.17 over standard input and output: shows a
// trace's figures next to their lines. Single-threaded; slow work happens in
// children (Jobs.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_LSP_SERVER_H
#define INMEM_TOOLS_LSP_SERVER_H

#include "cli/JsonRpc.h"
#include "lsp/Document.h"
#include "lsp/Jobs.h"
#include "lsp/TraceIndex.h"
#include "lsp/TraceWatch.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace inmem::tools {

/// User settings, from `initializationOptions` and
/// `workspace/didChangeConfiguration`, either at the top level or below
/// "inmem".
struct LspSettings {
  enum class Hints { Auto, Inlay, Lens, Off } Show = Hints::Auto;
  double Threshold = 0.1; ///< percent of all bytes or blocks
  bool Diagnostics = true;
  std::string Trace; ///< glob; empty: --trace
  std::string Build; ///< compile_commands.json, or its folder
  std::string Budget = "budget.toml";
  std::string Docs; ///< URL of the docs' folder; empty: the installed ones
  std::vector<std::string>
      Program; ///< command of inmem.run; empty: as recorded

  /// \returns a one-line error for an invalid value; all other values are used
  std::string take(const report::Json &From);
};

class Server {
public:
  explicit Server(std::string TraceGlob);

  /// Serves until `exit` or the end of the input. \returns the exit code
  int run();

private:
  using Json = report::Json;
  using Answer = std::function<void(const Json &Response)>;

  // Server.cpp: the loop, and start and end of the server.
  void receive(const Json &Message);
  void request(const RpcCall &Call);
  void notification(const RpcCall &Call);
  Json initialize(const Json &Params);
  void initialized();
  void configure(const Json &Settings);
  void send(const Json &Message) const;
  void notify(const char *Method, Json Params) const;
  void ask(const char *Method, Json Params, Answer Then = nullptr);
  void show(const std::string &Text, int Kind = 3) const;
  void log(const std::string &Text) const;
  int patience() const;
  /// \param Pointer such as `window/showDocument/support`
  bool can(const char *Pointer) const;

  // Traces.cpp: chooses the trace to show.
  void findTraces();
  void load();
  void loaded(const JobResult &Result, int Fd);
  void refresh();
  const FileRecord *fileOf(const Document &D);
  void follow(Document &D);
  std::vector<std::string> pathsOf(const std::string &InTrace) const;

  // Features.cpp: text to show. Actions.cpp: code actions. Some return JSON
  // text, because a JSON tree of thousands of hints takes longer to build.
  std::string hints(const Json &Params);
  std::string lenses(const Json &Params);
  std::string heat(const Json &Params);
  Json hover(const Json &Params);
  Json codeActions(const Json &Params);
  Json findingsTree();
  void publishAll();
  void publish(Document &D);
  Document *documentOf(const Json &Params);
  /// Every line of the trace that is in the document, in document order. Valid
  /// until the document, the trace or a setting changes.
  const std::vector<ShownLine> &allLines(Document &D);
  /// Lines of the trace that have a hint, at most one for each line of the
  /// document.
  std::vector<ShownLine> hintedLines(Document &D);
  std::string labelOf(const ShownLine &S) const;
  Json budgetEdit(const Document &D, const ShownLine &S) const;
  bool hasHint(const LineRecord &R) const;
  LspSettings::Hints hintKind() const;
  Json diagnosticOf(const Json &Finding, size_t Number, TextPosition From,
                    TextPosition To, bool Stale) const;
  /// Findings in a file, by number.
  std::vector<size_t> findingsIn(const Document &D);
  std::string docsUrl(const std::string &Rule) const;

  // Commands.cpp: commands to execute.
  void execute(const Json &Id, const Json &Params);
  void runProgram(const Json &Id);
  void startProgram(const Json &Id, const std::vector<std::string> &Words);
  void compareTraces(const Json &Id, const Json &Arguments);
  void openPage(const Json &Id, const Json &Arguments);
  void showPage(const std::string &File, uint32_t Line);
  void snapshot(const Json &Id, const Json &Arguments);
  void fix(const Json &Id, const Json &Arguments);
  void applyFix(const Json &Id, size_t Number, const JobResult &Result);
  std::string databasePath() const;
  void done(const Json &Id, Json Result = nullptr) const;
  void failed(const Json &Id, const std::string &Text) const;

  const std::string TraceGlob;
  MessageReader In{Framing::Headers};
  Json Client = Json::object(); ///< the client's capabilities
  LspSettings Settings;
  Columns In16 = Columns::Utf16;
  std::filesystem::path Root;
  enum class State { New, Running, ShutDown } Life = State::New;
  int LastId = 0;
  std::map<int, Answer> Waiting;

  std::map<std::string, Document> Documents; ///< by URI
  std::unique_ptr<TraceWatch> Watch;
  std::vector<TraceWatch::Found> Traces; ///< newest first
  std::unique_ptr<TraceIndex> Index;
  uint64_t Generation = 0; ///< generation of Index
  std::multimap<std::string, size_t> FilesByPath, FilesByName;
  std::string Compared; ///< trace to compare with; empty: a recent one
  bool Comparing = false;
  unsigned Loading = 0;     ///< job
  TraceWatch::Found Wanted; ///< the trace that is shown, or loaded now
  std::vector<TraceWatch::Found> Unreadable;
  bool ScanSoon = false;
  std::set<std::string> Published; ///< URIs with diagnostics

  unsigned Serving = 0;   ///< job id of inmem serve
  std::string PageUrl;    ///< URL of the page; empty until known
  std::string PageFolder; ///< the workspace folder with its traces
  Jobs Children;
};

/// A file's text; nullopt if it cannot be read, or is larger than 4 MiB.
std::optional<std::string> textOfFile(const std::string &Path);

/// A unified diff as `changes` in the protocol: for each URI, `{"range",
/// "newText"}` of whole lines. Its paths are relative to \p Root.
report::Json editsOfDiff(const std::string &Diff, const std::string &Root);

} // namespace inmem::tools

#endif
