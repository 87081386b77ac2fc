// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code where an edit by the look of the line would break or slow it down.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// Aliasing: a reference parameter may be a vector that has its size.
void reserved(std::vector<int> &Out, int N) {
  Out.reserve(static_cast<std::size_t>(N));
  for (int I = 0; I < N; ++I)
    Out.push_back(I); // finding: vector-regrowth=64 -> a size already
}

// The text comes from a macro.
#define ADD(To, What) To.push_back(What)
void inMacro(std::vector<int> &Out) {
  for (int I = 0; I < 9; ++I)
    ADD(Out, I); // finding: vector-regrowth=64 -> macro
}

// Several instantiations, of which each has other sizes.
template <typename T> std::vector<T> repeated(const T &Value, int N) {
  std::vector<T> Out;
  for (int I = 0; I < N; ++I)
    Out.push_back(Value); // finding: vector-regrowth=64 -> in a template
  return Out;
}
template std::vector<int> repeated(const int &, int);
template std::vector<std::string> repeated(const std::string &, int);

// Which vector it is, a call decides.
std::vector<int> &next();
void calls() {
  next().push_back(1); // finding: vector-regrowth=64 -> the result of a call
}

// Not evaluated each time.
void sometimes(std::vector<int> &Out, bool Wanted) {
  (void)(Wanted && (Out.push_back(1), true)); // finding: vector-regrowth=64 -> part of a condition
}

// Two containers: which one grew is not known.
void both(std::vector<int> &A, std::vector<int> &B) {
  A.push_back(1), B.push_back(2); // finding: vector-regrowth=64 -> several containers
}

// Iteration order depends on the number of buckets.
std::string joined(const std::vector<std::string> &Words) {
  std::unordered_set<std::string> Seen;
  for (const std::string &Word : Words)
    Seen.insert(Word); // finding: rehash=128 -> the order of its elements
  std::string Out;
  for (const std::string &Word : Seen)
    Out += Word;
  return Out;
}

// An iterator that is held across the insertion.
void insertAt(std::vector<int> &Out) {
  const auto At = Out.begin();
  Out.insert(At, 3); // finding: vector-regrowth=64 -> no call at the line
}

// Sizes that no constant fits, with a bound that depends on the input.
void dependent(std::vector<int> &Out, std::istream &In) {
  for (int I; In >> I;)
    Out.push_back(I); // finding: vector-regrowth -> no loop says how many
}

// A deleter of its own.
struct File {
  int Handle = 0;
};
void closeFile(File *F);
std::shared_ptr<File> opened() {
  return std::shared_ptr<File>(new File, closeFile); // finding: shared-ptr-new -> has a deleter
}

// A weak pointer would keep the object's memory.
struct Watched {
  char Large[512] = {};
};
std::weak_ptr<Watched> Watcher;
void watch() {
  std::shared_ptr<Watched> P(new Watched()); // finding: shared-ptr-new -> weak_ptr
  Watcher = P;
}

// Not accessible from make_shared.
class Private {
  Private() = default;

public:
  static std::shared_ptr<Private> make() {
    return std::shared_ptr<Private>(new Private()); // finding: shared-ptr-new -> not public
  }
};

// Braces choose another constructor, or initialise an aggregate.
struct Pair {
  int A, B;
};
void braces() {
  std::shared_ptr<Pair> P(new Pair{1, 2}); // finding: shared-ptr-new -> braces
}

// 0 is a null pointer to the constructor and a number to make_shared.
struct Node {
  explicit Node(Node *Parent) : Parent(Parent) {}
  Node *Parent;
};
void forwarded() {
  std::shared_ptr<Node> P(new Node(0)); // finding: shared-ptr-new -> cannot be forwarded
}

// The source changes while its copy is there.
static long changed(std::string &Name) {
  long Sum = 0;
  const std::string Copy = Name; // finding: string-copies -> its source may change
  Name.clear();
  return Sum + static_cast<long>(Copy.size());
}
long useChanged() {
  std::string S = "a text that is long enough for a block";
  return changed(S);
}

