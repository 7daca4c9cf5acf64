// SPDX-License-Identifier: MIT
#include "sched/logs/log_part.h"

#include <algorithm>
#include <utility>

#include "sched/ledger/log_commands.h"
#include "sched/logs/log_wire.h"
#include "sched/logs/offers.h"
#include "sched/overloaded.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"
#include "sched/replica/job_copies.h"

// The copy says which node drives the jobs; this class does what follows from it. After each step
// of the copy it looks: a node that has become the home makes a frontend of the jobs in the log,
// and one that is deposed drops it, rows and all. What the copy stores is on the disk before a
// message that rests on it leaves: drivers see to that, so each step counts as durable at once.
namespace dunlin::sched::logs {
namespace {

/// A standby that has not heard of the home for so long asks the books which one it is.
constexpr Duration kAskSilent = std::chrono::seconds(2);

replica::CopyParams params_of(const PeerParts& parts) {
  replica::CopyParams params;
  params.home.standbys = 0;
  params.home_lease = parts.params->frontend.home_lease;
  return params;
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
  return {params_of(parts), parts.as_member(), parts.overlay.self().incarnation,
      {std::move(stored.log), std::move(stored.office), std::move(stored.entry)},
      {.now = host.now, .out = nowhere, .store = disk}};
}

}  // namespace

LogPart::LogPart(const PeerParts& parts, const Host& host, replica::StoredLog stored)
    : facts_(stored.facts),
      copy_(copy_of(parts, host, std::move(stored))),
      has_rows_(copy_.home() != nullptr),
      asked_(std::uint64_t{parts.overlay.self().incarnation} << 32),
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
  if (const auto* const append = std::get_if<replica::Append>(&message)) {
    heard_ = host.now;
    next_ask_ = host.now + kAskSilent;
    // The word that deposes a home may replace its last batches, too.
    const replica::Home* const home = copy_.home();
    if (home != nullptr && append->stamp.epoch > home->stamp().epoch) {
      offers_ = results_after(copy_.log(), told_up_to_);
    }
  }
  const auto* const is = std::get_if<replica::HomeIs>(&message);
  // The first version may be a home's own word; others are the books'.
  if (is != nullptr && is->entry.version > 1 && !known_since_) known_since_ = asked_;
  step(parts, host, [&](const replica::CopyTurn& turn) { copy_.on_message(turn, from, message); });
}

void LogPart::want() {
  std::size_t standbys = 0;
  std::size_t required = 0;
  for (const auto& [number, job] : frontend_->jobs()) {
    if (job.finished()) continue;
    standbys = std::max<std::size_t>(standbys, job.job().replicas);
    required = std::max<std::size_t>(required, job.job().replicas_required);
  }
  // The last words of a job that has ended wait for as many as its first.
  if (!may_tell(copy_.log().end())) required = std::max(required, required_);
  // Those that are there stay until the jobs are history: they have the results.
  want(std::max({standbys, copy_.home()->office().set.size() - 1, required}), required);
}

void LogPart::want(std::size_t standbys, std::size_t required) {
  standbys_ = standbys;
  required_ = required;
  copy_.want(standbys, required);
}

void LogPart::wake(const PeerParts& parts, const Host& host, const replica::Set& candidates) {
  if (frontend_) {
    want();
    keep_books(parts, host);
    close_if_over(parts, host);
    // Not before the books have the log: what a standby hears first of it says where they are, or
    // it could never ask them for the office. The home may die before it says another word.
    copy_.set_candidates(opened_ ? candidates : replica::Set{});
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
