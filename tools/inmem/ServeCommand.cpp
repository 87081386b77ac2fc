//===- ServeCommand.cpp - inmem serve -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PageOptions.h"
#include "cli/WebServer.h"
#include "files/TraceFolder.h"
#include "report/formats/Page.h"
#include "report/formats/PageData.h"

#include <list>
#include <mutex>

namespace inmem::tools {

using report::Json;

namespace {

using Query = std::map<std::string, std::string>;
using Text = std::shared_ptr<const std::string>;

/// Makes pages, one at a time, and keeps the last few.
class Pages {
public:
  Pages(std::filesystem::path Of, const PageChoice &With, std::string T)
      : Folder(std::move(Of)), Choice(With), Token(std::move(T)) {}

  Answer answer(const std::string &Path, const Query &Keys) {
    const std::lock_guard Alone(Lock);
    if (Path == "/")
      return html(report::pageData(list()));
    if (Path == "/trace" || Path == "/data")
      return ofTraces(Path, {named(Keys, "file")});
    if (Path == "/diff")
      return ofTraces(Path, {named(Keys, "old"), named(Keys, "new")});
    return Answer::of(404, "there is no such page");
  }

private:
  static std::string named(const Query &Keys, const char *Key) {
    const auto Found = Keys.find(Key);
    return Found == Keys.end() ? "" : Found->second;
  }

  static Answer html(const std::string &Data) {
    return {200, "text/html; charset=utf-8",
            std::make_shared<const std::string>(
                report::pageHtml(Data, report::PageUse::Served))};
  }

  Json list() {
    Json Head = {{"schema", "inmem-page/1"},
                 {"kind", "list"},
                 {"sides", Json::array()},
                 {"traces", Json::array()}};
    for (const TraceEntry &E : Folder.list())
      Head["traces"].push_back({{"file", E.Name},
                                {"bytes", E.Bytes},
                                {"modified", E.Modified},
                                {"command", E.Command},
                                {"pid", E.Pid},
                                {"host", E.Host},
                                {"start_unix_ns", E.StartUnixNs},
                                {"duration_ns", E.DurationNs},
                                {"running", E.Running},
                                {"labels", E.Labels},
                                {"build", E.Build},
                                {"error", E.Error}});
    return Head;
  }

  Answer ofTraces(const std::string &Path,
                  const std::vector<std::string> &Names) {
    std::string Key = Path;
    std::vector<std::string> Files;
    Json Extra = Json::object();
    bool Running = false;
    std::string Heap;
    for (const std::string &Name : Names) {
      const auto E = Folder.find(Name);
      if (!E)
        return Answer::of(404, "there is no such trace");
      Files.push_back(E->Path.string());
      Key += '\n' + E->Name + ' ' + E->State;
      Running |= E->Running;
      if (Path != "/diff") {
        // A snapshot is shown only with the trace of its own process.
        const std::string File = snapshotBeside(Files.back());
        Heap = '\n' + File + ' ' + stateOf(File) + ' ' + std::to_string(E->Pid);
        Key += Heap;
        Extra["served"] = {
            {"data", urlOf("/data", {{"file", E->Name}, {"token", Token}})},
            {"running", E->Running}};
      }
    }
    if (!Running)
      for (const auto &[Of, Kept] : Made)
        if (Of == Key)
          return Kept;
    std::vector<PageInput> Sides;
    for (const std::string &File : Files) {
      auto Side = readPageInput({File});
      if (!Side)
        return Answer::of(422, Side.status().str());
      Sides.push_back(std::move(*Side));
    }
    // A growing trace is read again on each request; its snapshot is not.
    if (Path != "/diff") {
      if (Heap != HeapState) {
        const auto Read = snapshotFor(Sides, "");
        HeapPage = Read ? *Read : Json::object();
        HeapState = Heap;
      }
      Extra.update(HeapPage);
    }
    PageResult Page = makePage(Sides, Choice, Extra);
    if (Page.Data.empty())
      return Answer::of(422, Page.How.Message);
    Answer Out =
        Path == "/data"
            ? Answer{200, "application/octet-stream",
                     std::make_shared<const std::string>(std::move(Page.Data))}
            : html(Page.Data);
    constexpr size_t kKept = 6;
    if (!Running)
      Made.emplace_front(Key, Out);
    if (Made.size() > kKept)
      Made.pop_back();
    return Out;
  }

  std::mutex Lock;
  TraceFolder Folder;
  const PageChoice &Choice;
  const std::string Token;
  std::list<std::pair<std::string, Answer>> Made; ///< newest first
  std::string HeapState; ///< the last snapshot analysed
  Json HeapPage;         ///< its data for the page
};

} // namespace

Action setUpServe(CommandLine &App) {
  struct ServeState {
    std::string Folder;
    PageChoice Page;
    WebOptions Web;
    size_t Port = 0;
  };
  const auto S = std::make_shared<ServeState>();
  App.option("DIR", S->Folder, "the folder with traces").required();
  App.option("--port", S->Port, "the port; 0: any that is free")
      .valueName("N")
      .showDefault();
  App.option("--address", S->Web.Host,
             "the address to listen at; others than this machine's let others "
             "in who have the token")
      .valueName("ADDRESS")
      .showDefault();
  S->Page.addTo(App);
  App.footer("Prints an address with a token, without which nothing is "
             "answered. Reads *.inmem\n(also .gz and .zst) in DIR, nothing "
             "else, and writes nothing. Ctrl-C ends it.\n\nExamples:\n"
             "  inmem serve traces/\n"
             "  inmem serve --port 8080 .");
  return [S]() -> Outcome {
    if (const auto Wrong = S->Page.parse())
      return *Wrong;
    std::error_code Error;
    const auto Folder = std::filesystem::canonical(S->Folder, Error);
    if (Error || !std::filesystem::is_directory(Folder, Error))
      return {kUnreadable, S->Folder + ": not a folder that can be read"};
    if (S->Port > 65535)
      return Outcome::usage("--port: expected a number up to 65535");
    S->Web.Port = static_cast<int>(S->Port);
    S->Web.Token = randomToken();
    if (S->Web.Token.empty())
      return {kUnreadable, "no random numbers for a token"};
    Pages All(Folder, S->Page, S->Web.Token);
    const std::string Failed = serveWeb(
        S->Web,
        [&All](const std::string &Path, const Query &Keys) {
          return All.answer(Path, Keys);
        },
        [&S](int Port) {
          std::printf("http://%s:%d/?token=%s\n", S->Web.Host.c_str(), Port,
                      S->Web.Token.c_str());
          std::fflush(stdout);
        });
    return Failed.empty() ? Outcome{} : Outcome{kUnreadable, Failed};
  };
}

} // namespace inmem::tools
