// SPDX-License-Identifier: MIT
#include "sched/logs/log_part.h"

#include <utility>

#include "sched/ledger/log_commands.h"
#include "sched/logs/held_office.h"
#include "sched/logs/lent_copy.h"
#include "sched/logs/log_wire.h"
#include "sched/logs/offers.h"
#include "sched/logs/part_view.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"

// The copy says which node drives the jobs; this class does what follows from it. After each step
// of the copy it looks: a node that has become the home makes a frontend of the jobs in the log,
// and one that is deposed drops it, rows and all. What the copy stores is on the disk before a
// message that rests on it leaves: drivers see to that, so each step counts as durable at once.
namespace dunlin::sched::logs {
namespace {

/// A copy of a log that the books never had is of no use once its home was silent for so long.
constexpr Duration kStillborn = std::chrono::hours(1);
constexpr Duration kIdleSilence = replica::HomeParams{}.idle_heartbeat;
constexpr std::uint64_t kVersionsApart = 1 << 20;

/// The books need not keep the entry, nor any node a copy.
books::CloseLog closing_wish(const replica::LogFacts& facts, const replica::Copy& copy) {
  return {.log = facts.log, .epoch = copy.entry().epoch, .home = copy.self().replica.value};
}

}  // namespace

/// What the copy is lent for one step.
class LogPart::Lent final : public replica::Port, public replica::CopyStore {
 public:
  Lent(LogPart& part, const PeerParts& parts, const Host& host)
      : part_(part),
        parts_(parts),
        host_(host) {}

  replica::CopyTurn turn() { return {.now = host_.now, .out = *this, .store = *this}; }

  void send(const Endpoint& to, const replica::Message& message) override {
    if (const auto* const appended = std::get_if<replica::Appended>(&message)) {
      replica::Appended told = *appended;
      told.leaves = parts_.is_leaving();
      told.books = mark_of(part_.facts());
      host_.out.send(to, to_wire(part_.facts(), told));
    } else {
      host_.out.send(to, to_wire(part_.facts(), message));
    }
  }
  void propose(const replica::Command& command) override {
    // Those that may be in the set soon must know where the books are, should this node die.
    if (const auto* change = std::get_if<replica::ChangeSet>(&command)) {
      tell(host_, home_is(part_), change->set, part_.copy_.self());
    }
    const auto* const claim = std::get_if<replica::TakeOver>(&command);
    part_.books_.propose(
        parts_, host_, wish_of(part_.facts().log, command), claim != nullptr && claim->handed_over);
  }
  void put_batch(std::uint64_t position, const replica::Batch& batch) override {
    part_.bytes_ += batch.records.size();
    host_.logs.put_batch(part_.facts().log, position, batch);
  }
  void truncate(std::uint64_t position) override {
    host_.logs.truncate(part_.facts().log, position);
  }
  void put_office(const replica::HomeRecord& office) override {
    host_.logs.put_office(part_.facts().log, office);
  }
  void put_entry(const replica::Entry& entry) override {
    host_.logs.put_entry(part_.facts().log, entry);
  }

