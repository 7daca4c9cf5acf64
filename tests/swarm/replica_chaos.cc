// SPDX-License-Identifier: MIT
#include "tests/swarm/replica_chaos.h"

#include "tests/swarm/replica_cluster.h"

namespace dunlin::test::replicated {
namespace {

constexpr Duration kStormy = 60s;
constexpr Duration kCalm = 40s;
constexpr Duration kTurn = 10ms;

class Chaos final : public ReplicaCluster {
 public:
  using ReplicaCluster::ReplicaCluster;

  ReplicaVerdict run() {
    while (now_ < begin_ + kStormy + kCalm && verdict_.failure.empty()) {
      now_ += kTurn;
      ++verdict_.steps;
      if (!calm() && now_ < begin_ + kStormy) disturb();
      if (now_ >= begin_ + kStormy && !healed_) heal();
      deliver();
      go_on_moving();
      for (std::size_t i = 0; i < kNodes; ++i) {
        if (nodes_[i].up) live(i);
      }
      check();
    }
    verdict_.settled = settled();
    return verdict_;
  }

 private:
  void disturb() {
    if (rng_.below(150) == 0) kill(rng_.below(kNodes));
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (!nodes_[i].up && rng_.below(200) == 0) start(i);
    }
    if (rng_.below(200) == 0) {
      ++verdict_.cuts;
      const std::size_t a = rng_.below(kParties);
      const bool one_way = rng_.below(3) == 0;
      for (std::size_t b = 0; b < kParties; ++b) {
        if (a == b || rng_.below(3) == 0) continue;
        cuts_.insert({a, b});
        if (!one_way) cuts_.insert({b, a});
      }
    }
    if (rng_.below(250) == 0) cuts_.clear();
    if (rng_.below(600) == 0) lose_disk(rng_.below(kNodes));
    if (!books_.is_moving() && rng_.below(500) == 0) books_.freeze(rules_);
    if (rng_.below(300) == 0) flip(nodes_[rng_.below(kNodes)].leaves);
    if (rng_.below(600) == 0) flip(nodes_[rng_.below(kNodes)].trouble);
  }

  static void flip(bool& what) { what = !what; }

  /// Only if another member of the set has its disk yet: no rule promises more.
  void lose_disk(std::size_t i) {
    const auto left = std::ranges::count_if(books_.latest().set, [&](const Member& each) {
      const std::size_t n = each.node.id.value - 1;
      return n != i && nodes_[n].disk.replica == each.replica;
    });
    if (left == 0) return;
    kill(i);
    ++verdict_.disks;
    const ReplicaId before = nodes_[i].disk.replica;
    nodes_[i].disk = {.replica = rules_.sets_name_disks ? draw_replica() : before,
        .record = {},
        .life = nodes_[i].disk.life};
  }

  void heal() {
    healed_ = true;
    cuts_.clear();
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (!nodes_[i].up) start(i);
      nodes_[i].leaves = nodes_[i].trouble = false;
      tell_entry(nodes_[i].books, i);
    }
  }

  bool keeps_what_was_told(const Log& log) const {
    return std::ranges::all_of(told_, [&](const auto& told) {
      return told.first <= log.end() && log.at(told.first).records == told.second;
    });
  }

  void check() {
    for (std::size_t i = 0; i < kNodes; ++i) {
      const Node& node = nodes_[i];
      if (node.home() == nullptr || !node.up) continue;
      const auto [at, is_new] =
          homes_.try_emplace(node.home()->stamp().epoch, node.disk.replica.value);
      if (!is_new && at->second != node.disk.replica.value) fail("two homes in one epoch");
      if (!is_new && node.home()->stamp().life < lives_[i]) fail("a life came again");
      lives_[i] = node.home()->stamp().life;
    }
    for (const Member& each : books_.latest().set) {
      const Node& node = nodes_[each.node.id.value - 1];
      if (node.disk.replica != each.replica) continue;  // It is lost: others have all.
      if (keeps_what_was_told(node.disk.record.log)) continue;
      return fail(
          "told, and not kept by a member of the set: node " + std::to_string(each.node.id.value));
    }
    if (verdict_.steps % 64 == 0) check_contents();
  }

  void check_contents() {
    for (const Node& node : nodes_) {
      for (std::uint64_t p = 1; p <= node.disk.record.log.end(); ++p) {
        const Batch& batch = node.disk.record.log.at(p);
        const auto [at, is_new] = contents_.try_emplace(Mark{batch.stamp, p}, batch.records);
        if (!is_new && at->second != batch.records) return fail("one mark, two contents");
      }
    }
  }

  bool settled() const {
    if (books_.is_moving()) return false;
    // A proposal under way may have named disks that were lost meanwhile, and no other.
    const Entry& entry = books_.latest();
    return !any_alive(entry.set) || std::ranges::any_of(nodes_, [&](const Node& node) {
      return node.home() != nullptr && node.home()->stamp().epoch == entry.epoch &&
          node.home()->gate() + 20 >= node.home()->log().end();
    });
  }

  std::map<std::uint32_t, std::uint64_t> homes_;
  std::map<std::size_t, std::uint32_t> lives_;
  std::map<Mark, std::string> contents_;
};

}  // namespace

ReplicaVerdict run_replica_chaos(std::uint64_t seed, const sched::replica::Rules& rules) {
  return Chaos(seed, rules).run();
}

}  // namespace dunlin::test::replicated
