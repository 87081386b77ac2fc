// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cold-in-array: each step accesses 16 of the 56 bytes of a particle, and all
// of them pass through the cache.
#include <cstdio>
#include <vector>

struct Looks {
  int Color, Texture;
  double Size, Glow;
  char Label[16];
};

#ifdef ADVICE
struct Particle {
  float X, Y, DX, DY;
};
struct System {
  std::vector<Particle> Particles;
  std::vector<Looks> Drawn; // of the particle with the same index
  explicit System(int Count) : Particles(Count), Drawn(Count) {}
  Looks &looksOf(int I) { return Drawn[I]; }
};
#else
struct Particle {
  float X, Y, DX, DY;
  Looks Drawn;
};
struct System {
  std::vector<Particle> Particles;
  explicit System(int Count) : Particles(Count) {}
  Looks &looksOf(int I) { return Particles[I].Drawn; }
};
#endif

static void step(System &S) {
  for (Particle &P : S.Particles) {
    P.X += P.DX;
    P.Y += P.DY;
  }
}

int main() {
  System S(20000);
  for (int I = 0; I < 20000; ++I)
    S.Particles[I].DX = float(I % 7);
  for (int Round = 0; Round < 50; ++Round)
    step(S);
  S.looksOf(17).Color = 3;
  std::printf("%.0f %d\n", S.Particles[17].X, S.looksOf(17).Color);
}
