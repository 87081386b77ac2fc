// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that each rule edits: it prints the same afterwards, and allocates less.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <stack>
#include <string>
#include <unordered_set>
#include <vector>

static unsigned long Allocations;
void *operator new(std::size_t Size) {
  ++Allocations;
  return std::malloc(Size);
}
void operator delete(void *P) noexcept { std::free(P); }
void operator delete(void *P, std::size_t) noexcept { std::free(P); }

static std::vector<int> counted(int N) {
  std::vector<int> Out;
  for (int I = 0; I < N; ++I)
    Out.push_back(I); // finding: vector-regrowth=64 -> fix: Out.reserve(static_cast<std::size_t>(N)) before the loop
  return Out;
}

static std::vector<int> doubled(const std::vector<int> &Of) {
  std::vector<int> Out;
  for (const int One : Of) {
    Out.push_back(One * 2); // finding: vector-regrowth=64 -> fix: Out.reserve(Of.size()) before the loop
  }
  return Out;
}

struct Tree {
  std::vector<int> Items;
  std::string Text;
  void add(int I) {
    if (I % 2)
      Items.push_back(I); // finding: vector-regrowth=64 -> fix: Items.reserve(64) when
    else
      Items.emplace_back(-I);
  }
  void say(const std::string &More) {
    Text += More; // finding: string-regrowth=200 -> fix: Text.reserve(200) when
  }
};

static std::string dashes(unsigned N) {
  std::string Out;
  for (unsigned I = 0; I != N; ++I)
    Out += "--"; // finding: string-regrowth=200 -> fix: Out.reserve(N * 2) before the loop
  return Out;
}

static std::size_t distinct() {
  std::unordered_set<int> Seen;
  for (int I = 0; I < 500; ++I)
    Seen.insert(I % 300); // finding: rehash=300 -> fix: Seen.reserve(500) before the loop
  return Seen.size();
}

static long rows(int N) {
  long Sum = 0;
  for (int I = 0; I < N; ++I) {
    std::vector<int> Row;
    for (int J = 0; J <= I; ++J)
      Row.push_back(J); // finding: vector-regrowth=64 -> fix: Row outside of the loop
    Sum += static_cast<long>(Row.size()) + Row[0];
  }
  return Sum;
}

struct Texture {
  Texture(int W, int H) : Width(W), Height(H) {}
  int Width, Height;
};

static int textures() {
  std::shared_ptr<Texture> A(new Texture(3, 4)); // finding: shared-ptr-new -> fix: make_shared
  auto B = std::shared_ptr<Texture>(new Texture(5, 6)); // finding: shared-ptr-new -> fix: make_shared
  A.reset(new Texture(B->Width, 1)); // finding: shared-ptr-new -> fix: make_shared
  return A->Width + B->Height;
}

struct Document {
  std::vector<int> Words = std::vector<int>(100, 1);
};

static std::size_t lengthOf(Document D) { return D.Words.size(); }

static std::size_t documents() {
  std::vector<Document> All;
  All.reserve(2);
  Document D;
  D.Words.push_back(2);
  All.push_back(D); // finding: copies -> fix: std::move of D
  std::size_t Sum = lengthOf(All[0]); // finding: copies -> fix: D as a const reference
  for (Document Each : All) // finding: copies -> fix: Each as a const reference
    Sum += Each.Words.size();
  return Sum;
}

static long initials(const std::vector<std::string> &Names) {
  long Sum = 0;
  for (const std::string &Name : Names) {
    const std::string Copy = Name; // finding: string-copies -> fix: Copy as a const reference
    Sum += Copy[0];
  }
  return Sum;
}

static long print(std::string Name) { // finding: string-copies -> fix: Name as a const reference
  return std::snprintf(nullptr, 0, "%s", Name.c_str());
}

static bool isFriend(const std::string &Name) { // finding: string-copies -> fix: Name as a std::string_view
  return Name.size() > 20 && Name.find("Grace") == 0;
}

