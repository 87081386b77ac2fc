// Intent: what shows a graph is linear in its depth, says what it leaves out, and marks what is cut, guessed, weak or not owned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %t %t.json %t.xml
// RUN: %python -c "import json; json.load(open(r'%{t}.json'))"
// RUN: %python -c "import xml.dom.minidom; xml.dom.minidom.parse(r'%{t}.xml')"
#include <inmem/graph.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

static int Failures = 0;
#define CHECK(Condition)                                                       \
  do {                                                                         \
    if (!(Condition)) {                                                        \
      ++Failures;                                                              \
      std::printf("line %d: %s\n", __LINE__, #Condition);                      \
    }                                                                          \
  } while (false)

struct Link {
  Link *Next = nullptr;
};
struct Marked {
  std::string_view View = "text";
  void *Guessed = new Link;
  std::weak_ptr<Link> Weak;
};

static bool has(const std::string &Text, const char *Part) {
  return Text.find(Part) != std::string::npos;
}

static void deep(char **Files) {
  constexpr int kLinks = 100000;
  Link *First = nullptr;
  for (int I = 0; I < kLinks; ++I)
    First = new Link{First};
  inmem::ObjectProfile P = inmem::profile(First);
  CHECK(P.size() == 8 + 8 * kLinks);
  constexpr std::size_t kMost = 200000;
  const std::string Text = P.text(), Folded = P.folded(), Json = P.json(),
                    Xml = P.xml();
  CHECK(Text.size() < kMost && Folded.size() < kMost && Json.size() < kMost &&
        Xml.size() < kMost && P.flame().size() < kMost);
  CHECK(has(Text, "... 99900 more, 799200 bytes"));
  CHECK(has(Folded, ";... 799200\n"));
  CHECK(has(Json, "\"left_out\":99900") && has(Xml, "left_out=\"99900\""));
  std::ofstream(Files[1]) << Json;
  std::ofstream(Files[2]) << Xml;
  // As deep as it may be: nothing is left out.
  Link *Last = nullptr;
  for (int I = 0; I < 100; ++I)
    Last = new Link{Last};
  CHECK(!has(inmem::profile(Last).text(), "..."));
}

static void marks() {
  auto Shared = std::make_shared<Link>();
  Marked M;
  M.Weak = Shared;
  inmem::ObjectProfile P = inmem::profile(M);
  for (const std::string &Dump : {P.text(), P.dot()})
    CHECK(has(Dump, " guessed") && has(Dump, " not owned") &&
          has(Dump, " weak"));
  const std::string Xml = P.xml(), Json = P.json();
  CHECK(has(Xml, "guessed=\"true\"") && has(Xml, "owned=\"false\"") &&
        has(Xml, "weak=\"true\"") && !has(Xml, "truncated"));
  CHECK(has(Json, "\"guessed\":true") && has(Json, "\"owned\":false") &&
        has(Json, "\"weak\":true") && !has(Json, "truncated"));
}

static void cut() {
  Link *First = new Link{new Link{new Link}};
  inmem::ProfileOptions Options;
  Options.max_objects = 2;
  inmem::ObjectProfile P = inmem::profile(First, Options);
  CHECK(P.truncated());
  CHECK(has(P.xml(), "truncated=\"true\""));
  CHECK(has(P.json(), "\"truncated\":true"));
  CHECK(has(P.dot(), "cut at max_objects"));
}

int main(int, char **Arguments) {
  deep(Arguments);
  marks();
  cut();
  return Failures != 0;
}
