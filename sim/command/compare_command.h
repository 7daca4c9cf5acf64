// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

namespace dunlin::sim {

/// The options of `compare`, as they are on the command line.
struct CompareOptions {
  std::string first;
  std::string second;
  std::string json;         ///< A file; empty: none. Pictures stand beside it.
  bool unpaired = false;    ///< Samples of jobs that need not be the same.
  double tolerance = 0.01;  ///< Jobs are slowed if they take longer by more than this part.
};

/// Compares two runs job by job, and prints it.
Result<void> compare(const CompareOptions& options);

}  // namespace dunlin::sim
