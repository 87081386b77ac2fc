//===- Files.h - Files ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw system calls: the C library's functions of these names are cancellation
// points, and a thread that ended here could hold the runtime's mutex
// (tests/runtime/check_imports.cmake refuses their names).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_FILES_H
#define INMEM_RUNTIME_FILES_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// Creates \p Path (mode 0600, never through a symbolic link, never an
/// existing file) on a high, close-on-exec descriptor, so that the program's
/// own descriptors keep their numbers. \returns -errno on failure.
int createFile(const char *Path);
/// The same, but an unnamed file in the folder of \p Path, which nameFile()
/// names later (O_TMPFILE); not every file system has such files.
int createUnnamedFile(const char *Path);
/// \returns 0 or an errno value: EEXIST if there is a file of that name, which
/// stays as it is.
int nameFile(int Fd, const char *Path);
/// Whether \p Path is a device, or a link to one or to a pipe: no place beside
/// which anybody wants a file.
bool leadsToDevice(const char *Path);
/// Opens \p Path, or creates it as createFile() does, so that each write goes
/// behind what is there; -errno on failure.
int openForAppending(const char *Path);
/// Opens an existing regular file that this user owns; -errno on failure.
int openOwnFile(const char *Path, bool Writable);
/// Marks an open file as in use by this process, for as long as it is open
/// here: a POSIX record lock, which other PID namespaces see too, and which
/// forked children do not inherit. Where there are no locks, nothing happens.
void holdFile(int Fd);
/// Whether another process holds it.
bool isHeldByOther(int Fd);
/// Makes room on disk up to \p End. 0, or an errno value; raises no signal.
int growFile(int Fd, uint64_t From, uint64_t End);
/// The same by writing zeros.
int writeZeros(int Fd, uint64_t From, uint64_t End);
/// Cuts the file to \p Bytes.
bool truncateFile(int Fd, uint64_t Bytes);

/// Results are the C library's; reads and writes may be short or interrupted
/// as there.
int openForReading(const char *Path);
void closeFile(int Fd);
long readAt(int Fd, void *To, size_t Bytes, uint64_t Offset);
long writeAt(int Fd, const void *From, size_t Bytes, uint64_t Offset);
/// Where the descriptor stands, or to a pipe or terminal.
long writeNext(int Fd, const void *From, size_t Bytes);
bool renameFile(const char *From, const char *To);
bool removeFile(const char *Path);
/// Closes all descriptors but one.
void closeOtherFiles(int Fd);

bool isRegularFile(int Fd);
bool isExecutable(const char *Path);
/// Identity of an open file; false if \p Fd is not open.
bool fileIdentity(int Fd, uint64_t &Device, uint64_t &Inode);
/// Size of an open file; false if \p Fd is not open.
bool fileSize(int Fd, uint64_t &Bytes);

/// Reads at most \p Size - 1 bytes of a file and terminates them with NUL.
/// \returns the number of bytes, 0 on failure.
size_t readSmallFile(const char *Path, char *Buffer, size_t Size);
/// Where a symbolic link leads, cut to \p Size - 1 bytes, or "".
void readLink(const char *Path, char *Buffer, size_t Size);
/// The current folder, or "".
void currentFolder(char *Buffer, size_t Size);

} // namespace inmem::rt

#endif
