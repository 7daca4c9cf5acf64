// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/study/statistics.h"

namespace dunlin::sim {

/// "1,234 ± 56", "0.0152 ± 0.0031": both parts to the same decimal, and no more of them than the
/// interval leaves sense in. "-" if nothing was measured.
std::string text_of(const Estimate& estimate);

/// Cells in columns, each as wide as it needs; the first row holds the names. Numbers stand on the
/// right.
class TextTable {
 public:
  /// Requires as many cells as the first row has.
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dunlin::sim
