// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The server of docs/howto/three-questions.md, which keeps requests. The page has lines of it.
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Request {
  std::map<std::string, std::string> Headers;
};

static std::unique_ptr<Request> parse(int Id) {
  std::unique_ptr<Request> R(new Request);
  for (const char *Name : {"accept", "cookie", "host"})
    R->Headers[Name] = "a value of request " + std::to_string(Id) + " that needs a block";
  return R;
}

int main() {
  std::vector<std::unique_ptr<Request>> Open;
  using namespace std::chrono_literals;
  // Most requests end. It stops when nothing stops it.
  for (int Id = 0; Id < 60000; ++Id) {
    Open.push_back(parse(Id));
    if (Id % 4 != 0)
      Open.pop_back();
    std::this_thread::sleep_for(2ms);
  }
}
