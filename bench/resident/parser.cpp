// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With jsoncpp: reads documents, keeps the names of what is in them, drops the
// documents, and serves (Serve.h).
#include "Serve.h"

#include <json/json.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

static std::string documentOf(int Number) {
  std::ostringstream Out;
  Out << "{\"number\": " << Number << ", \"items\": [";
  for (int I = 0; I < 400; ++I)
    Out << (I ? "," : "") << "{\"id\": " << I << ", \"name\": \"item number "
        << I << " of document " << Number
        << "\", \"tags\": [\"a\", \"bb\", \"a tag that is long enough\"], "
           "\"price\": "
        << I * 1.5 << "}";
  Out << "]}";
  return Out.str();
}

int main() {
  auto *Names = new std::vector<std::string *>;
  std::vector<Json::Value> Open;
  for (int I = 0; I < 100; ++I) {
    const std::string Text = documentOf(I);
    Json::Value Document;
    std::string Errors;
    const std::unique_ptr<Json::CharReader> Reader(
        Json::CharReaderBuilder().newCharReader());
    if (!Reader->parse(Text.data(), Text.data() + Text.size(), &Document,
                       &Errors))
      return 1;
    for (const Json::Value &Item : Document["items"])
      Names->push_back(new std::string(Item["name"].asString()));
    Open.push_back(std::move(Document));
    Open.push_back(Open.back());
  }
  Open.clear();
  serve();
}
