// Intent: a copy is needed where its source may be changed, or freed, before the copy is read: none of these is found, however
// the source is reached. What changes no string leaves copies that are found: names tell which is which.
// RUN: %inmem-clangxx -O1 -std=c++20 -Wno-everything %s -o %t && env INMEM_OPTIONS=output=%t.inmem %t
// RUN: %inmem dump %t.inmem | sed -n "s/.*string-copy kind=\([a-z]*\) flags=\([a-z,]*\) .*name=.\([a-zA-Z0-9]*\).*/\1 \3 \2/p" > %t.found
// RUN: %FileCheck %s < %t.found
// RUN: %FileCheck --check-prefix=KEPT --allow-empty %s < %t.found
// RUN: %inmem dump %t.inmem | sed -n "s/.*string-copy kind=argument flags=\([a-z,]*\) .*line=\([0-9]*\) .*/argument \1 line=\2;/p" > %t.arguments
// RUN: %FileCheck --check-prefix=GIVEN %s < %t.arguments
// RUN: grep -v outside %t.arguments | %FileCheck --check-prefix=OWN %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KEPT-NOT: {{kept[0-9]}}
// CHECK-DAG: variable read01 view,reference,alone{{$}}
// CHECK-DAG: variable read02 view,reference,alone{{$}}
// CHECK-DAG: variable read03 view,reference{{$}}
// CHECK-DAG: variable read04 view,reference{{$}}
// CHECK-DAG: variable read05 view,reference,alone{{$}}
// CHECK-DAG: variable read06 view,reference,alone{{$}}
// CHECK-DAG: variable read07 view,reference,alone{{$}}
// CHECK-DAG: variable read08 view,reference,alone{{$}}
// CHECK-DAG: variable read09 view,reference,alone{{$}}
// CHECK-DAG: variable read10 view,characters,alone{{$}}
// CHECK-DAG: variable read11 view,reference,alone{{$}}
// CHECK-DAG: variable read12 view,reference,alone{{$}}
// CHECK-DAG: variable read13 view,reference,alone{{$}}
// CHECK-DAG: variable read14 view,reference,alone{{$}}
// CHECK-DAG: variable read15 view,reference,alone{{$}}
// CHECK-DAG: variable read16 view,reference,alone{{$}}
// CHECK-DAG: variable read17 view,reference,alone{{$}}
// CHECK-DAG: parameter taken1 view,reference,outside{{$}}
// CHECK-DAG: parameter taken2 view,reference,outside{{$}}
// CHECK-DAG: parameter taken3 view,reference,outside{{$}}
// CHECK-DAG: parameter taken4 reference,outside{{$}}
#include <algorithm>
#include <any>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
using std::string;
using std::vector;

struct Node {
  string Name;
  const Node *Next = nullptr;
  Node *Child = nullptr;
  const string &name() const { return Name; }
  void rename(const char *To) { Name = To; }
};
static string Global, Globals[3], Nested[2][2];
static string *GlobalPointer = &Global;
static vector<string> *GlobalLines = new vector<string>(1);
static std::unique_ptr<string> GlobalOwner = std::make_unique<string>();
static volatile size_t Sink;
string &global() { return Global; }
struct Config {
  string Name;
  static Config &get() { static Config Only; return Only; }
};
static void clear(string *Pointer) { Pointer->clear(); }

