// SPDX-License-Identifier: MIT
// What a part in a log has to do with the books: asks them, and tells others where they are.
#include <algorithm>
#include <variant>

#include "sched/cell/cell_node.h"
#include "sched/ledger/log_commands.h"
#include "sched/logs/log_part.h"
#include "sched/logs/log_wire.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"

namespace dunlin::sched::logs {
namespace {

constexpr Duration kOpenAgain = std::chrono::seconds(1);
/// Other nodes may keep the books by now; standbys hear of them from their home.
constexpr Duration kLookAgain = std::chrono::seconds(5);
/// A standby that hears nothing of the home asks again and again.
constexpr Duration kAskAgain = std::chrono::milliseconds(500);
/// A copy of a log that the books never had is of no use once its home was silent for so long.
constexpr Duration kStillborn = std::chrono::hours(1);

}  // namespace

void LogPart::learn_books(const Host& host, const LogBooks& books) {
  const replica::LogFacts before = facts_;
  adopt(books, facts_);
  if (facts_ != before) host.logs.put_log(facts_);
}

void LogPart::on_answer(
    const PeerParts& parts, const Host& host, const Endpoint& from, const cell::LogAnswer& answer) {
  if (answer.cell != facts_.cell) return;
  if (answer.standing == cell::LogStanding::elsewhere) {
    if (!answer.contacts.empty()) {
      manager_ = Endpoint{answer.contacts.front().node, answer.contacts.front().address};
    }
    return;
  }
  manager_ = from;
  if (answer.standing == cell::LogStanding::unknown) return on_unknown(host, answer);
  opened_ = true;
  if (!known_since_) known_since_ = asked_;
  if (!answer.contacts.empty() && facts_.contacts != answer.contacts) {
    facts_.contacts = answer.contacts;
    host.logs.put_log(facts_);
  }
  // Standbys of another cell know of the books by their home alone, and a busy one gives no other
  // sign of life than batches. The word may be lost, so it is said after each answer.
  told_ = 0;
  receive(parts, host, from, replica::HomeIs{books::entry_of(answer.entry)});
}

// A log ends when its home closes it, and then every copy may go. An answer that was under way
// when the books got the log means nothing: they may have counted this copy as one in sync since.
// Nor may a copy go because the books do not have the log yet.
void LogPart::on_unknown(const Host& host, const cell::LogAnswer& answer) {
  opened_ = false;
  const bool is_late = known_since_ && answer.request <= *known_since_;
  if (frontend_) {
    over_ = over_ || (closing_ && !is_late);
  } else if (known_since_) {
    over_ = over_ || !is_late;
  } else {
    over_ = over_ || host.now - heard_ > kStillborn;
  }
}

/// All its jobs are history: the books need not keep the entry, nor any node a copy. A frontend
/// keeps its last job however old it is.
void LogPart::close_if_over(const PeerParts& parts, const Host& host) {
  closing_ = std::ranges::all_of(frontend_->jobs(), [&](const auto& each) {
    const auto finished = each.second.finished();
    return finished && host.now - *finished > parts.params->frontend.history_age;
  });
  if (!closing_ || host.now < next_close_) return;
  next_close_ = host.now + kOpenAgain;
  if (!facts_.cell) {
    over_ = true;  // No other node has heard of it.
    return;
  }
  propose(parts, host,
      books::CloseLog{
          .log = facts_.log, .epoch = copy_.entry().epoch, .home = copy_.self().replica.value});
}

/// Puts the log into the books of this node's cell, once there is one.
void LogPart::keep_books(const PeerParts& parts, const Host& host) {
  if (!parts.cells || host.now < next_open_) return;
  const CellMember& member = parts.cells->member();
  if (!facts_.cell) {
    if (!member.is_member()) return;
    facts_.cell = member.cell();
    facts_.contacts.assign(member.contacts().begin(), member.contacts().end());
    if (facts_.contacts.size() > cell::LogAnswer::kContactsMax) {
      facts_.contacts.resize(cell::LogAnswer::kContactsMax);
    }
    host.logs.put_log(facts_);
  }
  next_open_ = host.now + (opened_ ? kLookAgain : kOpenAgain);
  if (opened_ || facts_.origin != parts.endpoint().id || copy_.entry().version > 1) {
    return propose(parts, host, cell::AskLog{.log = facts_.log});
  }
  propose(
      parts, host, books::OpenLog{.log = facts_.log, .home = books::member_of(parts.as_member())});
}

/// Those in the set must know it, to claim the office one day. The word may be lost: the books
/// know.
void LogPart::tell_set(const Host& host) {
  const replica::Entry& entry = copy_.entry();
  if (entry.version == told_) return;
  told_ = entry.version;
  tell(host, entry.set);
}

void LogPart::tell(const Host& host, const replica::Set& set) const {
  for (const replica::Member& member : set) {
    if (member.replica != copy_.self().replica) host.out.send(member.node, home_is());
  }
}

void LogPart::ask_books(const PeerParts& parts, const Host& host) {
  if (host.now < next_ask_) return;
  next_ask_ = host.now + kAskAgain;
  propose(parts, host, cell::AskLog{.log = facts_.log});
}

void LogPart::propose(const PeerParts& parts, const Host& host, const cell::LogWish& wish) {
  if (!facts_.cell) return;
  std::vector<Endpoint> contacts;
  if (manager_) contacts.push_back(*manager_);
  if (parts.cells) {
    if (const cell::Hint* hint = parts.cells->hints().find(facts_.cell)) {
      contacts.push_back({hint->manager.node, hint->manager.address});
    }
    if (parts.cells->member().cell() == facts_.cell) {
      for (const books::Contact& each : parts.cells->member().contacts()) {
        contacts.push_back({each.node, each.address});
      }
    }
  }
  for (const books::Contact& each : facts_.contacts) {
    contacts.push_back({each.node, each.address});
  }
  if (contacts.empty()) return;
  // The likeliest first; each again and again, as long as no answer comes.
  const Endpoint& to = contacts[++asked_ % contacts.size()];
  host.cells.send(to, cell::LogRequest{.cell = facts_.cell, .wish = wish, .request = asked_});
}

}  // namespace dunlin::sched::logs
