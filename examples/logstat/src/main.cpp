// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// logstat - sums up an access log: requests and bytes of each path, and errors.
#include "parse.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

namespace {

/// Sums of a path.
struct Entry {
  long Requests = 0, Errors = 0, Bytes = 0;
};

using Table = std::map<std::string, std::unique_ptr<Entry>>;

void add(Table &Paths, const logstat::Request &R) {
  std::unique_ptr<Entry> &E = Paths[R.Path];
  if (!E)
    E = std::make_unique<Entry>();
  ++E->Requests;
  E->Errors += R.Status >= 400;
  E->Bytes += R.Bytes;
}

int generate(int Lines) {
  for (int I = 0; I < Lines; ++I)
    std::cout << "192.0.2." << I % 250 << " GET /articles/of/the/year/"
              << I % 97 << (I % 3 ? ".html " : ".json ") << (I % 41 ? 200 : 404)
              << ' ' << 400 + I % 5000 << '\n';
  return 0;
}

} // namespace

int main(int Count, char **Words) {
  if (Count == 3 && std::strcmp(Words[1], "--generate") == 0)
    return generate(std::atoi(Words[2]));
  if (Count != 2) {
    std::cerr << "usage: logstat LOG | logstat --generate LINES\n";
    return 2;
  }
  std::ifstream Log(Words[1]);
  Table Paths;
  logstat::Request R;
  long Requests = 0;
  for (std::string Line; std::getline(Log, Line);)
    if (logstat::parse(Line, R)) {
      add(Paths, R);
      ++Requests;
    }
  const auto Busiest = std::max_element(
      Paths.begin(), Paths.end(), [](const auto &A, const auto &B) {
        return A.second->Bytes < B.second->Bytes;
      });
  std::cout << Requests << " requests, " << Paths.size() << " paths";
  if (Busiest != Paths.end())
    std::cout << ", most bytes: " << Busiest->first << '\n';
  return Log.eof() ? 0 : 1;
}
