// SPDX-License-Identifier: MIT
#include "sched/worker/outbox.h"

#include <algorithm>

// A report may be lost, and its frontend may be down for a while. So a report is sent again, twice
// as late each time up to a bound, until the frontend says that the result is on its disk. Reports
// of one job that are due share a message.
namespace dunlin::sched {
namespace {

/// No two sendings of a report are further apart.
constexpr Duration kWaitMax = std::chrono::seconds(30);
/// Reports in one message: few, so that it fits a datagram.
constexpr std::size_t kReportsMax = 12;
static_assert(kReportsMax <= Done::kReportsMax);

}  // namespace

void Outbox::add(Time now,
    const JobId& job,
    const Endpoint& frontend,
    const Report& report,
    const TaskLog& log) {
  items_.push_back(
      {.job = job, .frontend = frontend, .report = report, .log = log, .since = now, .next = now});
}

void Outbox::acknowledge(
    Turn& turn, PeerId from, const JobId& job, const std::vector<Attempt>& tasks) {
  for (const Attempt& task : tasks) {
    drop_if(turn, [&](const Item& item) {
      const bool is_replica = std::ranges::any_of(
          item.log.standbys, [&](const LogReplica& each) { return each.node == from; });
      return item.job == job && (item.frontend.id == from || is_replica) &&
          item.report.index == task.index && item.report.attempt == task.attempt;
    });
  }
}

void Outbox::drop_if(Turn& turn, auto&& is_done) {
  std::erase_if(items_, [&](const Item& item) {
    if (!is_done(item)) return false;
    turn.executor.forget({item.job, item.report.index}, item.report.attempt);
    return true;
  });
}

bool Outbox::holds(const JobId& job, std::uint32_t index, AttemptNumber attempt) const {
  return std::ranges::any_of(items_, [&](const Item& item) {
    return item.job == job && item.report.index == index && item.report.attempt == attempt;
  });
}

void Outbox::send_due(Turn& turn,
    const Word& word,
    Duration resend,
    Duration give_up,
    const std::function<bool(PeerId)>& silent) {
  drop_if(turn, [&](const Item& item) { return turn.now - item.since > give_up; });
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].next > turn.now) continue;
    const Endpoint to = items_[i].frontend;
    const TaskLog log = items_[i].log;
    const bool ask_standbys = log.log != 0 && silent(to.id);
    Done done{.job = items_[i].job,
        .reports = {},
        .load = word.load,
        .log = log.log,
        .speed = word.speed};
    for (std::size_t j = i; j < items_.size() && done.reports.size() < kReportsMax; ++j) {
      Item& item = items_[j];
      if (item.next > turn.now || !(item.job == done.job)) continue;
      done.reports.push_back(item.report);
      const bool later = item.wait && !ask_standbys;
      item.wait = later ? std::min(2 * *item.wait, kWaitMax) : resend;
      item.next = turn.now + *item.wait;
    }
    turn.out.send(to, done);
    if (!ask_standbys) continue;
    for (const LogReplica& standby : log.standbys) {
      turn.out.send({standby.node, standby.address}, done);
    }
  }
}

bool Outbox::follow(Time now, const LogHomes::Home& home) {
  bool moved = false;
  for (Item& item : items_) {
    if (item.log.log != home.log.log) continue;
    if (item.log.epoch < home.log.epoch) {
      item.frontend = home.node;
      item.wait.reset();
      item.next = now;
      moved = true;
    }
    if (item.log.epoch <= home.log.epoch) item.log = home.log;
  }
  return moved;
}

void Outbox::reassure(Time now, std::uint64_t log) {
  for (Item& item : items_) {
    if (item.log.log == log) item.since = now;
  }
}

void Outbox::redirect(const Endpoint& frontend) {
  for (Item& item : items_) {
    if (item.frontend.id == frontend.id) item.frontend = frontend;
  }
}

void Outbox::hurry(Time now, PeerId frontend) {
  for (Item& item : items_) {
    if (item.frontend.id == frontend) item.next = now;
  }
}

Time Outbox::next() const {
  Time earliest = kNever;
  for (const Item& item : items_) earliest = std::min(earliest, item.next);
  return earliest;
}

}  // namespace dunlin::sched
