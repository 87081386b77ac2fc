//===- StandardClasses.cpp - Contents of standard classes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/PlanBuilder.h"

namespace inmem::rt {

namespace {

/// A member in any of the class's parts.
struct Member {
  const inmem_field *Field = nullptr;
  uint32_t Offset = 0;
  explicit operator bool() const { return Field; }
};

Member find(const inmem_type &T, const char *Name, uint32_t At = 0,
            unsigned Depth = 0) {
  const inmem_field *Fields = fieldsOf(T);
  if (!Fields || Depth > 12)
    return {};
  for (uint32_t I = 0; I < T.field_count; ++I)
    if (strcmp(nameOf(Fields[I]), Name) == 0)
      return {&Fields[I], At + Fields[I].offset};
  for (uint32_t I = 0; I < T.field_count; ++I) {
    const inmem_field &F = Fields[I];
    const char *Its = nameOf(F);
    const bool Own =
        F.kind == INMEM_FIELD_BASE ||
        (F.kind == INMEM_FIELD_VALUE && (!Its[0] || Its[0] == '_'));
    const inmem_type *Part = Own ? knownTypes().byId(F.type_id) : nullptr;
    if (Part && (Part->flags & INMEM_TYPE_CLASS))
      if (Member Found = find(*Part, Name, At + F.offset, Depth + 1))
        return Found;
  }
  return {};
}

/// The class of a member, or null.
const inmem_type *classOf(const Member &M) {
  const inmem_type *T = M ? knownTypes().byId(M.Field->type_id) : nullptr;
  return T && (T->flags & INMEM_TYPE_CLASS) ? T : nullptr;
}

int32_t distance(uint32_t From, uint32_t To) {
  return static_cast<int32_t>(To) - static_cast<int32_t>(From);
}

struct Where {
  Builder &B;
  const inmem_type &T;
  uint32_t At;
  const char *Label;

