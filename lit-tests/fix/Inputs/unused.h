// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of no unit.
#include <vector>
inline void add(std::vector<int> &Out) {
  Out.push_back(1); // finding: vector-regrowth=64 -> no unit of the database includes
}
