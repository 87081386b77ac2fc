// Intent: std::string, grown by code of this unit or inside the standard library, is char with the alias
// `std::string buffer`; so are the other classes that the library instantiates itself.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

static const void *volatile Sink;
volatile int N = 40;

int main() {
  std::string made(N, 'x');                    // 41 bytes
  std::string copied = made;                   // 41
  std::string grown;
  grown.reserve(2 * N);                        // 81
  grown += made + "more";                      // 45 or 83: a sum in between
  grown.append(100, 'y');                      // 163
  std::string number = std::to_string(N) + std::string(N, 'z');
  std::wstring wide(N, L'x');                  // 164
  std::u16string sixteen(N, u'x');
  Sink = &made, Sink = &copied, Sink = &grown, Sink = &number, Sink = &wide, Sink = &sixteen;
  std::ostringstream stream;
  for (int i = 0; i < N; ++i)
    stream << "number " << i << '\n';          // grows inside the library
  Sink = &stream;
  std::istringstream words(copied);            // copied inside the library
  Sink = &words;
  return stream.str().size() < 40;
}
// EXPECT: types["char"].allocations >= 7
// EXPECT: all(site.alias in ("std::string buffer", "std::stringbuf buffer", "std::istringstream buffer") for site in types["char"].sites)
// EXPECT: types["wchar_t"].allocations == 1 and types["wchar_t"].allocated_bytes == 164 and types["wchar_t"].alias == "std::wstring buffer"
// EXPECT: types["char16_t"].allocations == 1 and types["char16_t"].allocated_bytes == 82
// EXPECT: not untyped and not [site for site in types[None].sites if "string" in site.function]
// ALONE: types["char"].allocations >= 6
