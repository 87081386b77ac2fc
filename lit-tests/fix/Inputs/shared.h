// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code in a header, which other units have, too.
#include <string>

// They may initialise it by position.
struct InHeader {
  char Kind;
  double Value;
  char Flag;
};
inline double inHeader(const InHeader *From) {
  const InHeader *Copy = new InHeader(*From); // finding: padding[InHeader|declare members in the order Value, Kind, Flag] -> other units may rely
  const double Value = Copy->Value;
  delete Copy;
  return Value;
}
// They may give it what a view is not made of.
inline bool isLongInHeader(const std::string &Text) { // finding: string-copies -> may give what a std::string_view is not made of
  return Text.size() > 9;
}
// Other units may have instantiated it for other elements.
template <typename T> void addInHeader(T &To, int N) {
  for (int I = 0; I < N; ++I)
    To.push_back(I); // finding: vector-regrowth=64 -> in a template
}
