// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <variant>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/frontend/job_state.h"
#include "sched/logs/log_part.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// The message, if it is of that kind; else nullptr.
template <typename Kind>
const Kind* said(const AnyMessage& message) {
  const auto* const words = std::get_if<sched::Message>(&message);
  return words == nullptr ? nullptr : std::get_if<Kind>(words);
}

/// Eight nodes, whose jobs have standbys.
class Replicas : public ::testing::Test {
 protected:
  explicit Replicas(const WorldOptions& options = {.seed = 11}) : world(options) {}
  void SetUp() override {
    world.add(8, {});
    world.run_for(std::chrono::seconds(10));
  }
  static sched::Job replicated(
      std::uint32_t tasks, sched::Duration length, std::uint8_t replicas = 1) {
    sched::Job made = job(tasks, lasting(length));
    made.replicas = replicas;
    return made;
  }
  /// Voters whose books have the log.
  std::size_t books(std::uint64_t log) {
    std::size_t count = 0;
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node) || world.peer(node).cells() == nullptr) continue;
      for (const auto& hosted : world.peer(node).cells()->hosted()) {
        const auto& logs = hosted->books().roster().logs;
        const auto members = hosted->group.members();
        if (std::ranges::count(
                members, sched::raft::MemberRole::voter, &sched::raft::Member::role) < 3) {
          continue;
        }
        if (std::ranges::count(logs, log, &sched::books::LogEntry::log) > 0) ++count;
      }
    }
    return count;
  }
  /// A job of node 0, which another node drives, and node 0 back.
  JobId moved_away(const sched::Job& wants) {
    using std::chrono::seconds;
    const JobId id = world.submit(0, wants).value();
    EXPECT_TRUE(world.run_until([&] { return standbys(0) == 1; }, seconds(120)));
    world.crash(0);
    EXPECT_TRUE(world.run_until([&] { return find(id) != nullptr; }, seconds(60))) << "no takeover";
    world.restart(0);
    world.run_for(seconds(10));
    EXPECT_EQ(sched::find_job(world.peer(0), id), nullptr);
    return id;
  }
  /// The standbys in sync of the jobs that `node` drives.
  std::size_t standbys(std::size_t node) {
    const sched::PeerLogs* logs = world.peer(node).logs();
    if (logs == nullptr) return 0;
    for (const auto& part : logs->parts().all()) {
      if (part->frontend() == nullptr) continue;
      // Books that die with two nodes are of no use, and a standby must have heard of them.
      const std::uint64_t log = part->facts().log;
      if (books(log) < 3) continue;
      const auto knows_books = [&](const sched::replica::Member& member) {
        const auto& kept = world.logs(World::node_of(member.node.id));
        const auto copy = kept.find(log);
        return copy != kept.end() && copy->second.facts.contacts.size() >= 3;
      };
      const auto& set = part->copy().entry().set;
      if (std::ranges::all_of(set, knows_books)) return set.size() - 1;
    }
    return 0;
  }
  std::string describe() {
    std::string text;
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node) || world.peer(node).logs() == nullptr) continue;
      for (const auto& part : world.peer(node).logs()->parts().all()) {
        const auto& entry = part->copy().entry();
        text += "node " + std::to_string(node) + " end " +
            std::to_string(part->copy().log().end()) + " epoch " + std::to_string(entry.epoch) +
            " version " + std::to_string(entry.version) + " home " +
            std::to_string(entry.home.node.id.value) + " set " + std::to_string(entry.set.size()) +
            " cell " + std::to_string(part->facts().cell.value) + " contacts";
        for (const auto& contact : part->facts().contacts) {
          text += " " + std::to_string(contact.node.value);
        }
        text += "\n";
      }
    }
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node) || world.peer(node).cells() == nullptr) continue;
      for (const auto& hosted : world.peer(node).cells()->hosted()) {
        text += "node " + std::to_string(node) + " keeps books of cell " +
            std::to_string(hosted->cell().value) + (hosted->manager ? " as manager" : "") + ":";
        for (const auto& member : hosted->group.members()) {
          text += " " + std::to_string(member.node.value);
        }
        text += " logs " + std::to_string(hosted->books().roster().logs.size()) + "\n";
      }
    }
    return text;
  }
  /// The job at whichever node drives it.
  const sched::JobState* find(const JobId& id) {
    for (std::size_t node = 0; node < world.size(); ++node) {
      if (!world.up(node)) continue;
      const sched::JobState* const found = sched::find_job(world.peer(node), id);
      if (found != nullptr) return found;
    }
    return nullptr;
  }
  bool finishes(const JobId& id, sched::Duration limit) {
    return world.run_until(
        [&] {
          const sched::JobState* const found = find(id);
          return found != nullptr && found->finished();
        },
        limit);
  }

  /// The node that keeps a copy of the log that `home` drives; the home itself if none does.
  std::size_t standby_of(std::size_t home) {
    for (const auto& part : world.peer(home).logs()->parts().all()) {
      for (const auto& member : part->copy().entry().set) {
        const std::size_t node = World::node_of(member.node.id);
        if (part->frontend() != nullptr && node != home) return node;
      }
    }
    return home;
  }
  bool is_acknowledged(const JobId& id) { return std::ranges::count(world.acknowledged(), id) > 0; }
  /// Attempts that were started, at all nodes.
  std::uint64_t started() {
    std::uint64_t count = 0;
    for (std::size_t node = 0; node < world.size(); ++node) count += world.executor(node).started();
    return count;
  }

  World world;
};

}  // namespace dunlin::test
