//===- Records.h - Fields of the records ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line a field, in the order of its bytes. Each list makes the structure in
// the trace (Format.h, FeatureRecords.h) and the words of the text form, both
// ways (TextFields.cpp). For records that are read as they are, it also makes
// the member that readers see (Trace.h) and the code that reads it
// (RecordReader.cpp):
//
//   FIELD(Rank, Type, Name, Key, Form[, Names])   a number in a Form
//   TEXT(Rank, Name, Key)                         a string
//   ONLY(Type, Name)                              in the structure alone
//
// Form is an enumerator of TextFields.h. Rank is the position of the word in
// its line: a new field has the next number, and takes the place of a reserved
// one, or the end. An older trace has 0 there.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_RECORDS_H
#define INMEM_TRACE_RECORDS_H

// Row.Type refers to Index. Fields: offset from the start of the record to
// FieldRecord[FieldCount].
#define INMEM_TYPE_RECORD(FIELD, TEXT, ONLY)                                   \
  FIELD(0, uint32_t, Index, "index", Decimal) /* 1-based, dense */             \
  FIELD(3, uint32_t, Align, "align", Decimal)                                  \
  FIELD(1, uint64_t, Id, "id", Hex) /* inmem_type.id: equal in other files */  \
  FIELD(2, uint64_t, Size, "size", Decimal) /* bytes; 0: unknown */            \
  FIELD(4, uint32_t, Flags, "flags", Words, kTypeFlagNames)                    \
  TEXT(5, Name, "name")                                                        \
  ONLY(uint32_t, FieldCount)                                                   \
  ONLY(uint32_t, Fields)

// Frames: offset from the start of the record to FrameRecord[FrameCount]. For
// callers, Key is a hash of module and offset, and Function is a dynamic symbol
// or empty; the return address is at the offsets from Module and Function.
#define INMEM_SITE_RECORD(FIELD, TEXT, ONLY)                                   \
  FIELD(0, uint32_t, Id, "id", Decimal)     /* 1-based, dense; below 2^20 */   \
  FIELD(1, uint32_t, Type, "type", Decimal) /* type index; 0: unknown */       \
  FIELD(2, uint64_t, Key, "key", Hex)       /* inmem_site.key */               \
  FIELD(3, uint32_t, Kind, "kind", Word, kSiteKindNames)                       \
  FIELD(6, uint32_t, Line, "line", Decimal)                                    \
  FIELD(7, uint32_t, Column, "column", Decimal)                                \
  FIELD(8, uint16_t, ArrayCookie, "cookie", Decimal)                           \
  FIELD(12, uint8_t, Rule, "rule", Word, kTypeRuleNames)                       \
  FIELD(13, uint8_t, Flags, "flags", Words, kSiteFlagNames)                    \
  TEXT(4, Function, "function") /* linkage name */                             \
  TEXT(5, File, "file")                                                        \
  FIELD(9, uint32_t, Module, "module", Decimal) /* module id; 0: unknown */    \
  ONLY(uint32_t, FrameCount)                                                   \
  FIELD(10, uint64_t, ModuleOffset, "offset", Hex) /* of callers */            \
  ONLY(uint32_t, Frames)                                                       \
  FIELD(11, uint32_t, SymbolOffset, "symbol-offset", Hex) /* as above */

#define INMEM_THREAD_RECORD(FIELD, TEXT, ONLY)                                 \
  FIELD(0, uint32_t, Index, "index", Decimal) /* ExtentHeader.Owner */         \
  FIELD(1, uint32_t, Tid, "tid", Decimal)                                      \
  FIELD(2, uint64_t, StartTicks, "start", Decimal)                             \
  TEXT(3, Name, "name") /* at the time of the record */                        \
  ONLY(uint32_t, Reserved)

// Module: as ExtentHeader.Module of a Counters extent. Cell: the index in it.
#define INMEM_OBJECT_RECORD(FIELD, TEXT, ONLY)                                 \
  FIELD(0, uint32_t, Module, "module", Decimal)                                \
  FIELD(1, uint32_t, Cell, "cell", Decimal)                                    \
  FIELD(2, uint32_t, Type, "type", Decimal) /* type index; 0: unknown */       \
  FIELD(10, uint32_t, Line, "line", Decimal)                                   \
  FIELD(11, uint32_t, Column, "column", Decimal)                               \
  FIELD(3, uint8_t, Event, "event", Word, kObjectEventNames)                   \
  FIELD(4, uint8_t, Storage, "storage", Word, kStorageNames)                   \
  FIELD(5, uint8_t, Manner, "manner", Word, kMannerNames)                      \
  FIELD(6, uint8_t, Times, "times", Decimal) /* objects a count; 0: one */     \
  TEXT(7, ClassName, "class")                                                  \
  TEXT(8, Function, "function")                                                \
  TEXT(9, File, "file")                                                        \
  ONLY(uint32_t, Reserved1)                                                    \
  FIELD(12, uint64_t, Key, "key", Hex)

