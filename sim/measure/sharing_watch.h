// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sim/measure/class_meter.h"
#include "sim/measure/sharing.h"
#include "sim/measure/traffic.h"

namespace dunlin::sim {

/// Watches the shares of classes, look by look, and reports on them in the end.
class SharingWatch {
 public:
  /// The time that a condition took from when it could begin; empty if it did not hold at the end.
  using Took = std::optional<Duration>;

  explicit SharingWatch(std::vector<WorkloadClass> classes) : classes_(std::move(classes)) {}
  /// False without classes: then there is nothing to share.
  bool watches() const { return !classes_.empty(); }

  /// Takes a look: the state of cells, and the CPUs that classes occupied up to now.
  void look(
      Time now, Sharing& sharing, std::vector<double> occupied, const std::vector<CellLoad>& loads);
  /// Begins the measured part: earlier use does not count.
  void begin(Time now, std::vector<double> occupied, const std::vector<CellLoad>& loads);

  struct Result {
    std::vector<double> occupied;  ///< The share of each class in all that was occupied.
    std::vector<double> desired;
    double deviation = 0;    ///< Half of the sum of the differences.
    double worst_error = 0;  ///< The largest difference, relative to the desired share.
    double busiest_messages_per_s = 0;
    std::array<double, kCellKinds> busiest_kinds_per_s{};    ///< The busiest peer's, by kind ...
    std::array<double, kCellLevels> busiest_levels_per_s{};  ///< ... and by the cell's level.
    double busiest_bytes_per_s = 0;
    double mean_messages_per_s = 0;  ///< The mean over peers.
    /// Messages about cells of a level at the peer with most of them: the work of one manager of
    /// one such cell.
    std::array<double, kCellLevels> busiest_of_level{};
    double busiest_cpu_ms_per_s = 0;  ///< 0 unless measured, as the next.
    double mean_cpu_ms_per_s = 0;
    std::uint64_t broken = 0;  ///< Looks that found broken books.
    std::string trouble;
  };
  Result result(Time now,
      const std::vector<double>& occupied,
      const std::vector<CellLoad>& loads,
      const Traffic& traffic) const;

  /// The time from `since` until a condition held for good, that is, until `end`.
  Took took(Time since, Time end, bool (*holds)(const Sharing&)) const;

 private:
  struct Look {
    Time at{};
    Sharing sharing;
  };

  std::vector<WorkloadClass> classes_;
  std::vector<Look> looks_;
  std::vector<double> last_;  ///< CPUs occupied up to the last look.
  std::vector<std::uint64_t> last_loads_;
  Time began_{};
  std::vector<double> before_;
  std::vector<CellLoad> loads_before_;
};

}  // namespace dunlin::sim
