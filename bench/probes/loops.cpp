// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// loops.cpp - loops that clang vectorises, with objects whose constructors
// inmem counts in and around them. It is never run: bench/run reads from
// clang's remarks which loops were vectorised (-Rpass=loop-vectorize), with the
// plugin and without.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

struct Vector3 {
  float X, Y, Z;
  Vector3() : X(0), Y(0), Z(0) {}
  Vector3(float X, float Y, float Z) : X(X), Y(Y), Z(Z) {}
  Vector3(const Vector3 &O) : X(O.X), Y(O.Y), Z(O.Z) {}
  Vector3 &operator=(const Vector3 &O) = default;
  ~Vector3() {}
};
struct Scalar {
  float V;
  Scalar(float V) : V(V) {}
  Scalar(const Scalar &O) : V(O.V) {}
  ~Scalar() {}
  Scalar operator*(Scalar O) const { return Scalar(V * O.V); }
  Scalar operator+(Scalar O) const { return Scalar(V + O.V); }
};
struct Complex {
  double Re, Im;
  Complex(double Re, double Im) : Re(Re), Im(Im) {}
  ~Complex() {}
  double norm() const { return Re * Re + Im * Im; }
};

void axpy(float A, const float *__restrict X, float *__restrict Y, int N) {
  for (int I = 0; I < N; ++I)
    Y[I] = (Scalar(A) * Scalar(X[I]) + Scalar(Y[I])).V;
}
void plain(const float *__restrict X, float *__restrict Y, int N) {
  for (int I = 0; I < N; ++I)
    Y[I] = X[I] * 2 + 1;
}
void norms(const double *__restrict Re, const double *__restrict Im,
           double *__restrict Out, int N) {
  for (int I = 0; I < N; ++I)
    Out[I] = Complex(Re[I], Im[I]).norm();
}
int sum(const std::vector<int> &V) {
  int S = 0;
  for (int X : V)
    S += X;
  return S;
}
long accumulate(const std::vector<long> &V) {
  return std::accumulate(V.begin(), V.end(), 0L);
}
void transform(const std::vector<float> &A, std::vector<float> &B) {
  std::transform(A.begin(), A.end(), B.begin(),
                 [](float X) { return Scalar(X).V * 3; });
}
std::vector<float> made(int N) {
  std::vector<float> R(static_cast<size_t>(N));
  for (int I = 0; I < N; ++I)
    R[static_cast<size_t>(I)] = static_cast<float>(I) * 0.5f;
  return R;
}
int count(const std::string &S) {
  int N = 0;
  for (char C : S)
    N += C == 'x';
  return N;
}
void lengths(const std::vector<Vector3> &V, float *__restrict Out) {
  for (size_t I = 0; I < V.size(); ++I)
    Out[I] = V[I].X * V[I].X + V[I].Y * V[I].Y + V[I].Z * V[I].Z;
}
void scale(Vector3 *V, int N, float F) {
  for (int I = 0; I < N; ++I)
    V[I] = Vector3(V[I].X * F, V[I].Y * F, V[I].Z * F);
}
void multiply(const double *__restrict A, const double *__restrict B,
              double *__restrict C, int N) {
  for (int I = 0; I < N; ++I)
    for (int J = 0; J < N; ++J) {
      double S = C[J];
      C[J] = S + A[I] * B[I * N + J];
    }
}
int largest(const int *V, int N) {
  int M = V[0];
  for (int I = 1; I < N; ++I)
    M = std::max(M, V[I]);
  return M;
}
