// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes whose members cannot change places.
#include <memory>
#include <thread>

// The constructor is defined elsewhere in the unit, and one initialiser needs another member's.
struct Apart {
  explicit Apart(char K);
  char Kind;
  double Value;
  char Flag;
};
Apart::Apart(char K) : Kind(K), Value(Kind * 2.0), Flag(K) {}
double apart() {
  return Apart('a').Value; // finding: padding[Apart|declare members in the order Value, Kind, Flag] -> may depend on the order
}

// The constructor is defined in no source that is at hand.
struct Elsewhere {
  explicit Elsewhere(char K);
  char Kind;
  double Value;
  char Flag;
};
double elsewhere() {
  return Elsewhere('a').Value; // finding: padding[Elsewhere|declare members in the order Value, Kind, Flag] -> a constructor is defined in another unit
}

// The constructor is a template: instantiations have different initialisers.
struct Generic {
  template <typename T> explicit Generic(T K) : Kind(static_cast<char>(K)), Value(Kind * 2.0), Flag(Kind) {}
  char Kind;
  double Value;
  char Flag;
};
double generic() {
  return Generic(3).Value; // finding: padding[Generic|declare members in the order Value, Kind, Flag] -> a constructor is a template
}

// Members count as they are made.
int Made;
struct Counter {
  Counter() : Number(++Made) {}
  int Number;
};
struct Numbered {
  Counter First;
  double Value = 0;
  Counter Second;
};
double numbered() {
  return Numbered().Value; // finding: padding[Numbered|declare members in the order Value, Second, First] -> constructors of several members
}

// The destructors of an array's elements are seen.
struct Says {
  ~Says() { ++Made; }
};
struct Row {
  char Kind = 0;
  double Value = 0;
  Says All[2];
};
double row() {
  return Row().Value; // finding: padding[Row|declare members in the order Value, Kind, All] -> the destructor of All
}

// The thread is joined before what it uses is gone.
struct Worker {
  char Kind = 0;
  double Value = 0;
  std::thread Work;
};
double worker() {
  return Worker().Value; // finding: padding[Worker|declare members in the order Value, Work, Kind] -> the destructor of Work
}
// An owner that may be of a derived class.
struct Shape {
  virtual ~Shape();
};
struct Owner {
  char Kind = 0;
  std::unique_ptr<Shape> Of;
  char Flag = 0;
};
bool owner() {
  return Owner().Of == nullptr; // finding: padding[Owner|declare members in the order Of, Kind, Flag] -> the destructor of Of
}

// A default initialiser needs another member.
struct Default {
  char Kind = 1;
  double Value = Kind * 2.0;
  char Flag = 0;
};
double defaulted() {
  return Default().Value; // finding: padding[Default|declare members in the order Value, Kind, Flag] -> the initialiser of Value
}

// Access, bit-fields, and several on a line.
class Mixed {
  char Kind = 0;

public:
  double Value = 0;
  char Flag = 0;
  char kind() const { return Kind; }
};
double mixed() {
  return Mixed().Value; // finding: padding[Mixed|declare members in the order Value, Kind, Flag] -> differ in access
}
struct Bits {
  char Kind : 4;
  double Value;
  char Flag;
};
double bits(const Bits &B) {
  return B.Value; // finding: padding[Bits|declare members in the order Value, Kind, Flag] -> bit-fields
}
struct Packed {
  char Kind = 0; double Value = 0;
  char Flag = 0;
};
double packed() {
  return Packed().Value; // finding: padding[Packed|declare members in the order Value, Kind, Flag] -> one a line
}

// Names by position.
struct Bound {
  char Kind = 0;
  double Value = 0;
  char Flag = 0;
};
double bound() {
  const auto [K, V, F] = Bound();
  return V; // finding: padding[Bound|declare members in the order Value, Kind, Flag] -> by position
}
// Its order is that of comparison.
#include <compare>
struct Compared {
  char Kind = 0;
  double Value = 0;
  char Flag = 0;
  auto operator<=>(const Compared &) const = default;
};
bool compared(const Compared &A, const Compared &B) {
  return A < B; // finding: padding[Compared|declare members in the order Value, Kind, Flag] -> member by member
}