  Member find(const char *Name) const { return inmem::rt::find(T, Name, At); }
  Step &add(Op Kind, uint32_t Offset) const {
    Step &S = B.add(Kind, Offset, Label);
    S.TypeName = nameOf(T);
    return S;
  }
  /// The pointee type of a pointer member.
  static void setPointee(Step &S, const Member &M) {
    S.Type = knownTypes().byId(M.Field->type_id);
    if (!S.Type)
      S.Type = knownTypes().pointee(typeNameOf(*M.Field));
  }
};

bool addVector(const Where &W) {
  Member Begin = W.find("_M_start"), End = W.find("_M_finish"),
         Room = W.find("_M_end_of_storage");
  if (!Begin) {
    Begin = W.find("__begin_");
    End = W.find("__end_");
    Room = W.find("__cap_");
    if (!Room)
      Room = W.find("__end_cap_");
  }
  if (!Begin || !End || Begin.Field->kind != INMEM_FIELD_POINTER ||
      End.Field->kind != INMEM_FIELD_POINTER) {
    // A vector<bool> holds no pointers.
    if (!Begin)
      return false;
    W.add(Op::Pointer, Begin.Offset);
    return true;
  }
  Step &S = W.add(Op::Vector, Begin.Offset);
  S.A = distance(Begin.Offset, End.Offset);
  // libc++'s compressed pair stores the end of storage after the end.
  S.B = Room ? distance(Begin.Offset, Room.Offset) : S.A + 8;
  Where::setPointee(S, Begin);
  return true;
}

bool addString(const Where &W) {
  Member Data = W.find("_M_p");
  Member Length = W.find("_M_string_length"), Inline = W.find("_M_local_buf");
  if (Data && Length) {
    Step &S = W.add(Op::String, Data.Offset);
    S.Type = knownTypes().charType();
    S.A = distance(Data.Offset, Length.Offset);
    S.B = Inline ? distance(Data.Offset, Inline.Offset) : S.A + 8;
    return true;
  }
  if (Data) { // the old copy-on-write string
    W.add(Op::Pointer, Data.Offset);
    return true;
  }
  if (W.T.size != 3 * sizeof(void *))
    return false;
  W.add(Op::LibcxxString, W.At).Type = knownTypes().charType();
  return true;
}

bool addView(const Where &W) {
  static constexpr const char *kNames[][2] = {{"_M_str", "_M_len"},
                                              {"__data_", "__size_"},
                                              {"_M_ptr", "_M_extent_value"}};
  for (const char *const(&Names)[2] : kNames) {
    Member Data = W.find(Names[0]), Many = W.find(Names[1]);
    if (!Data)
      continue;
    Step &S = W.add(Op::View, Data.Offset);
    S.A = Many ? distance(Data.Offset, Many.Offset) : 0;
    Where::setPointee(S, Data);
    return true;
  }
  return false;
}

bool addDeque(const Where &W) {
  Member Map = W.find("_M_map"), Start = W.find("_M_start"),
         Finish = W.find("_M_finish");
  if (Map && Start && Finish) {
    Step &S = W.add(Op::Deque, Map.Offset);
    S.A = distance(Map.Offset, Start.Offset);
    S.B = distance(Map.Offset, Finish.Offset);
    if (const inmem_type *Iterator = classOf(Start))
      if (Member Current = find(*Iterator, "_M_cur"))
        Where::setPointee(S, Current);
    return true;
  }
  Member Parts = W.find("__map_"), First = W.find("__start_"),
         Size = W.find("__size_");
  const inmem_type *Buffer = classOf(Parts);
  if (!Buffer || !First)
    return false;
  if (!Size)
    Size = {First.Field, First.Offset + 8};
  Step &S = W.add(Op::LibcxxDeque, Parts.Offset);
  S.A = distance(Parts.Offset, First.Offset);
  S.B = distance(Parts.Offset, Size.Offset);
  Member Begin = find(*Buffer, "__begin_");
  // T ** instead of T *: one more indirection.
  if (Begin) {
    const char *Name = typeNameOf(*Begin.Field);
    size_t Length = strlen(Name);
    if (Length > 3 && endsWith(Name, "**"))
      S.Type = knownTypes().pointee(Builder::text(Name, Length - 1));
  }
  return true;
}

bool addChain(const Where &W) {
  if (Member Node = W.find("_M_node")) { // libstdc++: next, previous
    Step &S = W.add(Op::Chain, Node.Offset);
    S.A = 0;
    S.B = static_cast<int32_t>(Node.Offset);
    return true;
  }
  if (Member End = W.find("__end_")) { // libc++: previous, next
    Step &S = W.add(Op::Chain, End.Offset + 8);
    S.A = 8;
    S.B = static_cast<int32_t>(End.Offset);
    return true;
  }
  return false;
}

bool addForwardList(const Where &W) {
  Member Head = W.find("_M_head");
  if (!Head)
    Head = W.find("__before_begin_");
  if (!Head)
    return false;
  W.add(Op::Chain, Head.Offset).B = -1;
  return true;
}

bool addTree(const Where &W) {
  if (Member Header = W.find("_M_header")) {
    W.add(Op::Tree, Header.Offset);
    return true;
  }
  Member Begin = W.find("__begin_node_");
  if (!Begin)
    return false;
  Member End = W.find("__end_node_");
  Step &S = W.add(Op::LibcxxTree, Begin.Offset);
  S.A = End ? distance(Begin.Offset, End.Offset) : 8;
  return true;
}

bool addHash(const Where &W) {
  Member Buckets = W.find("_M_buckets"), First = W.find("_M_before_begin"),
         Count = W.find("_M_bucket_count");
  if (!Buckets) {
    Buckets = W.find("__bucket_list_");
    First = W.find("__first_node_");
    Count = {};
  }
  if (!Buckets)
    return false;
  // libc++ before 20 stores the first node in a pair after the buckets, which
  // are a pointer and a number.
  const uint32_t FirstAt = First ? First.Offset : Buckets.Offset + 16;
  W.add(Op::Buckets, Buckets.Offset);
  Step &S = W.add(Op::Hash, FirstAt);
  S.A = static_cast<int32_t>(Count ? Count.Offset : Buckets.Offset + 8);
  S.B = -1;
  return true;
}

/// A plan for the contents of a union's member.
const Plan *planOfMember(const inmem_field &F) {
  const inmem_type *T = knownTypes().byId(F.type_id);
  if (F.kind == INMEM_FIELD_VALUE && T)
    return planOf(T);
  auto *P = knownTypes().Texts.make<Plan>();
  if (!P)
    return nullptr;
  P->Size = F.size;
  Builder B;
  inmem_field AtStart = F;
  // The copy's texts are invalid, because they are position-relative: names
  // come from F.
  switch (F.kind) {
  case INMEM_FIELD_POINTER:
  case INMEM_FIELD_REFERENCE:
    B.addPointer(0, "", typeNameOf(F), AtStart.type_id);
    break;
  case INMEM_FIELD_SMART:
    B.addSmart(typeNameOf(F), AtStart.type_id, 0, F.size, "");
    break;
  default:
    break;
  }
  return B.finish(nullptr, *P);
}

bool addOptional(const Where &W) {
  Member Flag = W.find("_M_engaged"), Value = W.find("_M_value");
  if (!Flag) {
    Flag = W.find("__engaged_");
    Value = W.find("__val_");
  }
  if (!Value) // optional<T &> has no value member
    return false;
  if (!Flag)
    return false;
  Step &S = W.add(Op::Engaged, Value.Offset);
  S.B = static_cast<int32_t>(Flag.Offset);
  W.B.use(S, planOfMember(*Value.Field));
  return true;
}

bool addVariant(const Where &W) {
  Member Index = W.find("_M_index"), Storage = W.find("_M_u");
  const char *First = "_M_first", *Rest = "_M_rest";
  if (!Index) {
    Index = W.find("__index");
    Storage = W.find("__data");
    First = "__head";
    Rest = "__tail";
  }
  const inmem_type *Union = classOf(Storage);
  if (!Index || !Union)
    return false;
  constexpr uint32_t kMost = 256;
  auto **Subs = knownTypes().Texts.make<const Plan *>(kMost);
  uint32_t Count = 0;
  while (Subs && Union && Count < kMost) {
    const inmem_type *Next = nullptr;
    const inmem_field *Head = nullptr, *Fields = fieldsOf(*Union);
    for (uint32_t I = 0; Fields && I < Union->field_count; ++I) {
      if (strcmp(nameOf(Fields[I]), First) == 0)
        Head = &Fields[I];
      else if (strcmp(nameOf(Fields[I]), Rest) == 0)
        Next = knownTypes().byId(Fields[I].type_id);
    }
    if (!Head)
      break;
    Subs[Count++] = planOfMember(*Head);
    Union = Next;
  }
  Step &S = W.add(Op::Variant, Storage.Offset);
  S.A = static_cast<int32_t>(Index.Field->size);
  S.B = static_cast<int32_t>(Index.Offset);
  S.Subs = Subs;
  S.SubCount = Count;
  return true;
}

/// Only a function or any itself knows the type of its contents.
bool addErased(const Where &W, const char *Holds, const char *Storage,
               const char *LibcxxHolds, const char *LibcxxStorage) {
  Member If = W.find(Holds), Room = W.find(Storage);
  if (!If || !Room) {
    If = W.find(LibcxxHolds);
    Room = W.find(LibcxxStorage);
    // libc++'s function stores this member in one of its parts.
    if (const inmem_type *Part = classOf(If))
      if (Member Inner = find(*Part, LibcxxHolds, If.Offset))
        If = Inner;
    if (!If || !Room)
      return false;
    // A closure that is too large has its own block.
    if (If.Field->kind == INMEM_FIELD_POINTER &&
        !strstr(typeNameOf(*If.Field), "(*"))
      Where::setPointee(W.add(Op::Pointer, If.Offset), If);
  }
  W.B.addBytes(Room.Offset, Room.Field->size, W.Label,
               static_cast<int32_t>(If.Offset));
  return true;
}

bool addShared(const Where &W, bool Weak) {
  Member Object = W.find("_M_ptr");
  if (!Object)
    Object = W.find("__ptr_");
  if (!Object)
    return false;
  Step &S = W.add(Weak ? Op::Weak : Op::Shared, Object.Offset);
  Where::setPointee(S, Object);
  return true;
}

} // namespace

const inmem_field *liveMember(const inmem_type &Union) {
  // Names reserved for the library.
  if (!startsWith(nameOf(Union), "(unnamed "))
    return nullptr;
  const inmem_field *Fields = fieldsOf(Union);
  for (uint32_t I = 0; Fields && I < Union.field_count; ++I)
    if (strcmp(nameOf(Fields[I]), "__value_") == 0 ||
        strcmp(nameOf(Fields[I]), "_M_storage") == 0)
      return &Fields[I];
  return nullptr;
}

bool holdsAlternatives(const inmem_type &T) {
  const char *Name = nameOf(T);
  return startsWith(Name, "std::optional<") ||
         startsWith(Name, "std::variant<");
}

unsigned nodePointers(const char *Name) {
  static constexpr struct {
    const char *Node;
    unsigned Pointers;
  } kNodes[] = {
      {"std::_Rb_tree_node<", 3},       {"std::_List_node<", 2},
      {"std::_Fwd_list_node<", 1},      {"std::__detail::_Hash_node<", 1},
      {"std::__tree_node<", 3},         {"std::__list_node<", 2},
      {"std::__forward_list_node<", 1}, {"std::__hash_node<", 1}};
  for (const auto &[Node, Pointers] : kNodes)
    if (startsWith(Name, Node))
      return Pointers;
  return 0;
}

bool addContainer(Builder &B, const inmem_type &T, uint32_t At,
                  const char *Label) {
  const char *Name = nameOf(T);
  if (!startsWith(Name, "std::"))
    return false;
  const Where W = {B, T, At, Label};
  const char *Class = Name + strlen("std::");
  auto Is = [Class](const char *Template) {
    return startsWith(Class, Template) && Class[strlen(Template)] == '<';
  };
  if (Is("vector"))
    return addVector(W);
  if (Is("basic_string"))
    return addString(W);
  if (Is("basic_string_view") || Is("span"))
    return addView(W);
  if (Is("deque"))
    return addDeque(W);
  if (Is("list"))
    return addChain(W);
  if (Is("forward_list"))
    return addForwardList(W);
  if (Is("map") || Is("multimap") || Is("set") || Is("multiset"))
    return addTree(W);
  if (Is("unordered_map") || Is("unordered_multimap") || Is("unordered_set") ||
      Is("unordered_multiset"))
    return addHash(W);
  if (Is("optional"))
    return addOptional(W);
  if (Is("variant"))
    return addVariant(W);
  if (Is("function"))
    return addErased(W, "_M_manager", "_M_functor", "__f_", "__buf_");
  if (strcmp(Class, "any") == 0)
    return addErased(W, "_M_manager", "_M_storage", "__h_", "__s_");
  if (Is("shared_ptr") || Is("__shared_ptr"))
    return addShared(W, false);
  if (Is("weak_ptr") || Is("__weak_ptr"))
    return addShared(W, true);
  return false;
}

} // namespace inmem::rt
