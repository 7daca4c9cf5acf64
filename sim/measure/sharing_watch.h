// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sim/engine/traffic.h"
#include "sim/measure/class_meter.h"
#include "sim/measure/sharing.h"

namespace dunlin::sim {

/// Watches how a cluster is shared, look by look, and says in the end how it was.
class SharingWatch {
 public:
  /// How long something took from when it could begin; empty: it was not so at the end.
  using Took = std::optional<Duration>;

  explicit SharingWatch(std::vector<WorkloadClass> classes) : classes_(std::move(classes)) {}
  bool watches() const { return !classes_.empty(); }

  /// A look: what cells are like, and what classes occupied up to now.
  void look(
      Time now, Sharing& sharing, std::vector<double> occupied, const std::vector<CellLoad>& loads);
  /// What is measured begins here: what was before does not count.
  void begin(Time now, std::vector<double> occupied, const std::vector<CellLoad>& loads);

  struct Result {
    std::vector<double> occupied;  ///< Share of each class in all that was occupied.
    std::vector<double> desired;
    double deviation = 0;    ///< Half of the sum of the differences.
    double worst_error = 0;  ///< The largest difference, relative to what is desired.
    double busiest_messages_per_s = 0;
    std::array<double, kCellKinds> busiest_kinds_per_s{};    ///< Of that peer, by kind ...
    std::array<double, kCellLevels> busiest_levels_per_s{};  ///< ... and by the cell's level.
    double busiest_bytes_per_s = 0;
    double mean_messages_per_s = 0;  ///< Of a peer.
    /// Messages about cells of that level of the peer that has most of them: what one manager of
    /// one such cell does.
    std::array<double, kCellLevels> busiest_of_level{};
    double busiest_cpu_ms_per_s = 0;  ///< 0 unless it was measured, as the next.
    double mean_cpu_ms_per_s = 0;
    std::uint64_t broken = 0;  ///< Looks that found books broken.
    std::string trouble;
  };
  Result result(Time now,
      const std::vector<double>& occupied,
      const std::vector<CellLoad>& loads,
      const Traffic& traffic) const;

  /// From `since` until a condition held for good: until `end`, that is.
  Took took(Time since, Time end, bool (*holds)(const Sharing&)) const;

 private:
  struct Look {
    Time at{};
    Sharing sharing;
  };

  std::vector<WorkloadClass> classes_;
  std::vector<Look> looks_;
  std::vector<double> last_;  ///< Occupied up to the last look.
  std::vector<std::uint64_t> last_loads_;
  Time began_{};
  std::vector<double> before_;
  std::vector<CellLoad> loads_before_;
};

}  // namespace dunlin::sim
