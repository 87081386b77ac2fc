// Intent: blocks that libstdc++'s compiled code allocates for strings have their type in scopes and messages, as in reports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++20 -O2 -Wall -Wextra -Werror %s -o %t.O2
// RUN: env INMEM_OPTIONS=output=none %t.O2 | %FileCheck %s
//
// Of a file without instrumentation no type is known, not this one either.
// RUN: %clangxx -std=c++20 -I%srcroot/include %s -o %t.plain -L%libdir -linmem_rt -Wl,-rpath,%libdir
// RUN: env INMEM_OPTIONS=output=none %t.plain | %FileCheck %s --check-prefix=PLAIN

#include "Inputs/check.h"
#include <iostream>
#include <locale>
#include <sstream>
#include <string>

// libstdc++.so's compiled basic_stringbuf::overflow() lets its string grow.
template <class Char>
__attribute__((noinline)) static void write(std::basic_ostream<Char> &Out) {
  for (int I = 0; I < 600; ++I)
    Out.put('x');
}

template <class Char> static void testStream() {
  std::basic_ostringstream<Char> Both, Alone;
  inmem::AllocationScope Scope(inmem::Follow::EachBlock);
  write(Both);
  Char *volatile Own = new Char[3000]; // the type is known of this one
  delete[] Own;
  inmem::Allocations A = Scope.end();
  inmem::AllocationScope Library(inmem::Follow::EachBlock);
  write(Alone);
  inmem::Allocations B = Library.end();
  std::cout << A << B << std::endl;
  if (!inmem::typeId<Char>())
    return;
  const inmem::Counts OfA = A.of<Char>(), OfB = B.of<Char>();
  CHECK(B.blocks() == 2 && OfB.blocks == 2 && OfB.bytes == B.bytes());
  CHECK(OfB.live == 1 && OfB.lives == 1 && OfB.longest.count() > 0);
  CHECK(OfB.peakBytes == B.peakBytes()); // the unknown blocks' is this type's
  CHECK(A.blocks() == 3 && OfA.blocks == 3 && OfA.bytes == A.bytes());
  CHECK(OfA.live == 1 && OfA.lives == 2 && A.types().size() == 1);
  // Peaks of two rows do not add up. (char's functions may be the program's.)
  CHECK(OfA.peakBytes == -1 || sizeof(Char) == 1);
  inmem::Allocations Part =
      B.where([](const inmem::SiteCounts &S) { return S.live > 0; });
  CHECK(Part.of<Char>().live == 1);
}
// CHECK: {{^ +3 +[0-9]+ +1  char$}}
// CHECK-NEXT: allocated by
// CHECK-NEXT: {{^ +1 +3000 +0  char  testStream<char> .*:27$}}
// CHECK-NEXT: {{^ +2 +[0-9]+ +1  char  write<char> .*:20$}}
// CHECK: {{^ +3 +[0-9]+ +1  wchar_t$}}
// CHECK: {{^ +2 +[0-9]+ +1  wchar_t  write<wchar_t> .*:20$}}
// PLAIN: (unknown type)
// PLAIN: (unknown type)

// Blocks of the program's own code and others of the library beside them.
static void testMixed() {
  std::wostringstream Text;
  std::locale *volatile Kept;
  inmem::AllocationScope Scope(inmem::Follow::EachBlock);
  wchar_t *volatile Own = new wchar_t[3000];
  delete[] Own;
  write(Text);
  Kept = new std::locale(std::locale(), new std::ctype<char>);
  inmem::Allocations A = Scope.end();
  delete Kept;
  std::cout << A << std::endl;
  if (!inmem::typeId<char>())
    return;
  const inmem::Counts Wide = A.of<wchar_t>(), Unknown = A.of("(unknown type)");
  CHECK(Wide.blocks == 3 && Wide.live == 1 && Wide.lives == 2);
  CHECK(Unknown.blocks > 0); // the locale's tables
  CHECK(Wide.peakBytes == -1 && Unknown.peakBytes == -1);
  inmem::Counts Sum;
  for (const inmem::TypeCounts &T : A.types())
    Sum += T;
  CHECK(Sum.blocks == A.blocks() && Sum.bytes == A.bytes());
  CHECK(Sum.live == A.live());
}

// A budget's message names it, too.
static void testBudget() {
  if (!inmem::typeId<char>())
    return;
  std::wostringstream Text;
  std::string Message;
  {
    inmem::AllocationBudget Budget{
        .bytes = 10,
        .onExcess = [&](const inmem::Excess &X) { Message = X.message(); }};
    write(Text);
  }
  CHECK(Message.find("wchar_t") != std::string::npos);
  CHECK(Message.find("unknown") == std::string::npos);
}

// libstdc++.so's compiled constructors copy a string into their buffer's.
template <class Char> static void testConstructor() {
  const std::basic_string<Char> Text(500, 'x');
  inmem::AllocationScope Scope(inmem::Follow::EachBlock);
  {
    std::basic_istringstream<Char> Words(Text);
    std::basic_stringstream<Char> Both(Text);
  }
  inmem::Allocations A = Scope.end();
  if (inmem::typeId<Char>())
    CHECK(A.blocks() == 2 && A.of<Char>().blocks == 2);
}

int main() {
  testStream<char>();
  testStream<wchar_t>();
  testMixed();
  testBudget();
  testConstructor<char>();
  testConstructor<wchar_t>();
  return finish();
}
