// SPDX-License-Identifier: MIT
#include "node/control/usage/day_usage.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "node/agent_options.h"
#include "node/control/agent_services.h"
#include "node/wall_clock.h"
#include "sched/ledger/class_name.h"
#include "sched/usage/usage.h"
#include "sched/usage/usage_report.h"

// What a user may hold in a day is asked at each submit, and is the sum of rows that change with
// each task that ends. So the sums are kept, and made anew every ten seconds; they are of a day,
// and what was read yesterday does not count today.
namespace dunlin::node {
namespace {

constexpr std::int64_t kDayHours = 24;
constexpr std::int64_t kNsPerDay = kDayHours * sched::kNsPerHour;
/// A submit that comes before the first sums are known may come again after so long.
constexpr overlay::Duration kDayRest = std::chrono::milliseconds(200);
constexpr std::size_t kQuotasTold = 100;

std::int64_t day_of(std::int64_t wall_ns) {
  return sched::hour_of(wall_ns) / kDayHours;
}

/// "2026-11-29 00:00 UTC, in 7 h 58 min".
std::string free_text(std::int64_t wall_ns) {
  const std::int64_t next = day_of(wall_ns) + 1;
  const std::int64_t minutes = (next * kNsPerDay - wall_ns) / 60'000'000'000;
  return sched::day_text(next * kDayHours) + " 00:00 UTC, in " + std::to_string(minutes / 60) +
      " h " + std::to_string(minutes % 60) + " min";
}

/// The quota that binds a user or a class; null: none does.
const Quota* quota_of(const std::vector<Quota>& quotas, bool of_class, const std::string& name) {
  const Quota* each = nullptr;
  for (const Quota& quota : quotas) {
    if (quota.of_class != of_class) continue;
    if (quota.name == name) return &quota;
    if (!of_class && quota.name == Quota::kEachUser) each = &quota;
  }
  return each;
}

Result<void> check_ceiling(
    const Quota* quota, const std::string& name, std::int64_t held_ms, std::int64_t wall_ns) {
  if (quota == nullptr || held_ms < quota->ceiling_s * 1000) return {};
  const std::string whose = (quota->of_class ? "class " : "user ") + name;
  return failure(ErrorKind::quota,
      whose + " has held " + std::to_string(held_ms / 1000) +
          " CPU seconds today by jobs of this agent, and may hold " +
          std::to_string(quota->ceiling_s) + " a day (agent.quota); submit again at " +
          free_text(wall_ns) + ", or ask an administrator");
}

std::vector<Quota> quotas_of(const AgentServices& agent) {
  // It was read when the agent began, and has not changed since.
  return parse_quotas(agent.configuration().agent.quota).value_or(std::vector<Quota>{});
}

}  // namespace

std::int64_t DayUsage::found(const Sums& sums, const std::string& name) {
  const auto at = sums.find(name);
  return at == sums.end() ? 0 : at->second;
}

bool DayUsage::known(std::int64_t wall_ns) const {
  return day_ >= 0 && day_ == day_of(wall_ns);
}

void DayUsage::advance(AgentServices& agent, std::int64_t wall_ns) {
  if (agent.configuration().agent.quota.empty()) return;
  if (!reading_ && known(wall_ns) && agent.now() - read_at_ < kFresh) return;
  if (!reading_ || reads_day_ != day_of(wall_ns)) {
    reading_ = true;
    reads_day_ = day_of(wall_ns);
    reads_users_.clear();
    reads_classes_.clear();
    query_ = {.after = {.log = 0, .key = {.hour = reads_day_ * kDayHours}},
        .until_hour = (reads_day_ + 1) * kDayHours,
        .limit = kSlice};
  }
  const auto rows = agent.usage(query_);
  // The disk fails: the sums stay what they were, and are read again later.
  if (!rows) {
    reading_ = false;
    read_at_ = agent.now();
    return;
  }
  for (const StoredUsage& row : *rows) {
    const std::int64_t held_ms = row.sums.cpu_held / 1000;
    reads_users_[row.at.key.user] += held_ms;
    reads_classes_[row.at.key.service_class] += held_ms;
  }
  if (rows->size() >= query_.limit) {
    query_.after = rows->back().at;
    return;
  }
  reading_ = false;
  read_at_ = agent.now();
  day_ = reads_day_;
  users_ = std::move(reads_users_);
  classes_ = std::move(reads_classes_);
}

Result<void> check_day(AgentServices& agent, const Principal& who, const sched::Job& job) {
  if (who.administrator || agent.configuration().agent.quota.empty()) return {};
  const std::vector<Quota> quotas = quotas_of(agent);
  const std::string service_class =
      job.service_class.empty() ? std::string(sched::kDefaultClass) : job.service_class;
  const Quota* const user = quota_of(quotas, false, job.owner);
  const Quota* const its_class = quota_of(quotas, true, service_class);
  if (user == nullptr && its_class == nullptr) return {};
  const std::int64_t now = wall_clock_ns();
  DayUsage& day = agent.local().day;
  if (!day.known(now)) day.advance(agent, now);
  if (!day.known(now)) {
    return too_busy("what was used today is being added up", kDayRest.count());
  }
  if (auto fine = check_ceiling(user, job.owner, day.held_by_user(job.owner), now); !fine) {
    return fine;
  }
  return check_ceiling(its_class, service_class, day.held_by_class(service_class), now);
}

Json quotas_json(AgentServices& agent) {
  DayUsage& day = agent.local().day;
  const std::int64_t now = wall_clock_ns();
  if (!day.known(now)) day.advance(agent, now);
  Json told = Json::array();
  const auto tell = [&](const Quota& quota, const std::string& name, std::int64_t held_ms) {
    if (told.size() >= kQuotasTold) return;
    told.push_back({{"of", quota.of_class ? "class" : "user"}, {"name", name},
        {"ceiling_ms", quota.ceiling_s * 1000}, {"held_ms", held_ms},
        {"renewed_at_ns", (day_of(now) + 1) * kNsPerDay}});
  };
  const std::vector<Quota> quotas = quotas_of(agent);
  for (const Quota& quota : quotas) {
    if (quota.of_class) {
      tell(quota, quota.name, day.held_by_class(quota.name));
    } else if (quota.name != Quota::kEachUser) {
      tell(quota, quota.name, day.held_by_user(quota.name));
    }
  }
  for (const auto& [user, held_ms] : day.users()) {
    const Quota* const quota = quota_of(quotas, false, user);
    if (quota != nullptr && quota->name == Quota::kEachUser) tell(*quota, user, held_ms);
  }
  return told;
}

}  // namespace dunlin::node