#define INMEM_STRING_COPY_RECORD(FIELD, TEXT, ONLY)                            \
  FIELD(2, uint64_t, Key, "key", Hex) /* of the parameter; 0: a variable */    \
  FIELD(6, uint32_t, Line, "line", Decimal)                                    \
  FIELD(7, uint16_t, Column, "column", Decimal)                                \
  FIELD(0, uint8_t, Kind, "kind", Word, kCopyKindNames)                        \
  FIELD(1, uint8_t, Flags, "flags", Words, kCopyFlagNames)                     \
  TEXT(4, Function, "function") /* linkage name; none: an argument */          \
  TEXT(5, File, "file")                                                        \
  TEXT(3, Name, "name") /* of the variable or parameter */                     \
  ONLY(uint32_t, Reserved)

#define INMEM_SOURCE_RECORD(FIELD, TEXT, ONLY)                                 \
  FIELD(1, uint64_t, Hash, "hash", Hex) /* XXH64 of its bytes; never 0 */      \
  TEXT(0, File, "file")                                                        \
  FIELD(2, uint32_t, Flags, "flags", Decimal) /* enum inmem_source_flags */

// The type of a site's blocks that `inmem symbolize` found in the program's
// file. Passed: the number of innermost nodes of the site's stack that only
// return the block. If the site has calls of callers instead, the number, from
// 1, of the call that gets the row; 0: the last.
#define INMEM_FOUND_TYPE_RECORD(FIELD, TEXT, ONLY)                             \
  FIELD(0, uint32_t, Site, "site", Decimal) /* SiteRecord.Id, or of a pair */  \
  TEXT(4, Name, "name")                                                        \
  FIELD(3, uint64_t, Size, "size", Decimal) /* bytes; 0: unknown */            \
  FIELD(1, uint8_t, Source, "source", Word, kTypeSourceNames)                  \
  FIELD(2, uint8_t, Rule, "rule", Word, kFoundRuleNames)                       \
  FIELD(5, uint16_t, Passed, "passed", Decimal) /* frames that hand out */     \
  ONLY(uint32_t, Reserved)

// A member of a class, in an array after its TypeRecord.
#define INMEM_FIELD_RECORD(FIELD, TEXT, ONLY)                                  \
  FIELD(5, uint64_t, TypeId, "type-id", Hex) /* as inmem_field.type_id */      \
  FIELD(1, uint32_t, Offset, "offset", Decimal)                                \
  FIELD(2, uint32_t, Size, "size", Decimal)                                    \
  TEXT(0, Name, "name")                                                        \
  TEXT(6, TypeName, "type-name")                                               \
  FIELD(3, uint8_t, Kind, "kind", Word, kFieldKindNames)                       \
  FIELD(4, uint8_t, Bit, "bit", Decimal)                                       \
  ONLY(uint16_t, Reserved0)                                                    \
  ONLY(uint32_t, Reserved1)

#define INMEM_FRAME_RECORD(FIELD, TEXT, ONLY)                                  \
  TEXT(0, Function, "function") /* linkage name */                             \
  TEXT(1, File, "file")                                                        \
  FIELD(2, uint32_t, Line, "line", Decimal)                                    \
  FIELD(3, uint16_t, Column, "column", Decimal)                                \
  FIELD(4, uint16_t, Flags, "flags", Words, kFrameFlagNames)

// A file address + Base is the address at run time. BuildId: offset from the
// start of the record.
#define INMEM_MODULE_RECORD(FIELD, TEXT, ONLY)                                 \
  FIELD(0, uint32_t, Id, "id", Decimal) /* 1-based */                          \
  ONLY(uint32_t, BuildIdBytes)                                                 \
  FIELD(1, uint64_t, Base, "base", Hex)                                        \
  TEXT(2, Path, "path")                                                        \
  ONLY(uint32_t, BuildId)

#define INMEM_NOTE_RECORD(FIELD, TEXT, ONLY)                                   \
  FIELD(0, NoteKind, Kind, "kind", Word, kNoteNames)                           \
  TEXT(2, Text, "text")                                                        \
  FIELD(1, uint64_t, Ticks, "ticks", Decimal)

// Snapshot: Sequence of the Snapshot extent taken with it; 0: none.
// Header.Reserved is 1 if only the snapshot has a name, and no phase begins.
#define INMEM_PHASE_RECORD(FIELD, TEXT, ONLY)                                  \
  FIELD(0, uint64_t, Ticks, "ticks", Decimal)                                  \
  TEXT(2, Name, "name")                                                        \
  FIELD(1, uint32_t, Snapshot, "snapshot", Decimal)

// Offset: from the module's Base; without a module, the address.
#define INMEM_ADDRESS_RECORD(FIELD, TEXT, ONLY)                                \
  FIELD(0, uint32_t, Id, "id", Decimal)         /* 1-based, dense */           \
  FIELD(1, uint32_t, Module, "module", Decimal) /* 0: generated code */        \
  FIELD(2, uint64_t, Offset, "offset", Hex)                                    \
  TEXT(3, Function, "function") /* dynamic symbol, linkage name */             \
  FIELD(4, uint32_t, SymbolOffset, "symbol-offset", Hex) /* from Function */   \
  FIELD(5, uint32_t, Flags, "flags", Words, kAddressFlagNames)                 \
  ONLY(uint32_t, Reserved)

