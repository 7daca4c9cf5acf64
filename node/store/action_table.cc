// SPDX-License-Identifier: MIT
#include "node/store/action_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "node/store/checked_rows.h"

// The actions of users, in the order in which they happened. The log is bounded for each user and
// for all, and it is trimmed at the expense of the user with most in it: so doing much never pushes
// the traces of others out.
//
// Who spoke for a user stands behind that user's name, in one column: rows are as old agents read
// and write them, and what is done in a user's name by another counts apart.
namespace dunlin::node {
namespace {

constexpr std::string_view kBy = " by ";

void join_delegate(ActionRow& action) {
  if (action.delegate.empty()) return;
  action.user += kBy;
  action.user += std::exchange(action.delegate, {});
}

void part_delegate(ActionRow& action) {
  const auto at = action.user.rfind(kBy);
  if (at == std::string::npos) return;
  action.delegate = action.user.substr(at + kBy.size());
  action.user.resize(at);
}

}  // namespace

Result<void> ActionTable::open() {
  auto rows = database_.prepare("select user, count(*), max(number) from actions group by user");
  for (;;) {
    const auto found = rows.step();
    if (!found) return tl::unexpected(found.error());
    // The counts are kept in memory from here on, lest each action asks for the number of rows.
    if (!*found) return {};
    counts_[std::string(rows.text(0))] = rows.number(1);
    last_ = std::max(last_, rows.number(2));
  }
}

// Refusals are summed up before they are recorded: a client that asks again and again would else
// push the actions that count out of the log.
void ActionTable::put(ActionRow action) {
  join_delegate(action);
  std::vector<ActionRow> recorded;
  if (action.refused) {
    refusals_.put(std::move(action), recorded);
  } else {
    recorded.push_back(std::move(action));
  }
  queue(std::move(recorded));
}

void ActionTable::settle(std::int64_t now, bool all) {
  std::vector<ActionRow> recorded;
  all ? refusals_.close_all(recorded) : refusals_.close(now, recorded);
  queue(std::move(recorded));
}

void ActionTable::queue(std::vector<ActionRow> actions) {
  for (ActionRow& action : actions) {
    // One sequence over all users: it is the order in which things happened, also when the clock
    // was set back.
    action.number = ++last_;
    queue_.push_back(std::move(action));
  }
}

// write() runs on the commit thread, with put() going on in the loop: each has a list of its own.
void ActionTable::begin_commit() {
  writing_.swap(queue_);
  if (!writing_.empty()) counts_before_ = counts_;
}

Result<void> ActionTable::write() {
  for (const ActionRow& action : writing_) {
    auto written =
        database_.prepare(sql::put_action().c_str())
            .bind(action.number, action.at, std::string_view(action.user), action.remote,
                std::string_view(action.verb), std::string_view(action.object), action.refused)
            .run();
    if (!written) return written;
    ++counts_[action.user];
  }
  return writing_.empty() ? Result<void>() : trim();
}

Result<void> ActionTable::trim() {
  constexpr std::int64_t kSlack = 10;  // A tenth: to find the oldest means to read them all.
  std::int64_t all = 0;
  for (const auto& [user, count] : counts_) {
    all += count;
    if (count <= kUserActionsMax + kUserActionsMax / kSlack) continue;
    if (auto trimmed = trim(user, kUserActionsMax); !trimmed) return trimmed;
  }
  if (all <= kActionsMax + kActionsMax / kSlack) return {};
  // The bound for all is met at the expense of the user with the largest number of them. So one
  // that fills the log cannot drive out the traces of others.
  const auto largest =
      std::ranges::max_element(counts_, {}, [](const auto& each) { return each.second; });
  return trim(largest->first, largest->second / 2);
}

Result<void> ActionTable::trim(const std::string& user, std::int64_t keep) {
  auto deleted = database_
                     .prepare(
                         "delete from actions where user = ?1 and number <= (select number "
                         "from actions where user = ?1 order by number desc limit 1 offset ?2)")
                     .bind(std::string_view(user), keep)
                     .run();
  if (deleted) counts_[user] = keep;
  return deleted;
}

void ActionTable::end_commit(bool done) {
  // What failed comes before what has come since, so that numbers stay in order.
  if (!done) {
    if (!writing_.empty()) counts_ = std::move(counts_before_);
    std::ranges::move(queue_, std::back_inserter(writing_));
    queue_.swap(writing_);
  }
  writing_.clear();
}

Result<std::vector<ActionRow>> ActionTable::list(const std::string& user, std::uint32_t limit) {
  auto rows = reader_.prepare(
      "select number, at, user, remote, verb, object, refused, sound from checked_actions "
      "where ?1 = '' or user = ?1 or substr(user, 1, length(?1) + 4) = ?1 || ' by ' "
      "order by number desc limit ?2");
  rows.bind(std::string_view(user), limit);
  std::vector<ActionRow> found;
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    // A row with a wrong checksum is left out and told, and the others are still worth reading.
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
    part_delegate(found.back());
  }
}

}  // namespace dunlin::node
