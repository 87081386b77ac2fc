// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects without an owner.
#include <cstdio>
#include <memory>

struct Session {
  explicit Session(int Id) : Id(Id) {}
  ~Session() { Closed += Id != 0; }
  int Id;
  char Buffer[124] = {};
  static int Closed;
};
int Session::Closed = 0;

#ifdef ADVICE
static std::unique_ptr<Session> accept(int Id) {
  return std::make_unique<Session>(Id);
}
#else
static Session *accept(int Id) { return new Session(Id); }
#endif

int main() {
  long Sum = 0;
  for (int I = 0; I < 1000; ++I) {
    const auto New = accept(I);
    const Session *volatile Hidden = &*New; // else the compiler needs no object
    Sum += Hidden->Id;
  }
  std::printf("%ld\n", Sum);
}
