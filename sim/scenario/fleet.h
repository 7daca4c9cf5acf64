// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ranges>
#include <string>
#include <vector>

#include "overlay/shared.h"
#include "sched/resources.h"

namespace dunlin::sim {

/// A machine of a cluster.
struct Machine {
  /// What its node declares: milli-CPU, MiB, KiB/s.
  sched::Resources total;
  std::vector<sched::Attribute> attributes;
  double speed = 1;  ///< Above 0. A task takes its duration divided by this.
};

/// Everything that tells a machine from one of another make, as text.
std::string make_key(const Machine& machine);

/// All machines of a cluster. There may be a million, of few makes: each make stands once in
/// memory, and copies of a fleet share it.
class Fleet {
 public:
  // Implicit: a list of machines is a fleet.
  Fleet(const std::vector<Machine>& machines = {});

  /// As many as there are peers.
  std::size_t size() const { return body_->make_of.size(); }
  const Machine& operator[](std::size_t i) const { return body_->makes[body_->make_of[i]]; }
  /// All machines, in order.
  auto all() const {
    return body_->make_of | std::views::transform([body = &*body_](std::uint32_t make) -> auto& {
      return body->makes[make];
    });
  }

  /// The makes of the machines ...
  const std::vector<Machine>& makes() const { return body_->makes; }
  /// ... and the index of each machine's make.
  const std::vector<std::uint32_t>& make_of() const { return body_->make_of; }

 private:
  struct Body {
    std::vector<Machine> makes;
    std::vector<std::uint32_t> make_of;
  };
  static Body sorted(const std::vector<Machine>& machines);

  overlay::Shared<Body> body_;
};

}  // namespace dunlin::sim
