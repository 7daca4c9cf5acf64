// SPDX-License-Identifier: MIT
#include "node/store/nodes/name_table.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "node/ids.h"
#include "node/store/store_schema.h"
#include "node/wall_clock.h"
#include "sched/message.h"

// Names of nodes outlive the nodes: results of a job name the worker that ran a task, and it may be
// gone for weeks. A node that is renamed keeps its former names here, so that people who know the
// old one still find it.
namespace dunlin::node {
namespace {

constexpr const char* kReadNames = "select node, name, told_at from names";
constexpr const char* kPutName =
    "insert or replace into names(node, name, told_at) values(?, ?, ?)";
constexpr const char* kDeleteName = "delete from names where node = ?";
constexpr const char* kReadFormer = "select name, node from former_names";
constexpr const char* kPutFormer = "insert or replace into former_names(name, node) values(?, ?)";

/// The id that 16 hexadecimal digits say; 0 if they are none.
overlay::PeerId id_of(std::string_view digits) {
  overlay::PeerId id;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), id.value, 16);
  const bool whole = read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
  return whole && digits.size() == 16 ? id : overlay::PeerId{};
}

}  // namespace

Result<void> NameTable::open() {
  if (auto made = database_.execute(kNameSchema); !made) return made;
  auto rows = database_.prepare(kReadNames);
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    const overlay::PeerId node = id_of(rows.text(0));
    const std::string_view name = rows.text(1);
    if (!node || name.empty() || name.size() > sched::Facts::kNameMax) continue;
    known_[node] = {.name = std::string(name), .told_at = rows.number(2)};
  }
  while (known_.size() > kNamesMax) drop_oldest();
  return read_former();
}

Result<void> NameTable::read_former() {
  auto rows = database_.prepare(kReadFormer);
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    const std::string_view name = rows.text(0);
    const overlay::PeerId node = id_of(rows.text(1));
    const bool sound = node && !name.empty() && name.size() <= sched::Facts::kNameMax;
    if (sound && former_.size() < kFormerMax) former_[std::string(name)] = node;
  }
}

std::string NameTable::find(overlay::PeerId node) const {
  const auto found = known_.find(node);
  return found == known_.end() ? "" : found->second.name;
}

void NameTable::put(overlay::PeerId node, std::string_view name) {
  if (!node || name.empty() || name.size() > sched::Facts::kNameMax) return;
  if (const auto known = known_.find(node); known != known_.end()) {
    const std::string& before = known->second.name;
    if (before == name) return;
    if (former_.size() < kFormerMax || former_.contains(before)) {
      former_[before] = node;
      renamed_[before] = node;
    }
  }
  const Known known{.name = std::string(name), .told_at = wall_clock_ns()};
  known_[node] = known;
  changed_[node] = known;
  if (known_.size() > kNamesMax) drop_oldest();
}

void NameTable::drop_oldest() {
  const auto oldest =
      std::ranges::min_element(known_, {}, [](const auto& entry) { return entry.second.told_at; });
  changed_[oldest->first] = std::nullopt;
  known_.erase(oldest);
}

void NameTable::begin_commit() {
  writing_ = std::exchange(changed_, {});
  writing_former_ = std::exchange(renamed_, {});
}

Result<void> NameTable::write() {
  for (const auto& [id, known] : writing_) {
    const std::string digits = to_string(id);
    const std::string_view node = digits;
    if (!known) {
      if (auto deleted = database_.prepare(kDeleteName).bind(node).run(); !deleted) return deleted;
      continue;
    }
    auto written =
        database_.prepare(kPutName).bind(node, std::string_view(known->name), known->told_at).run();
    if (!written) return written;
  }
  for (const auto& [name, id] : writing_former_) {
    const std::string node = to_string(id);
    auto written =
        database_.prepare(kPutFormer).bind(std::string_view(name), std::string_view(node)).run();
    if (!written) return written;
  }
  return {};
}

void NameTable::end_commit(bool done) {
  if (!done) changed_.merge(writing_);  // What changed meanwhile stays.
  if (!done) renamed_.merge(writing_former_);
  writing_.clear();
  writing_former_.clear();
}

}  // namespace dunlin::node