// The copy is changed itself.
static std::size_t trimmed(std::string Text) { // finding: string-copies -> may be changed
  while (!Text.empty() && Text.back() == ' ')
    Text.pop_back();
  return Text.size();
}
std::size_t useTrimmed() { return trimmed("x "); }

// Assignment from itself: the parameter may be the member.
struct Holder {
  std::string Kept;
  void set(std::string Value) { // finding: string-copies -> other units may declare
    Kept.clear();
    Kept = Value;
  }
};

// A virtual function's parameter is its overriders', too.
struct Base {
  virtual ~Base() = default;
  virtual std::size_t length(std::string Text) { return Text.size(); } // finding: string-copies -> is virtual
};
struct Derived : Base {
  std::size_t length(std::string Text) override { return Text.size() + 1; }
};

// c_str() needs the final NUL, which a view has not.
static std::size_t measured(const std::string &Text) { // finding: string-copies -> has not all that is used
  return std::strlen(Text.c_str());
}
std::size_t useMeasured() { return measured("characters that become a string"); }

// The caller relies on the state of a moved-from string.
static std::size_t taken(std::string Text) { return Text.size(); } // finding: string-copies -> may rely on that
std::size_t useTaken(int N) {
  std::string Line;
  std::size_t Sum = 0;
  for (int I = 0; I < N; ++I) {
    Line += "more";
    Sum += taken(std::move(Line));
  }
  return Sum;
}

// A view cannot be made of what becomes a string.
struct Title {
  operator std::string() const;
};
static bool isEmpty(const std::string &Text) { // finding: string-copies -> not made of
  return Text.empty();
}
bool useIsEmpty(const Title &T) { return isEmpty(T); }

// Other languages call it by that type.
extern "C" std::size_t lengthForC(std::string *Name, std::string Text) { // finding: string-copies -> other units may declare
  return Name->size() + Text.size();
}

// A destructor of a static object needs the text when constants are gone.
static std::size_t farewell(const std::string &Name) {
  const std::string Text = "Goodbye, and thanks for all the fish"; // finding: string-copies -> when the program ends
  return Name.size() + Text.find("fish");
}
struct Polite {
  std::string Name;
  std::size_t *Length;
  ~Polite() { *Length = farewell(Name); }
};
// Not a constant: a static would keep the edit for the next call.
static std::size_t edited(char C) {
  std::string Text = "a text that is longer than its string"; // finding: string-copies -> may be changed
  Text[0] = C;
  return Text.find('a');
}
std::size_t useEdited() { return edited('x') + farewell("x"); }
// The caller owns the result.
static std::string greeting() {
  std::string Text = "a text that is longer than its string"; // finding: string-copies -> is returned
  return Text;
}
std::string useGreeting() { return greeting(); }

// Its address is taken: its type is an interface.
static bool isLong(std::string Text) { return Text.size() > 9; } // finding: string-copies -> its address is taken
bool (*Predicate)(std::string) = isLong;

// Used after the line: a move would leave it empty.
struct Document {
  std::vector<int> Words = std::vector<int>(100, 1);
};
std::size_t movedFrom(std::vector<Document> &All) {
  Document D;
  All.push_back(D); // finding: copies -> is used afterwards
  return D.Words.size();
}

// Used in the next round.
void nextRound(std::vector<Document> &All) {
  Document D;
  for (int I = 0; I < 3; ++I)
    All.push_back(D); // finding: copies -> in the next round
}

// An exception handler sees the object after the move.
std::size_t handled(std::vector<Document> &All) {
  Document D;
  try {
    All.push_back(D); // finding: copies -> handles exceptions
  } catch (const std::bad_alloc &) {
    return 0;
  }
  return All.size();
}

