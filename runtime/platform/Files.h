//===- Files.h - Files ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw system calls, because the C library's functions of these names are
// cancellation points: a thread that is cancelled there could hold the
// runtime's mutex (tests/runtime/check_imports.cmake refuses their names).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_FILES_H
#define INMEM_RUNTIME_FILES_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// Creates \p Path (mode 0600, never through a symbolic link, never an existing
/// file) on a high, close-on-exec descriptor, so that the program's own
/// descriptors keep their numbers. \returns -errno on failure
int createFile(const char *Path);
/// Creates the folder of \p Path, but not its parent folders, which are more
/// likely to be misspelt. \returns whether it exists now
bool makeFolderOf(const char *Path);
/// As createFile(), but creates an unnamed file (O_TMPFILE) in the folder of \p
/// Path, which nameFile() names later. Not supported by every file system.
int createUnnamedFile(const char *Path);
/// \returns 0 or an errno value; with EEXIST the existing file is unchanged
int nameFile(int Fd, const char *Path);
/// True if \p Path is a device, or a link to a device or pipe: a trace must not
/// be written next to it.
bool leadsToDevice(const char *Path);
/// Opens \p Path for appending, or creates it as createFile() does; -errno on
/// failure.
int openForAppending(const char *Path);
/// Opens an existing regular file owned by this user; -errno on failure.
int openOwnFile(const char *Path, bool Writable);
/// Locks an open file for this process until it is closed here: a POSIX record
/// lock, which is visible across PID namespaces and not inherited by forked
/// children. Does nothing if the file system has no locks.
void holdFile(int Fd);
/// True if another process holds that lock.
bool isHeldByOther(int Fd);
/// Allocates disk space up to \p End. \returns 0 or an errno value; raises no
/// signal
int growFile(int Fd, uint64_t From, uint64_t End);
/// As growFile(), by writing zeros.
int writeZeros(int Fd, uint64_t From, uint64_t End);
/// Truncates the file to \p Bytes.
bool truncateFile(int Fd, uint64_t Bytes);

/// Results as from the C library's functions; reads and writes may be short or
/// interrupted.
int openForReading(const char *Path);
void closeFile(int Fd);
long readAt(int Fd, void *To, size_t Bytes, uint64_t Offset);
long writeAt(int Fd, const void *From, size_t Bytes, uint64_t Offset);
/// Writes at the descriptor's position, or to a pipe or terminal.
long writeNext(int Fd, const void *From, size_t Bytes);
bool renameFile(const char *From, const char *To);
bool removeFile(const char *Path);
/// Closes all descriptors but one.
void closeOtherFiles(int Fd);

bool isRegularFile(int Fd);
bool isExecutable(const char *Path);
bool isTerminal(int Fd);
/// The number of links to a file; to a folder: one for each subfolder and two
/// more. 0: unknown.
uint64_t countLinks(const char *Path);
/// Identity of an open file; false if \p Fd is not open.
bool fileIdentity(int Fd, uint64_t &Device, uint64_t &Inode);
/// Size of an open file; false if \p Fd is not open.
bool fileSize(int Fd, uint64_t &Bytes);

/// Reads at most \p Size - 1 bytes of a file and NUL-terminates them. \returns
/// the number of bytes, 0 on failure
size_t readSmallFile(const char *Path, char *Buffer, size_t Size);
/// The number at the start of \p Text, after blanks, or \p Otherwise.
uint64_t leadingNumber(const char *Text, uint64_t Otherwise);
/// The number after the first \p Key of a small file, or \p Otherwise. Needs 4
/// KiB of stack.
uint64_t numberInFile(const char *Path, const char *Key, uint64_t Otherwise);
/// The target of a symbolic link, cut to \p Size - 1 bytes, or "".
void readLink(const char *Path, char *Buffer, size_t Size);
/// The current folder, or "".
void currentFolder(char *Buffer, size_t Size);

} // namespace inmem::rt

#endif
