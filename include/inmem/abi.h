// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* abi.h - the contract between code that the inmem plugin instrumented and the
 * runtime (libinmem_rt). The plugin emits exactly these records and calls; the
 * runtime reads and implements them. docs/abi.md explains it. Plain C, needs
 * <stdint.h> and <stddef.h> only; one owner, no second copy anywhere.
 *
 * All "relative" members hold a signed 32-bit distance in bytes from the
 * member's own address to the thing named; 0 means "none". They need no
 * dynamic relocation, so the records cost nothing when a program starts.
 */
#ifndef INMEM_ABI_H
#define INMEM_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define INMEM_STATIC_ASSERT(condition) static_assert(condition, #condition)
extern "C" {
#else
#define INMEM_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
#endif

/** Raised whenever a record below or a hook's meaning changes. Every
 * instrumented object refers to the symbol INMEM_ABI_SYMBOL, which only a
 * runtime of the same version defines: a mismatch, or a link without the
 * runtime, fails at link time with a name that says what is missing. */
#define INMEM_ABI_VERSION 1
#define INMEM_ABI_SYMBOL __inmem_abi_v1_link_with_libinmem_rt

/* Sections, C identifiers so that the linker makes __start_/__stop_ symbols. */
#define INMEM_SECTION_TYPES "inmem_types"       /* read-only inmem_type[] */
#define INMEM_SECTION_SITES "inmem_sites"       /* writable  inmem_site[] */
#define INMEM_SECTION_COUNTERS "inmem_counters" /* writable  uint64_t[]   */
/** Not loaded: functions with sites, inlined ones too, each as its linkage
 * name, a blank, the line that it begins at, and NUL. For `inmem optimize`. */
#define INMEM_SECTION_LINES ".inmem.lines"
#define INMEM_SECTION_OBJECTS "inmem_objects"     /* read-only inmem_object[] */
#define INMEM_SECTION_COPIES "inmem_copies"       /* the same: string copies */
#define INMEM_SECTION_VARIABLES "inmem_variables" /* the same: variables */
#define INMEM_SECTION_CALLS "inmem_calls"         /* read-only inmem_call[] */
#define INMEM_SECTION_SOURCES "inmem_sources"     /* read-only inmem_source[] */
#define INMEM_SECTION_REFERENCES "inmem_references" /* inmem_reference[] */

/** 16 bytes in front of a function's code that tell the language of its source:
 * all functions of C that call others, and functions of C++ whose names C could
 * have. */
#define INMEM_LANGUAGE_C "inmem language C"
#define INMEM_LANGUAGE_CPLUSPLUS "inmem language +"

/** A text that a relative member leads to may be packed together with others of
 * its unit: its first byte is then this, with which no text in UTF-8 begins. It
 * is the low byte of a 32-bit word, the rest of which says how many words
 * behind it a struct inmem_packed_texts is. The structure follows
 * one such word for each text, in order. */
#define INMEM_PACKED_TEXT 0xff
/** Most bytes that unpacked texts have, NULs included; and the fewest of one.
 */
#define INMEM_PACKED_MOST 32768
#define INMEM_PACKED_LEAST 16
struct inmem_packed_texts {
  uint32_t count;        /* texts */
  uint32_t bytes;        /* unpacked, each text with its NUL */
  uint32_t packed_bytes; /* that follow: steps of which each is a number n, n
                            bytes as they are, and unless these are the last, a
                            length minus INMEM_PACKED_MATCH and a distance: so
                            many bytes again from there. Numbers are of 7 bits a
                            byte, the low ones first, with bit 7 set in all
                            bytes but the last. */
};
#define INMEM_PACKED_MATCH 4
/** Defined by a runtime that reads packed texts; units with such texts refer to
 * it. */
#define INMEM_PACKED_SYMBOL __inmem_packed_texts_need_newer_libinmem_rt

/** Type of a field; a walk over an object graph follows it. */
enum inmem_field_kind {
  INMEM_FIELD_VALUE = 0,     /* a scalar or an embedded class */
  INMEM_FIELD_POINTER = 1,   /* raw pointer; type_id names the pointee */
  INMEM_FIELD_REFERENCE = 2, /* reference; type_id names the referee */
  INMEM_FIELD_SMART = 3,     /* smart pointer; type_id names the pointee */
  INMEM_FIELD_ARRAY = 4,     /* array; type_id names the element */
  INMEM_FIELD_BASE = 5,      /* non-virtual base class subobject */
  INMEM_FIELD_VIRTUAL_BASE = 6,
  INMEM_FIELD_VPTR = 7,
  INMEM_FIELD_BITFIELD = 8
};

/** One field or base of a type. 32 bytes, read-only. */
struct inmem_field {
  uint64_t type_id;  /* inmem_type.id of the field's class, pointee or element;
                        0: a scalar. An embedded class has its record in the
                        same object file; a pointee has one where the program
                        allocates it, so that none may be found. */
  uint32_t offset;   /* bytes from the start of the object */
  uint32_t size;     /* bytes; for a bit-field the width in bits */
  int32_t name;      /* relative, UTF-8, NUL-terminated; 0: unnamed */
  int32_t type_name; /* relative, canonical spelling */
  uint8_t kind;      /* enum inmem_field_kind */
  uint8_t bit;       /* bit-field: first bit within the byte at offset */
  uint16_t reserved0;
  uint32_t reserved1;
};

enum inmem_type_flags {
  INMEM_TYPE_POLYMORPHIC = 1, /* has a vptr */
  INMEM_TYPE_TRIVIAL_DTOR = 2,
  INMEM_TYPE_UNION = 4,
  INMEM_TYPE_CLASS = 8,      /* class, struct or union; else a scalar */
  INMEM_TYPE_COROUTINE = 16, /* a coroutine frame, named by its coroutine */
  INMEM_TYPE_CLOSURE = 32,   /* a lambda's closure */
  INMEM_TYPE_OPAQUE = 64,    /* size unknown (0) */
  INMEM_TYPE_RAW = 256,   /* storage for anything: char and its kin, std::byte,
                             aligned_storage, max_align_t */
  INMEM_TYPE_OBJECT = 128 /* of sites of INMEM_SITE_OBJECT: the class again,
                             so that its objects and its blocks stay apart;
                             without fields, which leads to an int32_t that
                             leads to the record of its blocks */
};

/** A type descriptor. 32 bytes, in a comdat named by its id, so that a shared
 * object holds one copy; units of many types hold copies without comdats. */
struct inmem_type {
  uint64_t id;    /* xxHash of mangled name, size and fields; never 0 */
  uint64_t size;  /* sizeof in bytes; 0 if unknown */
  int32_t name;   /* relative: canonical C++ spelling (docs/types.md) */
  int32_t fields; /* relative: inmem_field[field_count] */
  uint32_t field_count;
  uint16_t align; /* bytes */
  uint16_t flags; /* enum inmem_type_flags */
};

/** Result of inmem::detail::described<T>() of inmem/graph.h in instrumented
 * code: the records of T (the first) and of all that pointers and fields lead
 * to from there. */
struct inmem_description {
  int32_t count;
  int32_t types[1]; /* relative: inmem_type; count of them */
};

/** The spelling of an allocation. */
enum inmem_site_kind {
  INMEM_SITE_UNKNOWN = 0,
  INMEM_SITE_NEW = 1, /* operator new for an object */
  INMEM_SITE_NEW_ARRAY = 2,
  INMEM_SITE_MALLOC = 3,
  INMEM_SITE_CALLOC = 4,
  INMEM_SITE_REALLOC = 5, /* realloc, reallocarray */
  INMEM_SITE_ALIGNED = 6, /* aligned_alloc, memalign, posix_memalign, valloc */
  INMEM_SITE_STRING = 7,  /* strdup, asprintf, getline and the like */
  INMEM_SITE_CUSTOM = 8,  /* an allocator that the user declared or named */
  INMEM_SITE_ALLOCATOR = 9, /* ::operator new called by a std-like allocator */
  INMEM_SITE_COROUTINE = 10,
  INMEM_SITE_EXCEPTION = 11,
  INMEM_SITE_CALLER = 12, /* runtime only: code without instrumentation */
  INMEM_SITE_OBJECT = 13, /* objects=lifetime: a constructor's call;
                             array_cookie is storage | manner << 4 */
  INMEM_SITE_HELD = 14    /* runtime only: objects inside a heap block; line
                             is the block's site, key the objects' */
};

/** The rule that found the type of a site; docs/types.md has the precedence. */
enum inmem_type_rule {
  INMEM_RULE_NONE = 0,     /* no type */
  INMEM_RULE_LANGUAGE = 1, /* the language says it: new, throw, a coroutine */
  INMEM_RULE_SIZEOF = 2,   /* sizeof(T) in the size */
  INMEM_RULE_POINTER = 3,  /* what the pointer becomes by a cast, an assignment
                              or a return */
  INMEM_RULE_VARIABLE = 4, /* the same, through a local variable */
  INMEM_RULE_LIBRARY = 5,  /* a function known to return strings */
  INMEM_RULE_IR = 6,       /* without the AST: debug information, or the name of
                              an allocator's function */
  INMEM_RULE_FLOW = 7,     /* what members, parameters and variables that the
                              pointer is handed on to are cast to */
  INMEM_RULE_PLACED = 8,   /* raw storage: the object constructed at its start,
                              which is all that it holds */
  INMEM_RULE_KEPT = 9      /* runtime only: the site names none, and realloc
                              made the block of one that has it */
};
enum inmem_site_flags {
  INMEM_SITE_DISAGREE = 1,  /* another rule named another type */
  INMEM_SITE_EXTRA = 2,     /* the size is a sum: more than whole objects */
  INMEM_SITE_TOO_SMALL = 4, /* runtime only: the first block was smaller than
                               the type, which therefore does not count */
  INMEM_SITE_THROWS = 8,    /* not in traces: by an operator new that may throw,
                               in a function that lets exceptions pass */
  INMEM_SITE_PASSED = 64,   /* its function is of a library, or implicit,
                               or it allocates for its callers: a report passes
                               it over for the caller */
  INMEM_SITE_ONE = 32,      /* a block is one object of the type, whatever
                               follows it: sizeof(T) + n */
  INMEM_SITE_INHERITED = 16 /* runtime only: blocks that were there before this
                               process was forked; no part of its totals */
};

/** One step of the chain of calls that the optimiser inlined around a site,
 * innermost caller first. 16 bytes. */
struct inmem_frame {
  int32_t function; /* relative: linkage (mangled) name */
  int32_t file;     /* relative */
  uint32_t line;    /* where `function` makes the call; 0: unknown */
  uint16_t column;
  uint16_t flags; /* INMEM_FRAME_..., or 0 */
};
/** As INMEM_SITE_PASSED. For an inmem_call: the library's own, without a line.
 */
#define INMEM_FRAME_PASSED 1
/** For an inmem_call: the compiler may turn the call into a jump, and its
 * function then has no frame while the callee allocates. */
#define INMEM_FRAME_MAY_JUMP 2

/** A call in the user's code that may lead to an allocation by code that others
 * wrote, or a library's in a function that has such a call inlined. 8 bytes,
 * read-only, sorted by nothing. It lives and dies with the code that it is
 * about (SHF_LINK_ORDER). */
struct inmem_call {
  int32_t code;  /* relative: where the call's instructions begin. The first
                    call behind it, with no jump between, is the one. */
  int32_t place; /* relative: inmem_frame, the nearest call in the user's code
                    that the call is inlined in */
};

/** A static allocation point. 40 bytes, writable (the runtime fills in id at
 * first use, so a site that never runs costs nothing but its bytes). */
struct inmem_site {
  uint32_t id;      /* 0 until the runtime has registered the site */
  int32_t type;     /* relative: inmem_type; 0: unknown */
  int32_t function; /* relative: linkage name of the function as written */
  int32_t file;     /* relative: path as the compiler was given it */
  uint32_t line;    /* 1-based; 0: unknown */
  uint16_t column;
  uint8_t kind;         /* enum inmem_site_kind */
  uint8_t array_cookie; /* bytes of array cookie included in each request */
  int32_t inlined;      /* relative: inmem_frame[inlined_count] */
  uint16_t inlined_count;
  uint8_t rule;  /* enum inmem_type_rule */
  uint8_t flags; /* enum inmem_site_flags */
  uint64_t key;  /* hash of function, type, kind and ordinal: stable
                    under moved lines; never 0 */
};

/** Which act on an object a counter counts. */
enum inmem_object_event {
  INMEM_OBJECT_CONSTRUCTED = 0,
  INMEM_OBJECT_DESTROYED = 1,
  /** A call returned an object by value: one that was counted as constructed
   * with storage UNKNOWN turns out to live in `storage`. */
  INMEM_OBJECT_RECEIVED = 2,
  /* accesses=on: executed instructions that access bits of objects of the type;
     inmem_object.key has the bits. */
  INMEM_OBJECT_FIELD_READ = 3,
  INMEM_OBJECT_FIELD_WRITTEN = 4,
  INMEM_OBJECT_FIELD_COPIED = 5,      /* read to be stored in another object */
  INMEM_OBJECT_FIELD_INITIALISED = 6, /* written by a constructor */
  INMEM_OBJECT_FIELD_RELEASED = 7,    /* read by a destructor */
  INMEM_OBJECT_FIELD_USED =
      8, /* a call on the member, or any part of it read */
  INMEM_OBJECT_FIELD_ONE_READ = 9, /* read, or one of other fields instead */
  INMEM_OBJECT_FIELD_LOADED = 10,  /* together with a bit-field that was read */
  /** Counts nothing: code that names no field may access the bits. */
  INMEM_OBJECT_FIELD_OPAQUE = 11,
  /** As another record counts it, too: accessed in one element of an array
   * after the other. The place is the loop's. */
  INMEM_OBJECT_FIELD_STREAMED = 12,
  /** Counts nothing: the bits may be read in objects on the stack and in
   * variables, which have no counters. */
  INMEM_OBJECT_FIELD_UNCOUNTED = 13,
  /** Counts nothing: the source reads the bits at this place. */
  INMEM_OBJECT_FIELD_IN_SOURCE = 14
};
/** Where the object lives. */
enum inmem_object_storage {
  INMEM_STORAGE_UNKNOWN = 0,
  INMEM_STORAGE_HEAP = 1,
  INMEM_STORAGE_STACK = 2,  /* locals and temporaries */
  INMEM_STORAGE_STATIC = 3, /* globals and static locals */
  INMEM_STORAGE_THREAD = 4,
  INMEM_STORAGE_MEMBER = 5, /* part of another object */
  INMEM_STORAGE_PLACED = 6, /* placement new, arena, construct_at */
  INMEM_STORAGE_BASE = 7    /* a base subobject: no object of its own */
};
/** Names of these in remarks and in the text form of traces. */
#define INMEM_STORAGE_NAMES(NAME)                                              \
  NAME(INMEM_STORAGE_UNKNOWN, "unknown")                                       \
  NAME(INMEM_STORAGE_HEAP, "heap")                                             \
  NAME(INMEM_STORAGE_STACK, "stack")                                           \
  NAME(INMEM_STORAGE_STATIC, "static")                                         \
  NAME(INMEM_STORAGE_THREAD, "thread")                                         \
  NAME(INMEM_STORAGE_MEMBER, "member")                                         \
  NAME(INMEM_STORAGE_PLACED, "placed")                                         \
  NAME(INMEM_STORAGE_BASE, "base")
/** The way an object was constructed. */
enum inmem_object_manner {
  INMEM_MANNER_OTHER = 0, /* a constructor with several arguments */
  INMEM_MANNER_DEFAULT = 1,
  INMEM_MANNER_COPY = 2,
  INMEM_MANNER_MOVE = 3,
  INMEM_MANNER_CONVERT = 4,  /* from one value of another type */
  INMEM_MANNER_AGGREGATE = 5 /* member by member, without a constructor */
};
/** As INMEM_STORAGE_NAMES. */
#define INMEM_MANNER_NAMES(NAME)                                               \
  NAME(INMEM_MANNER_OTHER, "other")                                            \
  NAME(INMEM_MANNER_DEFAULT, "default")                                        \
  NAME(INMEM_MANNER_COPY, "copy")                                              \
  NAME(INMEM_MANNER_MOVE, "move")                                              \
  NAME(INMEM_MANNER_CONVERT, "convert")                                        \
  NAME(INMEM_MANNER_AGGREGATE, "aggregate")

/** Describes what a counter cell counts. 48 bytes, read-only, in the comdat of
 * its cell. Objects that are made or ended together share a cell, which then
 * has several of these.
 * The cell is a uint64_t in INMEM_SECTION_COUNTERS; code increments
 * *(uint64_t *)((char *)&cell + displacement of this thread). */
struct inmem_object {
  int32_t cell;       /* relative: the uint64_t cell */
  int32_t type;       /* relative: inmem_type of the class; 0: unknown */
  int32_t class_name; /* relative: canonical class name */
  int32_t function;   /* relative: linkage name of the function with the call */
  int32_t file;       /* relative */
  uint32_t line;
  uint16_t column;
  uint8_t event;   /* enum inmem_object_event */
  uint8_t storage; /* enum inmem_object_storage */
  uint8_t manner;  /* enum inmem_object_manner */
  uint8_t times;   /* objects that one count represents; 0: one */
  uint8_t reserved[2];
  uint64_t key; /* stable hash, as inmem_site.key; of INMEM_OBJECT_FIELD_...
                   the first bit of the object | number of bits << 32 */
  uint64_t reserved1;
};

/** The use of a string that is never changed. */
enum inmem_copy_kind {
  INMEM_COPY_VARIABLE = 0,  /* a local variable */
  INMEM_COPY_PARAMETER = 1, /* not a copy: a parameter that its function only
                               reads; its copies are arguments */
  INMEM_COPY_ARGUMENT = 2   /* an argument, in the function that calls */
};
enum inmem_copy_flags {
  INMEM_COPY_VIEW = 1,       /* std::string_view would do instead */
  INMEM_COPY_REFERENCE = 2,  /* a const reference to the source would do */
  INMEM_COPY_CONSTANT = 4,   /* a static constant would do: of a literal */
  INMEM_COPY_CHARACTERS = 8, /* made of characters, or of a part of a string */
  INMEM_COPY_ALONE = 16,     /* no other string is made on its line */
  INMEM_COPY_OUTSIDE = 32    /* of an argument: its source is not the caller's
                                own; of a parameter: its function changes what
                                is not its own. Both: they may be the same. */
};

/** A std::basic_string that is only read while its source is there, or a
 * parameter that is only read. 32 bytes, read-only; the same content is one
 * record in each shared object, which stays though no code refers to it. */
struct inmem_string_copy {
  uint64_t key;     /* of the parameter, the same in each unit; 0: a variable */
  int32_t function; /* relative: linkage name of the function; 0: an argument */
  int32_t file;     /* relative */
  int32_t name;     /* relative: of the variable or parameter */
  uint32_t line;
  uint16_t column;
  uint8_t kind;  /* enum inmem_copy_kind */
  uint8_t flags; /* enum inmem_copy_flags */
  uint32_t reserved;
};

/** A variable with static or thread storage, of a class that may hold memory.
 * Where it is, its file's symbols say. 16 bytes, read-only; the same content is
 * one record in each shared object, which stays though no code refers to it. */
struct inmem_variable {
  uint64_t size; /* in bytes, of an array all of it */
  int32_t name;  /* relative: linkage name */
  int32_t type;  /* relative: inmem_type, of an array its element's */
};

/** A source file of the user's that a unit has functions of. 16 bytes,
 * read-only; the same content is one record in each shared object, which stays
 * though no code refers to it. */
struct inmem_source {
  uint64_t hash;  /* XXH64 of the file's bytes when it was compiled; never 0 */
  int32_t file;   /* relative: as inmem_site.file */
  uint32_t flags; /* enum inmem_source_flags */
};
enum inmem_source_flags {
  INMEM_SOURCE_ACCESSES = 1 /* compiled with accesses=on */
};

enum inmem_reference_flags {
  INMEM_REFERENCE_FROM = 1,   /* of __inmem_from_f, not of __inmem_f */
  INMEM_REFERENCE_DEFINED = 2 /* function is an instrumented definition in this
                                 module; by is null */
};

/** An allocation function as the linker and the loader resolve it for the
 * module's own code. If that is not what the runtime's hook calls, the runtime
 * stores `by` in the module's import slot of the hook. 24 bytes, writable by
 * the loader only; one for each hook and module (comdat). */
struct inmem_reference {
  const void *function; /* callee of a plain call */
  const void *by;       /* a function like the hook that tail-calls
                           __inmem_by_f with `function` */
  uint32_t hook;        /* enum inmem_hook */
  uint32_t flags;       /* enum inmem_reference_flags */
};

/** Registration that each shared object (or executable) passes to the runtime,
 * from one constructor in a comdat. Kept by the object; the runtime keeps a
 * pointer until __inmem_unregister_module. */
struct inmem_module {
  uint32_t abi_version; /* INMEM_ABI_VERSION */
  uint32_t bytes;       /* of this; 0: members after table_index are absent */
  const struct inmem_type *types_begin, *types_end;
  struct inmem_site *sites_begin, *sites_end;
  uint64_t *counters_begin, *counters_end;
  const struct inmem_object *objects_begin, *objects_end;
  /** Form "delta": the address, in the calling thread, of this object's
   * thread-local displacement (static TLS), or null. */
  int64_t *delta;
  /** Form "table" (-fPIC): receives this object's index into the
   * runtime's thread-local __inmem_displacement_table; null if not used. */
  uint32_t *table_index;
  const struct inmem_string_copy *copies_begin, *copies_end;
  const struct inmem_variable *variables_begin, *variables_end;
  const struct inmem_call *calls_begin, *calls_end;
  const struct inmem_source *sources_begin, *sources_end;
  const struct inmem_reference *references_begin, *references_end;
};
/** True if the plugin that made it knew the member. */
#define INMEM_MODULE_HAS(module, member)                                       \
  ((module)->bytes >=                                                          \
   offsetof(struct inmem_module, member) + sizeof((module)->member))

INMEM_STATIC_ASSERT(sizeof(struct inmem_field) == 32);
INMEM_STATIC_ASSERT(sizeof(struct inmem_type) == 32);
INMEM_STATIC_ASSERT(sizeof(struct inmem_frame) == 16);
INMEM_STATIC_ASSERT(sizeof(struct inmem_site) == 40);
INMEM_STATIC_ASSERT(offsetof(struct inmem_site, key) == 32);
INMEM_STATIC_ASSERT(sizeof(struct inmem_object) == 48);
INMEM_STATIC_ASSERT(sizeof(struct inmem_string_copy) == 32);
INMEM_STATIC_ASSERT(sizeof(struct inmem_variable) == 16);
INMEM_STATIC_ASSERT(sizeof(struct inmem_call) == 8);
INMEM_STATIC_ASSERT(sizeof(struct inmem_source) == 16);
INMEM_STATIC_ASSERT(sizeof(struct inmem_reference) == 24);
INMEM_STATIC_ASSERT(sizeof(struct inmem_module) == 168);
INMEM_STATIC_ASSERT(sizeof(struct inmem_packed_texts) == 12);

/* Names of hooks: an allocation function f is called as __inmem_f, for a
 * mangled operator too (__inmem__Znwm). Allocating hooks take the original's
 * arguments and then the site; freeing hooks take the original's arguments.
 * They behave exactly as the original (errno, alignment, exceptions, null). */
#define INMEM_HOOK_PREFIX "__inmem_"
/* __inmem_from_f(args..., site, slot) is the same in a function that allocates
 * for its callers: slot is where its own return address is saved. */
#define INMEM_FROM_PREFIX "__inmem_from_"
/* __inmem_by_f(args..., site, function), __inmem_by_from_f(args..., site, slot,
 * function) and, for one that frees, __inmem_by_f(args..., function) call
 * `function` in place of the f that the process has. Blocks that it allocates
 * to do so do not count. */
#define INMEM_BY_PREFIX "__inmem_by_"

/* clang-format moves the rows of such lists each time it runs. */
/* clang-format off */
/** X(name): functions whose calls become __inmem_<name>(args..., site). */
#define INMEM_ALLOCATING_FUNCTIONS(X)                                          \
  X(malloc)                                                                    \
  X(calloc) X(realloc) X(reallocarray) X(aligned_alloc) X(memalign) X(valloc)  \
      X(pvalloc) X(posix_memalign) X(_Znwm) X(_Znam) X(_ZnwmRKSt9nothrow_t)    \
          X(_ZnamRKSt9nothrow_t) X(_ZnwmSt11align_val_t)                       \
              X(_ZnamSt11align_val_t) X(_ZnwmSt11align_val_tRKSt9nothrow_t)    \
                  X(_ZnamSt11align_val_tRKSt9nothrow_t)

/** X(name): functions whose calls become __inmem_<name>(args...). */
#define INMEM_FREEING_FUNCTIONS(X)                                             \
  X(free)                                                                      \
  X(_ZdlPv) X(_ZdaPv) X(_ZdlPvm) X(_ZdaPvm) X(_ZdlPvRKSt9nothrow_t)            \
      X(_ZdaPvRKSt9nothrow_t) X(_ZdlPvSt11align_val_t)                         \
          X(_ZdaPvSt11align_val_t) X(_ZdlPvmSt11align_val_t)                   \
              X(_ZdaPvmSt11align_val_t) X(_ZdlPvSt11align_val_tRKSt9nothrow_t) \
                  X(_ZdaPvSt11align_val_tRKSt9nothrow_t)
/* clang-format on */

/** Hooks by number, in the order of the two lists, which only grow at the end
 * of the second. */
#define INMEM_HOOK_NUMBER(name) INMEM_HOOK_##name,
enum inmem_hook {
  INMEM_ALLOCATING_FUNCTIONS(INMEM_HOOK_NUMBER)
      INMEM_FREEING_FUNCTIONS(INMEM_HOOK_NUMBER) INMEM_HOOKS
};
#undef INMEM_HOOK_NUMBER

/** X(name): what a static link wraps (-Wl,--wrap=name) in addition to the C
 * functions of the two lists above. */
#define INMEM_STATIC_WRAPPED_FUNCTIONS(X)                                      \
  X(pthread_create)                                                            \
  X(_exit) X(_Exit) X(mmap) X(mmap64) X(munmap) X(mremap) X(sbrk) X(prctl)

/* Hooks that are not in the two lists; all are safe from any thread, before
 * main, after exit and in signal handlers, never throw and keep errno. */

/** The block at p (if it is one and alive) belongs to site from now on. For
 * functions that return a new block without being allocation functions
 * themselves (a user's allocator). p may be null or anything. */
void __inmem_retag(void *p, struct inmem_site *site);

/** As above, for a library function that hands out a block of the C library's,
 * though it need not be the thread's newest (getline fills the file's buffer
 * after it made the line). Ignores blocks that have another type. */
void __inmem_retag_owned(void *p, struct inmem_site *site);

/** As above, for scandir: array holds count pointers to blocks of entry's type;
 * nothing if count is negative. */
void __inmem_retag_entries(void **array, int count, struct inmem_site *site,
                           struct inmem_site *entry);

/** As above, for a call of which it is not certain that it allocates (through a
 * pointer, into another unit): the block is given to site only if it is the
 * thread's newest, no other site has named what it holds, and its size is a
 * multiple of unit and either unit itself or what the call asked for: a, b or
 * a * b, up to 15 bytes more. Code calls it only where p is __inmem_newest or,
 * if the call names the type's size, __inmem_returned. */
void __inmem_retag_sized(void *p, struct inmem_site *site, uint64_t unit,
                         uint64_t a, uint64_t b);

/** The calling thread's newest block; null once it was freed. Initial-exec TLS
 * of the runtime, for reading. */
extern __thread void *__inmem_newest;

/** contexts=on: the calling thread's context, a hash of the return addresses
 * of its functions. A function that has loaded the word w stores, before each
 * call that may allocate, w * INMEM_CONTEXT_FACTOR + its own return address;
 * before one that is a jump, w. 0 where a thread begins, and in main.
 * Initial-exec TLS of the runtime. */
extern __thread uint64_t __inmem_context;
#define INMEM_CONTEXT_FACTOR 0x5bd1e995

/** The last block that a function of the calling thread made, followed by other
 * blocks, and then returned. Initial-exec TLS of the runtime, which only such
 * functions write. */
extern __thread void *__inmem_returned;

/** The next allocation of this thread that brings no site of its own belongs
 * to site. Called where a musttail call forbids another argument. */
void __inmem_expect(struct inmem_site *site);
/** As __inmem_expect, in a function that allocates for its callers: slot is
 * where its own return address is saved. */
void __inmem_expect_from(struct inmem_site *site, const void *slot);

/** 1 if the code of function is one jump to target, else 0; 0 if either is
 * null. */
uint8_t __inmem_is_jump(const void *function, const void *target);

/* objects=lifetime. */

/** An object whose class is the type of site (INMEM_SITE_OBJECT) begins to
 * live at p: its constructor has returned. */
void __inmem_object_constructed(void *p, struct inmem_site *site);
/** As above, for count objects that no constructor made, the first at p, each
 * stride bytes after the one before. */
void __inmem_objects_constructed(void *p, struct inmem_site *site,
                                 uint64_t count, uint64_t stride);
/** The destructor of the object at p begins; type as that of its sites. No
 * effect if no such object is known. */
void __inmem_object_destroyed(void *p, const struct inmem_type *type);

/** Allocations of the calling thread that were counted between begin and end;
 * calls nest. If an exception skips the end, the runtime closes the tally. */
struct inmem_tally {
  uint64_t allocations, bytes;
};
struct inmem_tally __inmem_copy_begin(void);
/** The copy constructor called at site has returned; begin is what
 * __inmem_copy_begin said before. */
void __inmem_copy_end(struct inmem_site *site, uint64_t begin_allocations,
                      uint64_t begin_bytes);

/** Registers / forgets a shared object. Idempotent per module. A module built
 * for another ABI version is refused with one line on stderr. */
void __inmem_register_module(struct inmem_module *module);
void __inmem_unregister_module(struct inmem_module *module);

/** Displacements of the calling thread by table index (form "table", for
 * -fPIC objects): an array of INMEM_MAX_TABLE_MODULES, never null. Entry 0 is
 * always 0. Initial-exec TLS of the runtime, which has little room: the array
 * is elsewhere. */
#define INMEM_MAX_TABLE_MODULES 64
extern __thread const int64_t *__inmem_displacement_table;

#ifdef __cplusplus
}
#endif
#endif