#define INMEM_NAME_RECORD(FIELD, TEXT, ONLY)                                   \
  FIELD(0, uint32_t, Address, "address", Decimal) /* AddressRecord.Id */       \
  TEXT(1, Function, "function")                   /* linkage name */           \
  FIELD(2, uint32_t, SymbolOffset, "symbol-offset", Decimal)                   \
  ONLY(uint32_t, Reserved)

// Parent: the caller's node, written before; 0: outermost.
#define INMEM_STACK_RECORD(FIELD, TEXT, ONLY)                                  \
  FIELD(0, uint32_t, Id, "id", Decimal) /* 1-based, dense */                   \
  FIELD(1, uint32_t, Parent, "parent", Decimal)                                \
  FIELD(2, uint32_t, Address, "address", Decimal) /* AddressRecord.Id */       \
  FIELD(3, uint32_t, Flags, "flags", Words, kStackFlagNames)

#define INMEM_STACKED_SITE_RECORD(FIELD, TEXT, ONLY)                           \
  FIELD(0, uint32_t, Id, "id", Decimal)                                        \
  FIELD(1, uint32_t, Site, "site", Decimal)   /* SiteRecord.Id */              \
  FIELD(2, uint32_t, Stack, "stack", Decimal) /* StackRecord.Id */             \
  ONLY(uint32_t, Reserved)

// Frames: offset of FrameRecord[FrameCount], innermost first.
#define INMEM_SYMBOL_RECORD(FIELD, TEXT, ONLY)                                 \
  FIELD(0, uint32_t, Address, "address", Decimal) /* AddressRecord.Id */       \
  ONLY(uint32_t, FrameCount)                                                   \
  ONLY(uint32_t, Frames)                                                       \
  ONLY(uint32_t, Reserved)

#define INMEM_CALLED_SITE_RECORD(FIELD, TEXT, ONLY)                            \
  FIELD(0, uint32_t, Id, "id", Decimal)                                        \
  FIELD(1, uint32_t, Site, "site", Decimal) /* SiteRecord.Id */                \
  TEXT(2, Function, "function")             /* linkage name */                 \
  TEXT(3, File, "file")                                                        \
  FIELD(4, uint32_t, Line, "line", Decimal)                                    \
  FIELD(5, uint32_t, Column, "column", Decimal)

// Offset: of the last byte of the call, from the module's base.
#define INMEM_CALLER_CALL_RECORD(FIELD, TEXT, ONLY)                            \
  FIELD(0, uint32_t, Id, "id", Decimal) /* CalledSiteRecord.Id, earlier */     \
  FIELD(1, uint32_t, Module, "module", Decimal) /* 0: unknown */               \
  FIELD(2, uint64_t, Offset, "offset", Hex)

#define INMEM_PROFILE_RECORD(FIELD, TEXT, ONLY)                                \
  FIELD(0, ProfileClock, Clock, "clock", Word, kProfileClockNames)             \
  FIELD(1, uint32_t, Depth, "depth", Decimal) /* frames of a stack at most */  \
  FIELD(2, uint64_t, IntervalNs, "interval", Decimal)                          \
  TEXT(3, Include, "include") /* globs on the interesting frame's function */  \
  TEXT(4, Exclude, "exclude")

// Machine: EM_X86_64 or EM_AARCH64, of the system call's number.
#define INMEM_WAIT_RECORD(FIELD, TEXT, ONLY)                                   \
  FIELD(0, uint32_t, Id, "id", Decimal)    /* 1-based */                       \
  FIELD(1, int32_t, Call, "call", Decimal) /* -1: in none */                   \
  TEXT(3, Target, "target") /* a file's path, or a lock's place */             \
  FIELD(2, uint32_t, Machine, "machine", Decimal)

// Members of the structure in the trace.
#define INMEM_STORED(Rank, Type, Name, ...) Type Name;
#define INMEM_STORED_TEXT(Rank, Name, Key) StringOffset Name;
#define INMEM_STORED_ONLY(Type, Name) Type Name;
#define INMEM_STORED_IN(Record)                                                \
  Record(INMEM_STORED, INMEM_STORED_TEXT, INMEM_STORED_ONLY)

// Members that readers see.
#define INMEM_SEEN(Rank, Type, Name, ...) Type Name = 0;
#define INMEM_SEEN_TEXT(Rank, Name, Key) std::string_view Name;
#define INMEM_NOT_SEEN(Type, Name)
#define INMEM_SEEN_IN(Record)                                                  \
  Record(INMEM_SEEN, INMEM_SEEN_TEXT, INMEM_NOT_SEEN)

// Sets members in To from members of the structure From. Text(Rank, Name, Key)
// sets the string Taken.Name.
#define INMEM_TAKE(Rank, Type, Name, ...) Taken.Name = Stored.Name;
#define INMEM_TAKE_IN(To, From, Text, Record)                                  \
  {                                                                            \
    auto &Taken = To;                                                          \
    const auto &Stored = From;                                                 \
    Record(INMEM_TAKE, Text, INMEM_NOT_SEEN)                                   \
  }

#endif
