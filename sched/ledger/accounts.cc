// SPDX-License-Identifier: MIT
#include "sched/ledger/accounts.h"

#include <algorithm>
#include <utility>

#include "sched/ledger/savings.h"

// The list is sorted and short (a few classes, some local reserves), so a search costs less than an
// index would. An account exists only while it holds something: equal books must have equal bytes,
// and an empty account would make two forms of nothing.
namespace dunlin::sched::books {

Tickets savings_of(const State& state, ClassId class_id, MemberId node) {
  for (const auto& account : state.accounts) {
    if (account.class_id == class_id && account.node == node) return sum_of(account.deposits);
  }
  return 0;
}

bool can_put(const State& state, ClassId class_id, MemberId node) {
  return state.accounts.size() < State::kAccountsMax || savings_of(state, class_id, node) > 0;
}

void put(State& state, ClassId class_id, MemberId node, const Deposit& added) {
  const auto key = [](const Account& account) { return std::pair(account.class_id, account.node); };
  auto at = std::ranges::lower_bound(state.accounts, std::pair(class_id, node), {}, key);
  if (at == state.accounts.end() || key(*at) != std::pair(class_id, node)) {
    ensure(state.accounts.size() < State::kAccountsMax, "an account too many");
    at = state.accounts.insert(at, {.class_id = class_id, .node = node, .deposits = {}});
  }
  deposit(at->deposits, added, Account::kDepositsMax);
}

void expire_accounts(State& state) {
  for (auto& account : state.accounts) {
    state.totals.expired += expire(account.deposits, state.now);
  }
  std::erase_if(state.accounts, [](const Account& account) { return account.deposits.empty(); });
}

}  // namespace dunlin::sched::books
