// SPDX-License-Identifier: MIT
#include "web/agent/node_list.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace dunlin::web {
namespace {

using client::Json;
using client::list_of;
using client::member;
using client::number_of;
using client::text_of;

/// Of the grid of `node_bins`, along and upwards.
constexpr std::size_t kSteps = 20;

/// A member of a member, such as `free.cpu_milli`; 0 where the agent did not tell it.
std::int64_t room_of(const Json& node, std::string_view kind, std::string_view what) {
  const Json* const room = member(node, kind);
  return room == nullptr ? 0 : number_of<std::int64_t>(*room, what);
}

/// By what nodes are ordered: a text or a number, and then the id, which no two share.
struct SortKey {
  std::string text;
  std::int64_t number = 0;
  std::string id;

  friend auto operator<=>(const SortKey&, const SortKey&) = default;
};

constexpr std::array<std::string_view, 8> kOrders = {
    "name", "state", "version", "free_cpu", "free_memory", "running", "queued", "age"};

SortKey key_of(const Json& node, std::string_view order) {
  SortKey key{.id = text_of(node, "node")};
  if (order == "name" || order == "state" || order == "version") {
    key.text = text_of(node, order);
  } else if (order == "free_cpu") {
    key.number = room_of(node, "free", "cpu_milli");
  } else if (order == "free_memory") {
    key.number = room_of(node, "free", "memory_mib");
  } else {
    key.number = number_of<std::int64_t>(node, order == "age" ? "age_ns" : order);
  }
  return key;
}

/// The key as a cursor: it stays good as nodes come and go.
std::string cursor_of(const SortKey& key) {
  return std::to_string(key.number) + "," + key.id + "," + key.text;
}

bool read_cursor(std::string_view text, SortKey& key) {
  const auto first = text.find(',');
  if (first == text.npos) return false;
  const auto second = text.find(',', first + 1);
  if (second == text.npos) return false;
  const auto [at, error] = std::from_chars(text.data(), text.data() + first, key.number);
  key.id = text.substr(first + 1, second - first - 1);
  key.text = text.substr(second + 1);
  return error == std::errc() && at == text.data() + first;
}

bool is_up(const Json& node) {
  return text_of(node, "state") == "up";
}

void add_sums(Json& capacity, const Json& node) {
  const auto add = [&capacity](const char* name, std::int64_t amount) {
    capacity[name] = number_of<std::int64_t>(capacity, name) + amount;
  };
  add("cpu_milli", room_of(node, "total", "cpu_milli"));
  add("cpu_free_milli", room_of(node, "free", "cpu_milli"));
  add("memory_mib", room_of(node, "total", "memory_mib"));
  add("memory_free_mib", room_of(node, "free", "memory_mib"));
  add("running", number_of<std::int64_t>(node, "running"));
  add("queued", number_of<std::int64_t>(node, "queued"));
  // The names of SlotStates in docs/design/control-protocol.md.
  for (const char* const slot : {"all", "available", "occupied", "busy", "down"}) {
    Json& slots = capacity["slots"];
    slots[slot] = number_of<std::int64_t>(slots, slot) + room_of(node, "slots", slot);
  }
}

}  // namespace

Json node_sums(const Json& nodes) {
  Json sums = {{"totals", Json::object()}, {"versions", Json::object()}};
  Json& capacity = sums["capacity"] = {{"slots", Json::object()}};
  add_sums(capacity, Json::object());  // All members are there, if there is no node.
  const auto count = [](Json& counts, const std::string& name) {
    counts[name] = number_of<std::int64_t>(counts, name) + 1;
  };
  for (const Json& node : list_of(nodes, "nodes")) {
    count(sums["totals"], text_of(node, "state"));
    const std::string version = text_of(node, "version");
    // A node that has not answered yet has none.
    if (!version.empty()) count(sums["versions"], version);
    if (is_up(node)) add_sums(sums["capacity"], node);
  }
  sums["total"] = list_of(nodes, "nodes").size();
  return sums;
}

tl::expected<Json, Trouble> node_page(const Json& nodes, const NodeWish& wish) {
  std::string_view order = wish.sort;
  const bool backwards = order.starts_with('-');
  if (backwards) order.remove_prefix(1);
  if (std::ranges::find(kOrders, order) == kOrders.end()) {
    return tl::unexpected<Trouble>(Trouble{.kind = "usage",
        .detail = "'sort' must be name, state, version, free_cpu, free_memory, running, queued or "
                  "age, perhaps with - before it"});
  }
  SortKey last;
  if (!wish.after.empty() && !read_cursor(wish.after, last)) {
    return tl::unexpected<Trouble>(
        Trouble{.kind = "usage", .detail = "'after' must be `next` of the page before"});
  }
  std::vector<std::pair<SortKey, const Json*>> found;
  std::size_t total = 0;
  for (const Json& node : list_of(nodes, "nodes")) {
    if (!wish.state.empty() && text_of(node, "state") != wish.state) continue;
    if (text_of(node, "name").find(wish.name) == std::string::npos) continue;
    ++total;
    // `total` is of all that match, so the cursor comes after it.
    SortKey key = key_of(node, order);
    const bool behind = wish.after.empty() || (backwards ? key < last : last < key);
    if (behind) found.emplace_back(std::move(key), &node);
  }
  std::ranges::sort(found, [backwards](const auto& a, const auto& b) {
    return backwards ? b.first < a.first : a.first < b.first;
  });
  Json page = node_sums(nodes);
  page["nodes"] = Json::array();
  const std::size_t count = std::min(found.size(), wish.limit);
  for (std::size_t i = 0; i < count; ++i) page["nodes"].push_back(*found[i].second);
  // Null and not missing, as in every list.
  page["next"] = found.size() > count ? Json(cursor_of(found[count - 1].first)) : Json();
  page["total"] = total;
  // A node that did not answer is in the list all the same, and its `facts` say so.
  page["silent"] = Json::array();
  for (const char* const name : {"self", "not_joined", "address_notes"}) {
    const Json* const value = member(nodes, name);
    page[name] = value == nullptr ? Json() : *value;
  }
  return page;
}

Json node_bins(Json told) {
  if (!told.is_object()) told = Json::object();
  std::vector<std::vector<std::uint32_t>> grid(kSteps, std::vector<std::uint32_t>(kSteps));
  for (const Json& cell : list_of(told, "cells")) {
    const auto memory = number_of<std::size_t>(cell, "memory");
    const auto cpu = number_of<std::size_t>(cell, "cpu");
    const Json* const nodes = member(cell, "nodes");
    if (nodes == nullptr || memory >= kSteps || cpu >= kSteps) continue;
    grid[memory][cpu] += number_of<std::uint32_t>(*nodes, "up");
  }
  told["grid"] = std::move(grid);
  return told;
}

}  // namespace dunlin::web
