// SPDX-License-Identifier: MIT
#include "sched/ledger/audit.h"

#include <algorithm>
#include <functional>
#include <map>

#include "sched/ledger/savings.h"

// Tickets are money, so they are audited as money is: twice, from both ends. One end is the state
// (pools, grants, accounts, transfers under way), the other the totals of all that ever came and
// went. A command that forgets one side makes the two differ at once.
// Between cells the same holds of each pair: the receiver must have accepted exactly what the
// sender settled, plus what it has accepted of transfers still under way. The check reads both
// books at one consistent cut, because a transfer that one of them finished later would look lost.
// Snapshots go through the same checks, so sums guard against overflow: a damaged snapshot may hold
// any number.
namespace dunlin::sched {
namespace {

using Broken = std::optional<std::string>;

/// True if the keys grow from each element to the next: sorted, and none twice.
bool grows(const auto& list, auto key) {
  return std::ranges::adjacent_find(list, std::ranges::greater_equal{}, key) == list.end();
}

bool sound(const std::vector<books::Deposit>& deposits) {
  return grows(deposits, &books::Deposit::expires) &&
      std::ranges::all_of(deposits, [](const auto& each) { return each.tickets > 0; });
}

/// The bound of every sum here: of the totals, three count what came in.
constexpr Tickets kSumMax = 3 * kTotalMax;

/// Adds to `sum`. False, instead of an overflow, if the sum would be more than can be: a snapshot
/// may hold anything.
bool add(Tickets& sum, Tickets tickets) {
  if (tickets < 0 || tickets > kSumMax - sum) return false;
  sum += tickets;
  return true;
}

/// Totals within their bounds come first: later checks add them up.
Broken check_bounds(const books::State& state) {
  const books::Totals& totals = state.totals;
  for (const Tickets total : {totals.minted, totals.burned, totals.issued, totals.reissued,
           totals.redeemed, totals.expired, totals.received, totals.sent}) {
    if (total < 0 || total > kSumMax) return "a total is out of bounds";
  }
  Tickets saved = 0;
  Tickets sent = 0;
  Tickets received = 0;
  bool fine = true;
  const auto add_deposits = [&](const auto& deposits) {
    for (const auto& each : deposits) fine = fine && add(saved, each.tickets);
  };
  for (const auto& account : state.accounts) add_deposits(account.deposits);
  for (const auto& partner : state.partners) {
    for (const auto& outgoing : partner.outgoing) add_deposits(outgoing.deposits);
    fine = fine && add(sent, partner.sent) && add(received, partner.received);
  }
  if (!fine) return "its savings are more than there can be";
  if (sent == totals.sent && received == totals.received) return {};
  return "what its partners sent and received is not what it counted";
}

/// Each node grants at most what it has; together, nodes have what was minted and not burned.
Broken check_nodes(const books::State& state) {
  if (!grows(state.nodes, &books::Node::node)) return "its nodes are not sorted";
  Tickets sum = 0;
  for (const auto& node : state.nodes) {
    const std::string name = "node " + std::to_string(node.node.value);
    if (!node.node || node.tickets < 0 || node.tickets > kTicketsMax) return name + " is no node";
    if (!grows(node.grants, &books::Share::class_id)) return name + " grants to a class twice";
    Tickets rest = node.tickets;
    for (const auto& grant : node.grants) {
      if (!is_movable(grant.tickets)) return name + " grants " + std::to_string(grant.tickets);
      rest -= grant.tickets;
    }
    if (rest < 0) return name + " grants more than it has";
    sum += node.tickets;
  }
  if (sum == state.totals.minted - state.totals.burned) return {};
  return "its nodes have " + std::to_string(sum) + " tickets, not what was minted and not burned";
}

/// Accounts are not empty, their deposits are in order, and a local reserve is at a known node.
Broken check_accounts(const books::State& state) {
  const auto key = [](const books::Account& account) {
    return std::pair(account.class_id, account.node);
  };
  if (!grows(state.accounts, key)) return "its accounts are not sorted";
  for (const auto& account : state.accounts) {
    const std::string name = "the account of class " + std::to_string(account.class_id);
    if (account.deposits.empty() || !sound(account.deposits)) return name + " is not in order";
    const bool placed = !account.node ||
        std::ranges::binary_search(state.nodes, account.node, {}, &books::Node::node);
    if (!placed) return name + " is at a node that is not there";
  }
  return {};
}

/// Transfers lie within the window of numbers that both cells remember.
Broken check_partners(const books::State& state) {
  if (!grows(state.partners, &books::Partner::cell)) return "its partners are not sorted";
  for (const auto& partner : state.partners) {
    const std::string name = "cell " + std::to_string(partner.cell.value);
    if (!grows(partner.outgoing, &books::Outgoing::number) ||
        !grows(partner.incoming, &books::Incoming::number)) {
      return "transfers with " + name + " are not sorted";
    }
    const auto& outgoing = partner.outgoing;
    const auto& incoming = partner.incoming;
    const bool in_window =
        (outgoing.empty() ||
            (outgoing.back().number <= partner.number_last &&
                partner.number_last - outgoing.front().number < books::Partner::kOutgoingMax)) &&
        (incoming.empty() ||
            (incoming.front().number >= partner.settled_below &&
                incoming.back().number - partner.settled_below < books::Partner::kIncomingMax));
    if (!in_window) return "a transfer with " + name + " is out of its window";
    const bool fine = std::ranges::all_of(outgoing,
        [](const books::Outgoing& each) { return !each.deposits.empty() && sound(each.deposits); });
    if (!fine) return "a transfer to " + name + " is not in order";
  }
  return {};
}

/// A client's remembered outcomes lie above what it has acknowledged, within its window.
Broken check_clients(const books::State& state) {
  if (!grows(state.clients, &books::Client::client)) return "its clients are not sorted";
  for (const auto& client : state.clients) {
    const bool fresh = client.answers.empty() ||
        (client.answers.front().sequence > client.acknowledged &&
            client.answers.back().sequence - client.acknowledged <= books::Client::kAnswersMax);
    if (!fresh || !grows(client.answers, &books::Answer::sequence)) {
      return "the answers to client " + std::to_string(client.client) + " are not in order";
    }
  }
  return {};
}

/// The sum that every command must keep: places = what came - what went.
Broken check_totals(const books::State& state) {
  const Audit audit = audit_of(state);
  if (balances(audit)) return {};
  return "it has " +
      std::to_string(audit.pools + audit.granted + audit.available + audit.in_flight) +
      " tickets and must have " +
      std::to_string(audit.minted + audit.created + audit.received - audit.sent);
}

const books::Partner* partner_of(const books::State& state, CellId cell) {
  const auto at = std::ranges::lower_bound(state.partners, cell, {}, &books::Partner::cell);
  return at != state.partners.end() && at->cell == cell ? &*at : nullptr;
}

/// The tickets that `sender` has under way and `receiver` has accepted.
Tickets accepted_under_way(const books::Partner& sender, const books::Partner& receiver) {
  Tickets sum = 0;
  for (const auto& incoming : receiver.incoming) {
    const bool under_way =
        std::ranges::binary_search(sender.outgoing, incoming.number, {}, &books::Outgoing::number);
    if (incoming.accepted && under_way) sum += incoming.tickets;
  }
  return sum;
}

/// Finds out if `receiver` has what `sender` settled, and the same amount of what is under way.
Broken check_pair(const books::State& sender, const books::State& receiver) {
  const books::Partner none;
  const auto* known_there = partner_of(receiver, sender.cell);
  const auto* known_here = partner_of(sender, receiver.cell);
  const books::Partner& there = known_there != nullptr ? *known_there : none;
  const books::Partner& here = known_here != nullptr ? *known_here : none;
  const std::string names = std::to_string(receiver.cell.value) + " accepted from cell " +
      std::to_string(sender.cell.value);
  for (const auto& incoming : there.incoming) {
    const auto at =
        std::ranges::lower_bound(here.outgoing, incoming.number, {}, &books::Outgoing::number);
    const bool under_way = at != here.outgoing.end() && at->number == incoming.number;
    if (incoming.accepted && under_way && books::sum_of(at->deposits) != incoming.tickets) {
      return "cell " + names + " another amount than was held for it";
    }
  }
  if (there.received == here.sent + accepted_under_way(here, there)) return {};
  return "cell " + names + " " + std::to_string(there.received) + " tickets, " +
      std::to_string(here.sent) + " are settled and " +
      std::to_string(accepted_under_way(here, there)) + " accepted and under way";
}

using States = std::map<CellId, const books::State*>;

/// The cells that no other has written off.
States not_lost(std::span<const books::State* const> states) {
  States kept;
  for (const auto* state : states) kept[state->cell] = state;
  for (const auto* state : states) {
    for (const auto& partner : state->partners) {
      if (partner.lost) kept.erase(partner.cell);
    }
  }
  return kept;
}

/// The first fault between two cells of which one knows the other. There may be thousands of cells,
/// so unrelated pairs are not looked at.
std::optional<std::string> first_broken_pair(const States& states) {
  for (const auto& [cell, state] : states) {
    for (const auto& partner : state->partners) {
      const auto other = states.find(partner.cell);
      if (other == states.end() || other->second == state) continue;
      if (auto broken = check_pair(*state, *other->second)) return broken;
      if (auto broken = check_pair(*other->second, *state)) return broken;
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> broken_invariant(const books::State& state) {
  for (const auto check :
      {check_bounds, check_nodes, check_accounts, check_partners, check_clients}) {
    if (auto broken = check(state)) return broken;
  }
  return check_totals(state);
}

Audit& Audit::operator+=(const Audit& other) {
  minted += other.minted;
  created += other.created;
  pools += other.pools;
  granted += other.granted;
  available += other.available;
  in_flight += other.in_flight;
  sent += other.sent;
  received += other.received;
  return *this;
}

Audit audit_of(const books::State& state) {
  const books::Totals& totals = state.totals;
  Audit audit{.minted = totals.minted - totals.burned,
      .created = totals.issued + totals.reissued - totals.redeemed - totals.expired,
      .sent = totals.sent,
      .received = totals.received};
  for (const auto& node : state.nodes) {
    Tickets granted = 0;
    for (const auto& grant : node.grants) granted += grant.tickets;
    audit.granted += granted;
    audit.pools += node.tickets - granted;
  }
  for (const auto& account : state.accounts) audit.available += books::sum_of(account.deposits);
  for (const auto& partner : state.partners) {
    for (const auto& outgoing : partner.outgoing) {
      audit.in_flight += books::sum_of(outgoing.deposits);
    }
  }
  return audit;
}

bool balances(const Audit& audit) {
  return audit.pools + audit.granted + audit.available + audit.in_flight ==
      audit.minted + audit.created + audit.received - audit.sent;
}

std::optional<std::string> broken_between(std::span<const books::State* const> states) {
  for (const auto* state : states) {
    if (auto broken = broken_invariant(*state)) {
      return "cell " + std::to_string(state->cell.value) + ": " + *broken;
    }
  }
  return first_broken_pair(not_lost(states));
}

Audit add_up(std::span<const books::State* const> states) {
  Audit sum;
  States known;
  for (const auto* state : states) known[state->cell] = state;
  for (const auto* state : states) {
    sum += audit_of(*state);
    for (const auto& here : state->partners) {
      const auto receiver = known.find(here.cell);
      if (receiver == known.end()) continue;
      const auto* there = partner_of(*receiver->second, state->cell);
      if (there == nullptr) continue;
      // The receiver has it, so for the whole it counts as settled.
      const Tickets settled = accepted_under_way(here, *there);
      sum.in_flight -= settled;
      sum.sent += settled;
    }
  }
  return sum;
}

}  // namespace dunlin::sched
