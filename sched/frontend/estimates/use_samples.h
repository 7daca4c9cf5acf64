// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/message.h"
#include "sched/resources.h"

namespace dunlin::sched {

/// The amounts that tasks of one group used at their peaks, of each resource by itself: the last
/// kKept of them. Source: Grandl 2014, by its slides: what finished tasks of a phase used tells
/// what the others will, and peaks count, not means.
class UseSamples {
 public:
  static constexpr std::size_t kKept = 64;

  /// A task of the group succeeded, and used so much. What is 0 is not known, and tells nothing.
  void add(const Resources& peaks);
  /// Tasks that were added.
  std::uint32_t tasks() const { return tasks_; }
  /// The demand of a task that uses as much as 95 in a hundred of those kept use at most, and a
  /// tenth more, as a guard against the next one. Of what was never known, nothing.
  Resources estimate() const;

 private:
  std::array<std::vector<std::uint32_t>, kAmounts.size()> kept_;  ///< By resource.
  std::array<std::size_t, kAmounts.size()> oldest_{};
  std::uint32_t tasks_ = 0;
};

/// The peaks that an attempt reports, as a demand: what is not known of it is 0.
Resources peaks_of(const Report& report);

}  // namespace dunlin::sched
