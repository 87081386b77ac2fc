// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a document, copies it, changes the copy and prints both.
#include <cstdio>
#include <tinyxml2.h>

int main(int Count, char **Arguments) {
  tinyxml2::XMLDocument Document, Copy;
  if (Count < 2 || Document.LoadFile(Arguments[1]) != tinyxml2::XML_SUCCESS)
    return 1;
  Document.DeepCopy(&Copy);
  for (auto *E = Copy.RootElement()->FirstChildElement(); E;
       E = E->NextSiblingElement()) {
    E->SetAttribute("seen", true);
    E->InsertNewChildElement("note")->SetText(
        "a text that does not fit into the element itself");
  }
  tinyxml2::XMLPrinter One, Two;
  Document.Print(&One);
  Copy.Print(&Two);
  std::printf("%d %d\n", int(One.CStrSize()), int(Two.CStrSize()));
}
