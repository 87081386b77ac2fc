// The program of add-types.test, a small server: sessions with strings, an
// index, a cache, nodes in C's style, and two types of one size made in one
// template. What stays alive is known exactly: 2000 of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Node {
  Node *Next;
  long Value[6];
};
struct Session {
  virtual ~Session() {}
  char Name[100];
};
struct AdminSession : Session {
  char Rights[60];
};
struct Left {
  long Value[5];
};
struct Right {
  long Value[5];
};

// Never destroyed: profiles are taken at exit.
static auto &Sessions = *new std::vector<std::unique_ptr<Session>>;
static auto &Names = *new std::map<int, std::string>;
static auto &Cache = *new std::unordered_map<int, std::shared_ptr<std::string>>;
static Node *List;
static auto &Lefts = *new std::vector<Left *>;
static auto &Rights = *new std::vector<Right *>;

template <class Type> static Type *makeOne() { return new Type(); }

static __attribute__((noinline)) Node *makeNode() {
  auto *New = static_cast<Node *>(std::malloc(sizeof(Node)));
  New->Next = List;
  return New;
}

static __attribute__((noinline)) void addSession(int Number) {
  if (Number % 2)
    Sessions.push_back(std::make_unique<Session>());
  else
    Sessions.push_back(std::make_unique<AdminSession>());
}

int main(int Argc, char **Argv) {
  const int Count = Argc > 1 ? std::atoi(Argv[1]) : 2000;
  for (int I = 0; I < Count; ++I) {
    List = makeNode();
    addSession(2 * I);
    addSession(2 * I + 1);
    Names[I] = std::string(50, 'x');
    Cache[I] = std::make_shared<std::string>(80, 'y');
    Lefts.push_back(makeOne<Left>());
    Rights.push_back(makeOne<Right>());
  }
  return List && Sessions.size() == 2 * static_cast<size_t>(Count) ? 0 : 1;
}
