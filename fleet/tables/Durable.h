//===- Durable.h - Files that are whole or not there ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is written as `_NAME.HOST.PID.RANDOM.part`, synced and renamed, and
// then its folder is synced. If the process or the machine stops between two of
// these steps, NAME is either missing or complete.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_DURABLE_H
#define INMEM_FLEET_DURABLE_H

#include "trace/read/Status.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace inmem::fleet {

/// Called before each step that other processes can see; for tests that kill
/// the process there. Not thread-safe.
extern std::function<void(const char *Step)> StepHook;
void reachStep(const char *Step);

/// The name under which this process writes a file. No other process has it, on
/// this host or another that shares the folder.
std::filesystem::path partOf(const std::filesystem::path &Final);
/// Creates a folder and its parents, each synced into its parent.
trace::Status makeFolder(const std::filesystem::path &Folder);
/// True for names that partOf() makes.
bool isPart(std::string_view Name);
/// Renames the file that was written as partOf(Final).
trace::Status publish(const std::filesystem::path &Final);
/// As publish(), but returns false if a file of that name exists, and keeps
/// that file.
trace::Result<bool> publishNew(const std::filesystem::path &Final);
/// Writes a file in all these steps.
trace::Status writeDurably(const std::filesystem::path &Final,
                           std::string_view Text);
/// As writeDurably(), but returns false if a file of that name exists, and
/// keeps that file.
trace::Result<bool> createDurably(const std::filesystem::path &Final,
                                  std::string_view Text);
trace::Status removeDurably(const std::filesystem::path &File);
trace::Result<std::string> readAll(const std::filesystem::path &File);

} // namespace inmem::fleet

#endif
