// The library that attached.cpp opens.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Late {
  double Value[5];
};
static Late *volatile Sink;

extern "C" void makeLate(int Count) {
  for (int I = 0; I < Count; ++I) {
    Late *One = new Late();
    Sink = One;
    delete One;
  }
}
