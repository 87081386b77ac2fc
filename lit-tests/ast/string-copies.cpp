// Intent: a string that is made of another one, or of characters, and is only read while its source stays as it is, is in
// the trace as such, and no other: names tell which is which. Parameters that are only read, and arguments made for them, too.
// RUN: %inmem-clangxx -O1 -std=c++20 -Wno-uninitialized %s -o %t && env INMEM_OPTIONS=output=%t.inmem %t
// RUN: %inmem dump %t.inmem | sed -n "s/.*string-copy kind=\([a-z]*\) flags=\([a-z,]*\) .*name=.\([a-zA-Z0-9]*\).*/\1 \3 \2/p" > %t.found
// RUN: %FileCheck %s < %t.found
// RUN: %FileCheck --check-prefix=KEPT --allow-empty %s < %t.found
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KEPT-NOT: {{kept[0-9]}}
// CHECK-DAG: variable read01 view,reference,alone{{$}}
// CHECK-DAG: variable read02 view,reference,alone{{$}}
// CHECK-DAG: variable read03 view,reference,alone{{$}}
// CHECK-DAG: variable read04 view,reference,alone{{$}}
// CHECK-DAG: variable read05 view,reference,alone{{$}}
// CHECK-DAG: variable read06 reference,alone{{$}}
// CHECK-DAG: variable read07 reference,alone{{$}}
// CHECK-DAG: variable read08 view,reference,alone{{$}}
// CHECK-DAG: variable read09 view,reference,alone{{$}}
// CHECK-DAG: variable read10 view,reference,alone{{$}}
// CHECK-DAG: variable read11 view,reference,alone{{$}}
// CHECK-DAG: variable read12 view,characters,alone{{$}}
// CHECK-DAG: variable read13 view,characters,alone{{$}}
// CHECK-DAG: variable read14 view,characters,alone{{$}}
// CHECK-DAG: variable read15 view,characters,alone{{$}}
// CHECK-DAG: variable read16 view,constant,characters,alone{{$}}
// CHECK-DAG: variable read17 constant,characters,alone{{$}}
// CHECK-DAG: variable read18 view,reference,alone{{$}}
// CHECK-DAG: variable read19 view,reference,alone{{$}}
// CHECK-DAG: variable read20 view,reference,alone{{$}}
// CHECK-DAG: variable read21 view,reference,alone{{$}}
// CHECK-DAG: variable read23 view,reference{{$}}
// CHECK-DAG: variable read24 view,constant,characters,alone{{$}}
// CHECK-DAG: variable read25 view,constant,characters{{$}}
// CHECK-DAG: variable read22 view,reference,alone{{$}}
// CHECK-DAG: variable read26 view,reference,alone{{$}}
// CHECK-DAG: parameter parameter01 view,reference,outside{{$}}
// CHECK-DAG: parameter parameter02 view,reference{{$}}
// CHECK-DAG: parameter parameter03 reference{{$}}
// CHECK-DAG: parameter parameter04 view{{$}}
#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

static std::string Global = "a global that is long enough for a block";
static std::map<std::string, int> Table;
static const std::string Constant = "a constant that is long enough for a block";

struct Reference {
  std::string &Of;
  const std::string &of() const { return Of; }
};
struct Person {
  std::string Name;
  mutable std::string Cache;
  std::vector<std::string> Lines;
  const Person &self() const { return *this; }
  const std::string &name() const { return Name; }
  const std::string &cached() const { return Cache; }
  std::string &name() { return Name; }
  size_t inConst() const {
    std::string read01 = Name;
    return read01.size();
  }
  size_t inChanging() {
    std::string kept01 = Name;
    Name = "another";
    return kept01.size();
  }
  size_t ofMutable() const {
    std::string kept02 = Cache;
    return kept02.size();
  }
  void remove(const std::string &Key) {
    std::string kept03 = Key;
    Lines.clear();
    Table.erase(kept03);
  }
  void rename(std::string parameter01) { Name = parameter01; }
};

static size_t take(const std::string &S) { return S.size(); }
static size_t takeBoth(const std::string &A, std::string &B) { B += "x"; return A.size(); }
static void change(std::string &S) { S += "x"; }
size_t parameters(std::string parameter02, const std::string parameter03, const std::string &parameter04);
static const std::string *keep(const std::string &S) { return &S; }

