// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "overlay/observer.h"
#include "sched/kernel.h"
#include "sched/message.h"

// The events of workers that lend to and borrow from each other; see sched/observer.h.
namespace dunlin::sched {

/// This node lends what reading an input takes to a task elsewhere.
struct LoanGiven {
  static constexpr std::string_view kName = "loan_given";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  PeerId borrower;
  std::uint64_t loan;
};

/// A loan of this node has ended.
struct LoanEnded {
  static constexpr std::string_view kName = "loan_ended";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  PeerId borrower;
  std::uint64_t loan;
  bool repaid;  ///< Else its lease was over.
};

/// No node that has the input of a task lends to it: the task goes back to its frontend.
struct LoanMissed {
  static constexpr std::string_view kName = "loan_missed";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  JobId job;
  std::uint32_t index;
  AttemptNumber attempt;
};

}  // namespace dunlin::sched
