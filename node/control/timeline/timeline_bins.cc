// SPDX-License-Identifier: MIT
#include "node/control/timeline/timeline_bins.h"

#include <algorithm>

#include "overlay/ensure.h"

namespace dunlin::node {

TimelineBins::TimelineBins(std::int64_t begin, std::size_t groups, std::size_t bins_max)
    : begin_(begin),
      bins_max_(bins_max),
      counts_(groups * kMarks * bins_max) {
  overlay::ensure(groups >= 1 && bins_max >= 2, "a timeline without groups or bins");
}

void TimelineBins::add(std::size_t group, Mark mark, std::int64_t at) {
  const std::size_t bin = bin_of(at);
  ++counts_[(group * kMarks + static_cast<std::size_t>(mark)) * bins_max_ + bin];
}

void TimelineBins::reach(std::int64_t at) {
  (void)bin_of(at);
}

std::size_t TimelineBins::bin_of(std::int64_t at) {
  // Without a sign: the difference of two times of 64 bits needs all of them.
  const std::uint64_t offset =
      at <= begin_ ? 0 : static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(begin_);
  while (offset / width_ >= bins_max_) widen();
  const auto bin = static_cast<std::size_t>(offset / width_);
  used_ = std::max(used_, bin + 1);
  return bin;
}

// Two neighbours become one, so counts stay exact and memory stays as it is, however long a job
// runs.
void TimelineBins::widen() {
  for (std::size_t row = 0; row < counts_.size(); row += bins_max_) {
    std::uint32_t* const bins = counts_.data() + row;
    for (std::size_t i = 0; i < bins_max_; ++i) {
      const std::uint32_t left = 2 * i < bins_max_ ? bins[2 * i] : 0;
      const std::uint32_t right = 2 * i + 1 < bins_max_ ? bins[2 * i + 1] : 0;
      bins[i] = left + right;
    }
  }
  width_ *= 2;
  used_ = (used_ + 1) / 2;
}

}  // namespace dunlin::node