size_t ofReference(const std::string &S) {
  std::string read02 = S;
  const std::string read03(S);
  auto read04 = S;
  std::string read05{S};
  return read02.size() + read03.find('x') + (read04 == "x") + read05[0];
}
size_t ofMember(const Person &P, const Person *Q) {
  std::string read06 = P.name();
  std::string read07 = P.Name;
  std::string read08 = Q->Name;
  const std::string read09 = P.Lines[0];
  return take(read06) + take(read07) + (read08 < read09);
}
size_t ofGetters(const Person &P, const Reference &R) {
  std::string kept80 = P.cached();
  std::string kept81 = R.of();
  return kept80.size() + kept81.size();
}
size_t ofElements(const std::vector<std::string> &V) {
  size_t Sum = 0;
  for (std::string read10 : V)
    Sum += read10.size();
  for (const std::string &Each : V) {
    std::string read11 = Each;
    for (char C : read11)
      Sum += C;
  }
  return Sum;
}
size_t ofCharacters(const char *Text, std::string_view View, const std::string &S) {
  std::string read12 = Text;
  std::string read13(View);
  std::string read14 = S.substr(1);
  std::string read15(S, 2, 5);
  std::string read16 = "a literal that is long enough for a block";
  std::string kept42 = "15 characters..";
  std::string read24 = "16 characters...";
  std::wstring kept43 = L"abc", read25 = L"abcd";
  std::string read17 = "a literal that somebody wants as a string";
  return read12.size() + read13.size() + read14.rfind('x') + (read15 != "y") + read16.size() + kept42.size() + read24.size() + kept43.size() + read25.size() + take(read17);
}
size_t ofLocal(int N) {
  std::string Source(100, 'x');
  std::string read18 = Source;
  std::vector<std::string> Lines(3, Source);
  std::string read19 = Lines[1];
  const std::string read20 = Constant;
  std::ostringstream Out;
  Out << read18 << read19 << read20[N];
  return Out.str().size();
}
size_t byLambda(const std::string &S) {
  auto L = [](const std::string &T) {
    std::string read21 = T;
    return read21.size();
  };
  return L(S);
}
static void changeAll(const std::vector<std::string *> &All) {
  for (std::string *Each : All)
    *Each += "x";
}
size_t throughPointers(const std::string &S, const std::vector<std::string *> &All) {
  std::string kept83 = S;
  changeAll(All); // S may be among them
  return kept83.size();
}
size_t byLambdaThatChanges(std::string &One) {
  std::vector<std::vector<std::string *>> Lists(1, {&One});
  auto L = [&](const std::string &T) {
    std::string kept82 = T;
    for (const std::vector<std::string *> &Each : Lists)
      changeAll(Each); // T may be among them
    return kept82.size();
  };
  return L(One);
}
size_t besidePointers(const std::string &S, const std::vector<std::string *> &All) {
  std::string read26 = S;
  return read26.size() + All.size();
}
template <class T> size_t inTemplate(const T &Of) {
  std::string read22 = Of.name();
  return read22.size();
}

