// SPDX-License-Identifier: MIT
#pragma once

#include "sched/cell/message.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// This node, as the parts of its CellNode know it.
struct LocalNode {
  Endpoint endpoint;
  Tickets tickets = 0;  ///< Its milli-CPUs.
  Time born{};
  bool draining = false;      ///< It is to keep no books and manage nothing.
  std::uint64_t machine = 0;  ///< See NodeSpec.

  /// The part of a report that is about this node, whether it speaks for itself or for a cell.
  cell::MemberReport report(Time now, std::uint64_t class_table) const {
    cell::MemberReport report;
    report.draining = draining;
    report.uptime = now - born;
    report.capacity = tickets;
    report.version = class_table;
    report.machine = machine;
    return report;
  }
};

}  // namespace dunlin::sched
