// Intent: each element of an array is an object: locals, globals, members, new T[n].
// RUN: %count-objects %s %t

struct E { E() {} E(int) {} E(const E &) {} ~E() {} };
struct Owner { E fixed[3]; Owner() {} Owner(const Owner &) = default; };
struct OnlyDestructor { ~OnlyDestructor() {} int x; };
struct Guarded { OnlyDestructor one, two[2]; Guarded() {} };

E global[2];
static E table[2][3] = {{1, 2}, {}};
volatile int n = 5;

// heap 5 + 4 + 0; stack 4 + 3 + 2; static 2 + 6; members 2 * 3
// OBJECTS E: heap=9 stack=9 static=8 member=6 defaulted=24 converted=5 copied=3 destroyed=32
// OBJECTS Owner: stack=2 defaulted=1 copied=1 destroyed=2
// OBJECTS OnlyDestructor: stack=5 heap=1 member=3 defaulted=8 copied=1 destroyed=9
// OBJECTS Guarded: stack=1 defaulted=1 destroyed=1

int main() {
  E *variable = new E[n];
  delete[] variable;
  E *listed = new E[4]{1};
  delete[] listed;
  delete[] new E[n - 5];
  E local[4];
  E partly[3] = {1, 2};
  E square[2][1];
  Owner owner;
  Owner copy = owner;
  OnlyDestructor several[3];
  OnlyDestructor another = several[0];
  OnlyDestructor third;
  delete new OnlyDestructor;
  Guarded guarded;
  (void)local; (void)partly; (void)square; (void)copy; (void)another; (void)third; (void)guarded;
}
