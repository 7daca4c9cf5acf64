// SPDX-License-Identifier: MIT
#include "node/reach/ways.h"

#include <algorithm>
#include <utility>

// Most nodes have one address, at which they are heard: for those this is a table that is looked
// up. It begins to work when a node is heard from elsewhere than where it is said to be, or not at
// all. Then all its addresses are asked, by a challenge that only that node can answer. An answer
// takes one round trip, and until it comes things go where they are heard from. What datagrams say
// of their sender's address is not taken without a challenge for long: a recorded one, sent again
// from elsewhere, leads a node's mail astray until the next datagram at most.
namespace dunlin::node {
namespace {

using overlay::Address;
using overlay::Duration;
using overlay::PeerId;
using overlay::Time;

/// Other nodes are asked so often at first whether they know a way to one that is lost; then
/// seldom.
constexpr int kOthersAskedMax = 3;
constexpr Duration kOthersAgain = std::chrono::seconds(5);
/// A full table is looked through so often at most, for nodes that were in no word for kForgotten.
constexpr Duration kSweep = std::chrono::seconds(10);
constexpr Duration kForgotten = std::chrono::minutes(2);

/// Twice as long after each question in vain; and where nothing helps, one now and then.
Duration wait_after(int questions) {
  if (questions == 0) return Duration{0};
  if (questions >= Ways::kQuestionsMax) return Ways::kLookAgain;
  return Ways::kWaitMin * (1 << (questions - 1));
}

bool within(const std::optional<Time>& moment, Duration span, Time now) {
  return moment && now - *moment < span;
}

}  // namespace

// All by the time at which the node spoke last: what led to a node that is silent is remembered.
bool Ways::leads(const Node& node, const Way& way, Time now) {
  if (!node.heard) return false;
  const Time last = std::min(*node.heard, now);
  return within(way.heard, kHeardFor, last) || within(way.answered, kAnsweredFor, last);
}

// Counted from the first word to it that was not answered: a node that is sent no word is not
// silent.
bool Ways::is_silent(const Node& node, Time now) {
  return node.told && now - *node.told >= (node.heard ? kSilence : kSilenceFirst);
}

// A way that works is asked again before its answer grows old, so that there is never a moment
// without one; but not while datagrams come from there, which say the same.
bool Ways::is_open(const Node& node, const Way& way, Time now) {
  const bool wanted = within(way.wanted, kWantedFor, now);
  if (is_silent(node, now)) return way.questions < kQuestionsMax || wanted;
  if (!wanted) return false;
  if (!leads(node, way, now)) return true;
  const bool heard = within(way.heard, kHeardFor, *node.heard);
  return !heard && !within(way.answered, kAnsweredFor - kAskBefore, now);
}

// It tells an address at which it does not answer.
bool Ways::is_lame(const Node& node, Time now) {
  return std::ranges::any_of(node.ways, [&](const Way& way) {
    return within(way.wanted, kWantedFor, now) && !leads(node, way, now);
  });
}

bool Ways::is_due(const Way& way, Time now) {
  return way.questions == 0 || now - way.asked >= wait_after(way.questions);
}

// The nearest by kind of the ways that lead there: see rank_of().
const Ways::Way* Ways::best(const Node& node, Time now) const {
  const Way* found = nullptr;
  for (const Way& way : node.ways) {
    if (!leads(node, way, now)) continue;
    if (found == nullptr || rank_of(way.address, own_) > rank_of(found->address, own_)) {
      found = &way;
    }
  }
  return found;
}

Ways::Way* Ways::find(Node& node, const Address& address) {
  const auto found = std::ranges::find(node.ways, address, &Way::address);
  return found == node.ways.end() ? nullptr : &*found;
}

// The bound is small: a way gives up its place only if it leads nowhere and is not wanted.
Ways::Way* Ways::place(Node& node, const Address& address, Time now) {
  if (!address) return nullptr;
  if (Way* const known = find(node, address)) return known;
  if (node.ways.size() < kAddressesMax) {
    node.ways.push_back({.address = address});
    return &node.ways.back();
  }
  const auto useless = std::ranges::find_if(node.ways, [&](const Way& way) {
    return !leads(node, way, now) && !within(way.wanted, kWantedFor, now);
  });
  if (useless == node.ways.end()) return nullptr;
  *useless = {.address = address};
  return &*useless;
}

Ways::Node* Ways::find(PeerId id) {
  const auto found = nodes_.find(id.value);
  return found == nodes_.end() ? nullptr : &found->second;
}

const Ways::Node* Ways::find(PeerId id) const {
  const auto found = nodes_.find(id.value);
  return found == nodes_.end() ? nullptr : &found->second;
}

// Ids come from strangers, too: without room the node is sent to as it says, and no way is learned.
Ways::Node* Ways::find_or_add(PeerId id, Time now) {
  if (Node* const known = find(id)) return known;
  if (nodes_.size() >= kNodesMax) {
    if (now - swept_ < kSweep) return nullptr;
    swept_ = now;
    std::erase_if(nodes_, [&](const auto& each) {
      const Node& node = each.second;
      const Time last = std::max(node.heard.value_or(Time{}), node.told.value_or(Time{}));
      return now - last >= kForgotten;
    });
    if (nodes_.size() >= kNodesMax) return nullptr;
  }
  return &nodes_[id.value];
}

// The address that was asked for, if it leads there; else what led there before a restart, else the
// best that is known, else as it was asked for: something has to be tried.
Address Ways::route(const overlay::Endpoint& to, Time now) {
  Node* const node = to.id ? find_or_add(to.id, now) : nullptr;
  if (node == nullptr) return to.address;
  if (!node->told) node->told = now;
  Way* const way = place(*node, to.address, now);
  if (way != nullptr) {
    way->wanted = now;
    if (is_open(*node, *way, now)) in_question_.insert(to.id);
    if (leads(*node, *way, now)) return to.address;
  }
  if (is_silent(*node, now)) in_question_.insert(to.id);
  const bool as_before = node->before && node->before->told == to.address && !is_silent(*node, now);
  if (as_before) return node->before->works;
  const Way* const other = best(*node, now);
  return other == nullptr ? to.address : other->address;
}

// What it is known to tell goes elsewhere. If it tells another address by now that one is newer.
void Ways::remember(PeerId id, const Unreached& before, Time now) {
  Node* const node = find_or_add(id, now);
  if (node == nullptr || node->heard) return;
  node->before = before;
  place(*node, before.works, now);
}

// A word of it settles what was doubted of it. The times since when its other addresses are wanted
// stay: that it is heard from one says nothing about those.
void Ways::heard(PeerId id, const Address& from, Time now) {
  Node* const node = find_or_add(id, now);
  if (node == nullptr) return;
  const bool is_new = !node->heard;
  node->heard = now;
  node->from = from;
  node->told.reset();
  node->before.reset();
  node->lost = 0;
  Way* const way = place(*node, from, now);
  if (is_new || (way != nullptr && !way->heard)) new_.push_back(id);
  if (way != nullptr) way->heard = now;
  if (node->ways.size() > 1 &&
      std::ranges::any_of(node->ways, [&](const Way& each) { return is_open(*node, each, now); })) {
    in_question_.insert(id);
  }
}

// Others say that it may be there. That is no proof, so it is only one more address to ask.
void Ways::hint(PeerId id, std::span<const Address> addresses, Time now) {
  Node* const node = find_or_add(id, now);
  if (node == nullptr) return;
  for (const Address& each : addresses) place(*node, each, now);
  if (is_silent(*node, now)) in_question_.insert(id);
}

void Ways::ask(Time now, const std::function<std::uint64_t()>& draw, std::vector<Question>& out) {
  for (auto at = in_question_.begin(); at != in_question_.end();) {
    Node* const node = find(*at);
    bool open = false;
    const bool lame = node != nullptr && is_lame(*node, now);
    for (std::size_t i = 0; node != nullptr && i < node->ways.size(); ++i) {
      Way& way = node->ways[i];
      const bool hinted = lame && way.questions < kQuestionsMax && !leads(*node, way, now);
      if (!hinted && !is_open(*node, way, now)) continue;
      open = true;
      if (!is_due(way, now)) continue;
      way.challenge = draw();
      way.asked = now;
      way.questions = std::min(way.questions + 1, kQuestionsMax);
      out.push_back({{*at, way.address}, way.challenge});
    }
    at = open ? std::next(at) : in_question_.erase(at);
  }
}

// The challenge was drawn by chance for this way alone: what answers it is there, and is that node.
void Ways::answered(PeerId id, std::uint64_t challenge, Time now) {
  Node* const node = find(id);
  if (node == nullptr || challenge == 0) return;
  const auto way = std::ranges::find(node->ways, challenge, &Way::challenge);
  if (way == node->ways.end()) return;
  way->answered = now;
  way->challenge = 0;
  way->questions = 0;
}

// Those that lead there first.
std::vector<Address> Ways::addresses_of(PeerId id, Time now) const {
  std::vector<Address> all;
  const Node* const node = find(id);
  if (node == nullptr) return all;
  for (const bool leading : {true, false}) {
    for (const Way& way : node->ways) {
      if (leads(*node, way, now) == leading) all.push_back(way.address);
    }
  }
  return all;
}

Address Ways::heard_from(PeerId id) const {
  const Node* const node = find(id);
  return node != nullptr && node->heard ? node->from : Address{};
}

bool Ways::is_near(PeerId id, Time now) const {
  const Node* const node = find(id);
  return node != nullptr && within(node->heard, kHeardFor, now);
}

bool Ways::is_heard_from(const Address& address, Time now) const {
  return std::ranges::any_of(nodes_, [&](const auto& each) {
    return each.second.from == address && within(each.second.heard, kHeardFor, now);
  });
}

std::vector<PeerId> Ways::near(Time now) const {
  std::vector<PeerId> all;
  for (const auto& [id, node] : nodes_) {
    if (within(node.heard, kHeardFor, now)) all.push_back({id});
  }
  std::ranges::sort(all);  // The order of a hash means nothing.
  return all;
}

// Only of a node that is heard: of one that is silent its address is not what is wrong.
std::optional<Unreached> Ways::unreached(PeerId id, const Address& told, Time now) const {
  const Node* const node = find(id);
  if (node == nullptr || !within(node->heard, kHeardFor, now)) return std::nullopt;
  const auto way = std::ranges::find(node->ways, told, &Way::address);
  if (way == node->ways.end() || leads(*node, *way, now)) return std::nullopt;
  const bool in_vain = way->questions >= kQuestionsMax && now - way->asked >= kWaitMin;
  const Way* const other = best(*node, now);
  if (!in_vain || other == nullptr) return std::nullopt;
  return Unreached{.told = told, .works = other->address};
}

bool Ways::is_reached_at(PeerId id, const Address& address, Time now) const {
  const Node* const node = find(id);
  if (node == nullptr) return false;
  const auto way = std::ranges::find(node->ways, address, &Way::address);
  return way != node->ways.end() && leads(*node, *way, now);
}

// To ask others costs their time, so each node is asked about a few times soon, and then seldom.
std::vector<PeerId> Ways::take_lost(Time now) {
  std::vector<PeerId> lost;
  for (const PeerId id : in_question_) {
    Node* const node = find(id);
    if (node == nullptr || !is_silent(*node, now)) continue;
    const Duration wait = node->lost < kOthersAskedMax ? kOthersAgain : 2 * kLookAgain;
    if (node->lost > 0 && now - node->lost_at < wait) continue;
    node->lost = std::min(node->lost + 1, kOthersAskedMax);
    node->lost_at = now;
    lost.push_back(id);
  }
  return lost;
}

std::vector<PeerId> Ways::take_new() {
  std::ranges::sort(new_);
  const auto repeated = std::ranges::unique(new_);
  new_.erase(repeated.begin(), repeated.end());
  return std::exchange(new_, {});
}

}  // namespace dunlin::node
