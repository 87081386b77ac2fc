//===- Database.h - Compile commands of files -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_DATABASE_H
#define INMEM_FIX_DATABASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace clang::tooling {
class CompilationDatabase;
struct CompileCommand;
} // namespace clang::tooling

namespace inmem::fix {

/// A finding's file, and the units that may contain it.
struct Located {
  std::string File; ///< absolute
  /// Units that may contain the file, the most likely first: the file itself,
  /// or units that include it.
  std::vector<std::string> Units;
};

class Database {
public:
  ~Database();
  Database(Database &&) noexcept;

  /// \param Path a compile_commands.json, or the folder that contains it
  static llvm::Expected<Database> load(llvm::StringRef Path);

  /// Finds the file that a trace calls \p Name: as passed to the compiler, or
  /// absolute.
  llvm::Expected<Located> locate(llvm::StringRef Name) const;
  /// Units other than \p Own that contain the identifier \p Name.
  std::vector<std::string> unitsThatName(llvm::StringRef Name,
                                         llvm::StringRef Own) const;
  /// All units with absolute paths, without duplicates, in database order.
  std::vector<std::string> units() const;
  const clang::tooling::CompilationDatabase &commands() const { return *Of; }

private:
  Database();
  std::vector<std::string> unitsWith(llvm::StringRef Header) const;

  struct Command {
    std::string File, Folder;
  };
  std::unique_ptr<clang::tooling::CompilationDatabase> Of;
  std::vector<Command> Files; ///< absolute, in the database's order
};

/// Resolves links, `.` and `..` in \p Path; components that do not exist are
/// kept.
std::string canonical(llvm::StringRef Path);
/// True if \p Path is \p Folder or below it.
bool isBelow(llvm::StringRef Path, llvm::StringRef Folder);

} // namespace inmem::fix

#endif // INMEM_FIX_DATABASE_H
