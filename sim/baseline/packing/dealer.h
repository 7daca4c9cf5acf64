// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sched/resources.h"
#include "sim/baseline/baseline.h"
#include "sim/baseline/packing/claim.h"

namespace dunlin::sim {

/// One master for all, beside machine 0. It hears from each machine once a heartbeat what has ended
/// there, and then gives it tasks until nothing fits that it would choose. Schedulers differ in
/// what they choose, and in the resources that they look at.
/// Source: Grandl 2014, which says that of YARN.
class Dealer : public Baseline {
 public:
  Dealer(const Options& options, Recorder& recorder);

 protected:
  /// Stages of a job from which a task may start on a machine.
  struct Choice {
    Claim* claim = nullptr;
    std::size_t stage = 0;
    sched::InputPlace input = sched::InputPlace::none;
    std::optional<std::uint32_t> source{};  ///< The machine that has the input, if elsewhere.
  };
  /// What starts next on `machine`, which is thought to have `free` of what counts. Empty: nothing.
  virtual std::optional<Choice> choose(std::uint32_t machine, const sched::Resources& free) = 0;

  /// The first stage of a job of which a task waits that fits into `free`; empty if there is none.
  std::optional<std::size_t> startable(const Claim& claim, const sched::Resources& free) const;
  /// The jobs that have not ended, as they came.
  const std::vector<std::unique_ptr<Claim>>& claims() const { return claims_; }
  /// What is thought to be free on a machine.
  const sched::Resources& free(std::uint32_t machine) const { return nodes_[machine].free; }
  /// What all machines have together.
  const Usage& cluster() const { return cluster_; }

 private:
  struct Node {
    sched::Resources free;    ///< As the master thinks, of what counts.
    std::vector<Work> ended;  ///< Tasks that ended since its last report.
    std::uint64_t seen = 0;   ///< The state of the queues when it was last served.
  };

  void place(const PlacedJob& job) override;
  void on_end(std::uint32_t machine, const Work& work, Duration ran) override;
  void on_room(std::uint32_t, const PlacedJob&) override {}
  /// The machine reports, if there is anything to be heard or given, and beats again.
  void beat(std::uint32_t machine);
  /// The master hears what has ended there, and gives that machine what fits.
  void hear(std::uint32_t machine, const std::vector<Work>& ended);
  /// Gives tasks to one machine until nothing that it would choose fits.
  void serve(std::uint32_t machine);

  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<Claim>> claims_;
  std::vector<PlacedJob> jobs_;  ///< Those of the claims, one by one.
  Usage cluster_{};
  std::uint64_t changes_ = 1;  ///< Of what waits.
  bool beats_ = false;
};

}  // namespace dunlin::sim
