// SPDX-License-Identifier: MIT
#include "sched/logs/books_link.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/ledger/log_commands.h"
#include "sched/logs/log_wire.h"
#include "sched/peer_parts.h"

namespace dunlin::sched::logs {
namespace {

constexpr Duration kOpenAgain = std::chrono::seconds(1);
/// While a user waits for the books.
constexpr Duration kHurryAgain = std::chrono::milliseconds(200);
/// Other nodes may keep the books by now; standbys hear of them from their home.
constexpr Duration kLookAgain = std::chrono::seconds(5);
/// A standby that has not heard of the home for so long asks the books which one it is, ...
constexpr Duration kAskSilent = std::chrono::seconds(2);
/// ... again and again.
constexpr Duration kAskAgain = std::chrono::milliseconds(500);
/// Books that have not answered for so long may have ended while this node was down.
constexpr Duration kSilentMax = std::chrono::seconds(60);
/// The floor of numbers rises by so much, when half of that is left.
constexpr std::uint32_t kFloorStep = 1000;

std::vector<Endpoint> keepers(const PeerParts& parts,
    CellId cell,
    const std::vector<books::Contact>& contacts,
    const std::optional<Endpoint>& manager) {
  std::vector<Endpoint> keepers;
  const auto add = [&](const books::Contact& contact) {
    keepers.push_back({contact.node, contact.address});
  };
  if (manager) keepers.push_back(*manager);
  if (parts.cells) {
    if (const cell::Hint* hint = parts.cells->hints().find(cell)) add(hint->manager);
    if (parts.cells->member().cell() == cell) {
      for (const books::Contact& each : parts.cells->member().contacts()) add(each);
    }
  }
  for (const books::Contact& each : contacts) add(each);
  return keepers;
}

/// Another cell whose books outlive what a job requires, where those of this node's own cell have
/// too few members for it: the one with most. Nullptr if its own will do, or none does.
const cell::Hint* larger_cell(const PeerParts& parts, std::size_t required) {
  if (required == 0) return nullptr;
  const CellHints& hints = parts.cells->hints();
  const std::size_t needed = machines_needed(required);
  const cell::Hint* const own = hints.find(parts.cells->member().cell());
  if (own == nullptr || own->size >= needed) return nullptr;
  std::uint32_t size_max = static_cast<std::uint32_t>(needed - 1);
  CellId larger;
  for (const cell::Hint& each : hints.standing(0)) {
    if (each.size <= size_max) continue;
    size_max = each.size;
    larger = each.cell;
  }
  return larger ? hints.find(larger) : nullptr;
}

}  // namespace

BooksLink::BooksLink(replica::LogFacts facts, std::uint64_t asked, Time now)
    : facts_(std::move(facts)),
      asked_(asked),
      answered_(now),
      next_ask_(now + kAskSilent) {}

// A home may not have heard yet that its books gave the entry away: they say where to.
void BooksLink::learn(const Host& host, const LogBooks& books) {
  const replica::LogFacts before = facts_;
  adopt(books, facts_);
  if (facts_ == before) return;
  host.logs.put_log(facts_);
  if (facts_.cell == before.cell) return;
  next_.reset();
  manager_.reset();
  // Questions that these books were asked before they got the log have answers of no meaning.
  if (known_since_) known_since_ = asked_;
  answered_ = host.now;
}

// An answer that was under way when the books got the log means nothing: they may have counted
// this copy as one in sync since. Nor does one of books that are to get it.
BooksLink::Word BooksLink::on_answer(const Host& host,
    const Endpoint& from,
    const cell::LogAnswer& answer,
    const replica::Entry& known) {
  const bool sound =
      answer.standing != cell::LogStanding::known || books::are_sound(std::span(&answer.entry, 1));
  if (!sound) return Word::none;
  if (answer.cell != place().cell && !is_found(host.now, answer, known)) return Word::none;
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
  answered_ = host.now;
  if (answer.standing == cell::LogStanding::unknown) {
    if (next_) return Word::none;
    opened_ = false;
    const bool is_late = known_since_ && answer.request <= *known_since_;
    gone_ = gone_ || !is_late;
    return is_late ? Word::none : Word::unknown;
  }
  opened_ = true;
  gone_ = false;
  voters_ = answer.voters;
  keepers_.reset();
  if (answer.tells_keepers) keepers_ = answer.keepers;
  floor_ = answer.entry.floor;
  note_entry();
  // What was asked before this has no newer answer, whenever that comes.
  known_since_ = std::max(*known_since_, answer.request);
  settle(host, {answer.cell, answer.contacts.empty() ? place().contacts : answer.contacts});
  if (answer.entry.moved_to) move_on(host, answer.entry);
  return Word::entry;
}

void BooksLink::settle(const Host& host, Place place) {
  next_.reset();
  if (facts_.cell == place.cell && facts_.contacts == place.contacts) return;
  facts_.cell = place.cell;
  facts_.contacts = std::move(place.contacts);
  host.logs.put_log(facts_);
}

// A log that no other books get has its home alone in the set, which opens it anew.
void BooksLink::move_on(const Host& host, const books::LogEntry& entry) {
  manager_.reset();
  known_since_.reset();
  voters_ = 0;
  keepers_.reset();
  next_open_ = host.now;
  next_ask_ = std::min(next_ask_, host.now);
  if (entry.moved_to == facts_.cell) {
    opened_ = false;
    gone_ = true;
  } else {
    next_ = Place{entry.moved_to, entry.moved_contacts};
  }
}

// A home that is alone may have opened the log in several books, one after the other; but all that
// have it with the same standbys are one and the same, which was moved.
bool BooksLink::is_found(
    Time now, const cell::LogAnswer& answer, const replica::Entry& known) const {
  if (!is_silent(now) || answer.standing != cell::LogStanding::known) return false;
  const replica::Entry there = books::entry_of(answer.entry);
  const auto in_both = [&](const replica::Member& each) { return has(known.set, each.replica); };
  return there.epoch == known.epoch && there.version >= known.version && known.set.size() > 1 &&
      there.set.size() == known.set.size() && std::ranges::all_of(there.set, in_both);
}

bool BooksLink::is_silent(Time now) const {
  return place().cell && now - answered_ > kSilentMax;
}

// A cell may end before its books have the log. If they got it after all, no harm is done: as long
// as the home alone is in the set, no other node may ask those books for the office.
void BooksLink::choose_cell(const PeerParts& parts, const Host& host, std::size_t required) {
  const CellMember& member = parts.cells->member();
  if (!member.is_member()) return;
  const cell::Hint* const larger = larger_cell(parts, required);
  const CellId chosen = larger != nullptr ? larger->cell : member.cell();
  if (chosen == facts_.cell) return;
  facts_.cell = chosen;
  if (larger != nullptr) {
    facts_.contacts = {larger->manager};
  } else {
    facts_.contacts.assign(member.contacts().begin(), member.contacts().end());
  }
  if (facts_.contacts.size() > cell::LogAnswer::kContactsMax) {
    facts_.contacts.resize(cell::LogAnswer::kContactsMax);
  }
  opened_ = false;
  gone_ = true;
  known_since_.reset();
  manager_.reset();
  answered_ = host.now;
  host.logs.put_log(facts_);
}

void BooksLink::abandon(const Host& host) {
  facts_.cell = {};
  facts_.contacts.clear();
  next_.reset();
  manager_.reset();
  known_since_.reset();
  opened_ = false;
  gone_ = true;
  answered_ = host.now;
  host.logs.put_log(facts_);
}

void BooksLink::keep(const PeerParts& parts, const Host& host, const HomeFacts& home) {
  const bool hurries = host.now < hurry_;
  if (hurries) next_open_ = std::min(next_open_, asked_at_ + kHurryAgain);
  if (!parts.cells || host.now < next_open_) return;
  // No books may have it yet.
  const bool fresh = !had_entry() && home.version <= 1;
  const bool moves = home.alone && !next_ && (fresh || gone_ || is_silent(host.now));
  if (!facts_.cell || moves) choose_cell(parts, host, home.required);
  if (!facts_.cell) return;
  // Too few voters so far: it matters to users when there are more.
  next_open_ = host.now + (opened_ && voters_ >= kVotersSafe ? kLookAgain : kOpenAgain);
  asked_at_ = host.now;
  if (opened_ && !next_ && home.number_last + kFloorStep / 2 > floor_) {
    const std::uint32_t floor = (home.number_last / kFloorStep + 2) * kFloorStep;
    return propose(
        parts, host, books::RaiseLogFloor{.log = facts_.log, .epoch = home.epoch, .floor = floor});
  }
  if (opened_ || !home.alone || !(fresh || gone_)) {
    return propose(parts, host, cell::AskLog{.log = facts_.log});
  }
  propose(parts, host,
      books::OpenLog{.log = facts_.log,
          .home = books::member_of(parts.as_member()),
          .origin = facts_.origin,
          .epoch = home.epoch,
          .version = home.version});
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
  if (!facts_.cell || search(parts, host)) return;
  const Place place = this->place();
  const std::vector<Endpoint> contacts = keepers(parts, place.cell, place.contacts, manager_);
  if (contacts.empty()) return;
  const Endpoint& to = contacts[unanswered_++ % contacts.size()];
  send(host, to, place.cell, wish, handed_over);
}

// Each second time: the books may be there after all.
bool BooksLink::search(const PeerParts& parts, const Host& host) {
  if (!is_silent(host.now) || !parts.cells || ++searched_ % 2 == 0) return false;
  const std::vector<cell::Hint> standing = parts.cells->hints().standing(0);
  if (standing.empty()) return false;
  const cell::Hint& next = standing[searched_ / 2 % standing.size()];
  send(host, endpoint_of(next.manager), next.cell, cell::AskLog{.log = facts_.log});
  return true;
}

void BooksLink::send(const Host& host,
    const Endpoint& to,
    CellId cell,
    const cell::LogWish& wish,
    bool handed_over) {
  host.cells.send(to,
      cell::LogRequest{
          .cell = cell, .wish = wish, .request = ++asked_, .handed_over = handed_over});
}

}  // namespace dunlin::sched::logs
