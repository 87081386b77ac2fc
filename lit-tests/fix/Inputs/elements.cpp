// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that cannot be made in their containers, and nodes that cannot come from an arena.
#include "shared.h"
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

struct File {
  int Handle = 0;
};

// 0 is a null pointer to the constructor and a number to emplace_back.
struct Child {
  explicit Child(const char *Name) : Name(Name ? Name : "") {}
  Child(const Child &) = default;
  std::string Name;
};
void children(std::vector<Child> &All) {
  All.push_back(Child(0)); // finding: copies -> cannot be forwarded
}
// Which function is meant, only the constructor's type says.
int scale(int);
double scale(double);
struct Scaled {
  explicit Scaled(int (*By)(int)) : By(By) {}
  Scaled(const Scaled &) = default;
  int (*By)(int);
};
void scaled(std::vector<Scaled> &All) {
  All.push_back(Scaled(scale)); // finding: copies -> cannot be forwarded
}
// If growing the vector throws, the object leaks.
struct Owner {
  explicit Owner(File *F) : Own(F) {}
  Owner(const Owner &) = default;
  std::shared_ptr<File> Own;
};
void owners(std::vector<Owner> &All) {
  All.push_back(Owner(new File)); // finding: copies -> would be lost
}
// An argument that is in the vector.
void doubled(std::vector<Child> &All) {
  All.push_back(Child(All.front().Name.c_str())); // finding: copies -> may be part of the container
}
// Made by a friend only.
class Secret {
  friend void secrets(std::vector<Secret> &);
  explicit Secret(int Key) : Key(Key) {}
  int Key;
};
void secrets(std::vector<Secret> &All) {
  All.push_back(Secret(1)); // finding: copies -> not public
}

// The value is moved from only if the key is new.
void tellsByMove(std::map<std::string, std::string> &All, std::string Value) {
  All.emplace(std::string("key"), std::move(Value)); // finding: temporary -> moved from, or converted
  if (!Value.empty())
    All.clear();
}
// Values that are counted when they are made.
struct Counted {
  Counted(int);
  Counted(const Counted &);
};
void counted(std::map<int, Counted> &All, const Counted &C) {
  All.emplace(std::make_pair(1, C)); // finding: temporary -> could be noticed
}
// A key may be there more than once.
void several(std::multimap<int, int> &All) {
  All.emplace(std::make_pair(1, 2)); // finding: temporary -> no rule covers
}
// The element is made by a conversion, before the set looks for it.
void converted(std::set<std::string> &All, const char *Name) {
  All.emplace(Name); // finding: temporary -> moved from, or converted
}

// Its elements outlive it.
std::list<int> handedOut(int N) {
  std::list<int> All;
  for (int I = 0; I < N; ++I)
    All.push_back(I); // finding: phase-arena -> part of an interface
  return All;
}
// Nodes go to another list, which cannot give them back to the arena.
void spliced(std::list<int> &Into, int N) {
  std::list<int> All;
  for (int I = 0; I < N; ++I)
    All.push_back(I); // finding: phase-arena -> part of an interface
  Into.splice(Into.end(), All);
}
// Iterators are of another class then.
int iterated(int N) {
  std::set<int> All;
  for (int I = 0; I < N; ++I)
    All.insert(I); // finding: phase-arena -> type is written out
  std::set<int>::const_iterator At = All.find(3);
  return At == All.end() ? 0 : *At;
}
