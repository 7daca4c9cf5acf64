// SPDX-License-Identifier: MIT
#include "node/store/action_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "node/store/checked_rows.h"

namespace dunlin::node {

Result<void> ActionTable::open() {
  auto row = database_.prepare("select coalesce(max(number), 0) from actions");
  const auto found = row.step();
  if (!found) return tl::unexpected(found.error());
  last_ = row.number(0);
  return {};
}

void ActionTable::put(ActionRow action) {
  action.number = ++last_;
  queue_.push_back(std::move(action));
}

void ActionTable::begin_commit() {
  writing_.swap(queue_);
}

Result<void> ActionTable::write() {
  for (const ActionRow& action : writing_) {
    auto written =
        database_.prepare(sql::put_action().c_str())
            .bind(action.number, action.at, std::string_view(action.user), action.remote,
                std::string_view(action.verb), std::string_view(action.object), action.refused)
            .run();
    if (!written) return written;
  }
  if (writing_.empty()) return {};
  return database_.prepare("delete from actions where number <= ?")
      .bind(writing_.back().number - kActionsMax)
      .run();
}

void ActionTable::end_commit(bool done) {
  if (!done) {
    std::ranges::move(queue_, std::back_inserter(writing_));
    queue_.swap(writing_);
  }
  writing_.clear();
}

Result<std::vector<ActionRow>> ActionTable::list(const std::string& user, std::uint32_t limit) {
  auto rows = reader_.prepare(
      "select number, at, user, remote, verb, object, refused, sound from checked_actions "
      "where ?1 = '' or user = ?1 order by number desc limit ?2");
  rows.bind(std::string_view(user), limit);
  std::vector<ActionRow> found;
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    if (rows.number(7) == 0) {
      damage_.note("action " + std::to_string(rows.number(0)) + " of the log, which is left out");
      continue;
    }
    found.push_back({.number = rows.number(0),
        .at = rows.number(1),
        .user = std::string(rows.text(2)),
        .remote = rows.number(3) != 0,
        .verb = std::string(rows.text(4)),
        .object = std::string(rows.text(5)),
        .refused = rows.number(6) != 0});
  }
}

}  // namespace dunlin::node
