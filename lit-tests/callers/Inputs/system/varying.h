// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library's function whose frame has another size in each call, and that calls a function of libstdc++.so which ends in a jump to operator new.
#ifndef VARYING_H
#define VARYING_H
#include <alloca.h>
#include <cstring>
#include <string>

using CreateFunction = char *(std::string::*)(std::size_t &, std::size_t);
CreateFunction createFunction();
template <CreateFunction Private> struct MakePublic {
  friend CreateFunction createFunction() { return Private; }
};
template struct MakePublic<&std::string::_M_create>;

__attribute__((noinline)) inline void createAndDrop(int Bytes) {
  char *Room = static_cast<char *>(alloca(Bytes));
  std::memset(Room, 0, Bytes);
  asm volatile("" : : "r"(Room) : "memory");
  std::string From;
  std::size_t Capacity = 99;
  char *Made = (From.*createFunction())(Capacity, 0);
  asm volatile("" : : "r"(Room) : "memory");
  ::operator delete(Made);
}
#endif
