// SPDX-License-Identifier: MIT
#include "sched/federation/peer/member_desk.h"

#include <algorithm>
#include <iterator>

#include "sched/node_spec.h"
#include "sched/resources.h"
#include "sched/worker/worker.h"

namespace dunlin::sched::federation {
namespace {

/// What the tasks of each frontend hold, those of jobs with replicas aside.
std::vector<FrontendHold> held_by_frontends(const Worker& worker) {
  std::map<PeerId, Resources> held;
  for (const RunningTask& each : worker.running()) {
    if (each.log.log == 0) give(held[each.frontend.id], held_by(each));
  }
  std::vector<FrontendHold> told;
  for (const auto& [frontend, resources] : held) {
    if (told.size() == MemberRow::kHeldMax) break;
    told.push_back({frontend, resources});
  }
  return told;
}

}  // namespace

void MemberDesk::call(Time now, const Endpoint& from, const RollCall& call, Duration lease) {
  if (call.cell == cell_ && call.epoch < epoch_) return;  // The one before, which is deposed.
  if (call.cell != cell_ || call.epoch != epoch_) answers_.clear();
  cell_ = call.cell;
  epoch_ = call.epoch;
  master_ = from;
  until_ = now + lease;
  asked_ = true;
  asks_kind_ = asks_kind_ || call.version == 0;
}

bool MemberDesk::started_lately(const TaskId& task, AttemptNumber attempt) const {
  return std::ranges::count(attempts_, std::pair(task, attempt)) > 0;
}

void MemberDesk::Book::trim() {
  if (answered.size() <= kStartsMax) return;
  forgotten = answered.begin()->first;
  answered.erase(answered.begin());
}

// A node that leaves a cell and comes back finds the same local master: its numbers go on.
MemberDesk::Book& MemberDesk::book() {
  const auto [at, is_new] = books_.try_emplace({cell_, epoch_});
  if (is_new && books_.size() > kBooksMax) {
    const auto first = books_.begin();
    books_.erase(first == at ? std::next(first) : first);
  }
  return at->second;
}

bool MemberDesk::is_ours(
    Time now, const Endpoint& from, CellId cell, std::uint64_t epoch, std::uint64_t born) const {
  return called(now) && cell == cell_ && epoch == epoch_ && from.id == master_.id && born == born_;
}

// One that comes twice asks twice, which is no harm: the frontend decides.
bool MemberDesk::offer(Turn& turn, const Endpoint& from, const Offer& offer, Worker& worker) {
  if (!is_ours(turn.now, from, offer.cell, offer.epoch, offer.born)) return false;
  const bool asks = worker.for_masters().ask(turn, offer.reserve);
  answers_.push_back({offer.number, asks, !asks && worker.for_masters().is_crowded(offer.reserve)});
  return true;
}

bool MemberDesk::start_once(Turn& turn,
    const Reserve& group,
    const Tasks& one,
    std::optional<ClassId> over,
    Worker& worker) {
  const Assignment& task = one.tasks.front();
  const TaskId id{one.job, task.index};
  const bool started =
      started_lately(id, task.attempt) || worker.for_masters().start(turn, group, one, over);
  if (started) attempts_.emplace_back(id, task.attempt);
  if (attempts_.size() > kAttemptsMax) attempts_.pop_front();
  return started;
}

bool MemberDesk::start(Turn& turn, const Endpoint& from, const StartTasks& starts, Worker& worker) {
  if (!is_ours(turn.now, from, starts.cell, starts.epoch, starts.born)) return false;
  const std::size_t count = std::min(starts.numbers.size(), starts.tasks.tasks.size());
  const auto over = starts.preempts ? std::optional(ClassId{starts.over}) : std::nullopt;
  Tasks one = starts.tasks;
  Book& book = this->book();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = starts.numbers[i];
    if (number <= book.forgotten) continue;
    const Assignment& task = starts.tasks.tasks[i];
    const TaskId id{starts.tasks.job, task.index};
    auto answered = book.answered.find(number);
    if (answered == book.answered.end()) {
      one.tasks = {task};
      const bool started = start_once(turn, starts.reserve, one, over, worker);
      answered = book.answered.insert_or_assign(number, Answered{id, task.attempt, started}).first;
    }
    const Answered& known = answered->second;
    const bool is_it = known.task == id && known.attempt == task.attempt;
    const bool started = is_it && known.started;
    answers_.push_back(
        {number, started, !started && worker.for_masters().is_crowded(starts.reserve)});
    book.trim();
  }
  return true;
}

void MemberDesk::tell(Turn& turn,
    const Worker& worker,
    const NodeSpec& spec,
    std::uint32_t incarnation,
    std::span<const Endpoint> standbys) {
  const bool called = this->called(turn.now);
  if (!called && replies_.empty()) return;
  Told now{.free = worker.slots().free_for_all(),
      .queued = static_cast<std::uint32_t>(worker.queue().size()),
      .draining = worker.slots().closed(),
      .incarnation = incarnation,
      .uses = worker.for_masters().class_uses(),
      .held = {}};
  if (called) now.held = held_by_frontends(worker);
  const bool news = told_ != now;
  if (!news && !asked_ && answers_.empty() && replies_.empty()) return;
  if (news) ++count_;
  MemberRow row{.cell = cell_,
      .epoch = epoch_,
      .version = version(),
      .incarnation = incarnation,
      .free = now.free,
      .queued = now.queued,
      .draining = now.draining};
  row.uses = now.uses;
  row.held = now.held;
  std::uint64_t rows_told = 0;
  for (auto& [master, reply] : replies_) {
    for (LaunchVerdict& verdict : reply.verdicts) verdict.incarnation = incarnation;
    reply.row = {row};
    turn.out.send(master, reply);
    rows_told += 1;
  }
  if (called && (news || asked_) && !standbys.empty()) {
    MemberRow whole = row;
    whole.kind = {{spec.attributes, spec.total}};
    for (const Endpoint& standby : standbys) turn.out.send(standby, whole);
    rows_told += standbys.size();
  }
  const bool to_tell = called && (news || asked_ || !answers_.empty());
  if (turn.effort != nullptr) turn.effort->rows += rows_told + (to_tell ? 1 : 0);
  replies_.clear();
  told_ = std::move(now);
  if (!to_tell) return;
  if (asks_kind_) row.kind = {{spec.attributes, spec.total}};
  asked_ = false;
  asks_kind_ = false;
  // More answers than fit follow by themselves, with the same row.
  for (std::size_t first = 0; first == 0 || first < answers_.size();
      first += MemberRow::kAnswersMax) {
    const std::size_t end = std::min(answers_.size(), first + MemberRow::kAnswersMax);
    row.answers.assign(answers_.begin() + static_cast<std::ptrdiff_t>(first),
        answers_.begin() + static_cast<std::ptrdiff_t>(end));
    turn.out.send(master_, row);
  }
  answers_.clear();
}

}  // namespace dunlin::sched::federation
