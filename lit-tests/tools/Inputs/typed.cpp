// The program of add-types.test: 2000 blocks of each of four types stay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Node { Node *Next; long Value[6]; };
struct Session { char Name[100]; };
static std::vector<Session *> Sessions;
static std::map<int, std::string> Names;
static Node *List;
static __attribute__((noinline)) Node *makeNode() { return new Node(); }
static __attribute__((noinline)) Session *makeSession() { return new Session(); }
int main() {
  for (int I = 0; I < 2000; ++I) {
    Node *N = makeNode();
    N->Next = List;
    List = N;
    Sessions.push_back(makeSession());
    Names[I] = std::string(50, 'x');
  }
  return List && Sessions.size() == 2000 && Names.size() == 2000 ? 0 : 1;
}
