// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dunlin::node {

/// What happened to the attempts of a job, counted by time and group. It takes events in any order,
/// and always the same room: where one comes beyond the last bin, bins become twice as wide. So a
/// job of a million tasks costs what one of ten does.
class TimelineBins {
 public:
  enum class Mark : std::uint8_t {
    started,  ///< An attempt began to run.
    done,     ///< It succeeded.
    failed,   ///< It failed by itself.
    stopped,  ///< It was cancelled, preempted or given back.
    lost,     ///< Its node was lost; the time is that at which this was noticed.
  };
  static constexpr std::size_t kMarks = 5;
  /// Nanoseconds of a bin at first.
  static constexpr std::uint64_t kWidthMin = 1'000'000;

  /// The first bin begins at `begin`, ns since 1970. Requires at least one group, and two bins.
  TimelineBins(std::int64_t begin, std::size_t groups, std::size_t bins_max);

  /// Counts one. A time before the beginning is taken for the beginning: two clocks are never
  /// equal. Requires group < groups.
  void add(std::size_t group, Mark mark, std::int64_t at);
  /// The time goes on at least to `at`, whatever happened then.
  void reach(std::int64_t at);

  /// Nanoseconds of a bin.
  std::uint64_t width() const { return width_; }
  /// Bins up to the last one that was reached; at least one.
  std::size_t size() const { return used_; }
  /// By bin.
  std::span<const std::uint32_t> counts(std::size_t group, Mark mark) const {
    return {row(group, mark), used_};
  }

 private:
  /// The bin of that time, after the bins are as wide as that needs.
  std::size_t bin_of(std::int64_t at);
  void widen();
  const std::uint32_t* row(std::size_t group, Mark mark) const {
    return counts_.data() + (group * kMarks + static_cast<std::size_t>(mark)) * bins_max_;
  }

  std::int64_t begin_;
  std::size_t bins_max_;
  std::uint64_t width_ = kWidthMin;
  std::size_t used_ = 1;
  std::vector<std::uint32_t> counts_;  ///< By group, mark and bin.
};

}  // namespace dunlin::node
