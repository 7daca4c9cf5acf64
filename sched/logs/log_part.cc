// SPDX-License-Identifier: MIT
#include "sched/logs/log_part.h"

#include <algorithm>
#include <utility>

#include "sched/cell/cell_node.h"
#include "sched/ledger/log_commands.h"
#include "sched/logs/log_wire.h"
#include "sched/overloaded.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"
#include "sched/replica/job_copies.h"

// The copy decides who drives the jobs; this class does what follows from it. After each step of
// the copy it looks: a node that has become the home makes a frontend of the jobs in the log, and
// one that is deposed drops it, rows and all. What the copy stores is on the disk before a message
// that rests on it leaves: drivers see to that, so each step counts as durable at once.
namespace dunlin::sched::logs {
namespace {

/// Words that wait at the gate beyond so many are dropped: workers say it again.
constexpr std::size_t kHeldMax = 100'000;
constexpr Duration kOpenAgain = std::chrono::seconds(1);
/// Other nodes may keep the books by now; standbys hear of them from their home.
constexpr Duration kLookAgain = std::chrono::seconds(5);
/// A standby that has not heard of the home for so long asks the books which one it is, ...
constexpr Duration kAskSilent = std::chrono::seconds(2);
/// ... again and again.
constexpr Duration kAskAgain = std::chrono::milliseconds(500);

replica::CopyParams params_of(const PeerParts& parts) {
  replica::CopyParams params;
  params.home.standbys = 0;
  params.home_lease = parts.params->frontend.home_lease;
  return params;
}

replica::Member self_of(const PeerParts& parts) {
  return {{parts.replica()}, parts.endpoint()};
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
    host_.out.send(to, to_wire(part_.facts_, message));
  }
  void propose(const replica::Command& command) override {
    const std::uint64_t log = part_.facts_.log;
    // Those that may be in the set soon must know where the books are, should this node die.
    if (const auto* change = std::get_if<replica::ChangeSet>(&command)) {
      part_.tell(host_, change->set);
    }
    const auto wish = std::visit(Overloaded{
                                     [&](const replica::ChangeSet& m) -> cell::LogWish {
                                       return books::ChangeLogSet{.log = log,
                                           .epoch = m.epoch,
                                           .version = m.version,
                                           .set = books::members_of(m.set)};
                                     },
                                     [&](const replica::TakeOver& m) -> cell::LogWish {
                                       return books::TakeOverLog{.log = log,
                                           .epoch = m.epoch,
                                           .claimant = books::member_of(m.claimant)};
                                     },
                                 },
        command);
    part_.propose(parts_, host_, wish);
  }
  void put_batch(std::uint64_t position, const replica::Batch& batch) override {
    part_.bytes_ += batch.records.size();
    host_.logs.put_batch(part_.facts_.log, position, batch);
  }
  void truncate(std::uint64_t position) override {
    host_.logs.truncate(part_.facts_.log, position);
  }
  void put_office(const replica::HomeRecord& office) override {
    host_.logs.put_office(part_.facts_.log, office);
  }
  void put_entry(const replica::Entry& entry) override {
    host_.logs.put_entry(part_.facts_.log, entry);
  }

 private:
  LogPart& part_;
  const PeerParts& parts_;
  const Host& host_;
};

replica::StoredLog LogPart::opened(const replica::LogFacts& facts, const replica::Member& self) {
  const replica::Set alone{self};
  return {.facts = facts,
      .office = {.epoch = 1, .version = 1, .set = alone, .intents = {}},
      .entry = {.epoch = 1, .version = 1, .home = self, .set = alone},
      .log = {}};
}

namespace {

/// A turn for a copy that is made: nothing may be sent before it is whole.
class Nowhere final : public replica::Port {
 public:
  void send(const Endpoint&, const replica::Message&) override {}
  void propose(const replica::Command&) override {}
};

/// The disk of a log whose part is being made.
class Disk final : public replica::CopyStore {
 public:
  Disk(replica::LogStore& store, std::uint64_t log) : store_(store), log_(log) {}
  void put_batch(std::uint64_t position, const replica::Batch& batch) override {
    store_.put_batch(log_, position, batch);
  }
  void truncate(std::uint64_t position) override { store_.truncate(log_, position); }
  void put_office(const replica::HomeRecord& office) override { store_.put_office(log_, office); }
  void put_entry(const replica::Entry& entry) override { store_.put_entry(log_, entry); }

