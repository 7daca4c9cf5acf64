// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "node/store/results.h"
#include "overlay/address.h"

// Rows that an agent has on its disk; that of a test has them in memory.
namespace dunlin::node {

/// Keeps the log in memory.
class KeptActions final : public ActionLog {
 public:
  void put(ActionRow action) override { rows.push_back(std::move(action)); }
  Result<std::vector<ActionRow>> list(const std::string& user, std::uint32_t limit) override {
    std::vector<ActionRow> found;
    for (auto row = rows.rbegin(); row != rows.rend() && found.size() < limit; ++row) {
      if (user.empty() || row->user == user) found.push_back(*row);
    }
    return found;
  }
  std::vector<ActionRow> rows;
};

class KeptProfiles final : public ProfileBook {
 public:
  std::optional<sched::Profile> find(const sched::ProfileKey&) const override { return {}; }
  void put(const sched::ProfileKey& key, const sched::Profile& profile) override {
    rows.push_back({.key = key, .profile = profile});
  }
  std::vector<ProfileRow> list(const std::string& owner) const override {
    std::vector<ProfileRow> found;
    for (const ProfileRow& row : rows) {
      if (owner.empty() || row.key.owner == owner) found.push_back(row);
    }
    return found;
  }
  std::uint32_t forget(const std::string& owner, const std::string& job) override {
    return static_cast<std::uint32_t>(std::erase_if(rows, [&](const ProfileRow& row) {
      return (owner.empty() || row.key.owner == owner) && (job.empty() || row.key.job == job);
    }));
  }
  std::vector<ProfileRow> rows;
};

class KeptGone final : public GoneNodes {
 public:
  const std::map<overlay::PeerId, GoneNode>& all() const override { return nodes; }
  void put(overlay::PeerId id, const GoneNode& node) override { nodes[id] = node; }
  void drop(overlay::PeerId id) override { nodes.erase(id); }
  std::map<overlay::PeerId, GoneNode> nodes;
};

/// Rows of usage.
class KeptUsage {
 public:
  std::vector<StoredUsage> page(const UsageQuery& query) {
    ++pages;
    const auto place = [](const UsageMark& mark) {
      const auto& [hour, home, user, service_class] = mark.key;
      return std::tie(hour, mark.log, home, user, service_class);
    };
    std::vector<StoredUsage> found;
    for (const StoredUsage& row : rows) {
      const bool wanted = place(query.after) < place(row.at) && row.at.key.hour < query.until_hour;
      if (wanted && found.size() < query.limit) found.push_back(row);
    }
    return found;
  }
  std::vector<StoredUsage> rows;  ///< In the order of their places.
  std::size_t pages = 0;          ///< So often some were asked for.
};

}  // namespace dunlin::node