// Member functions that are called by something that leads there.
size_t byPointer(const string &S, string *P) { string kept01 = S; P->clear(); return kept01.size(); }
size_t byPointee(const string &S, string *P) { string kept02 = S; (*P).clear(); return kept02.size(); }
size_t byElement(const string &S, string *P) { string kept03 = S; P[0].clear(); return kept03.size(); }
size_t byGlobalPointer(const string &S) { string kept04 = S; GlobalPointer->clear(); return kept04.size(); }
size_t byResult(const string &S) { string kept05 = S; global().clear(); return kept05.size(); }
size_t bySingleton(const string &S) { string kept06 = S; Config::get().Name.clear(); return kept06.size(); }
size_t byShared(const string &S, const std::shared_ptr<Node> &N) { string kept07 = S; N->Name.clear(); return kept07.size(); }
size_t byUnique(const string &S, std::unique_ptr<Node> &N) { string kept08 = S; N->Name.clear(); return kept08.size(); }
size_t byMethod(const string &S, Node *N) { string kept09 = S; N->rename("x"); return kept09.size(); }
size_t byIterator(const string &S, vector<string>::iterator I) { string kept10 = S; I->clear(); return kept10.size(); }
size_t byWrapper(const string &S, std::reference_wrapper<string> R) { string kept11 = S; R.get().clear(); return kept11.size(); }
size_t byElements(const string &S, const vector<string *> &V) { string kept12 = S; V[0]->clear(); return kept12.size(); }
size_t byLoop(const string &S, const vector<string *> &V) { string kept13 = S; for (string *P : V) P->clear(); return kept13.size(); }
size_t byOwners(const string &S, vector<std::unique_ptr<Node>> &V) { string kept14 = S; for (auto &N : V) N->Name.clear(); return kept14.size(); }
size_t byMap(const string &S, std::map<string, int> *M) { string kept15 = S; M->erase(S); return kept15.size(); }
size_t byOptional(const string &S, std::optional<string> *O) { string kept16 = S; O->reset(); return kept16.size(); }
size_t byAddress(const string &S, Node &N) { string kept17 = S; Node *P = &N; P->Name.clear(); return kept17.size(); }
size_t byAny(const string &S, std::any A) { string kept18 = S; std::any_cast<string *>(A)->clear(); return kept18.size(); }
size_t byPointers(const string &S, string **P) { string kept19 = S; (*P)->clear(); return kept19.size(); }
size_t byNodes(const Node *N, Node *Other) { string kept20 = N->Name; Other->Name.clear(); return kept20.size(); }
size_t byGlobalLines(const string &S) { string kept21 = S; GlobalLines->clear(); return kept21.size(); }
size_t byGlobalOwner(const string &S) { string kept22 = S; GlobalOwner->clear(); return kept22.size(); }
size_t byEither(const string &S, string *P, bool Which) { string kept23 = S; (Which ? *P : Global).clear(); return kept23.size(); }
size_t byPointerToMember(const string &S, Node *N, string Node::*M) { string kept24 = S; N->*M = "x"; return kept24.size(); }
struct Document {
  struct Parts { vector<string> Names; };
  string Name;
  std::unique_ptr<Parts> Owned = std::make_unique<Parts>();
  Parts *Raw = Owned.get();
  mutable string Cache;
  mutable std::mutex Mutex;
  int Count = 0;
  std::function<void()> Changed = [] {};
  size_t byOwned(const string &S) { string kept25 = S; Owned->Names.clear(); return kept25.size(); }
  size_t byRaw(const string &S) { string kept26 = S; Raw->Names.clear(); return kept26.size(); }
  size_t byMutable(const string &S) const { string kept27 = S; Cache.clear(); return kept27.size(); }
  size_t byAssignment(const string &S) const { string kept28 = S; Cache = "x"; return kept28.size(); }
  size_t count(const string &S) { string read01 = S; std::lock_guard<std::mutex> Lock(Mutex); ++Count; return read01.size() + Name.size(); }
  size_t set(string taken1) { Name.clear(); return taken1.size(); }
  size_t notify(string taken2) { Changed(); return taken2.size(); }
  static size_t setOf(Document *D, string taken3) { D->Name.clear(); return taken3.size(); }
  const string &filled() const { Cache += "x"; return Cache; }
};
size_t byPointerOn(const string &S, string *P) { string kept29 = S; clear(P); return kept29.size(); }
size_t byLine(const string &S, string *P) { std::istringstream In("x"); string kept30 = S; std::getline(In, *P); return kept30.size(); }
size_t byCopiedOwner(const string &S, const std::shared_ptr<Node> &N) { string kept31 = S; auto Same = N; Same->Name.clear(); return kept31.size(); }
struct Clearer {
  vector<string> *Lines;
  void run() const { Lines->clear(); }
};
size_t byMember(const string &S, vector<string> &V) { string kept66 = S; Clearer C{&V}; C.run(); return kept66.size(); }
size_t byMemberAssigned(const string &S, vector<string> *V) { string kept67 = S; Clearer C; C.Lines = V; C.run(); return kept67.size(); }