// A reference to it is there.
int referred(std::vector<Document> &All) {
  Document D;
  const Document &Same = D;
  int *First = &D.Words.front();
  (void)Same;
  All.push_back(D); // finding: copies -> something else may refer
  return *First;
}

// One that is returned is not a local object.
Document kept(bool First, Document &Other) {
  Document D;
  return First ? D : Other; // finding: copies -> not one of two local objects
}
// Something else looks at it on the way out.
struct Watch {
  const Document &Of;
  std::size_t *Size;
  ~Watch() { *Size = Of.Words.size(); }
};
Document watched(bool First, std::size_t *Size) {
  Document A, B;
  const Watch W{A, Size};
  return First ? A : B; // finding: copies -> something else may refer
}

// The loop changes what it runs over.
void runsOver(std::vector<Document> &All) {
  for (Document D : All) { // finding: copies -> may change what it runs over
    All.front().Words.clear();
    (void)D.Words.size();
  }
}

// What is in the vector outlives the round.
std::vector<std::vector<int>> kept(int N) {
  std::vector<std::vector<int>> All;
  for (int I = 0; I < N; ++I) {
    std::vector<int> Row;
    Row.push_back(I); // finding: temporary -> may be moved from
    All.push_back(std::move(Row));
  }
  return All;
}

// Destructors that are noticed.
struct Noisy {
  ~Noisy();
};
void noisy(int N) {
  for (int I = 0; I < N; ++I) {
    std::vector<Noisy> Row;
    Row.emplace_back(); // finding: temporary -> do more than give memory back
  }
}

// The name means something else in the wider scope.
std::string Line;
void shadows(int N) {
  for (int I = 0; I < N; ++I) {
    std::string Line;
    Line.append("text"); // finding: temporary -> means something else
  }
  Line.clear();
}

// The object is given away.
std::unique_ptr<File> given() {
  auto P = std::make_unique<File>(); // finding: temporary -> may give its object away
  return P;
}

// Too large for the stack.
struct Huge {
  char Bytes[1 << 16];
};
int huge() {
  auto P = std::make_unique<Huge>(); // finding: temporary -> too large
  return P->Bytes[0];
}

// Initialised by position.
struct Header {
  char Kind;
  double Value;
  char Flag;
};
double positions() {
  const Header H{'a', 1.5, 'b'};
  return H.Value; // finding: padding[Header|declare members in the order Value, Kind, Flag] -> by position
}

// One initialiser needs another member's.
struct Ordered {
  Ordered(char K) : Kind(K), Value(Kind * 2.0), Flag(K) {}
  char Kind;
  double Value;
  char Flag;
};
double ordered() {
  return Ordered('a').Value; // finding: padding[Ordered|declare members in the order Value, Kind, Flag] -> may depend on the order
}

// Its bytes are a file's.
struct Raw {
  char Kind = 0;
  double Value = 0;
  char Flag = 0;
};
double fromBytes(const char *Bytes) {
  Raw R;
  std::memcpy(&R, Bytes, sizeof(Raw));
  return R.Value; // finding: padding[Raw|declare members in the order Value, Kind, Flag] -> its
}

// A comment of several words belongs to the member below it. (What names #line is not generated for that.)
struct Noted {
  char Kind;
  // in metres, from the left
  double Value;
  char Flag;
};
double noted() {
  return Noted().Value; // finding: padding[Noted|declare members in the order Value, Kind, Flag] -> without comments
}

// Part of an interface.
std::size_t count(const std::map<int, int> &M);
std::size_t passed() {
  std::map<int, int> Open;
  for (int I = 0; I < 9; ++I) {
    Open[I] = I; // finding: node-churn -> part of an interface
    Open.clear();
  }
  return count(Open);
}

// A few nodes a call: a pool for them would cost more.
std::size_t few(int A, int B) {
  std::map<int, int> Open;
  Open[A] = B; // finding: node-churn -> make a pool for a few nodes
  return Open.size();
}

