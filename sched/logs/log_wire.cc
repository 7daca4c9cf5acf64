// SPDX-License-Identifier: MIT
#include "sched/logs/log_wire.h"

#include <algorithm>

#include "sched/overloaded.h"

namespace dunlin::sched::logs {
namespace {

LogMark mark_of(const replica::Mark& mark) {
  return {.epoch = mark.stamp.epoch, .life = mark.stamp.life, .position = mark.position};
}

replica::Mark mark_of(const LogMark& mark) {
  return {{mark.epoch, mark.life}, mark.position};
}

LogAppend append_of(const replica::LogFacts& facts, const replica::Append& m) {
  LogAppend append{.log = facts.log,
      .origin = facts.origin,
      .epoch = m.stamp.epoch,
      .life = m.stamp.life,
      .before = mark_of(m.before)};
  append.idle = m.idle;
  append.hands_over = m.hands_over;
  for (const replica::Batch& batch : m.batches) {
    append.batches.push_back({batch.stamp.epoch, batch.stamp.life, batch.records});
  }
  // Contacts take room, and a standby needs them only when the home is gone.
  if (m.batches.empty()) append.books = to_wire(facts);
  return append;
}

LogBehind behind_of(const replica::LogFacts& facts, const replica::Behind& m) {
  LogBehind behind{
      .log = facts.log, .epoch = m.stamp.epoch, .life = m.stamp.life, .replica = m.replica.value};
  // Of very many lives the first ones will do: the home sends all that comes after them.
  const std::size_t count = std::min(m.runs.size(), LogBehind::kRunsMax);
  for (std::size_t i = 0; i < count; ++i) behind.runs.push_back(mark_of(m.runs[i]));
  return behind;
}

}  // namespace

LogReplica to_wire(const replica::Member& member) {
  return {.replica = member.replica.value, .node = member.node.id, .address = member.node.address};
}

replica::Member from_wire(const LogReplica& member) {
  return {{member.replica}, {member.node, member.address}};
}

LogBooks to_wire(const replica::LogFacts& facts) {
  LogBooks books{.cell = facts.cell.value};
  for (const books::Contact& contact : facts.contacts) {
    books.contacts.push_back({.node = contact.node, .address = contact.address});
  }
  return books;
}

void adopt(const LogBooks& books, replica::LogFacts& facts) {
  if (books.cell == 0) return;
  facts.cell = {books.cell};
  if (books.contacts.empty()) return;
  facts.contacts.clear();
  for (const LogReplica& contact : books.contacts) {
    facts.contacts.push_back({.node = contact.node, .address = contact.address});
  }
}

HomeIs to_wire(const replica::LogFacts& facts, const replica::Entry& entry, std::uint64_t request) {
  HomeIs is{.request = request,
      .log = facts.log,
      .epoch = entry.epoch,
      .version = entry.version,
      .home = entry.home.replica.value,
      .set = {},
      .books = to_wire(facts)};
  for (const replica::Member& member : entry.set) is.set.push_back(to_wire(member));
  return is;
}

Message to_wire(const replica::LogFacts& facts, const replica::Message& message) {
  return std::visit(
      Overloaded{
          [&](const replica::Append& m) -> Message { return append_of(facts, m); },
          [&](const replica::Appended& m) -> Message {
            return LogAppended{.log = facts.log,
                .epoch = m.stamp.epoch,
                .life = m.stamp.life,
                .replica = m.replica.value,
                .position = m.position,
                .leaves = m.leaves,
                .trouble = m.trouble,
                .books = m.books};
          },
          [&](const replica::Behind& m) -> Message { return behind_of(facts, m); },
          [&](const replica::HomeIs& m) -> Message { return to_wire(facts, m.entry); },
      },
      message);
}

replica::Message from_wire(const LogAppend& m) {
  replica::Append append{.stamp = {m.epoch, m.life},
      .before = mark_of(m.before),
      .batches = {},
      .idle = m.idle,
      .hands_over = m.hands_over};
  for (const LogBatch& batch : m.batches) {
    append.batches.push_back({{batch.epoch, batch.life}, batch.records});
  }
  return append;
}

replica::Message from_wire(const LogAppended& m) {
  return replica::Appended{.stamp = {m.epoch, m.life},
      .replica = {m.replica},
      .position = m.position,
      .leaves = m.leaves,
      .trouble = m.trouble,
      .books = m.books};
}

replica::Message from_wire(const LogBehind& m) {
  replica::Behind behind{.stamp = {m.epoch, m.life}, .replica = {m.replica}, .runs = {}};
  for (const LogMark& mark : m.runs) behind.runs.push_back(mark_of(mark));
  return behind;
}

replica::Message from_wire(const HomeIs& m) {
  replica::Entry entry{.epoch = m.epoch, .version = m.version, .home = {}, .set = {}};
  for (const LogReplica& member : m.set) {
    entry.set.push_back(from_wire(member));
    if (member.replica == m.home) entry.home = entry.set.back();
  }
  return replica::HomeIs{std::move(entry)};
}

}  // namespace dunlin::sched::logs
