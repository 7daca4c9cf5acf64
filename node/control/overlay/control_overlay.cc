// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/control/overlay/round_trips.h"
#include "node/ids.h"
#include "node/reach/unreached.h"
#include "overlay/overlay.h"
#include "overlay/ranking.h"
#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/directory/directory.h"
#include "sched/peer.h"
#include "sched/peer_view.h"

// The verb `overlay`: the nodes that this one knows, and by which of the two views. Both are small
// whatever the size of the cluster, so the whole of them is told, from what is in memory: no other
// node is asked. A client that wants more of the graph asks the nodes that are named, one by one.
namespace dunlin::node {
namespace {

/// A neighbour, of both views or of one.
struct SeenNeighbour {
  overlay::Neighbour said;                      ///< The freshest statement about it.
  std::optional<overlay::Duration> link_age{};  ///< In the random view.
  std::uint32_t rank = 0;                       ///< In the gradient's, from 1; 0: not there.
};
using SeenNeighbours = std::map<overlay::PeerId, SeenNeighbour>;

Json room_json(std::uint32_t cpu, std::uint32_t memory) {
  return {{"cpu_milli", cpu}, {"memory_mib", memory}};
}

overlay::Duration passed_since(overlay::Time now, overlay::Time then) {
  return std::max(overlay::Duration{0}, now - then);
}

SeenNeighbours seen_by(const overlay::Overlay& overlay, overlay::Time now) {
  SeenNeighbours seen;
  for (const overlay::Link& link : overlay.cyclon().view().links()) {
    seen[link.id()] = {.said = link.neighbour, .link_age = passed_since(now, link.linked)};
  }
  std::uint32_t rank = 0;
  for (const overlay::Neighbour& wanted : overlay.gradient().view()) {
    const auto [place, is_new] = seen.try_emplace(wanted.peer.id, SeenNeighbour{.said = wanted});
    SeenNeighbour& neighbour = place->second;
    if (!is_new && overlay::fresher(wanted.peer, neighbour.said.peer)) neighbour.said = wanted;
    neighbour.rank = ++rank;
  }
  return seen;
}

/// One answer.
class OverlayAnswer {
 public:
  explicit OverlayAnswer(AgentServices& agent)
      : agent_(agent),
        now_(agent.now()),
        kind_(agent.peer().overlay().gradient().params().utility) {}

  Json tell() {
    const overlay::Overlay& overlay = agent_.peer().overlay();
    return {{"node", to_string(agent_.id())}, {"node_name", agent_.peer().self().name},
        {"ranking", words_of(overlay.gradient().params().ranking)}, {"utility_of", words_of(kind_)},
        {"utility", overlay::utility(overlay.self(), kind_)}, {"seeks", overlay.cyclon().seeks()},
        {"neighbours", neighbours(seen_by(overlay, now_))}, {"cell", cell()}, {"books", books()}};
  }

 private:
  template <typename Word>
  static std::string words_of(Word word) {
    return std::string(overlay::kWords<Word>[static_cast<std::size_t>(word)]);
  }

  /// Those of the gradient first, by rank; then the others, the youngest link first.
  Json neighbours(const SeenNeighbours& seen) const {
    std::vector<const SeenNeighbour*> order;
    order.reserve(seen.size());
    for (const auto& [id, neighbour] : seen) order.push_back(&neighbour);
    std::ranges::sort(order, [](const SeenNeighbour* a, const SeenNeighbour* b) {
      if ((a->rank != 0) != (b->rank != 0)) return a->rank != 0;
      if (a->rank != b->rank) return a->rank < b->rank;
      return std::pair(a->link_age, a->said.peer.id) < std::pair(b->link_age, b->said.peer.id);
    });
    Json list = Json::array();
    for (const SeenNeighbour* neighbour : order) list.push_back(neighbour_json(*neighbour));
    return list;
  }

  Json neighbour_json(const SeenNeighbour& neighbour) const {
    const overlay::Descriptor& peer = neighbour.said.peer;
    const auto trip = agent_.local().round_trips.of(peer.id);
    return {{"node", to_string(peer.id)}, {"name", agent_.name_of(peer.id)},
        {"state", state_of(peer.id)},
        {"link_age_ns", neighbour.link_age ? Json(neighbour.link_age->count()) : Json(nullptr)},
        {"rank", neighbour.rank == 0 ? Json(nullptr) : Json(neighbour.rank)},
        {"age_ns", passed_since(now_, neighbour.said.born).count()},
        {"utility", overlay::utility(peer, kind_)},
        {"free", room_json(peer.cpu_free, peer.memory_free)},
        {"total", room_json(peer.cpu_total, peer.memory_total)},
        {"rtt_ns", trip ? Json(trip->usual.count()) : Json(nullptr)},
        {"rtt_age_ns", trip ? Json(passed_since(now_, trip->at).count()) : Json(nullptr)}};
  }

  std::string state_of(overlay::PeerId id) const {
    const auto& nodes = sched::directory_of(agent_.peer()).nodes();
    const auto known = nodes.find(id);
    if (known == nodes.end()) return "unknown";
    const sched::NodeState state = known->second.state(now_);
    const bool lame = state == sched::NodeState::up && agent_.unreachable().contains(id);
    return lame ? "unreachable" : std::string(sched::to_string(state));
  }

  Json place_json(overlay::PeerId id) const {
    return {{"node", to_string(id)}, {"name", agent_.name_of(id)}};
  }

  /// Null while it belongs to none.
  Json cell() const {
    using State = sched::CellMember::State;
    const sched::CellNode* const cells = agent_.peer().cells();
    if (cells == nullptr || cells->member().state() == State::seeking) return nullptr;
    const sched::CellMember& member = cells->member();
    const auto contacts = member.contacts();
    Json voters = Json::array();
    for (const auto& contact : contacts) {
      if (contact.node != contacts.front().node) voters.push_back(place_json(contact.node));
    }
    return {{"cell", to_string(member.cell())},
        {"standing",
            member.is_member()                     ? "member"
                : member.state() == State::joining ? "joining"
                                                   : "leaving"},
        {"epoch", member.epoch()},
        {"manager", contacts.empty() ? Json(nullptr) : place_json(contacts.front().node)},
        {"voters", std::move(voters)}};
  }

  /// The books that it keeps: of its cell, and of cells above it.
  Json books() const {
    Json list = Json::array();
    const sched::CellNode* const cells = agent_.peer().cells();
    if (cells == nullptr) return list;
    for (const auto& hosted : cells->hosted()) {
      const sched::CellId parent = hosted->books().roster().parent;
      list.push_back({{"cell", to_string(hosted->cell())}, {"level", hosted->level()},
          {"manages", hosted->manager.has_value()},
          {"parent", parent ? Json(to_string(parent)) : Json(nullptr)}});
    }
    return list;
  }

  AgentServices& agent_;
  overlay::Time now_;
  overlay::Utility kind_;
};

}  // namespace

Result<Json> handle_overlay(AgentServices& agent, Args&) {
  return OverlayAnswer(agent).tell();
}

}  // namespace dunlin::node