// A reference to an element, while more are added.
int deepReference(int N) {
  std::stack<int> Open; // finding: short-deque -> may be known when it grows
  Open.push(0);
  int &First = Open.top();
  for (int I = 0; I < N; ++I)
    Open.push(I);
  return First;
}
int &counterIn(std::stack<int> &Of);
int handed() {
  std::stack<int> Open; // finding: short-deque -> known elsewhere
  return counterIn(Open);
}
// The element that is assigned to may move while the other operand adds one.
int assigned() {
  std::stack<int> Open; // finding: short-deque -> may be known when it grows
  Open.push(1);
  Open.top() = (Open.push(2), 3);
  return Open.top();
}
// An object that stands for a bool would follow the vector.
bool deduced() {
  std::stack<bool> Open; // finding: short-deque -> must be a bool
  Open.push(true);
  auto Was = Open.top();
  Open.top() = false;
  return Was;
}
// Moving them runs code.
struct Registered {
  Registered();
  Registered(const Registered &);
  int Key;
};
int moved() {
  std::stack<Registered> Open; // finding: short-deque -> when they move
  Open.push(Registered());
  return Open.top().Key;
}
// Both ends change.
int queued() {
  std::deque<int> Open; // finding: short-deque -> a vector has not
  Open.push_back(1);
  Open.push_front(2);
  return Open.back();
}
// Its type is another's word.
using Stack = std::stack<int>;
int named() {
  Stack Open; // finding: short-deque -> written out
  Open.push(1);
  return Open.top();
}

// A string that is not const fits the other overload.
int take(std::string &Text);
int take(const std::string &Text);
int overloaded(const std::string &A, const std::string &B) {
  int Sum = 0;
  for (int I = 0; I < 9; ++I)
    Sum += take(A + B); // finding: string-above-inline -> no mechanical change
  return Sum;
}
// Which part is evaluated first would change.
int look(const std::string &Text);
std::string &nextText();
int ordered(const std::string &A) {
  int Sum = 0;
  for (int I = 0; I < 9; ++I)
    Sum += look(A + nextText()); // finding: temporary -> may do more than read it
  return Sum;
}
// Once a call.
int once(const std::string &A, const std::string &B) {
  return look(A + B); // finding: string-above-inline -> in no loop
}
// The callee keeps its own.
int keep(std::string Text);
int kept(const std::string &A, const std::string &B) {
  int Sum = 0;
  for (int I = 0; I < 9; ++I)
    Sum += keep(A + B); // finding: string-above-inline -> no mechanical change
  return Sum;
}
// A jump to the next case would pass the new variable.
int cases(int Kind, const std::string &A, const std::string &B) {
  int Sum = 0;
  switch (Kind) {
  case 0:
    ++Sum;
    for (int I = 0; I < 9; ++I)
      Sum += look(A + B); // finding: string-above-inline -> no variable can be declared
    break;
  case 1:
    ++Sum;
    for (int I = 0; I < 9; ++I) {
      std::vector<int> Row;
      Row.push_back(I); // finding: temporary -> no variable can be declared
      Sum += Row[0];
    }
    break;
  default:
    break;
  }
  return Sum;
}

// How much a call returns is known after it only.
std::string more();
bool grew(std::string &Out) {
  return (Out += more()).size() > 9; // finding: string-regrowth=200 -> not known before
}

// Arguments are evaluated in any order.
int own(std::string Text);
int add(std::size_t Size, int More);
int anyOrder() {
  std::string Text = "a text";
  return add(Text.size(), own(Text)); // finding: temporary -> is used afterwards
}
// A view of it is still there.
int viewed() {
  std::string Text = "a text";
  const std::string_view View = Text;
  const int Sum = own(Text); // finding: temporary -> something else may refer
  return Sum + static_cast<int>(View.size());
}

// No rule has an edit for these.
void thrown() {
  throw std::runtime_error("x"); // finding: exceptions[|return an error code] -> only a suggestion: return an error code: whether failure
}
