//===- Demangler.cpp - Names that libiberty does not know yet -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names/TypeName.h"

#include <cstdlib>
#include <llvm/Demangle/ItaniumDemangle.h>
#include <memory>
#include <unordered_map>
#include <vector>

namespace inmem::report {

namespace {

namespace itanium = llvm::itanium_demangle;
using itanium::Node;

/// The parser recurses as deeply as a name is long.
constexpr size_t kLongest = 2000;

/// Memory for the nodes of one name.
class Pool {
public:
  void reset() { Pieces.clear(); }
  template <class T, class... Arguments> T *makeNode(Arguments &&...Of) {
    return new (take(sizeof(T))) T(std::forward<Arguments>(Of)...);
  }
  void *allocateNodeArray(size_t Count) { return take(Count * sizeof(Node *)); }

private:
  void *take(size_t Bytes) {
    return Pieces.emplace_back(std::make_unique<std::byte[]>(Bytes)).get();
  }
  std::vector<std::unique_ptr<std::byte[]>> Pieces;
};

/// An estimate of the length of a node's text. Nodes are shared, so that the
/// text may be much longer than their number suggests.
class Length {
public:
  explicit Length(uint64_t Limit) : Most(Limit) {}

  /// Above the limit, the excess is unknown.
  uint64_t of(const Node *N) {
    if (!N)
      return 0;
    const auto [Where, New] = Known.try_emplace(N, Most + 1);
    if (!New) // known, or being computed: the node contains itself
      return Where->second;
    Sum Here{*this, kPunctuation};
    N->visit([&](const auto *Kind) { addParts(*Kind, Here); });
    return Known[N] = std::min(Here.Total, Most + 1);
  }

private:
  static constexpr uint64_t kPunctuation = 4, kWidestPack = 16;

  struct Sum {
    Length &All;
    uint64_t Total;

    template <class... Parts> void operator()(const Parts &...Of) {
      (add(Of), ...);
    }
    template <class Part> void add(const Part &One) {
      if constexpr (std::is_convertible_v<Part, const Node *>) {
        Total += All.of(One);
      } else if constexpr (std::is_same_v<Part, itanium::NodeArray>) {
        for (const Node *N : One)
          Total += All.of(N);
      } else if constexpr (requires { One.size(); }) {
        Total += One.size(); // text of a node
      }
    }
  };

  template <class Kind> void addParts(const Kind &N, Sum &To) {
    if constexpr (std::is_same_v<Kind, itanium::ForwardTemplateReference>)
      To.add(static_cast<const Node *>(N.Ref));
    else
      N.match([&To](const auto &...Parts) { To(Parts...); });
    // Written once for each element of the pack.
    if constexpr (std::is_same_v<Kind, itanium::ParameterPackExpansion>)
      To.Total *= kWidestPack;
  }

  uint64_t Most;
  std::unordered_map<const Node *, uint64_t> Known;
};

} // namespace

std::optional<std::string> demangleNewer(const std::string &Mangled,
                                         size_t Most) {
  if (Mangled.size() > kLongest)
    return std::nullopt;
  itanium::ManglingParser<Pool> Parser(Mangled.data(),
                                       Mangled.data() + Mangled.size());
  const Node *Name = Parser.parse();
  if (!Name || Length(Most).of(Name) > Most)
    return std::nullopt;
  itanium::OutputBuffer Text;
  Name->print(Text);
  std::string Out(Text.getBuffer(), Text.getCurrentPosition());
  std::free(Text.getBuffer());
  // A function's requirements on its arguments are not part of its name.
  if (const size_t Clause = Out.find(") requires "); Clause != Out.npos)
    Out.resize(Clause + 1);
  return Out;
}

} // namespace inmem::report
