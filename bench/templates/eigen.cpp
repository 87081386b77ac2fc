// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eigen.cpp - a least-squares fit with Eigen, dense and sparse.
#include <Eigen/Dense>
#include <Eigen/Sparse>

#include <cstdio>
#include <vector>

int main() {
  constexpr int kRows = 80, kColumns = 12;
  double total = 0;
  for (int round = 0; round < 40; ++round) {
    Eigen::MatrixXd samples(kRows, kColumns);
    Eigen::VectorXd values(kRows);
    for (int row = 0; row < kRows; ++row) {
      values(row) = row * 0.25 + round;
      for (int column = 0; column < kColumns; ++column)
        samples(row, column) = 1.0 / (1 + (row + column * round) % 17);
    }
    const Eigen::VectorXd fit = samples.colPivHouseholderQr().solve(values);
    const Eigen::MatrixXd normal = samples.transpose() * samples;
    Eigen::LLT<Eigen::MatrixXd> factor(
        normal + Eigen::MatrixXd::Identity(kColumns, kColumns));
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < kRows; ++i) {
      entries.emplace_back(i, i, 4.0);
      if (i + 1 < kRows)
        entries.emplace_back(i, i + 1, -1.0);
    }
    Eigen::SparseMatrix<double> band(kRows, kRows);
    band.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseLU<Eigen::SparseMatrix<double>> solver(band);
    total += fit.norm() + factor.solve(fit).sum() +
             Eigen::VectorXd(solver.solve(values)).maxCoeff();
  }
  std::printf("%.6g\n", total);
}