// The source is freed.
size_t byDelete(const string &S, Node *N) { string kept32 = S; delete N; return kept32.size(); }
size_t byDeleteOfConst(const string &S, const Node *N) { string kept33 = S; delete N; return kept33.size(); }
size_t byDestructor(const string &S, string *P) { string kept34 = S; P->~basic_string(); return kept34.size(); }
size_t byPlacement(const string &S, string *P) { string kept35 = S; new (P) string("x"); return kept35.size(); }
size_t ofOwner(const string &S, std::unique_ptr<string> Owner) { string kept36 = S; Owner.reset(); return kept36.size(); }
size_t ofSharedOwner(const string &S, std::shared_ptr<Node> Owner) { string kept37 = S; Owner.reset(); return kept37.size(); }
size_t ofContainer(const string &S, vector<string> Lines) { string kept38 = S; Lines.clear(); return kept38.size(); }
size_t ofCharacters(const char *Text, string Owner) { string kept39 = Text; Owner.clear(); return kept39.size(); }

// Arrays, moves, elements and lambdas.
size_t ofArray(const string &S) { string kept40 = S; Globals[0] = "x"; return kept40.size(); }
size_t ofArrayCalled(const string &S) { string kept41 = S; Globals[0].clear(); return kept41.size(); }
size_t ofNestedArray(const string &S) { string kept42 = S; Nested[1][1].clear(); return kept42.size(); }
size_t byMove(const string &S) { string kept43 = S; string T = std::move(Global); return kept43.size() + T.size(); }
size_t byMoveOfMember(const string &S, Node &&N) { string kept44 = S; string T = std::move(N.Name); return kept44.size() + T.size(); }
size_t byMoveOfParameter(const string &S, string &&R) { string kept45 = S; string T = std::move(R); return kept45.size() + T.size(); }
size_t byCharacters(const string &S, string &R) { string kept46 = S; for (char &C : R) C = 'x'; return kept46.size(); }
size_t byLambda(const string &S, string &R) { string kept47 = S; auto L = [&] { R.clear(); }; L(); return kept47.size(); }
size_t byLambdaOfGlobal(const string &S) { string kept48 = S; auto L = [] { Global.clear(); }; L(); return kept48.size(); }
size_t byBinding(const string &S, std::pair<string &, int> P) { string kept49 = S; auto [First, Second] = P; First.clear(); return kept49.size(); }

// Pointers and views that lead to a variable of the function.
size_t ofOwnNode(const char *Text) { Node Own; Own.Name = Text; const Node *N = &Own; string kept50 = N->Name; Own.Name = "x"; return kept50.size(); }
size_t ofOwnBuffer(std::string_view View) { string Buffer(100, 'x'); View = Buffer; string kept51(View); Buffer.clear(); return kept51.size(); }
size_t ofOwnText(const char *Text) { string Buffer(100, 'x'); Text = Buffer.c_str(); string kept52 = Text; Buffer.clear(); return kept52.size(); }
size_t ofOwnTexts() { string Buffer(100, 'x'); const vector<const char *> V{Buffer.c_str()}; size_t N = 0; for (string kept53 : V) { Buffer[0] = 'z'; N += kept53.size(); } return N; }
size_t ofSpan() { vector<string> Own(1); const std::span<const string> View(Own); string kept54 = View.front(); Own.clear(); return kept54.size(); }

