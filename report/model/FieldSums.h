//===- FieldSums.h - Reads and writes of objects by field -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_FIELDSUMS_H
#define INMEM_REPORT_MODEL_FIELDSUMS_H

#include "report/model/Blocks.h"
#include "report/model/FieldResult.h"

#include <map>

namespace inmem::report {

/// accesses=on: adds up the counters of accesses, and distributes them over the
/// fields of each class.
class FieldSums {
public:
  FieldSums(const ProfileOptions &With, Profile &Out, TypeRows &Types,
            PlainNames &Names)
      : Options(With), Out(Out), Types(Types), Names(Names) {}

  void add(const TracePart &Part);
  /// Call this before the rows of types are ordered.
  void finish();

private:
  /// The count of one of the compiler's counters.
  struct Credit {
    uint64_t First = 0, Bits = 0;
    uint8_t Event = 0; ///< INMEM_OBJECT_FIELD_...
    uint64_t Count = 0;
    SourceLocation Where;
  };
  /// A base class, which is a part of the class's objects.
  struct Base {
    uint64_t Id = 0, FirstBit = 0, Bits = 0;
  };
  struct Class {
    size_t Row = 0; ///< index into Profile::Types
    uint64_t Bits = 0;
    std::vector<FieldResult> Fields;
    std::vector<Base> Bases; ///< direct and indirect
    std::vector<Credit> Credits;
  };

  Class *classOf(const trace::Trace &T, const trace::Object &O);
  void layOut(const trace::Trace &T, const trace::Type &Type, uint64_t FirstBit,
              const std::string &Of, Class &Into);
  static void addPadding(Class &Of, bool Union);
  static void credit(FieldResult &To, const Credit &From, uint64_t Times);
  void markReadInOthers();
  static std::vector<StreamResult> streamsOf(const Class &Of);
  static void spread(Class &To, const std::vector<Credit> &From,
                     int64_t Distance, uint64_t ClassBits);

  const ProfileOptions &Options;
  Profile &Out;
  TypeRows &Types;
  PlainNames &Names;
  std::map<uint64_t, Class> Classes; ///< by the type's id
  bool Incomplete = false; ///< some module counts objects, but not accesses
};

} // namespace inmem::report

#endif
