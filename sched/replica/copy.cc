// SPDX-License-Identifier: MIT
#include "sched/replica/copy.h"

#include <algorithm>
#include <utility>

// Which part a copy plays follows from the entry alone: the node whose replica is the home's drives
// the log, all others copy it. Two nodes may believe that they are the home; the books named only
// one of them last, and what the other would tell waits for standbys that no longer follow it.
namespace dunlin::sched::replica {

Copy::Copy(const CopyParams& params,
    const Member& self,
    std::uint32_t life,
    CopyRecord disk,
    const CopyTurn& turn,
    const Rules& rules)
    : params_(params),
      self_(self),
      life_(life),
      rules_(rules),
      entry_(std::move(disk.entry)),
      role_(Standby(self.replica, std::move(disk.log), rules)),
      heard_(turn.now),
      stored_(log().end()),
      durable_(stored_) {
  // It had heard a home before, perhaps that there is nothing to do; which of both no disk says.
  if (stored_ > 0) silence_ = params_.home.idle_heartbeat;
  const HomeRecord& office = disk.office;
  held_ = office.epoch;
  const bool goes_on = office.epoch != 0 && office.epoch == entry_.epoch &&
      has(office.set, self_.replica) && entry_.home.replica == self_.replica;
  if (!goes_on) return;
  take_office(office);
  office_durable_ = own()->office_changes();
  office_stored_ = office_durable_;
  save(turn);
}

const Log& Copy::log() const {
  return std::visit([](const auto& role) -> const Log& { return role.log(); }, role_);
}

void Copy::take_office(HomeRecord office) {
  const Stamp stamp{office.epoch, life_};
  held_ = office.epoch;
  Log log = this->log();
  role_.emplace<Home>(params_.home, self_, stamp, std::move(office), std::move(log), rules_);
  office_stored_ = 0;
  office_durable_ = 0;
  own()->on_durable(durable_);
  own()->on_office_durable(0);
}

// What was stored becomes durable in any case, so the standby begins with all of it.
void Copy::step_back(Time now) {
  Log log = this->log();
  role_.emplace<Standby>(self_.replica, std::move(log), rules_);
  office_is_over_ = true;
  heard_ = now;
  silence_ = Duration{0};
  handed_.reset();
}

void Copy::learn(const CopyTurn& turn, const Entry& entry, bool heard) {
  if (entry.version < entry_.version) return;
  entry_is_new_ = entry_is_new_ || entry != entry_;
  if (entry.epoch != entry_.epoch) handed_.reset();  // That was the wish of another home.
  entry_ = entry;
  if (Home* home = own()) {
    home->on_entry(turn.now, entry, heard);
    if (home->deposed()) step_back(turn.now);
    return;
  }
  if (entry.home.replica != self_.replica || !has(entry.set, self_.replica)) return;
  // An office is held once: a second time it would give its stamps, and its numbers of attempts, to
  // other things. The word may be older than the one that ended it, so the node claims another.
  if (entry.epoch <= held_ || entry.epoch < standby()->heard().epoch) return;
  take_office({.epoch = entry.epoch, .version = entry.version, .set = entry.set, .intents = {}});
}

void Copy::on_append(const CopyTurn& turn, const Endpoint& from, const Append& append) {
  if (own() != nullptr && append.stamp.epoch > own()->stamp().epoch) step_back(turn.now);
  Standby* const follower = standby();
  if (follower == nullptr) return turn.out.send(from, HomeIs{entry_});
  const bool is_current = append.stamp >= follower->heard();
  const bool has_before = append.before.position <= follower->log().end() &&
      follower->log().mark(append.before.position) == append.before;
  if (is_current) {
    heard_ = turn.now;
    silence_ = append.idle ? params_.home.idle_heartbeat : Duration{0};
    handed_.reset();
  }
  follower->on_message(turn.out, from, append);
  if (!is_current || !append.hands_over || !has_before) return;
  handed_ = turn.now;
  claim(turn);
}

void Copy::on_message(const CopyTurn& turn, const Endpoint& from, const Message& message) {
  if (const auto* is = std::get_if<HomeIs>(&message)) {
    // Its own node tells a home the same as any worker there: that is no sign that it hears others.
    learn(turn, is->entry, from.id != self_.node.id || is->of_books);
  }
  if (const auto* append = std::get_if<Append>(&message)) on_append(turn, from, *append);
  if (Home* home = own()) {
    const auto* appended = std::get_if<Appended>(&message);
    const auto* behind = std::get_if<Behind>(&message);
    if (appended != nullptr) home->on_message(turn.now, turn.out, *appended);
    if (behind != nullptr) home->on_message(turn.now, turn.out, *behind);
  }
  save(turn);
}

// All standbys miss a home at once. They ask for its office one after the other, so the books
// seldom have to choose.
Duration Copy::turn_after_others() const {
  std::int64_t rank = 0;
  for (const Member& member : entry_.set) {
    if (member.replica == self_.replica) break;
    if (member.replica != entry_.home.replica) ++rank;
  }
  return rank * params_.claim_apart;
}

// A node that the books call the home, and that is none, claims at once: a new epoch is a new
// beginning.
void Copy::claim(const CopyTurn& turn) {
  const bool in_sync = has(entry_.set, self_.replica) || !rules_.claimants_in_sync;
  const bool mine = entry_.home.replica == self_.replica;
  const bool again = !claimed_ || turn.now - *claimed_ >= params_.claim_again;
  const bool silent = turn.now - heard_ >= params_.home_lease + silence_ + turn_after_others();
  if (!in_sync || !again || (!mine && !silent && !handed_)) return;
  claimed_ = turn.now;
  turn.out.propose(TakeOver{entry_.epoch, self_, handed_.has_value()});
}

void Copy::wake(const CopyTurn& turn) {
  if (Home* home = own()) {
    home->wake(turn.now, turn.out);
  } else {
    claim(turn);
  }
  save(turn);
}

std::uint64_t Copy::append(const CopyTurn& turn, std::string records) {
  ensure(own() != nullptr, "only a home appends");
  const std::uint64_t position = own()->append(turn.now, turn.out, std::move(records));
  save(turn);
  return position;
}

void Copy::want(std::size_t standbys, std::size_t required, bool idle) {
  params_.home.standbys = standbys;
  params_.home.required = required;
  if (Home* home = own()) home->want(standbys, required, idle);
}

void Copy::begin_handover(const CopyTurn& turn) {
  ensure(own() != nullptr, "only a home hands over");
  own()->begin_handover(turn.now, turn.out);
}

void Copy::end_handover() {
  ensure(own() != nullptr, "only a home hands over");
  own()->end_handover();
}

void Copy::set_candidates(Set candidates, bool in_books) {
  if (Home* home = own()) home->set_candidates(std::move(candidates), in_books);
}

void Copy::save(const CopyTurn& turn) {
  bool stored = std::exchange(entry_is_new_, false);
  if (stored) turn.store.put_entry(entry_);
  // A batch of the next home tells no more than its epoch. If this node started again before the
  // entry came it would hold the office again, though it has given up the rows of the jobs.
  if (std::exchange(office_is_over_, false)) {
    turn.store.put_office({.epoch = held_, .version = entry_.version, .set = {}, .intents = {}});
    stored = true;
  }
  if (Standby* follower = standby()) {
    const std::uint64_t kept = std::min(follower->take_kept(), stored_);
    if (kept < stored_) {
      turn.store.truncate(kept);
      stored_ = kept;
      stored = true;
      // What comes after it on the disk, now or later, is something else.
      durable_ = std::min(durable_, kept);
      for (Step& step : steps_) step.end = std::min(step.end, kept);
    }
  }
  for (; stored_ < log().end(); ++stored_) {
    turn.store.put_batch(stored_ + 1, log().at(stored_ + 1));
    stored = true;
  }
  const std::uint64_t office = own() == nullptr ? office_stored_ : own()->office_changes();
  if (office != office_stored_) {
    turn.store.put_office(own()->office());
    office_stored_ = office;
    stored = true;
  }
  if (stored) steps_.push_back({++changes_, stored_, office_stored_});
  tell_durable(turn);
}

void Copy::on_durable(const CopyTurn& turn, std::uint64_t changes) {
  while (!steps_.empty() && steps_.front().changes <= changes) {
    durable_ = steps_.front().end;
    office_durable_ = steps_.front().office;
    steps_.pop_front();
  }
  tell_durable(turn);
}

void Copy::tell_durable(const CopyTurn& turn) {
  if (Home* home = own()) {
    home->on_durable(durable_);
    home->on_office_durable(office_durable_);
  } else {
    standby()->on_durable(turn.out, durable_);
  }
}

}  // namespace dunlin::sched::replica
