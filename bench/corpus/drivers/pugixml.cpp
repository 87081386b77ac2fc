// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a document, queries it with XPath, changes and prints it.
#include <iostream>
#include <pugixml.hpp>
#include <sstream>

int main(int Count, char **Arguments) {
  pugi::xml_document Document, Copy;
  if (Count < 2 || !Document.load_file(Arguments[1]))
    return 1;
  Copy.reset(Document);
  int Found = 0;
  for (int I = 0; I < 50; ++I) {
    auto Query = "//item[price > " + std::to_string(I * 2) +
                 "]/name[contains(., '" + std::to_string(I) + "')]";
    for (auto Node : Copy.select_nodes(Query.c_str())) {
      Node.node().append_attribute("found").set_value(I);
      Node.node().append_child("note").text().set(
          "a note of some length for this node");
      ++Found;
    }
  }
  std::ostringstream Out;
  Copy.save(Out);
  std::cout << Found << " " << Out.str().size() << "\n";
}
