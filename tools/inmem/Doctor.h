//===- Doctor.h - Findings of inmem doctor ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_DOCTOR_H
#define INMEM_TOOLS_DOCTOR_H

#include <string>

namespace inmem::tools {

/// Prints a line for each check, and a fix below each failure.
class Diagnosis {
public:
  void good(const std::string &What) { add("ok", What, ""); }
  void note(const std::string &What, const std::string &Mend) {
    add("note", What, Mend);
  }
  void wrong(const std::string &What, const std::string &Mend) {
    add("wrong", What, Mend);
    AllGood = false;
  }
  bool allGood() const { return AllGood; }
  const std::string &text() const { return Text; }

private:
  void add(const std::string &Word, const std::string &What,
           const std::string &Mend) {
    Text += Word + std::string(7 - Word.size(), ' ') + What + "\n";
    if (!Mend.empty())
      Text += "       -> " + Mend + "\n";
  }
  bool AllGood = true;
  std::string Text;
};

/// Checks the compiler, the wrapper, the plugin and the runtime. That compiler
/// loads the plugin, and a separate process loads the runtime.
void examineToolchain(Diagnosis &Into);

} // namespace inmem::tools

#endif
