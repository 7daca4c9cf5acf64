// SPDX-License-Identifier: MIT
#include "sim/measure/health.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "sched/peer_view.h"

// Health is measured from outside, with the truth at hand: the views of all living peers form a
// graph, and each link is held against what its target really is. In-degrees show if some peers are
// known too well (Cyclon's claim is that they are not), clustering and paths show how random the
// graph is, dead links how fast it heals.
// A gradient view is judged by a peer that knows all others: the ideal view are the best by the
// true utilities now. So staleness and poor spreading both show as a lower share. Paths and
// clusters cost one search through the graph for each peer, so they are sampled. Source: Voulgaris
// 2005, section 3 (the properties of the graph).
namespace dunlin::sim {
namespace {

using overlay::Descriptor;
using overlay::Neighbour;
using overlay::PeerId;

using Links = std::vector<std::uint32_t>;  // Indices of neighbours that are alive, ascending.

/// The views of all peers as a graph.
class Graph {
 public:
  explicit Graph(const Census& census) : census_(census), links_(census.peers.size()) {
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
      if (!alive(i)) continue;
      for (const PeerId id : census.peers[i]->overlay().cyclon().view().ids()) {
        count(id, &links_[i]);
      }
      for (const std::uint32_t link : links_[i]) crossing_ += crosses(i, link) ? 1 : 0;
      random_ += static_cast<double>(links_[i].size());
      // Links of the gradient are dead or alive like others, but the graph is that of the random
      // views alone: what is claimed of it, is claimed of those.
      for (const auto& known : census.peers[i]->overlay().gradient().view()) {
        count(known.peer.id, nullptr);
      }
      std::ranges::sort(links_[i]);
    }
  }

  bool alive(std::uint32_t peer) const { return census_.peers[peer] != nullptr; }
  const Links& links(std::uint32_t peer) const { return links_[peer]; }
  double dead_share() const { return all_ == 0 ? 0 : dead_ / all_; }
  double dead_random_share() const {
    return random_ + dead_random_ == 0 ? 0 : dead_random_ / (random_ + dead_random_);
  }
  double cross_share() const { return random_ == 0 ? 0 : crossing_ / random_; }

  /// The share of pairs among the peers that `peer` knows that know each other.
  /// Links lead one way, so pairs are counted in both directions. Requires sorted links.
  double clustering(std::uint32_t peer) const {
    const Links& own = links_[peer];
    if (own.size() < 2) return 0;
    std::size_t known = 0;
    for (const std::uint32_t a : own) {
      for (const std::uint32_t b : own) {
        if (a != b && std::ranges::binary_search(links_[a], b)) ++known;
      }
    }
    return static_cast<double>(known) / static_cast<double>(own.size() * (own.size() - 1));
  }

  /// Hops from `peer` to every other; -1 to those that it cannot reach.
  std::vector<int> distances(std::uint32_t peer) const {
    std::vector<int> hops(links_.size(), -1);
    std::deque<std::uint32_t> border = {peer};
    hops[peer] = 0;
    while (!border.empty()) {
      const std::uint32_t next = border.front();
      border.pop_front();
      for (const std::uint32_t neighbour : links_[next]) {
        if (hops[neighbour] >= 0) continue;
        hops[neighbour] = hops[next] + 1;
        border.push_back(neighbour);
      }
    }
    return hops;
  }

 private:
  bool crosses(std::uint32_t a, std::uint32_t b) const {
    return !census_.minor.empty() && census_.minor[a] != census_.minor[b];
  }
  void count(PeerId id, Links* links) {
    // Peers are numbered from 1: an id of 0 is nobody's.
    const auto index = id.value - 1;
    // A cluster that is wired before its peers begin knows peers that are still to come.
    if (id.value > 0 && index >= census_.born) return;
    ++all_;
    if (id.value == 0 || index >= links_.size() || !alive(static_cast<std::uint32_t>(index))) {
      ++dead_;
      if (links != nullptr) ++dead_random_;
    } else if (links != nullptr) {
      links->push_back(static_cast<std::uint32_t>(index));
    }
  }

