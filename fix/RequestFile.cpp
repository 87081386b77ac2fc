//===- RequestFile.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/RequestFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace inmem::fix {

Error failure(const llvm::Twine &Text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Text);
}

static std::string text(const llvm::json::Object &O, StringRef Key) {
  return O.getString(Key).value_or("").str();
}

static uint64_t number(const llvm::json::Object &O, StringRef Key) {
  return static_cast<uint64_t>(O.getInteger(Key).value_or(0));
}

static std::vector<std::string> texts(const llvm::json::Object &O,
                                      StringRef Key) {
  std::vector<std::string> Out;
  if (const llvm::json::Array *All = O.getArray(Key))
    for (const llvm::json::Value &V : *All)
      Out.push_back(V.getAsString().value_or("").str());
  return Out;
}

static Expected<Finding> findingOf(const llvm::json::Object &O) {
  const std::string Rule = text(O, "rule");
  const auto Known = report::ruleNamed(Rule);
  if (!Known)
    return failure("a finding in the request has the unknown rule '" + Rule +
                   "'");
  Finding F;
  F.Rule = *Known;
  F.Severity = text(O, "severity");
  F.Type = text(O, "type");
  F.Message = text(O, "message");
  F.Advice = text(O, "advice");
  F.Bytes = number(O, "bytes");
  F.Allocations = number(O, "allocations");
  F.SavesBytes = number(O, "saves_bytes");
  F.SavesAllocations = number(O, "saves_allocations");
  F.Reserve = number(O, "reserve");
  F.Fields = texts(O, "fields");
  F.AliveAtPeak = number(O, "type_peak_live_bytes");
  if (const llvm::json::Array *Lines = O.getArray("lines"))
    for (const llvm::json::Value &V : *Lines)
      if (const llvm::json::Object *L = V.getAsObject())
        F.Lines[static_cast<unsigned>(number(*L, "line"))] =
            number(*L, "allocations");
  if (const llvm::json::Object *Site = O.getObject("site")) {
    F.Function = text(*Site, "function");
    F.File = text(*Site, "file");
    F.Line = static_cast<unsigned>(number(*Site, "line"));
    F.Column = static_cast<unsigned>(number(*Site, "column"));
  }
  if (const llvm::json::Object *Inner = O.getObject("allocates_at")) {
    F.InnerFile = text(*Inner, "file");
    F.InnerLine = static_cast<unsigned>(number(*Inner, "line"));
  }
  return F;
}

namespace {

struct ModeName {
  StringRef Name;
  Mode Does;
};
constexpr ModeName kModes[] = {
    {"list", Mode::List},       {"apply", Mode::Apply},
    {"patches", Mode::Patches}, {"yaml", Mode::Yaml},
    {"sarif", Mode::Sarif},     {"json", Mode::Json},
    {"github", Mode::Github},   {"verify", Mode::Verify}};

Expected<Mode> modeNamed(StringRef Name) {
  for (const ModeName &M : kModes)
    if (M.Name == Name)
      return M.Does;
  return failure("the request has the unknown mode '" + Name + "'");
}

/// Returns an error if the request has another schema or lacks a required key.
Error checkForm(const llvm::json::Object &O) {
  const StringRef Schema = O.getString("schema").value_or("");
  if (Schema != kSchema)
    return failure(Schema.empty()
                       ? "the request has no schema, expected " + kSchema +
                             ": inmem is older than inmem-fix"
                       : "the request is of the schema " + Schema +
                             ", expected " + kSchema +
                             ": inmem and inmem-fix are of two versions");
  for (const StringRef Key : {"mode", "database", "root"})
    if (!O.getString(Key))
      return failure("the request lacks '" + Key + "', a text");
  if (!O.getArray("findings"))
    return failure("the request lacks 'findings', a list");
  return Error::success();
}

} // namespace

Expected<Request> readRequest(StringRef Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return failure("cannot read the request: " + Buffer.getError().message());
  auto Parsed = llvm::json::parse((*Buffer)->getBuffer());
  if (!Parsed)
    return Parsed.takeError();
  const llvm::json::Object *O = Parsed->getAsObject();
  if (!O)
    return failure("the request is not a JSON object");
  if (auto E = checkForm(*O))
    return E;
  auto Does = modeNamed(text(*O, "mode"));
  if (!Does)
    return Does.takeError();
  Request R;
  R.Does = *Does;
  R.Database = text(*O, "database");
  R.Output = text(*O, "output");
  R.Root = text(*O, "root");
  R.Folder = text(*O, "folder");
  R.Tool = text(*O, "tool");
  R.StartUnixSeconds = number(*O, "start_unix_s");
  R.TotalAllocations = number(*O, "total_allocations");
  R.TotalBytes = number(*O, "total_bytes");
  R.Rules = texts(*O, "rules");
  R.Build = text(*O, "build");
  R.Test = text(*O, "test");
  R.Command = texts(*O, "command");
  R.Runs = static_cast<unsigned>(number(*O, "runs"));
  R.TimeoutSeconds = static_cast<unsigned>(number(*O, "timeout"));
  R.IgnoreOutput = O->getBoolean("ignore_output").value_or(false);
  if (const llvm::json::Array *All = O->getArray("sources"))
    for (const llvm::json::Value &V : *All)
      if (const llvm::json::Object *S = V.getAsObject()) {
        uint64_t Hash = 0;
        if (!StringRef(text(*S, "hash")).getAsInteger(10, Hash))
          R.Sources.emplace(text(*S, "file"), Hash);
      }
  for (const llvm::json::Value &V : *O->getArray("findings")) {
    const llvm::json::Object *Each = V.getAsObject();
    if (!Each)
      return failure("a finding in the request is not a JSON object");
    auto F = findingOf(*Each);
    if (!F)
      return F.takeError();
    F->Number = R.Findings.size() + 1;
    R.Findings.push_back(std::move(*F));
  }
  return R;
}

} // namespace inmem::fix
