// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sched/packing/packer.h"
#include "sim/baseline/packing/dealer.h"

namespace dunlin::sim {

/// Memory is cut into slots, and nothing else counts. The job with the fewest slots is served next.
/// Source: Grandl 2014, which compares with it as Facebook's.
class SlotDealer final : public Dealer {
 public:
  SlotDealer(const Options& options, Recorder& recorder);

 private:
  sched::Resources counted(const sched::Resources& demand) const override;
  std::optional<Choice> choose(std::uint32_t machine, const sched::Resources& free) override;

  std::uint32_t slot_;  ///< MiB.
};

/// The job with the least dominant share is served next.
/// Source: Ghodsi 2011.
class DominantShareDealer final : public Dealer {
 public:
  using Dealer::Dealer;

 private:
  sched::Resources counted(const sched::Resources& demand) const override;
  std::optional<Choice> choose(std::uint32_t machine, const sched::Resources& free) override;
};

/// What goes best with the free room of a machine starts next, by the rules of the peers' workers;
/// but it knows the whole cluster, and all stages of all jobs.
/// Source: Grandl 2014.
class TetrisDealer final : public Dealer {
 public:
  TetrisDealer(const Options& options, Recorder& recorder);

 private:
  std::optional<Choice> choose(std::uint32_t machine, const sched::Resources& free) override;
  sched::packing::Shares weights(std::uint32_t machine) const;
  /// Where a task of the stage would find its input if it started on `machine`; empty if none fits.
  std::optional<Choice> find_place(
      Claim& claim, std::size_t stage, std::uint32_t machine, const sched::Resources& free) const;

  std::vector<sched::packing::Packer> packers_;  ///< By machine.
  std::vector<sched::packing::Job> jobs_;        ///< Scratch of a choice, as are these.
  std::vector<sched::packing::Candidate> candidates_;
  std::vector<Choice> choices_;
};

}  // namespace dunlin::sim
