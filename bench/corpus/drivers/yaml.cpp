// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a document and emits it again.
#include <fstream>
#include <iostream>
#include <yaml-cpp/yaml.h>

int main(int Count, char **Arguments) {
  if (Count < 2)
    return 2;
  YAML::Node Document = YAML::LoadFile(Arguments[1]);
  double Sum = 0;
  for (const auto &Item : Document["items"]) {
    for (const auto &Price : Item["prices"])
      Sum += Price.second.as<double>();
    Sum += double(Item["values"].as<std::vector<int>>().size());
  }
  YAML::Node Copy = YAML::Clone(Document);
  Copy["sum"] = Sum;
  YAML::Emitter Out;
  Out << Copy;
  std::cout << Out.size() << " " << Sum << "\n";
}
