// SPDX-License-Identifier: MIT
#include "sched/logs/books_link.h"

#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/ledger/log_commands.h"
#include "sched/logs/log_wire.h"
#include "sched/peer_parts.h"

namespace dunlin::sched::logs {
namespace {

constexpr Duration kOpenAgain = std::chrono::seconds(1);
/// Other nodes may keep the books by now; standbys hear of them from their home.
constexpr Duration kLookAgain = std::chrono::seconds(5);
/// A standby that has not heard of the home for so long asks the books which one it is, ...
constexpr Duration kAskSilent = std::chrono::seconds(2);
/// ... again and again.
constexpr Duration kAskAgain = std::chrono::milliseconds(500);
/// The floor of numbers rises by so much, when half of that is left.
constexpr std::uint32_t kFloorStep = 1000;

std::vector<Endpoint> keepers(const PeerParts& parts,
    const replica::LogFacts& facts,
    const std::optional<Endpoint>& manager) {
  std::vector<Endpoint> keepers;
  const auto add = [&](const books::Contact& contact) {
    keepers.push_back({contact.node, contact.address});
  };
  if (manager) keepers.push_back(*manager);
  if (parts.cells) {
    if (const cell::Hint* hint = parts.cells->hints().find(facts.cell)) add(hint->manager);
    if (parts.cells->member().cell() == facts.cell) {
      for (const books::Contact& each : parts.cells->member().contacts()) add(each);
    }
  }
  for (const books::Contact& each : facts.contacts) add(each);
  return keepers;
}

}  // namespace

BooksLink::BooksLink(replica::LogFacts facts, std::uint64_t asked, Time now)
    : facts_(std::move(facts)),
      asked_(asked),
      next_ask_(now + kAskSilent) {}

void BooksLink::learn(const Host& host, const LogBooks& books) {
  const replica::LogFacts before = facts_;
  adopt(books, facts_);
  if (facts_ != before) host.logs.put_log(facts_);
}

// An answer that was under way when the books got the log means nothing: they may have counted
// this copy as one in sync since.
BooksLink::Word BooksLink::on_answer(
    const Host& host, const Endpoint& from, const cell::LogAnswer& answer) {
  if (answer.cell != facts_.cell) return Word::none;
  if (answer.standing == cell::LogStanding::elsewhere) {
    if (answer.contacts.empty()) return Word::none;
    const books::Contact& leader = answer.contacts.front();
    const Endpoint told{leader.node, leader.address};
    if (manager_ == told) return Word::none;
    manager_ = told;
    unanswered_ = 0;
    return Word::elsewhere;
  }
  manager_ = from;
  unanswered_ = 0;
  if (answer.standing == cell::LogStanding::unknown) {
    opened_ = false;
    const bool is_late = known_since_ && answer.request <= *known_since_;
    return is_late ? Word::none : Word::unknown;
  }
  opened_ = true;
  voters_ = answer.voters;
  floor_ = answer.entry.floor;
  note_entry();
  if (!answer.contacts.empty() && facts_.contacts != answer.contacts) {
    facts_.contacts = answer.contacts;
    host.logs.put_log(facts_);
  }
  return Word::entry;
}

// A cell may end before its books have the log. If they got it after all, no harm is done: as long
// as the home alone is in the set, no other node may ask those books for the office.
void BooksLink::choose_cell(const PeerParts& parts, const Host& host) {
  const CellMember& member = parts.cells->member();
  if (!member.is_member() || member.cell() == facts_.cell) return;
  facts_.cell = member.cell();
  facts_.contacts.assign(member.contacts().begin(), member.contacts().end());
  if (facts_.contacts.size() > cell::LogAnswer::kContactsMax) {
    facts_.contacts.resize(cell::LogAnswer::kContactsMax);
  }
  manager_.reset();
  host.logs.put_log(facts_);
}

void BooksLink::keep(const PeerParts& parts, const Host& host, const HomeFacts& home) {
  if (!parts.cells || host.now < next_open_) return;
  const bool unknown = !had_entry() && home.version <= 1 && !home.proposes;
  if (!facts_.cell || unknown) choose_cell(parts, host);
  if (!facts_.cell) return;
  // Too few voters so far: it matters to users when there are more.
  next_open_ = host.now + (opened_ && voters_ >= kVotersSafe ? kLookAgain : kOpenAgain);
  if (opened_ && home.number_last + kFloorStep / 2 > floor_) {
    const std::uint32_t floor = (home.number_last / kFloorStep + 2) * kFloorStep;
    return propose(
        parts, host, books::RaiseLogFloor{.log = facts_.log, .epoch = home.epoch, .floor = floor});
  }
  if (opened_ || facts_.origin != parts.endpoint().id || home.version > 1) {
    return propose(parts, host, cell::AskLog{.log = facts_.log});
  }
  propose(
      parts, host, books::OpenLog{.log = facts_.log, .home = books::member_of(parts.as_member())});
}

void BooksLink::learn_floor(const PeerParts& parts, const Host& host) {
  if (floor_ > 0 || host.now < next_open_) return;
  next_open_ = host.now + kOpenAgain;
  propose(parts, host, cell::AskLog{.log = facts_.log});
}

void BooksLink::hear_home(Time now) {
  next_ask_ = now + kAskSilent;
}

void BooksLink::ask(const PeerParts& parts, const Host& host) {
  if (host.now < next_ask_) return;
  next_ask_ = host.now + kAskAgain;
  propose(parts, host, cell::AskLog{.log = facts_.log});
}

// The likeliest first; each again and again, as long as no answer comes.
void BooksLink::propose(
    const PeerParts& parts, const Host& host, const cell::LogWish& wish, bool handed_over) {
  if (!facts_.cell) return;
  const std::vector<Endpoint> contacts = keepers(parts, facts_, manager_);
  if (contacts.empty()) return;
  const Endpoint& to = contacts[unanswered_++ % contacts.size()];
  host.cells.send(to,
      cell::LogRequest{
          .cell = facts_.cell, .wish = wish, .request = ++asked_, .handed_over = handed_over});
}

}  // namespace dunlin::sched::logs
