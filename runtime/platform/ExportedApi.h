//===- ExportedApi.h - INMEM_API for the library that defines it ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Include before the first of inmem's C headers, which otherwise declare their
// functions weak.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_EXPORTEDAPI_H
#define INMEM_RUNTIME_EXPORTEDAPI_H

#ifdef INMEM_API
#error "include platform/ExportedApi.h before inmem's C headers"
#endif
#define INMEM_API __attribute__((visibility("default")))

#endif
