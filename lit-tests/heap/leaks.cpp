// Intent: for thirty programs that leak or do not, the verdict, and the bytes, are LeakSanitizer's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: asan, llvm-22
// RUN: %inmem-clangxx -std=c++17 -O1 -g %s -o %t.inmem-built
// RUN: %clangxx -std=c++17 -O1 -g -fsanitize=leak %s -o %t.lsan
// RUN: %python %inputs/leaks.py %inmem %t.inmem-built %t.lsan %t 30
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Node {
  Node *next = nullptr, *prev = nullptr;
  long value = 0;
};
struct Base {
  virtual ~Base() = default;
  long common = 0;
};
struct Extra {
  virtual ~Extra() = default;
  long more = 0;
};
struct Both : Base, Extra {
  std::string text = std::string(200, 'b');
};
struct Owner {
  std::unique_ptr<Node> node = std::make_unique<Node>();
  std::string name = std::string(100, 'o');
};

static Node *GlobalNode;
static void *GlobalVoid;
static Node *GlobalArray[100];
static std::map<int, std::string> GlobalMap;
static std::unordered_map<std::string, std::unique_ptr<Owner>> GlobalHash;
static std::vector<Owner> *GlobalVector;
static std::list<Node> GlobalList;
static Extra *GlobalSecondBase;
static char *GlobalMiddle;
static uintptr_t GlobalNumber, GlobalHidden;
static std::function<long()> *GlobalFunction;
static std::shared_ptr<Owner> *GlobalShared;
static thread_local Node *ThreadNode;
static union {
  void *pointer;
  double number;
} GlobalUnion;
static pthread_key_t Key;

#define KEPT [[gnu::noinline]] static void

KEPT nothing() {}
template <class T> [[gnu::noinline]] T *made(T *P) {
  asm volatile("" : "+r"(P)::"memory");
  return P;
}
KEPT lost() { made((char *)malloc(123)); }
KEPT lostNode() { made(new Node); }
KEPT keptNode() { GlobalNode = made(new Node); }
KEPT lostList() {
  Node *First = nullptr;
  for (int I = 0; I < 50; ++I) {
    Node *N = made(new Node);
    N->next = First;
    First = N;
  }
}
KEPT keptList() {
  for (int I = 0; I < 50; ++I) {
    Node *N = made(new Node);
    N->next = GlobalNode;
    GlobalNode = N;
  }
}
KEPT lostCycle() {
  Node *A = made(new Node), *B = made(new Node);
  A->next = B;
  B->next = A;
}
KEPT keptCycle() {
  Node *A = made(new Node), *B = made(new Node);
  A->next = B;
  B->next = A;
  GlobalNode = A;
}
KEPT keptVoid() { GlobalVoid = made(new Owner); }
KEPT keptArray() {
  for (Node *&N : GlobalArray)
    N = made(new Node);
}
KEPT overwritten() {
  keptNode();
  keptNode();
}
KEPT keptMap() {
  for (int I = 0; I < 100; ++I)
    GlobalMap[I] = std::string(60, 'm');
}
KEPT keptHash() {
  for (int I = 0; I < 100; ++I)
    GlobalHash[std::to_string(I)] = std::make_unique<Owner>();
}
KEPT keptVector() { GlobalVector = made(new std::vector<Owner>(10)); }
KEPT lostVector() { made(new std::vector<Owner>(10)); }
KEPT keptStdList() { GlobalList.resize(20); }
KEPT keptSecondBase() { GlobalSecondBase = made(new Both); }
KEPT keptMiddle() { GlobalMiddle = made(new char[1000]) + 500; }
KEPT keptNumber() { GlobalNumber = (uintptr_t)made(new Owner); }
KEPT hidden() { GlobalHidden = ~(uintptr_t)made(new Owner); }
KEPT keptFunction() {
  std::string A(100, 'a'), B(100, 'b');
  GlobalFunction = made(new std::function<long()>(
      [A, B] { return (long)(A.size() + B.size()); }));
}
KEPT keptShared() {
  GlobalShared = made(new std::shared_ptr<Owner>(std::make_shared<Owner>()));
}
KEPT sharedCycle() {
  struct Ring {
    std::shared_ptr<Ring> Next;
  };
  auto A = std::make_shared<Ring>(), B = std::make_shared<Ring>();
  A->Next = B;
  B->Next = A;
}
KEPT keptThreadLocal() { ThreadNode = made(new Node); }
KEPT keptUnion() { GlobalUnion.pointer = made(new Owner); }
KEPT keptSpecific() {
  pthread_key_create(&Key, nullptr);
  pthread_setspecific(Key, made(new Owner));
}
KEPT lostInThread() {
  std::thread([] { lostNode(); }).join();
}
KEPT keptByThread() {
  std::thread([] { keptList(); }).join();
}
KEPT bytesThatPoint() {
  char *Bytes = made((char *)malloc(64));
  Node *N = made(new Node);
  memcpy(Bytes + 16, &N, sizeof N);
  GlobalVoid = Bytes;
}
KEPT freed() {
  Node *N = made(new Node);
  N->next = made(new Node);
  delete N;
}

static void (*const Cases[])() = {
    nothing,       lost,           lostNode,     keptNode,       lostList,
    keptList,      lostCycle,      keptCycle,    keptVoid,       keptArray,
    overwritten,   keptMap,        keptHash,     keptVector,     lostVector,
    keptStdList,   keptSecondBase, keptMiddle,   keptNumber,     hidden,
    keptFunction,  keptShared,     sharedCycle,  keptThreadLocal, keptUnion,
    keptSpecific,  lostInThread,   keptByThread, bytesThatPoint, freed};
static_assert(sizeof Cases / sizeof *Cases == 30);

/// What calls have left on the stack, and in registers, is no root.
[[gnu::noinline]] static void wipe() {
  volatile char Room[64 * 1024];
  for (volatile char &C : Room)
    C = 0;
}

int main(int, char **Arguments) {
  Cases[atoi(Arguments[1])]();
  wipe();
  return 0;
}
