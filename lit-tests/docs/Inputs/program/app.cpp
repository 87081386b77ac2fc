// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of several pages: sessions that stay, requests that come and go, a vector that grows.
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Point {
  double X, Y;
};

struct Session {
  std::string User;
  std::vector<Point> Path;
};

static std::map<int, std::unique_ptr<Session>> Sessions;

static std::vector<Point> pathOf(int Length) {
  std::vector<Point> Out;
  for (int I = 0; I < Length; ++I)
    Out.push_back({I * 0.5, I * 0.25});
  return Out;
}

static size_t serve(int Id) {
  std::string Request = "GET /a/path/that/needs/a/buffer/of/its/own/" + std::to_string(Id);
  if (Id % 100 == 0)
    Sessions.emplace(Id, std::make_unique<Session>(Session{"a user with a long name", pathOf(10)}));
  return Request.size() + pathOf(1000).size();
}

// app [FILE]: as many requests as FILE says, or 1000.
int main(int Count, char **Arguments) {
  int Requests = 1000;
  if (Count > 1)
    std::ifstream(Arguments[1]) >> Requests;
  size_t Sum = 0;
  for (int I = 0; I < Requests; ++I)
    Sum += serve(I);
  std::printf("%zu in %zu sessions\n", Sum, Sessions.size());
}