// Characters that are written by another pointer.
size_t byCharacter(const char *In, char *Out) { string kept55 = In; Out[0] = 'x'; return kept55.size(); }
size_t byCopy(const char *In, char *Out) { string kept56 = In; std::strcpy(Out, "x"); return kept56.size(); }
size_t ofStringByCharacter(const string &S, char *Out) { string kept57 = S; *Out = 'x'; return kept57.size(); }

// What was const.
size_t byCast() { string Source(100, 'x'); const string kept63 = Source; ((string &)kept63).clear(); return kept63.size(); }
size_t byCastOfCharacters() { string Source(100, 'x'); string kept64 = Source; std::memset((char *)kept64.c_str(), 'y', 2); return kept64.size(); }
size_t byCastOfSource() { const string Source(100, 'x'); string kept65 = Source; const_cast<string &>(Source).clear(); return kept65.size(); }

// Functions of which nothing is known.
size_t byFunction(const string &S, const std::function<void()> &F) { string kept58 = S; F(); return kept58.size(); }
size_t byFunctionPointer(const string &S, void (*F)()) { string kept59 = S; F(); return kept59.size(); }
template <class T> size_t byCallable(const string &S, const T &F) { string kept60 = S; F(); return kept60.size(); }
size_t byCallback(const Document &D) { string kept61 = D.Name; D.Changed(); return kept61.size(); }
size_t ofFilled(const Document &D) { string kept62 = D.filled(); D.filled(); return kept62.size(); }

// A caller's variable, by another name.
size_t refill(vector<string> &V, string taken4) { V.clear(); V.push_back(taken4); return V.size(); }
size_t given() {
  vector<string> V(1), Own(1);
  auto &Alias = V;
  auto *Pointer = &Own;
  Document D;
  D.set(D.Name);
  refill(Alias, V[0]);
  refill(*Pointer, Own[0]);
  string Source(100, 'x');
  string Other(Source);
  D.set(Other); // GIVEN-DAG: argument alone line=[[@LINE]];
  return D.notify(D.Name) + Document::setOf(&D, D.Name);
}
// OWN: argument alone line=
// OWN-NOT: argument

// What changes no string.
size_t ofNumbers(const string &S, vector<int> &V, int &N, Document *D, int *P) { string read02 = S; V.push_back(1); N = 3; V[0]++; D->Count++; P[1] = 2; return read02.size(); }
size_t ofOwnStrings(const string &S) { string read03 = S; vector<string> Own; Own.push_back("x"); Own[0] += read03; for (auto I = Own.begin(); I != Own.end(); ++I) Sink = I->size(); return read03.size(); }
size_t ofStreams(const string &S, std::istream &In) { string read04 = S; string Line; while (std::getline(In, Line)) std::cout << Line << read04; return read04.size(); }
size_t ofList(const Node *N) { size_t Sum = 0; for (; N; N = N->Next) { string read05 = N->Name; Sum += read05.size(); } return Sum; }
size_t ofReads(const string &S, Node &N, const std::shared_ptr<Node> &P) { string read06 = S; return read06.size() + N.Name.size() + N.Child->Name.size() + P->Name.size() + (*P).Name.find('x') + (Sink ? N.Name : P->Name).size(); }
size_t ofSort(const string &S, vector<int> Numbers) { string read07 = S; std::sort(Numbers.begin(), Numbers.end(), [](int A, int B) { return A < B; }); return read07.size(); }
size_t ofNewNodes(const string &S) { string read08 = S; Node Local; Local.Child = nullptr; vector<std::unique_ptr<Node>> V; V.push_back(std::make_unique<Node>()); return read08.size(); }
size_t ofView(const string &S, std::string_view View) { string read09 = S; while (!View.empty()) View.remove_prefix(1); return read09.size(); }
size_t ofOwnCharacters(const char *Text) { string read10 = Text; char Buffer[8]; Buffer[0] = 'x'; std::snprintf(Buffer, sizeof Buffer, "x"); return read10.size() + Buffer[0]; }
size_t ofGetter(const Node &N) { string read11 = N.name(); std::fputs("", stdout); return read11.size(); }
size_t ofOwnLambda(const string &S) { string read12 = S; size_t N = 0; auto L = [&](size_t More) { N += More; }; L(1); return read12.size() + N; }
struct Links { size_t Id; string *First = nullptr; string *Last = nullptr; };
size_t ofNulls(const string &S) { string read13 = S; Links L = {1, nullptr, nullptr}; Links Zero{0, 0, NULL}; string *P[2] = {nullptr, (string *)nullptr}; return read13.size() + L.Id + Zero.Id + (P[0] == P[1]); }
size_t ofOwnLoop(const string &S) { string read14 = S; vector<string> Own(2); for (auto &X : Own) X += read14; return read14.size() + Own.size(); }
size_t ofOwnArray(const string &S) { string read15 = S; string Own[2]; for (string &X : Own) X.clear(); return read15.size(); }
size_t ofOwnRows(const string &S) { string read16 = S; vector<vector<string>> Own(2); for (auto &Row : Own) for (auto &X : Row) X.push_back('x'); return read16.size(); }
size_t ofOwnNumbers(const string &S) { string read17 = S; std::map<int, string> Own; Own[1] = "x"; for (auto &Each : Own) Each.second = "y"; return read17.size(); }

