// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a document, copies, changes and prints it.
#include <fstream>
#include <iostream>
#include <json/json.h>

int main(int Count, char **Arguments) {
  Json::Value Document;
  std::string Errors;
  std::ifstream In(Count > 1 ? Arguments[1] : "");
  if (!Json::parseFromStream(Json::CharReaderBuilder(), In, &Document, &Errors))
    return 1;
  Json::Value Copy = Document;
  for (Json::Value &Item : Copy["items"]) {
    Item["note"] = "a note on this item";
    Item["values"].append(7);
    Item.removeMember("prices");
  }
  std::cout << Json::writeString(Json::StreamWriterBuilder(), Copy).size()
            << " " << Copy.compare(Document) << "\n";
}