struct Parser {
  int Depth = 0;
  virtual int parse(int Text) { return Depth += Text; }
  virtual ~Parser() = default;
};

static int depthOf(int Text) {
  const auto P = std::make_unique<Parser>(); // finding: temporary -> fix: the object of P on the stack
  Parser *volatile Hidden = P.get();
  return Hidden->parse(Text) + P->Depth;
}

struct Particle {
  Particle() : Alive(true), X(1), Visible(false) {}
  bool Alive;
  double X; // metres
  bool Visible;
};

static double particle() {
  const auto P = std::make_unique<Particle[]>(100);
  return P[0].X + P[1].Alive; // finding: padding[Particle|declare members in the order X, Alive, Visible] -> fix: members of Particle
}

static long churn() {
  std::map<int, int> Open;
  long Sum = 0;
  for (int Round = 0; Round < 20; ++Round) {
    for (int I = 0; I < 50; ++I)
      Open[I] = I; // finding: node-churn -> fix: nodes of Open from a pool
    Sum += Open.begin()->second;
    Open.clear();
  }
  return Sum;
}

struct Where {
  int Line = 1, Column = 1;
};

static int deepest(const char *Text) {
  std::stack<bool> Open; // finding: short-deque -> fix: Open over a vector
  std::stack<Where> Places; // finding: short-deque -> fix: Places over a vector
  std::deque<int> Lines; // finding: short-deque -> fix: Lines over a vector
  Open.push(false);
  Where At;
  int Deepest = 0;
  for (; *Text; ++Text, ++At.Column)
    if (*Text == '(') {
      Open.push(!Open.top());
      Places.push(At);
      Lines.push_back(At.Column);
    } else if (*Text == ')' && !Places.empty()) {
      Open.top() = Open.size() > 2;
      if (Open.top() && Deepest < Lines.back())
        Deepest = Places.top().Column;
      At.Line = Places.top().Line;
      Open.pop();
      Places.pop();
      Lines.pop_back();
    }
  return Deepest;
}

static std::size_t pathLength(const std::string &Path) { return Path.size(); }

static std::size_t lengths(const std::vector<std::string> &Names, const std::string &Folder) {
  std::size_t Sum = 0;
  char Kind = 'd';
  for (const std::string &Name : Names) {
    Sum += pathLength(Folder + '/' + Name + (Kind + Name + ".suffix")); // finding: string-above-inline -> fix: one string for what the loop puts together
    ++Kind;
  }
  return Sum;
}

static std::string valueOf(int I) { return std::string(static_cast<std::size_t>(I) + 3, 'v'); }

static std::string expanded(int N) {
  std::string Out;
  for (int I = 0; I < N; ++I)
    if (I % 2)
      Out.append("a literal; ");
    else
      Out += valueOf(I); // finding: string-regrowth=200^2 -> fix: Out.reserve(200) when
  return Out;
}

static const char *lastWord(int N) {
  std::stack<const char *> Words; // finding: short-deque -> fix: Words over a vector
  for (int I = 0; I < N; ++I)
    Words.push("word");
  return Words.top();
}

int main() {
  Tree T;
  for (int I = 0; I < 40; ++I) {
    T.add(I);
    T.say("more text ");
  }
  const std::vector<std::string> Names(10, "Ada, Countess of the county of Lovelace");
  long Sum = initials(Names) + print(Names[0]) + isFriend("Grace Brewster Murray Hopper, rear admiral") + depthOf(3);
  Sum += counted(50).back() + doubled(counted(40)).back() + static_cast<long>(T.Items.size() + T.Text.size() + dashes(90).size());
  std::printf("%zu %s %s ", lengths(Names, "/a/folder/of/its/own"), lastWord(1), expanded(9).c_str());
  std::printf("%ld %d %zu %ld %d %zu %g %ld\n", Sum, deepest("(a(b)(c))"), distinct(), rows(20), textures(), documents(), particle(), churn());
  std::fprintf(stderr, "%lu\n", Allocations);
}
