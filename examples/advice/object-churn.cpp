// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One object at a time, each in a block, while others are allocated.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

struct Request {
  explicit Request(int Id) : Id(Id) {}
  int Id;
  char Header[60] = {};
};

static std::string answer(const Request &To) {
  return "an answer to the request with the number " + std::to_string(To.Id);
}

int main() {
  size_t Sum = 0;
  for (int I = 0; I < 5000; ++I) {
#ifdef ADVICE
    const std::optional<Request> Now(I);
#else
    const auto Now = std::unique_ptr<Request>(new Request(I));
#endif
    const Request *volatile Hidden = &*Now; // else the compiler needs no object
    Sum += answer(*Hidden).size();
  }
  std::printf("%zu\n", Sum);
}