 private:
  LogPart& part_;
  const PeerParts& parts_;
  const Host& host_;
};

replica::StoredLog opened_log(const replica::LogFacts& facts, const replica::Member& self) {
  const replica::Set alone{self};
  return {.facts = facts,
      .office = {.epoch = 1, .version = 1, .set = alone, .intents = {}},
      .entry = {.epoch = 1, .version = 1, .home = self, .set = alone},
      .log = {}};
}

LogPart::LogPart(const PeerParts& parts, const Host& host, replica::StoredLog stored)
    : books_(stored.facts, std::uint64_t{parts.overlay.self().incarnation} << 32, host.now),
      copy_(copy_of(parts, host, std::move(stored))),
      has_rows_(copy_.home() != nullptr),
      orphan_watch_(host.now) {
  for (std::uint64_t i = 1; i <= copy_.log().end(); ++i) bytes_ += copy_.log().at(i).records.size();
  step(parts, host, [](const replica::CopyTurn&) {});
}

LogPart::~LogPart() = default;

Frontend* LogPart::frontend() const {
  return office_ ? &office_->frontend() : nullptr;
}

void LogPart::step(const PeerParts& parts,
    const Host& host,
    const std::function<void(const replica::CopyTurn&)>& act) {
  Lent lent(*this, parts, host);
  act(lent.turn());
  copy_.on_durable(lent.turn(), copy_.changes());
  const replica::Home* const home = copy_.home();
  const bool asks = home != nullptr && !home->is_handing_over() && handover_.may_ask(home->gate());
  if (asks) copy_.begin_handover(lent.turn());
  settle(parts, host);
}

void LogPart::receive(const PeerParts& parts,
    const Host& host,
    const Endpoint& from,
    const replica::Message& message) {
  if (const auto* const append = std::get_if<replica::Append>(&message)) {
    orphan_watch_.hear(host.now);
    if (facts().origin == parts.endpoint().id) books_.learn_floor(parts, host);
    // A home with nothing to do is silent for longer.
    books_.hear_home(append->idle ? host.now + kIdleSilence : host.now);
    // What cannot be stored is not taken. The home needs another standby.
    if (parts.spec->disk_fails && office_ == nullptr) {
      const replica::Appended refused{
          .stamp = append->stamp, .replica = copy_.self().replica, .trouble = true};
      return host.out.send(from, to_wire(facts(), refused));
    }
    // The word that deposes a home may replace its last batches, too.
    const replica::Home* const home = copy_.home();
    if (home != nullptr && append->stamp.epoch > home->stamp().epoch) {
      offers_ = results_after(copy_.log(), office_ ? office_->told_up_to() : 0);
    }
  }
  if (const auto* const appended = std::get_if<replica::Appended>(&message)) marks_.note(*appended);
  const auto* const is = std::get_if<replica::HomeIs>(&message);
  // The first version may be a home's own word; others are the books'.
  if (is != nullptr && is->entry.version > 1) books_.note_entry();
  if (is != nullptr && !is->of_books) orphan_watch_.on_word(host.now, from.id);
  step(parts, host, [&](const replica::CopyTurn& turn) { copy_.on_message(turn, from, message); });
}

void LogPart::on_answer(
    const PeerParts& parts, const Host& host, const Endpoint& from, const cell::LogAnswer& answer) {
  switch (books_.on_answer(host, from, answer, copy_.entry())) {
    case BooksLink::Word::none:
      return;
    case BooksLink::Word::elsewhere:
      if (office_) return;
      copy_.hurry();
      return step(parts, host, [&](const replica::CopyTurn& turn) { copy_.wake(turn); });
    case BooksLink::Word::unknown: {
      // A log ends when its home closes it, and then every copy may go; not because the books do
      // not have the log yet.
      const bool ends = office_
          ? end_.is_closing()
          : books_.had_entry() || host.now - orphan_watch_.heard() > kStillborn;
      if (ends) end_.set_over();
      return;
    }
    case BooksLink::Word::entry: {
      // Standbys of another cell know of the books by their home alone, and a busy one gives no
      // other sign of life than batches. The word may be lost, so it is said after each answer.
      told_ = 0;
      replica::Entry entry = books::entry_of(answer.entry);
      entry.moved_to = {};  // For books alone.
      return receive(
          parts, host, from, replica::HomeIs{.entry = std::move(entry), .of_books = true});
    }
  }
}

void LogPart::wake(const PeerParts& parts, const Host& host, const replica::Set& candidates) {
  if (office_) {
    wish_.follow(copy_, *office_, site_of(parts), may_tell(*this, copy_.log().end()));
    if (office_->has_unsafe()) books_.hurry(host.now);
    const auto& jobs = office_->frontend().jobs();
    const replica::HomeRecord& office = copy_.home()->office();
    books_.keep(parts, host,
        {.version = copy_.entry().version,
            .epoch = copy_.entry().epoch,
            .alone = office.set.size() == 1 && office.intents.empty(),
            .number_last = jobs.empty() ? 0 : jobs.rbegin()->first,
            .required = wish_.required()});
    const Duration age = history_age_of_logs(parts.params->frontend);
    if (end_.is_due(office_->frontend(), host.now, age)) {
      // A log of no cell is heard of by no other node.
      if (!facts().cell) end_.set_over();
      if (facts().cell) books_.propose(parts, host, closing_wish(facts(), copy_));
    }
    // Not before the books have the log: what a standby hears first of it says where they are, or
    // it could never ask them for the office. The home may die before it says another word.
    copy_.set_candidates(books_.opened() ? candidates : replica::Set{}, books_.opened());
    // Those in the set must know it, to claim the office one day.
    if (std::exchange(told_, copy_.entry().version) != copy_.entry().version) {
      tell(host, home_is(*this), copy_.entry().set, copy_.self());
    }
    for (const Endpoint& node : office_->take_overdue(host.now))
      host.out.send(node, home_is(*this));
    look_at_handover(parts, host);
  } else {
    books_.ask(parts, host);
    orphan_watch_.look(parts, host, copy_, books_, look_);
  }
  // A standby that cannot store what it is sent does not take over, though it hears of no home.
  const bool acts = office_ || !parts.spec->disk_fails;
  if (acts) step(parts, host, [&](const replica::CopyTurn& turn) { copy_.wake(turn); });
  if (frontend_deadline(*this) > host.now) return;
  drive(parts, host,
      [&](Frontend& frontend, Turn& turn) { frontend.wake(turn, parts.around(host.now)); });
}

// An acknowledged job is in the copy of each node of the set. So one that is, and has it not, is no
// reason to wait for it.
CopyStanding LogPart::standing(Time now, std::uint32_t number) const {
  if (!jobs(now).has(number)) {
    return look_.is_current(copy_.log()) ? CopyStanding::lacks : CopyStanding::unread;
  }
  const bool may = office_ || has(copy_.entry().set, copy_.self().replica);
  return may ? CopyStanding::synced : CopyStanding::behind;
}

// A later epoch deposes the old home wherever it is heard. A version so much higher lies above all
// that the old books may have said.
void LogPart::go_on(const PeerParts& parts, const Host& host) {
  replica::Entry entry = copy_.entry();
  ++entry.epoch;
  entry.version += kVersionsApart;
  entry.home = copy_.self();
  entry.set = {copy_.self()};
  books_.abandon(host);
  receive(parts, host, parts.endpoint(), replica::HomeIs{.entry = std::move(entry)});
}

void LogPart::lose(const PeerParts& parts, const Host& host) {
  books_.propose(parts, host,
      books::LoseLog{.log = facts().log,
          .epoch = copy_.entry().epoch,
          .claimant = books::member_of(copy_.self())});
}

std::optional<OrphanCause> LogPart::orphaned(Time now) const {
  return office_ ? std::nullopt : orphan_watch_.cause(now, copy_, books_);
}

Shortfall LogPart::shortfall(const Site& site, Time now, std::size_t required) const {
  return marks_.shortfall(copy_.home()->office().set, copy_.self(), books_, site, now, required);
}

void LogPart::forget(const Host& host) const {
  if (office_) office_->forget_rows(host);
  host.logs.forget_log(facts().log);
}

}  // namespace dunlin::sched::logs