  const Census& census_;
  std::vector<Links> links_;
  double all_ = 0;
  double dead_ = 0;
  double random_ = 0;  ///< Links of random views to living peers.
  double dead_random_ = 0;
  double crossing_ = 0;
};

/// The statement that a peer would make of itself now.
Descriptor truth_of(const sched::Peer& peer) {
  const sched::Resources free = sched::free_of(peer);
  const sched::NodeSpec self = peer.self();
  return {.id = self.endpoint.id,
      .cpu_free = free.cpu,
      .memory_free = free.memory,
      .cpu_total = self.total.cpu,
      .memory_total = self.total.memory};
}

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

void measure_in_degrees(const Graph& graph, const std::vector<std::uint32_t>& alive, Health& to) {
  // By index of all peers, with gaps for the dead: `alive` is ascending.
  std::vector<std::uint32_t> degrees(to.peers == 0 ? 0 : alive.back() + 1u);
  double links = 0;
  for (const std::uint32_t peer : alive) {
    links += static_cast<double>(graph.links(peer).size());
    for (const std::uint32_t neighbour : graph.links(peer)) ++degrees[neighbour];
  }
  // Also the mean of the in-degrees: each link has one end at either side.
  to.view_size = share(links, to.peers);
  double squares = 0;
  for (const std::uint32_t peer : alive) {
    to.in_degree_max = std::max(to.in_degree_max, degrees[peer]);
    squares += (degrees[peer] - to.view_size) * (degrees[peer] - to.view_size);
  }
  to.in_degree_deviation = std::sqrt(share(squares, to.peers));
}

/// The number of peers in the gradient view of `peer` that a peer with full knowledge would choose.
/// Ties at the border count as ideal: of peers that are equal by the truth any choice is right.
std::size_t ideal_count(const Census& census,
    const std::vector<Descriptor>& truths,
    const Descriptor& self,
    const auto& view) {
  const overlay::Preference prefers(census.gradient.ranking, census.gradient.utility, self);
  std::vector<overlay::Preference::Place> places;
  for (const auto& each : truths) {
    if (each.id != self.id) places.push_back(prefers.place(each));
  }
  // As many as it has: a small view may be as good as a large one.
  const auto wanted = std::min<std::size_t>(view.size(), places.size());
  if (wanted == 0) return 0;
  const auto last = places.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
  // Only the border is wanted: sorting all peers for each sampled one would be slow.
  std::ranges::nth_element(places, last);
  return static_cast<std::size_t>(std::ranges::count_if(view, [&](const Neighbour& known) {
    const auto truth = std::ranges::lower_bound(truths, known.peer.id, {}, &Descriptor::id);
    return truth != truths.end() && truth->id == known.peer.id && prefers.place(*truth) <= *last;
  }));
}

void measure_gradient(const Census& census,
    const std::vector<std::uint32_t>& alive,
    const std::vector<std::uint32_t>& sample,
    Health& to) {
  std::vector<Descriptor> truths;
  for (const std::uint32_t peer : alive) truths.push_back(truth_of(*census.peers[peer]));
  double ideal = 0, links = 0, error = 0, age = 0;
  for (const std::uint32_t peer : sample) {
    const auto view = census.peers[peer]->overlay().gradient().view();
    const Descriptor self = truth_of(*census.peers[peer]);
    ideal += static_cast<double>(ideal_count(census, truths, self, view));
    links += static_cast<double>(view.size());
    for (const Neighbour& known : view) {
      age += std::chrono::duration<double, std::milli>(census.now - known.born).count();
      const auto truth = std::ranges::lower_bound(truths, known.peer.id, {}, &Descriptor::id);
      // Of a dead peer there is no truth; that the link is dead is told elsewhere.
      if (truth == truths.end() || truth->id != known.peer.id) continue;
      error += std::abs(overlay::utility(known.peer, census.gradient.utility) -
          overlay::utility(*truth, census.gradient.utility));
    }
  }
  to.ideal_neighbours = share(ideal, links);
  to.utility_error = share(error, links);
  to.age_ms = share(age, links);
}

constexpr HealthMeasure kMeasures[] = {
    {"peers", "peers alive", [](const Health& h) { return static_cast<double>(h.peers); }},
    {"view_size", "size of the random views", [](const Health& h) { return h.view_size; }},
    {"in_degree_deviation", "standard deviation of the in-degree",
        [](const Health& h) { return h.in_degree_deviation; }},
    {"in_degree_max", "largest in-degree",
        [](const Health& h) { return static_cast<double>(h.in_degree_max); }},
    {"clustering", "clustering of the random views", [](const Health& h) { return h.clustering; }},
    {"path_length", "hops from peer to peer", [](const Health& h) { return h.path_length; }},
    {"unreachable", "share of pairs that do not reach each other",
        [](const Health& h) { return h.unreachable; }},
    {"dead_links", "share of all links that lead to dead peers",
        [](const Health& h) { return h.dead_links; }},
    {"dead_random_links", "share of random links that lead to dead peers",
        [](const Health& h) { return h.dead_random_links; }},
    {"cross_links", "share of random links across the border",
        [](const Health& h) { return h.cross_links; }},
    {"ideal_neighbours", "share of the gradient views that is ideal",
        [](const Health& h) { return h.ideal_neighbours; }},
    {"utility_error", "error of the utilities in gradient views",
        [](const Health& h) { return h.utility_error; }},
    {"age_ms", "age of the gradient views, ms", [](const Health& h) { return h.age_ms; }},
    {"members", "share of the peers in a cell with a manager",
        [](const Health& h) { return h.sharing.members; }},
    {"granted", "share of the peers with grants of a manager",
        [](const Health& h) { return h.sharing.granted; }},
    {"classes_known", "share of the peers that know the class table",
        [](const Health& h) { return h.sharing.known; }},
    {"cells", "cells of nodes", [](const Health& h) { return h.sharing.cells; }},
    {"levels", "levels of cells", [](const Health& h) { return h.sharing.levels; }},
    {"trees", "trees of cells", [](const Health& h) { return h.sharing.trees; }},
    {"replicas", "replicas of books", [](const Health& h) { return h.sharing.replicas; }},
    {"broken_books", "1 if tickets were lost or doubled",
        [](const Health& h) { return h.sharing.broken; }},
    {"share_deviation", "what classes lack of their shares, together",
        [](const Health& h) { return h.sharing.deviation; }},
    {"share_error", "the worst error of a class, relative to its share",
        [](const Health& h) { return h.sharing.worst_error; }},
    {"cpus_busy", "share of the CPUs that tasks have",
        [](const Health& h) { return h.sharing.busy; }},
    {"load_balance", "Jain's index of what peers have busy",
        [](const Health& h) { return h.sharing.balance; }},
    {"busiest_manager", "cell messages per second of the busiest peer",
        [](const Health& h) { return h.sharing.busiest_rate; }},
    {"job_slots", "slots of a job by plan", [](const Health& h) { return h.job_slots; }},
    {"job_running", "running tasks of a job", [](const Health& h) { return h.job_running; }},
};

}  // namespace

