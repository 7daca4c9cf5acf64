// SPDX-License-Identifier: MIT
#include "sched/directory/directory.h"

#include <algorithm>
#include <array>
#include <set>

#include "sched/constraints.h"
#include "sched/hop.h"
#include "sched/job.h"
#include "sched/packing/rate_bits.h"
#include "sched/resources.h"

// A frontend must tell a user at once that a job can never run, and why: a job that waits for ever
// tells nothing. Gossip says which nodes there are, and their size; their names, attributes and
// custom resources are asked for, a few nodes per tick, so that a node which has just heard of
// thousands does not flood them. Each statement that comes wakes it, so it keeps those that are to
// be asked apart: a look at all took most of the time of a thousand simulated nodes.
// A census applies the tests of placement one after the other (up, constraints, size, room) and
// counts what each leaves. The first test that leaves none is the reason that the user reads; for a
// size the largest node is named, since its figures are the cure.
namespace dunlin::sched {
namespace {

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

/// Gossip tells no custom resources, and rates roughly; all else comes with the facts. Rates
/// without limit count as such.
Resources total_of(const KnownNode& node) {
  return all_of(node.facts ? node.facts->total : told_total(node.descriptor));
}

/// What is free on it. A node without facts counts as having all that only facts could deny.
Resources free_of(const KnownNode& node, const Resources& demand) {
  Resources free = told_free(node.descriptor);
  if (node.facts && node.facts_at >= node.born) {
    for (const Rate& rate : kRates) free.*rate.amount = node.facts->free.*rate.amount;
  }
  free.custom = node.facts ? node.facts->free.custom : demand.custom;
  return free;
}

/// A node without facts is judged by its signature, which never hides a node that would do.
bool matches(
    const KnownNode& node, const Signature& wanted, std::span<const Constraint> constraints) {
  if (node.facts) return satisfies_all(node.facts->attributes, constraints);
  return node.descriptor.signature.covers(wanted);
}

/// In doubt true: a job is refused only if it surely can never run.
bool could_fit(const KnownNode& node, const Resources& demand) {
  if (node.facts) return fits(demand, all_of(node.facts->total));
  if (is_sick(node.descriptor)) return true;  // It does not say how large it is.
  return demand.cpu <= node.descriptor.cpu_total && demand.memory <= node.descriptor.memory_total &&
      rates_could_fit(demand, node.descriptor);
}

void note_aside(Census& census, PeerId id, const KnownNode& node, Time now) {
  ++census.aside_count;
  if (census.aside.size() >= Census::kAsideMax) return;
  const Time since = node.state_since(now).value_or(now);
  census.aside.push_back(
      {.node = id, .state = node.state(now), .since = std::max(Duration{0}, now - since)});
}

/// The first dimension in which a node has less than a task demands, in words: both amounts.
std::pair<std::string, std::string> excess(const Resources& demand, const Resources& has) {
  if (demand.memory > has.memory) return {memory_text(demand.memory), memory_text(has.memory)};
  if (demand.cpu > has.cpu) return {cpu_text(demand.cpu) + " cpu", cpu_text(has.cpu) + " cpu"};
  for (const Rate& rate : kRates) {
    const auto text = [&](const Resources& of) {
      return rate_text(of.*rate.amount) + " " + std::string(rate.words);
    };
    if (demand.*rate.amount > has.*rate.amount) return {text(demand), text(has)};
  }
  for (const Amount& amount : demand.custom) {
    const std::uint32_t there = amount_of(has, amount.name);
    if (amount.count <= there) continue;
    return {std::to_string(amount.count) + " " + amount.name,
        std::to_string(there) + " " + amount.name};
  }
  return {};
}

}  // namespace

Directory::Directory(const DirectoryParams& params, const NodeSpec& self)
    : params_(params),
      self_(self.endpoint.id) {}

void Directory::hear(Time now, const overlay::Descriptor& descriptor) {
  if (params_.size_max == 0 || !descriptor.id || descriptor.id == self_) return;
  auto it = nodes_.find(descriptor.id);
  if (it == nodes_.end()) {
    make_room();
    const KnownNode node{.descriptor = descriptor, .born = now - descriptor.age};
    it = nodes_.emplace(descriptor.id, node).first;
  } else if (!it->second.hear(now, descriptor)) {
    return;
  }
  none_before_ = std::min(none_before_, it->second.born);
  note(it->first, it->second);
  next_tick_ = std::min(next_tick_, now + params_.tick);
}

void Directory::make_room() {
  if (nodes_.size() < params_.size_max) return;
  // The entry that was confirmed longest ago makes room; our own never does.
  const auto oldest = std::ranges::min_element(nodes_, {},
      [&](const auto& entry) { return std::pair(entry.first == self_, entry.second.born); });
  open_.erase(oldest->first);
  nodes_.erase(oldest);
}

void Directory::forget(Time now) {
  if (none_before_ == kNever || now - none_before_ <= params_.forget_after) return;
  none_before_ = kNever;
  std::erase_if(nodes_, [&](const auto& entry) {
    if (entry.first == self_) return false;
    const bool stays = now - entry.second.born <= params_.forget_after;
    if (stays)
      none_before_ = std::min(none_before_, entry.second.born);
    else
      open_.erase(entry.first);
    return !stays;
  });
}

void Directory::note(PeerId peer, const KnownNode& node) {
  if (node.is_open() && peer != self_)
    open_.insert(peer);
  else
    open_.erase(peer);
}

void Directory::on_down(Time now, PeerId peer, bool farewell) {
  const auto it = nodes_.find(peer);
  if (it == nodes_.end()) return;
  it->second.depart(now, farewell);
  note(peer, it->second);
}

void Directory::suspect(Turn& turn, PeerId peer) {
  const auto it = nodes_.find(peer);
  if (it == nodes_.end() || peer == self_) return;
  KnownNode& node = it->second;
  // A node that is asked already needs no second question: wake() goes on with it.
  if (node.departure || node.unanswered) return;
  ask(turn, node);
  next_tick_ = std::min(next_tick_, turn.now + params_.tick);
}

void Directory::on_message(Turn& turn, const Endpoint& from, const Facts& facts) {
  const auto it = nodes_.find(from.id);
  if (it == nodes_.end()) return;
  it->second.answer(turn.now, facts);
  note(from.id, it->second);
}

void Directory::set_own_facts(Time now, const Facts& facts, const overlay::Descriptor& descriptor) {
  if (params_.size_max == 0) return;
  KnownNode own{.descriptor = descriptor, .born = now, .facts = facts, .facts_at = now};
  const bool aside = facts.draining || !facts.sick.empty();
  const Time since = nodes_[self_].aside_since;
  if (aside) own.aside_since = since == Time{} ? now : since;
  nodes_[self_] = std::move(own);
}

void Directory::ask(Turn& turn, KnownNode& node) {
  node.ask(turn.now);
  note(node.descriptor.id, node);
  turn.out.send({node.descriptor.id, node.descriptor.address}, FactsRequest{turn.rng()});
}

void Directory::wake(Turn& turn) {
  if (turn.now < next_tick_) return;
  next_tick_ = kNever;
  forget(turn.now);
  unsigned budget = params_.facts_per_tick;
  for (auto each = open_.begin(); each != open_.end();) {
    KnownNode& node = nodes_.at(*each++);
    const bool answered = node.facts && !node.unanswered;
    if (answered && node.stale_at() > turn.now) {
      next_tick_ = std::min(next_tick_, node.stale_at());
      continue;
    }
    next_tick_ = std::min(next_tick_, turn.now + params_.tick);
    if (node.gave_no_answer(turn.now)) {
      on_down(turn.now, node.descriptor.id, false);
      continue;
    }
    if (node.asked_at && turn.now - *node.asked_at < KnownNode::kAskAgain) continue;
    if (budget == 0) break;
    ask(turn, node);
    --budget;
  }
}

Time Directory::deadline() const {
  return next_tick_;
}

void Directory::refresh(Turn& turn, PeerId only) {
  for (auto& [id, node] : nodes_) {
    if (id != self_ && (!only || id == only)) ask(turn, node);
  }
  next_tick_ = std::min(next_tick_, turn.now + params_.tick);
}

Census Directory::census(
    Time now, const Resources& demand, std::span<const Constraint> constraints) const {
  Census census;
  const Signature wanted = demanded_signature(constraints, demand);
  for (const auto& [id, node] : nodes_) {
    ++census.known;
    census.oldest = std::max(census.oldest, Duration{now - node.born});
    if (node.state(now) != NodeState::up) {
      const bool fits = matches(node, wanted, constraints) && could_fit(node, demand);
      if (fits) note_aside(census, id, node, now);
      continue;
    }
    ++census.up;
    if (!matches(node, wanted, constraints)) continue;
    ++census.matching;
    if (!could_fit(node, demand)) continue;
    ++census.could_fit;
    const Resources free = free_of(node, demand);
    if (fits(demand, free)) ++census.fit_now;
    if (demand.cpu > free.cpu) ++census.cpu_short;
    if (demand.memory > free.memory) ++census.memory_short;
    for (std::size_t i = 0; i < kRates.size(); ++i) {
      if (demand.*kRates[i].amount > free.*kRates[i].amount) ++census.rate_short[i];
    }
    if (!fits({.cpu = 0, .memory = 0, .custom = demand.custom}, free)) ++census.custom_short;
  }
  for (const Constraint& constraint : constraints) {
    const std::array alone = {constraint};
    const Signature bits = demanded_signature(alone, {});
    if (std::ranges::none_of(
            nodes_, [&](const auto& entry) { return matches(entry.second, bits, alone); })) {
      census.failed_constraints.push_back(to_string(constraint));
    }
  }
  // Finds the node that comes nearest in the dimension that no node satisfies.
  const auto best_in = [&](auto dimension) {
    const auto best = std::ranges::max_element(
        nodes_, {}, [&](const auto& entry) { return dimension(total_of(entry.second)); });
    if (best == nodes_.end() || dimension(total_of(best->second)) >= dimension(demand))
      return false;
    census.largest = total_of(best->second);
    census.largest_name = name_of(best->first);
    return true;
  };
  if (best_in([](const Resources& r) { return r.memory; })) return census;
  if (best_in([](const Resources& r) { return r.cpu; })) return census;
  for (const Rate& rate : kRates) {
    if (best_in([&](const Resources& r) { return r.*rate.amount; })) return census;
  }
  for (const Amount& amount : demand.custom) {
    if (best_in([&](const Resources& r) { return amount_of(r, amount.name); })) return census;
  }
  return census;
}

std::optional<std::string> Directory::why_never(
    Time now, const Resources& demand, std::span<const Constraint> constraints) const {
  if (nodes_.empty()) return std::nullopt;
  const bool any = std::ranges::any_of(nodes_, [&](const auto& entry) {
    const KnownNode& node = entry.second;
    return matches(node, demanded_signature(constraints, demand), constraints) &&
        could_fit(node, demand);
  });
  if (any) return std::nullopt;
  const Census census = this->census(now, demand, constraints);
  const std::string nodes =
      census.known == 1 ? "the one node known" : "no node of " + std::to_string(census.known);
  const std::string cannot = census.known == 1 ? " cannot" : " can";
  if (!census.failed_constraints.empty()) {
    std::string text = nodes + (census.known == 1 ? " does not satisfy " : " satisfies ");
    for (std::size_t i = 0; i < census.failed_constraints.size(); ++i) {
      text += (i ? ", " : "") + census.failed_constraints[i];
    }
    return text + " (dunlin nodes shows the attributes)";
  }
  if (census.largest_name.empty()) {
    return nodes + cannot + " serve " + to_string(demand) + " with these constraints together";
  }
  const auto [asked, largest] = excess(demand, census.largest);
  return nodes + cannot + " ever fit " + asked + "; largest: " + census.largest_name + ", " +
      largest;
}

std::optional<std::string> Directory::why_never(Time now, const TaskGroup& group) const {
  auto why = why_never(now, group.demand, group.constraints);
  // A directory that is full does not know all nodes.
  if (why || !group.gang || nodes_.empty() || nodes_.size() >= params_.size_max) return why;
  const Signature wanted = demanded_signature(group.constraints, group.demand);
  std::uint64_t together = 0;
  for (const auto& [id, node] : nodes_) {
    if (!matches(node, wanted, group.constraints) || !could_fit(node, group.demand)) continue;
    // Before it has told its facts, it may have anything.
    together += node.facts ? how_many_fit(group.demand, total_of(node), group.count) : group.count;
  }
  if (together >= group.count) return std::nullopt;
  return "its " + std::to_string(group.count) + " tasks start together, and the " +
      (nodes_.size() == 1 ? "one node known has"
                          : std::to_string(nodes_.size()) + " nodes known have") +
      " room for " + std::to_string(together) + " of them, even when idle";
}

// In doubt a node is on a machine of its own: a job is refused only if it surely can never start.
std::optional<std::string> Directory::why_never_safe(
    std::size_t replicas, std::string_view what) const {
  if (replicas == 0 || nodes_.empty()) return std::nullopt;
  std::set<std::uint64_t> marks;
  std::size_t machines = 0;
  std::size_t nodes = 0;
  for (const auto& [id, node] : nodes_) {
    if (node.facts && node.facts->replica == 0) continue;
    ++nodes;
    const std::uint64_t mark = node.facts ? node.facts->machine : 0;
    if (mark == 0 || marks.insert(mark).second) ++machines;
  }
  const std::size_t needed = machines_needed(replicas);
  if (machines >= needed) return std::nullopt;
  const bool one = replicas == 1;
  return std::to_string(replicas) + " " + std::string(what) + (one ? " needs " : "s need ") +
      std::to_string(needed) + " machines, since " + std::to_string(replicas + 1) +
      " of them keep the books of the job's cell when " + (one ? "one is" : "the others are") +
      " lost; this cluster has " + std::to_string(machines) +
      (machines == 1 ? " machine with " : " machines with ") + std::to_string(nodes) +
      (nodes == 1 ? " node" : " nodes");
}

std::string Directory::name_of(PeerId peer) const {
  const auto it = nodes_.find(peer);
  if (it != nodes_.end() && it->second.facts) return it->second.facts->name;
  return hex(peer.value);
}

}  // namespace dunlin::sched
