// SPDX-License-Identifier: MIT
#pragma once

#include "sched/sharing/bank_params.h"
#include "sched/sharing/sharing_plan.h"

namespace dunlin::sched {

/// The fate of a class on a node in the last period. Source: CS 736 slides, cases 1 to 4.
enum class BankCase : std::uint8_t {
  saves = 1,   ///< Used less than it had, which was within its share.
  gives_back,  ///< Used less than it had, which was more than its share.
  catches_up,  ///< Used all it had, less than its share.
  wants_more,  ///< Used all it had, and that was its share at least.
};

/// The case of class j on node i; its share there is `desired` tickets.
BankCase bank_case(const BankParams& params,
    const SharingInput& input,
    std::size_t i,
    std::size_t j,
    Tickets desired);

/// The next period by the bank algorithm. Whole tickets only; a row never adds up to more than its
/// node has; nothing is drawn that is not in the account, nor deposits of this very period. Fails
/// as validate(input) does. Source: CS 736 slides, "Approach 2: Bank Account Mechanism", parts 1
/// and 2.
Result<SharingPlan> plan_bank(const BankParams& params, const SharingInput& input);

}  // namespace dunlin::sched