 private:
  replica::LogStore& store_;
  std::uint64_t log_;
};

replica::Copy copy_of(const PeerParts& parts, const Host& host, replica::StoredLog stored) {
  Nowhere nowhere;
  Disk disk(host.logs, stored.facts.log);
  return {params_of(parts), self_of(parts), parts.overlay.self().incarnation,
      {std::move(stored.log), std::move(stored.office), std::move(stored.entry)},
      {.now = host.now, .out = nowhere, .store = disk}};
}

}  // namespace

LogPart::LogPart(const PeerParts& parts, const Host& host, replica::StoredLog stored)
    : facts_(stored.facts),
      copy_(copy_of(parts, host, std::move(stored))),
      has_rows_(copy_.home() != nullptr),
      next_ask_(host.now + kAskSilent) {
  for (std::uint64_t i = 1; i <= copy_.log().end(); ++i) bytes_ += copy_.log().at(i).records.size();
  step(parts, host, [](const replica::CopyTurn&) {});
}

void LogPart::step(const PeerParts& parts,
    const Host& host,
    const std::function<void(const replica::CopyTurn&)>& act) {
  Lent lent(*this, parts, host);
  act(lent.turn());
  copy_.on_durable(lent.turn(), copy_.changes());
  settle(parts, host);
}

void LogPart::settle(const PeerParts& parts, const Host& host) {
  const replica::Home* const home = copy_.home();
  if (home == nullptr) {
    if (frontend_) step_back(host);
    return;
  }
  if (!frontend_) return take_office(parts, host);
  const LogOffice now = office();
  if (now.epoch != frontend_->office().epoch) {
    // A new office of the same node: its numbers begin anew.
    step_back(host);
    return take_office(parts, host);
  }
  if (now.standbys != frontend_->office().standbys) frontend_->set_office(now);
  const std::uint64_t gate = home->gate();
  while (!held_.empty() && held_.front().position <= gate) {
    host.out.send(held_.front().to, held_.front().message);
    held_.pop_front();
  }
}

LogOffice LogPart::office() const {
  LogOffice office{.log = facts_.log, .epoch = copy_.home()->stamp().epoch, .standbys = {}};
  for (const replica::Member& member : copy_.home()->office().set) {
    if (member.replica != copy_.self().replica) office.standbys.push_back(to_wire(member));
  }
  return office;
}

void LogPart::take_office(const PeerParts& parts, const Host& host) {
  replica::JobCopies copies;
  for (std::uint64_t i = 1; i <= copy_.log().end(); ++i) {
    const std::string& records = copy_.log().at(i).records;
    if (!records.empty() && !copies.apply(records)) break;
  }
  if (!std::exchange(has_rows_, true)) copies.put(host.store);
  std::vector<StoredJob> jobs = copies.jobs();
  for (StoredJob& job : jobs) job.submitted = host.logs.time_of(job.job.submitted_at);
  host.events.on(LogTaken{facts_.log, facts_.origin, copy_.home()->stamp().epoch,
      static_cast<std::uint32_t>(jobs.size())});
  frontend_ = std::make_unique<Frontend>(
      parts.params->frontend, parts.endpoint(), facts_.origin, parts.params->worker.renew);
  frontend_->set_office(office());
  drive(parts, host,
      [&](Frontend& frontend, Turn& turn) { frontend.restore(turn, std::move(jobs)); });
}

// Its rows would be stale soon. What it held back is said by the next home, or was never true.
void LogPart::step_back(const Host& host) {
  host.events.on(LogLost{facts_.log, facts_.origin, copy_.entry().epoch});
  for (const auto& [number, job] : frontend_->jobs()) host.store.forget_job(job.id());
  frontend_.reset();
  has_rows_ = false;
  held_.clear();
}

void LogPart::drive(
    const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act) {
  LogTurn lent(host);
  Turn turn = lent.turn();
  act(*frontend_, turn);
  auto batches = lent.take_records();
  auto words = lent.take_words();
  // What it said rests on the log as it is after this call.
  const std::uint64_t position = copy_.log().end() + batches.size();
  for (auto& [to, message] : words) {
    if (held_.size() < kHeldMax) held_.push_back({position, to, std::move(message)});
  }
  step(parts, host, [&](const replica::CopyTurn& copy_turn) {
    for (std::string& records : batches) copy_.append(copy_turn, std::move(records));
  });
}

bool LogPart::may_tell(std::uint64_t position) const {
  return copy_.home() != nullptr && copy_.home()->gate() >= position;
}

Message LogPart::home_is(std::uint64_t request) const {
  return to_wire(facts_, copy_.entry(), request);
}

void LogPart::receive(const PeerParts& parts,
    const Host& host,
    const Endpoint& from,
    const replica::Message& message) {
  if (std::holds_alternative<replica::Append>(message)) next_ask_ = host.now + kAskSilent;
  step(parts, host, [&](const replica::CopyTurn& turn) { copy_.on_message(turn, from, message); });
}

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
  if (answer.standing == cell::LogStanding::unknown) {
    // A home without an entry opens one; a copy that the books do not know is of no use.
    opened_ = false;
    over_ = frontend_ == nullptr;
    return;
  }
  opened_ = true;
  if (!answer.contacts.empty() && facts_.contacts != answer.contacts) {
    facts_.contacts = answer.contacts;
    host.logs.put_log(facts_);
  }
  receive(parts, host, from, replica::HomeIs{books::entry_of(answer.entry)});
}

void LogPart::want() {
  std::size_t standbys = 0;
  std::size_t required = 0;
  for (const auto& [number, job] : frontend_->jobs()) {
    if (job.finished()) continue;
    standbys = std::max<std::size_t>(standbys, job.job().replicas);
    required = std::max<std::size_t>(required, job.job().replicas_required);
  }
  // Those that are there stay until the jobs are history: they have the results.
  const std::size_t there = copy_.home()->office().set.size() - 1;
  copy_.want(std::max(standbys, there), required);
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
  propose(parts, host, books::OpenLog{.log = facts_.log, .home = books::member_of(self_of(parts))});
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
  const Endpoint& to = contacts[asked_++ % contacts.size()];
  host.cells.send(to, cell::LogRequest{.cell = facts_.cell, .wish = wish});
}

void LogPart::wake(const PeerParts& parts, const Host& host, const replica::Set& candidates) {
  if (frontend_) {
    want();
    keep_books(parts, host);
    copy_.set_candidates(candidates);
    tell_set(host);
  } else {
    ask_books(parts, host);
  }
  step(parts, host, [&](const replica::CopyTurn& turn) { copy_.wake(turn); });
  if (!frontend_ || frontend_->deadline() > host.now) return;
  drive(parts, host,
      [&](Frontend& frontend, Turn& turn) { frontend.wake(turn, parts.around(host.now)); });
}

}  // namespace dunlin::sched::logs
