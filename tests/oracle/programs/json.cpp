// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A document built, printed, parsed and compared with nlohmann::json.
#include <cstdio>
#include <nlohmann/json.hpp>

int main() {
  nlohmann::json document;
  for (int i = 0; i < 200; ++i)
    document["items"].push_back({{"id", i},
                                 {"name", "item number " + std::to_string(i)},
                                 {"tags", {"a", "b", i / 2.0}}});
  std::string text = document.dump(2);
  nlohmann::json again = nlohmann::json::parse(text);
  try {
    (void)nlohmann::json::parse("{\"broken\": ");
  } catch (const nlohmann::json::parse_error &) {
    again["error"] = true;
  }
  std::printf("%zu %d\n", text.size(), again != document);
}