std::span<const HealthMeasure> health_measures() {
  return kMeasures;
}

const HealthMeasure* health_measure(std::string_view name) {
  const auto found = std::ranges::find(kMeasures, name, &HealthMeasure::name);
  return found == std::end(kMeasures) ? nullptr : found;
}

Health health_of(const Census& census, std::uint32_t sample_max, overlay::Rng& rng) {
  const Graph graph(census);
  std::vector<std::uint32_t> alive;
  for (std::uint32_t i = 0; i < census.peers.size(); ++i) {
    if (graph.alive(i)) alive.push_back(i);
  }
  Health health{.at = census.now, .peers = static_cast<std::uint32_t>(alive.size())};
  if (alive.empty()) return health;
  health.dead_links = graph.dead_share();
  health.dead_random_links = graph.dead_random_share();
  health.cross_links = graph.cross_share();
  measure_in_degrees(graph, alive, health);

  std::vector<std::uint32_t> sample = alive;
  const std::size_t count = std::min<std::size_t>(sample_max, sample.size());
  // A shuffle of the first places only.
  rng.draw_front(std::span(sample), count);
  sample.resize(count);
  double hops = 0, reached = 0;
  for (const std::uint32_t peer : sample) {
    health.clustering += share(graph.clustering(peer), static_cast<double>(count));
    for (const int distance : graph.distances(peer)) {
      // Itself, and those that it does not reach, which count below.
      if (distance <= 0) continue;
      hops += distance;
      ++reached;
    }
  }
  health.path_length = share(hops, reached);
  const double pairs = static_cast<double>(count) * (health.peers - 1.0);
  health.unreachable = pairs > 0 ? 1 - reached / pairs : 0;
  measure_gradient(census, alive, sample, health);
  return health;
}

}  // namespace dunlin::sim