// Loops that lead to others' strings all the same.
size_t ofLoopOverOthers(const string &S, vector<string> &V) { string kept63 = S; for (auto &X : V) X.clear(); return kept63.size(); }
size_t ofLoopOverPointers(const string &S, string *P) { string kept64 = S; vector<string *> Own(1, P); for (auto &X : Own) X->clear(); return kept64.size(); }
size_t ofLoopOverSpan(const string &S, vector<string> &V) { string kept65 = S; std::span<string> Own(V); for (auto &X : Own) X.clear(); return kept65.size(); }
size_t ofLoopOverReferences(const string &S, string &T) { string kept66 = S; vector<std::reference_wrapper<string>> Own(1, T); for (auto &X : Own) X.get().clear(); return kept66.size(); }
size_t ofLoopOverAlias(const string &S, vector<string> &V) { string kept67 = S; auto &Own = V; for (auto &X : Own) X.clear(); return kept67.size(); }
size_t ofLoopOverNodes(const string &S, Node *N) { string kept68 = S; Node Own[1]; Own[0].Child = N; for (auto &X : Own) X.Child->rename("x"); return kept68.size(); }
size_t ofLoopItself() { size_t Sum = 0; vector<string> Own(2); for (auto &X : Own) { string kept69 = X; X.clear(); Sum += kept69.size(); } return Sum; }
size_t ofLoopOverParameter(const string &S, vector<Links> V) { string kept70 = S; for (auto &X : V) X.First->clear(); return kept70.size(); }
size_t ofLoopOverOwners(const string &S, string *P) { string kept71 = S; vector<std::unique_ptr<string>> Own; Own.emplace_back(P); for (auto &X : Own) X->clear(); return kept71.size(); }
size_t ofReference(const string &S, std::reference_wrapper<string> R) { string kept72 = S; R.get().clear(); return kept72.size(); }
size_t ofLinks(const string &S, string *P) { string kept73 = S; Links L = {1, nullptr, P}; L.Last->clear(); return kept73.size(); }

int main() {
  Document D;
  string Text(100, 'x');
  Sink = Sink + D.byOwned(Text) + D.byRaw(Text) + D.byMutable(Text) + D.byAssignment(Text) + D.count(Text) + given() + byCallable(Text, [] {}) + byCallback(D) + ofFilled(D);
}
