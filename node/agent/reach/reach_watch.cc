// SPDX-License-Identifier: MIT
#include "node/agent/reach/reach_watch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "node/agent/reach/host_addresses.h"
#include "node/agent/reach/kept_ways.h"
#include "node/agent/reach/network_options.h"
#include "node/agent/reach/told_address.h"
#include "node/ids.h"
#include "node/net/resolve.h"
#include "sched/directory/directory.h"
#include "sched/peer_view.h"

// The decisions are made by rules that know no agent (node/reach): this hands them what the kernel
// and other nodes say, and tells people and nodes what follows.
// A node learns three things from others: where they see it, if they reach it at what it tells, and
// where nodes are that it hears of and does not find. All of it is a hint until a challenge proves
// it.
namespace dunlin::node {
namespace {

using overlay::Address;
using overlay::Level;
using overlay::PeerId;
using overlay::Time;

constexpr std::size_t kPlacesMax = 8;
/// So many nodes are told something at a time, and so many are asked about one that is lost.
constexpr std::size_t kToldMax = 64;
constexpr std::size_t kHelpers = 2;
constexpr std::size_t kSoughtMax = 256;
constexpr std::uint32_t kNewsPerSecond = 100;
/// An address must be found told by two nodes so often: one may have just taken the other's place.
constexpr int kSharedMin = 3;
constexpr overlay::Duration kOwnPeriod = std::chrono::seconds(5);
/// Turns may be many; names are looked at so often.
constexpr overlay::Duration kNamePeriod = std::chrono::milliseconds(20);
/// Others are asked for a name so often, ...
constexpr int kNameTries = 3;
constexpr overlay::Duration kNameAgain = std::chrono::seconds(2);
/// ... and once more after this time.
constexpr overlay::Duration kNameLater = std::chrono::minutes(1);

template <typename List>
void put(const std::vector<Address>& addresses, List& places) {
  for (const Address& each : addresses) {
    if (!each || !places.try_push(NodePlace{.address = each})) return;
  }
}

template <typename List>
std::vector<Address> addresses_in(const List& places) {
  std::vector<Address> all;
  for (const NodePlace& each : places) {
    if (each.address && !each.address.is_any()) all.push_back(each.address);
  }
  return all;
}

}  // namespace

ReachWatch::ReachWatch(AgentParts& parts, Troubles& troubles, OnMoved moved)
    : parts_(parts),
      troubles_(troubles),
      moved_(std::move(moved)),
      chooses_(chooses_address(parts.configuration.agent)) {
  const auto where = split_address(parts.configuration.agent.bind, kDefaultPort);
  if (const auto bound = where ? numeric_address(*where) : std::nullopt) {
    anywhere_ = bound->is_any();
    v4_only_ = bound->is_v4();
  }
  look_at_host();
  recall_ways(parts_);
}

// Called in each turn. Cheap looks are taken each time; those that read from the kernel or the
// store have a period.
void ReachWatch::look(const std::vector<Address>& contacts) {
  if (parts_.now() - read_at_ >= kReadPeriod) look_at_host();
  tell_new();
  look_at_others();
  ask_for_lost();
  look_at_complaints();
  if (parts_.now() - own_at_ < kOwnPeriod) return;
  own_at_ = parts_.now();
  look_for_shared();
  learn_names();
  keep_ways(parts_);
  if (chooses_) look_at_own(contacts);
}

void ReachWatch::look_at_host() {
  read_at_ = parts_.now();
  // What follows from it is looked at in the next turn.
  own_at_ = {};
  host_ = host_addresses();
  if (v4_only_) {
    std::erase_if(host_, [](const HostAddress& each) { return !each.subnet.address.is_v4(); });
  }
  ways().set_own(subnets_of(host_));
  std::vector<Address> places = {self()};
  if (anywhere_) places = addresses_to_tell(host_, self(), parts_.transport->port(), kPlacesMax);
  const bool is_first = places_.empty();
  if (std::exchange(places_, places) == places || is_first) return;
  std::vector<PeerId> near = ways().near(parts_.now());
  // The others are told when they say something themselves.
  near.resize(std::min(near.size(), kToldMax));
  for (const PeerId node : near) tell(node);
}

std::string ReachWatch::name_of(PeerId node) const {
  std::string name = known_name(parts_, node);
  return name.empty() ? to_string(node) : name;
}

void ReachWatch::tell(PeerId node) {
  const Address seen = ways().heard_from(node);
  if (!seen) return;
  Whereabouts message{.name = parts_.peer->self().name, .seen = seen};
  put(places_, message.places);
  if (const auto known = parts_.unreachable.find(node); known != parts_.unreachable.end()) {
    message.unreached = known->second.told;
  }
  // Forgotten all at once: nodes are told once too often then, which does no harm.
  if (told_.size() >= Ways::kNodesMax) told_.clear();
  told_[node] = parts_.now();
  parts_.outbox.send({node, seen}, Message(message));
}

void ReachWatch::tell_new() {
  std::vector<PeerId> met = ways().take_new();
  met.resize(std::min(met.size(), kToldMax));
  for (const PeerId node : met) tell(node);
}

// Not all nodes, of which there may be many thousands, but those with an open question, and those
// known as out of reach, of which one may be reached again.
void ReachWatch::look_at_others() {
  const Time now = parts_.now();
  std::set<PeerId> all = ways().in_question();
  for (const auto& [node, unreached] : parts_.unreachable) all.insert(node);
  const auto& known = sched::directory_of(*parts_.peer).nodes();
  for (const PeerId node : all) {
    const auto entry = known.find(node);
    const auto unreached = entry == known.end()
        ? std::nullopt
        : ways().unreached(node, entry->second.descriptor.address, now);
    if (unreached) {
      note(node, *unreached);
    } else if (parts_.unreachable.erase(node) > 0) {
      parts_.log.say(Level::info, "node_reachable", {{"node", name_of(node)}});
      tell(node);
    }
  }
}

// The node itself is told, because its own people must cure it; the log here is for ours.
void ReachWatch::note(PeerId node, const Unreached& unreached) {
  const Time now = parts_.now();
  parts_.unreachable[node] = unreached;
  const auto last = told_.find(node);
  if (last == told_.end() || now - last->second >= kSayAgain) tell(node);
  const auto logged = logged_.find(node);
  if (logged != logged_.end() && now - logged->second < kLogAgain) return;
  if (logged_.size() >= Ways::kNodesMax) logged_.clear();
  logged_[node] = now;
  parts_.log.say(Level::warn, "node_unreachable",
      {{"node", name_of(node)}, {"id", to_string(node)},
          {"told", overlay::to_string(unreached.told)},
          {"reached_at", overlay::to_string(unreached.works)}, {"cure", cure_of(unreached)}});
}

void ReachWatch::ask_for_lost() {
  for (const PeerId node : ways().take_lost(parts_.now())) ask_about(node);
}

void ReachWatch::ask_about(PeerId node) {
  const std::vector<PeerId> near = ways().near(parts_.now());
  if (sought_.size() >= kSoughtMax) sought_.clear();
  sought_.insert(node);
  for (std::size_t i = 0; i < std::min(kHelpers, near.size()); ++i) {
    // In turns, so that a helper that does not know is not asked again at once.
    const PeerId helper = near[helper_++ % near.size()];
    if (helper == node) continue;
    parts_.outbox.send({helper, ways().heard_from(helper)}, Message(NodeSought{.node = node}));
  }
}

void ReachWatch::ask_names() {
  const Time now = parts_.now();
  if (parts_.nameless.empty() || now - names_at_ < kNamePeriod) return;
  names_at_ = now;
  for (auto at = parts_.nameless.begin(); at != parts_.nameless.end();) {
    auto& [node, question] = *at;
    // Nobody knows it, or it is known by now. A listing that needs it asks again.
    const bool in_vain = question.times > kNameTries + 1;
    if (in_vain || !known_name(parts_, node).empty()) {
      at = parts_.nameless.erase(at);
      continue;
    }
    const auto wait = question.times < kNameTries ? kNameAgain : kNameLater;
    if (question.times == 0 || now - question.asked >= wait) {
      ++question.times;
      question.asked = now;
      ask_about(node);
    }
    ++at;
  }
}

// What nodes say themselves is kept for when they are down, or this agent begins anew.
void ReachWatch::learn_names() {
  NameTable& names = parts_.records->store().names();
  // Its own, too: a host that is renamed goes on understanding labels of its jobs.
  names.put(parts_.transport->self().id, parts_.peer->self().name);
  for (const auto& [id, node] : sched::directory_of(*parts_.peer).nodes()) {
    if (id == parts_.transport->self().id) continue;
    if (node.facts) {
      names.put(id, node.facts->name);
    } else if (names.find(id).empty() && parts_.nameless.size() < kSoughtMax) {
      parts_.nameless.try_emplace(id);
    }
  }
}

// Two nodes of one address, as bridges to containers have: mail for one goes to the other, or to
// this node itself.
void ReachWatch::look_for_shared() {
  const auto& nodes = sched::directory_of(*parts_.peer).nodes();
  std::map<Address, std::vector<PeerId>> tellers = {{self(), {parts_.transport->self().id}}};
  for (const auto& [id, node] : nodes) {
    if (ways().is_near(id, parts_.now())) tellers[node.descriptor.address].push_back(id);
  }
  std::map<Address, int> shared;
  parts_.address_notes.clear();
  for (const auto& [address, ids] : tellers) {
    if (ids.size() < 2) continue;
    const int times = shared[address] = shared_[address] + 1;
    if (times < kSharedMin) continue;
    std::string names;
    for (const PeerId id : ids) {
      names += (names.empty()             ? ""
                       : id == ids.back() ? " and "
                                          : ", ") +
          (id == parts_.transport->self().id ? parts_.peer->self().name : name_of(id));
    }
    const std::string text = names + " tell others one address, " + overlay::to_string(address) +
        ": start each with its own, --advertise";
    parts_.address_notes.push_back(text);
    if (times == kSharedMin) {
      parts_.log.say(Level::warn, "address_shared",
          {{"address", overlay::to_string(address)}, {"nodes", names},
              {"cure", "start each with an address of its own: --advertise"}});
    }
  }
  shared_ = std::move(shared);
}

// The choice is written down before the node moves: it moves by beginning anew, and the process
// that follows must choose the same address.
void ReachWatch::look_at_own(const std::vector<Address>& contacts) {
  const Time now = parts_.now();
  AddressEvidence evidence{.host = host_,
      .to_contacts = {},
      .seen = sightings_.seen(self(), now),
      .reaching = sightings_.content(ways().near(now), self(), now),
      .current = parts_.own_address,
      .port = parts_.transport->port(),
      .v4_only = v4_only_};
  for (const Address& contact : contacts) {
    if (!ways().is_heard_from(contact, now)) continue;
    if (const auto source = source_towards(contact)) evidence.to_contacts.push_back(*source);
  }
  const auto choice = choose_own_address(evidence);
  if (!choice || parts_.own_address == *choice) return;
  // A machine without any network has nowhere to move to.
  if (choice->reason == Reason::alone) return;
  const std::string& directory = parts_.configuration.agent.data_dir;
  if (auto kept = remember_address(directory, *choice, parts_.transport->port()); !kept) {
    parts_.log.say(Level::error, "address_not_kept", {{"error", kept.error().text}});
    // The next process would choose the old address again, and so on.
    if (choice->address != self()) return;
  }
  parts_.own_address = *choice;
  if (choice->address != self()) moved_(choice->address);
}

// Said once when it begins. While it lasts it is among the node's troubles, with the nodes that
// complain now.
void ReachWatch::look_at_complaints() {
  const std::vector<PeerId> nodes = sightings_.complaining(self(), parts_.now());
  std::string text;
  if (!nodes.empty()) {
    std::vector<std::string> names;
    for (const PeerId node : nodes) names.push_back(name_of(node));
    const Unreached unreached{
        .told = self(), .works = sightings_.seen(self(), parts_.now()).front()};
    text = self_unreached_text(unreached, names);
  }
  if (text == complaint_) return;
  if (!text.empty() && complaint_.empty()) {
    parts_.log.say(Level::warn, "unreachable", {{"why", text}});
  }
  complaint_ = text;
  troubles_.set("address", std::move(text));
}

bool ReachWatch::receive(const overlay::Endpoint& from, const Message& message) {
  if (const auto* told = std::get_if<Whereabouts>(&message)) {
    on_whereabouts(from.id, *told);
  } else if (const auto* sought = std::get_if<NodeSought>(&message)) {
    answer(from, *sought);
  } else if (const auto* found = std::get_if<NodeFound>(&message)) {
    // Only what was asked for: else any node could put addresses and names here for any other.
    if (sought_.contains(found->node)) {
      ways().hint(found->node, addresses_in(found->places), parts_.now());
      parts_.records->store().names().put(found->node, found->name);
    }
  } else {
    return false;
  }
  return true;
}

void ReachWatch::on_whereabouts(PeerId from, const Whereabouts& told) {
  ways().hint(from, addresses_in(told.places), parts_.now());
  parts_.records->store().names().put(from, told.name);
  sightings_.report(from, {.seen = told.seen, .unreached = told.unreached, .at = parts_.now()});
  // It may have begun anew since it was told, and then it knows nothing of that.
  const auto last = told_.find(from);
  if (last == told_.end() || parts_.now() - last->second >= kSayAgain) tell(from);
}

// So many per second for all nodes: a question costs less than its answer.
void ReachWatch::answer(const overlay::Endpoint& from, const NodeSought& sought) {
  if (!questions_.take(parts_.now(), kNewsPerSecond)) return;
  const bool own = sought.node == parts_.transport->self().id;
  NodeFound found{.node = sought.node, .name = known_name(parts_, sought.node)};
  put(own ? places_ : ways().addresses_of(sought.node, parts_.now()), found.places);
  const bool known = !found.name.empty() || found.places.size() > 0;
  if (known) parts_.outbox.send(from, Message(found));
}

}  // namespace dunlin::node
