// SPDX-License-Identifier: MIT
#include "node/store/profile_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "node/store/store_schema.h"
#include "node/wall_clock.h"
#include "sched/resources.h"
#include "sched/turn.h"

// The profiles learned of recurring jobs. It is a guess that can be learned again: rows have no
// checksum, a row that makes no sense is passed over, and the oldest go when there are too many.
namespace dunlin::node {
namespace {

constexpr const char* kRead =
    "select owner, job, task_group, cpu_milli, memory_mib, disk_read, disk_write, net_in, net_out, "
    "tasks, learned_at from profiles";
constexpr const char* kPut =
    "insert or replace into profiles(owner, job, task_group, cpu_milli, memory_mib, disk_read, "
    "disk_write, net_in, net_out, tasks, learned_at) values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kDelete =
    "delete from profiles where owner = ? and job = ? and task_group = ?";

/// The columns of amounts, in the order of sched::kAmounts.
constexpr int kFirstAmount = 3;
constexpr int kTasks = kFirstAmount + static_cast<int>(sched::kAmounts.size());

/// False if the row has what no demand has.
bool read_amounts(const Statement& row, sched::Profile& profile) {
  for (std::size_t i = 0; i < sched::kAmounts.size(); ++i) {
    const std::int64_t amount = row.number(kFirstAmount + static_cast<int>(i));
    if (amount < 0 || amount > std::int64_t{sched::kRateMax}) return false;
    profile.demand.*sched::kAmounts[i] = static_cast<std::uint32_t>(amount);
  }
  const std::int64_t tasks = row.number(kTasks);
  if (tasks < 1 || tasks > std::numeric_limits<std::uint32_t>::max()) return false;
  profile.tasks = static_cast<std::uint32_t>(tasks);
  return true;
}

}  // namespace

// All are held in memory: find() must not wait for the disk.
Result<void> ProfileTable::open() {
  if (auto made = database_.execute(kProfileSchema); !made) return made;
  auto rows = database_.prepare(kRead);
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    Known known{.profile = {}, .learned_at = rows.number(kTasks + 1)};
    // A profile is a guess that is learnt again: one that makes no sense is no reason not to start.
    if (!read_amounts(rows, known.profile)) continue;
    known_[{std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2))}] =
        known;
  }
  // The bound may be smaller than that of the version that wrote them.
  while (known_.size() > kProfilesMax) drop_oldest();
  return {};
}

std::optional<sched::Profile> ProfileTable::find(const sched::ProfileKey& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second.profile);
}

void ProfileTable::put(const sched::ProfileKey& key, const sched::Profile& profile) {
  const Known known{.profile = profile, .learned_at = wall_clock_ns()};
  known_[key] = known;
  changed_[key] = known;
  if (known_.size() > kProfilesMax) drop_oldest();
}

void ProfileTable::drop_oldest() {
  const auto oldest = std::ranges::min_element(
      known_, {}, [](const auto& entry) { return entry.second.learned_at; });
  // Without a value: the row is to be deleted. Before erase(), which would take the key with it.
  changed_[oldest->first] = std::nullopt;
  known_.erase(oldest);
}

std::vector<ProfileRow> ProfileTable::list(const std::string& owner) const {
  std::vector<ProfileRow> rows;
  for (const auto& [key, known] : known_) {
    if (!owner.empty() && key.owner != owner) continue;
    rows.push_back({.key = key, .profile = known.profile, .learned_at = known.learned_at});
  }
  return rows;
}

std::uint32_t ProfileTable::forget(const std::string& owner, const std::string& job) {
  const auto meant = [&](const sched::ProfileKey& key) {
    return (owner.empty() || key.owner == owner) && (job.empty() || key.job == job);
  };
  std::uint32_t count = 0;
  for (auto known = known_.begin(); known != known_.end();) {
    if (!meant(known->first)) {
      ++known;
      continue;
    }
    changed_[known->first] = std::nullopt;
    known = known_.erase(known);
    ++count;
  }
  return count;
}

// By key, so that a profile learnt a hundred times between two commits is one row.
void ProfileTable::begin_commit() {
  writing_ = std::exchange(changed_, {});
}

Result<void> ProfileTable::write() {
  for (const auto& [key, known] : writing_) {
    const std::string_view owner = key.owner;
    const std::string_view job = key.job;
    const std::string_view group = key.group;
    if (!known) {
      auto deleted = database_.prepare(kDelete).bind(owner, job, group).run();
      if (!deleted) return deleted;
      continue;
    }
    const sched::Resources& demand = known->profile.demand;
    auto written =
        database_.prepare(kPut)
            .bind(owner, job, group, demand.cpu, demand.memory, demand.disk_read, demand.disk_write,
                demand.net_in, demand.net_out, known->profile.tasks, known->learned_at)
            .run();
    if (!written) return written;
  }
  return {};
}

void ProfileTable::end_commit(bool done) {
  if (!done) changed_.merge(writing_);  // What changed meanwhile stays.
  writing_.clear();
}

}  // namespace dunlin::node
