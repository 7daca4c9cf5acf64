// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sched/ledger/ledger.h"
#include "sched/raft/checksum.h"

namespace dunlin::testing {

inline sched::Time at_second(std::int64_t seconds) {
  return sched::Time{std::chrono::seconds(seconds)};
}

/// A command of the leader itself, of nobody else's asking.
template <typename Action>
sched::books::Command command_of(Action action, std::uint64_t epoch = 1, std::int64_t second = 0) {
  sched::books::Command command;
  command.epoch = epoch;
  command.at = at_second(second);
  command.action = std::move(action);
  return command;
}

/// Applies it and says what came of it.
template <typename Action>
sched::books::Outcome outcome_of(
    sched::Ledger& ledger, Action action, std::uint64_t epoch = 1, std::int64_t second = 0) {
  return ledger.apply(command_of(std::move(action), epoch, second)).outcome;
}

/// A ledger of cell `cell`, claimed by epoch 1, with nodes 1 to `nodes` of 1,000 tickets each.
inline sched::Ledger ledger_with(sched::CellId cell, std::uint64_t nodes) {
  sched::Ledger ledger(cell);
  outcome_of(ledger, sched::books::Claim{});
  for (std::uint64_t node = 1; node <= nodes; ++node) {
    outcome_of(ledger, sched::books::Mint{.node = sched::PeerId{node}, .tickets = 1000});
  }
  return ledger;
}

/// The tickets that `class_id` leaves unused at `node`, for so many seconds.
inline sched::books::Saving saving(std::uint64_t node,
    sched::ClassId class_id,
    sched::Tickets tickets,
    std::int64_t expires = 1000,
    bool local = false) {
  return {.node = sched::PeerId{node},
      .class_id = class_id,
      .tickets = tickets,
      .expires = at_second(expires),
      .local = local};
}

/// A period with deposits alone.
inline sched::books::Allocate deposits_of(
    std::uint64_t period, std::vector<sched::books::Saving> savings) {
  sched::books::Allocate allocate;
  allocate.period = period;
  allocate.deposits = std::move(savings);
  return allocate;
}

/// A snapshot of what `body` says, whatever that is, under the right checksum.
inline std::string sealed(const std::string& body) {
  const auto sum = sched::crc32c(std::as_bytes(std::span(body)));
  std::string snapshot = "dunlin books";
  for (const std::size_t number : {std::size_t{1}, body.size(), std::size_t{sum}}) {
    for (int shift = 0; shift < 32; shift += 8) {
      snapshot += static_cast<char>(number >> shift & 0xff);
    }
  }
  return snapshot + body;
}

}  // namespace dunlin::testing
