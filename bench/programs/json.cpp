// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// json.cpp - a document of about 27 MB (as text) built, printed, parsed and
// compared with nlohmann::json: millions of small nodes, strings and vectors,
// long lives, a large heap.
//
//   json [RECORDS]     prints the size of the text; exit code 1 if what was
//                      parsed is not what was built
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

using nlohmann::json;

static json record(unsigned I) {
  json Tags = json::array(), Values = json::array();
  for (unsigned T = 0; T < 4; ++T)
    Tags.push_back("tag-number-" + std::to_string(I * 7 + T * 1001));
  for (unsigned V = 0; V < 8; ++V)
    Values.push_back((I * 31 + V * 17) % 1000 / 8.0);
  return {{"id", I},
          {"name", "record with the number " + std::to_string(I)},
          {"active", I % 3 == 0},
          {"parent", I % 5 == 0 ? json(nullptr) : json(I / 5)},
          {"position",
           {{"x", I % 997},
            {"y", I % 991},
            {"where", "somewhere in sector " + std::to_string(I % 64)}}},
          {"tags", std::move(Tags)},
          {"values", std::move(Values)}};
}

int main(int Argc, char **Argv) {
  unsigned Records =
      Argc > 1 ? static_cast<unsigned>(std::atoi(Argv[1])) : 92000;
  json Document = {{"format", 1}, {"records", json::array()}};
  for (unsigned I = 0; I < Records; ++I)
    Document["records"].push_back(record(I));
  std::string Text = Document.dump();
  json Parsed = json::parse(Text);
  std::printf("%zu bytes\n", Text.size());
  return Parsed == Document ? 0 : 1;
}
