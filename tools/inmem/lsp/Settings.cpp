//===- Settings.cpp - Choices of an editor's user -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"

namespace inmem::tools {

using report::Json;

std::string LspSettings::take(const Json &From) {
  if (!From.is_object())
    return {};
  const Json &Of = From.contains("inmem") ? From["inmem"] : From;
  if (!Of.is_object())
    return "settings: inmem: expected an object";
  std::string Wrong;
  const auto Complain = [&](const std::string &Key, const char *Expected,
                            const Json &Found) {
    if (Wrong.empty())
      Wrong = "settings: " + Key + ": expected " + Expected + ", found " +
              Found.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const auto Text = [&](const char *Key, std::string &Into) {
    if (!Of.contains(Key) || Of[Key].is_null())
      return;
    if (Of[Key].is_string())
      Into = Of[Key];
    else
      Complain(Key, "text", Of[Key]);
  };
  std::string Kind;
  Text("hints", Kind);
  using Pair = std::pair<const char *, Hints>;
  bool Known = Kind.empty();
  for (const auto &[Word, Value] :
       {Pair{"auto", Hints::Auto}, Pair{"inlay", Hints::Inlay},
        Pair{"lens", Hints::Lens}, Pair{"off", Hints::Off}})
    if (Kind == Word) {
      Show = Value;
      Known = true;
    }
  if (!Known)
    Complain("hints", "auto, inlay, lens or off", Kind);
  Text("trace", Trace);
  Text("build", Build);
  Text("budget", Budget);
  Text("docs", Docs);
  if (Of.contains("threshold")) {
    if (Of["threshold"].is_number() && Of["threshold"].get<double>() >= 0)
      Threshold = Of["threshold"];
    else
      Complain("threshold", "a percentage such as 0.1", Of["threshold"]);
  }
  if (Of.contains("diagnostics")) {
    if (Of["diagnostics"].is_boolean())
      Diagnostics = Of["diagnostics"];
    else
      Complain("diagnostics", "true or false", Of["diagnostics"]);
  }
  if (Of.contains("program")) {
    std::vector<std::string> Words;
    bool Good = Of["program"].is_array();
    if (Good)
      for (const Json &Word : Of["program"]) {
        Good = Good && Word.is_string();
        if (Word.is_string())
          Words.push_back(Word);
      }
    if (Good)
      Program = std::move(Words);
    else
      Complain("program", "an array of words", Of["program"]);
  }
  return Wrong;
}

} // namespace inmem::tools
