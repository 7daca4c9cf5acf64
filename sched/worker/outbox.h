// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/turn.h"

namespace dunlin::sched {

/// When a frontend that has tasks here was last heard.
struct FrontendLease {
  PeerId frontend;
  Time heard{};
};

/// Reports of ended tasks, kept and sent again until their frontend has recorded them.
class Outbox {
 public:
  struct Item {
    JobId job;
    Endpoint frontend;
    Report report;
    Time since{};
    Time next{};
    Duration wait{};
  };

  const std::vector<Item>& items() const { return items_; }
  void add(Time now, const JobId& job, const Endpoint& frontend, const Report& report);
  void acknowledge(const JobId& job, const std::vector<Attempt>& tasks);
  bool holds(const JobId& job, std::uint32_t index, std::uint16_t attempt) const;
  /// Sends what is due, one message per job, and doubles its waiting time from `resend` on.
  /// Drops what nobody took for `give_up`.
  void send_due(Turn& turn, const Load& load, Duration resend, Duration give_up);
  /// The frontend is back: everything for it is due now.
  void hurry(Time now, PeerId frontend);
  Time next() const;

 private:
  std::vector<Item> items_;
};

}  // namespace dunlin::sched