std::string returned(const std::string &S) {
  std::string kept04 = S;
  return kept04;
}
std::string returnedConst(const std::string &S) {
  const std::string kept05 = S;
  return kept05;
}
size_t changed(const std::string &S) {
  std::string kept06 = S, kept07 = S, kept08 = S, kept09 = S, kept10 = S;
  for (char &C : kept06)
    C = 'x';
  kept07 += 'y';
  kept08[0] = 'z';
  change(kept09);
  std::sort(kept10.begin(), kept10.end());
  return kept06.size() + kept07.size() + kept08.size() + kept09.size();
}
size_t movedFrom(const std::string &S, std::vector<std::string> &Into) {
  std::string kept11 = S;
  Into.push_back(std::move(kept11));
  return Into.size();
}
const std::string *addressed(const std::string &S) {
  static const std::string *Last;
  std::string kept12 = S;
  Last = &kept12;
  return Last == &S ? Last : nullptr;
}
size_t captured(const std::string &S) {
  std::string kept13 = S;
  auto L = [&] { return kept13.size(); };
  return L();
}
size_t ofGlobal() {
  std::string kept14 = Global;
  Global.clear();
  return kept14.size();
}
size_t ofChanged(int N) {
  std::string Source(100, 'x');
  std::string kept15 = Source;
  Source += "y";
  std::vector<std::string> Lines(3, Source);
  std::string kept16 = Lines[1];
  Lines.pop_back();
  for (std::string &Each : Lines) {
    std::string kept17 = Each;
    Each += "x";
    N += kept17 == Each;
  }
  return kept15.size() + kept16.size() + Source.size() + N;
}
size_t ofAliased(const std::string &S, std::vector<std::string> &Others) {
  std::string kept18 = S;
  Others.clear();
  return kept18.size();
}
size_t ofReferenceToElement(std::vector<std::string> &V) {
  const std::string &First = V[0];
  std::string kept19 = First;
  V.clear();
  return kept19.size();
}
size_t ofItself(int N) {
  if (N == 0)
    return 0;
  const Person &Self = Self.self();
  const std::string &Text = Text;
  std::string kept37 = Self.Name, kept38 = Text;
  return kept37.size() + kept38.size() + take("literal") + parameters(Text, Self.Name, "literal");
}
#define COPY_TWICE(One, Other) std::string One = S; std::string Other = S; Other += 'x'
size_t byMacro(const std::string &S) {
  COPY_TWICE(kept39, kept40);
  return kept39.size() + kept40.size();
}
size_t onOneLine(const std::string &S) {
  auto L = [](const std::string &T) { std::string read23 = T; return read23.size(); }; std::string kept41 = S; kept41 += L(S);
  return kept41.size();
}
size_t ofOther(Person &P, int N) {
  std::string kept20 = P.Name;
  P.Name.clear();
  return kept20.size() + N;
}
size_t ofUnknownCharacters(const std::string &S, const char *Text) {
  std::string kept21 = getenv("HOME") ? getenv("HOME") : "";
  std::string kept22 = Text;
  std::string kept23 = S.substr(2);
  return take(kept22) + take(kept23) + kept21.size();
}
size_t ofTemporary() {
  std::string kept24 = std::string(50, 'x');
  std::string kept25 = std::to_string(1);
  std::string kept26;
  return kept24.size() + kept25.size() + kept26.size();
}
size_t inStatic(const std::string &S) {
  static std::string kept27 = S;
  return kept27.size();
}
size_t byAssembly(const std::string &S) {
  std::string kept28 = S;
  asm volatile("" ::: "memory");
  return kept28.size();
}
template <class T> size_t inTemplateThatDiffers(const std::string &S, T Act) {
  std::string kept29 = S;
  Act(kept29);
  return kept29.size();
}
size_t constCast(const std::string &S) {
  const std::string kept30 = S;
  change(const_cast<std::string &>(kept30));
  return kept30.size();
}

size_t parameters(std::string parameter02, const std::string parameter03, const std::string &parameter04) {
  return parameter02.size() + take(parameter03) + parameter04.find('x');
}
struct Base {
  virtual ~Base() = default;
  virtual size_t inVirtual(std::string kept31) { return kept31.size(); }
};
std::string keptParameters(std::string kept32, std::string kept33, const std::string &kept34, std::string kept35) {
  Global = std::move(kept33);
  kept35 += take(kept34);
  return kept32;
}
template <class T> size_t deduced(T kept36) { return kept36.size(); }

int main() {
  Person P{"a name that is long enough for a block", "", {"one"}};
  std::vector<std::string> V = {"one"};
  std::string Text = "a text that is long enough for a block";
  const std::string Same = Text;
  size_t Sum = P.inConst() + P.inChanging() + P.ofMutable() + ofReference(Text) + ofMember(P, &P) + ofElements(V) +
               ofCharacters("x", "some view", Text) + ofLocal(1) + byLambda(Text) + inTemplate(P);
  P.remove(Same);
  P.rename(Text);
  Sum += returned(Text).size() + returnedConst(Text).size() + changed(Text) + movedFrom(Text, V) + ofItself(0) + byMacro(Text) + onOneLine(Text) + captured(Text) + ofGlobal() +
         ofChanged(1) + ofAliased(Text, V) + ofUnknownCharacters(Text, "x") + ofTemporary() + inStatic(Text) + byAssembly(Text) +
         constCast(Text) + ofOther(P, 1);
  V = {"one"};
  Sum += ofReferenceToElement(V) + (addressed(Text) != nullptr) + (keep(Text) != nullptr) + takeBoth(Same, Text);
  Sum += inTemplateThatDiffers(Text, [](const std::string &) {}) + inTemplateThatDiffers(Text, [](std::string &S) { S += 'x'; });
  Sum += parameters(Text, Same, "a literal");
  Sum += Base().inVirtual(Text) + keptParameters(Text, Text, "a literal", Text).size() + deduced(Text);
  std::printf("%d\n", Sum > 0);
}
