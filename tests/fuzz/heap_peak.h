// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace dunlin::fuzz {

/// The memory that this program takes from its heap, at most, beyond what it has when this is made.
/// One at a time. Counts nothing in a build without sanitizers.
class HeapPeak {
 public:
  HeapPeak();
  HeapPeak(const HeapPeak&) = delete;
  HeapPeak& operator=(const HeapPeak&) = delete;

  std::size_t bytes() const;

 private:
  std::size_t before_;
};

}  // namespace dunlin::fuzz
