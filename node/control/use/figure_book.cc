// SPDX-License-Identifier: MIT
#include "node/control/use/figure_book.h"

#include <algorithm>
#include <utility>

#include "node/store/results.h"

namespace dunlin::node {
namespace {

/// Of so few tasks the results are read whenever they are asked for.
bool is_small(const sched::JobView& job) {
  return job.task_count() <= FigureBook::kPiece;
}

std::uint32_t ended_of(const sched::JobView& job) {
  using enum sched::TaskState;
  const auto& counts = job.counts();
  return counts[succeeded] + counts[failed] + counts[cancelled];
}

}  // namespace

bool FigureBook::Entry::add(const sched::Report& report) {
  if (report.index >= known.size() || known[report.index]) return false;
  known[report.index] = true;
  figures.add(report, submitted_at);
  return true;
}

FigureBook::Entries::iterator FigureBook::find(const sched::JobId& id) {
  return std::ranges::find(entries_, id, &Entry::id);
}

FigureBook::Entry& FigureBook::make(const sched::JobView& job, std::uint32_t epoch) {
  // Those of small jobs serve one answer: they are not to push out what took long to read.
  std::erase_if(entries_, [](const Entry& each) { return each.known.size() <= kPiece; });
  entries_.push_front({.id = job.id(),
      .epoch = epoch,
      .submitted_at = job.job().submitted_at,
      .known = std::vector<bool>(job.task_count()),
      .figures = {}});
  if (entries_.size() > kJobsMax) entries_.pop_back();
  return entries_.front();
}

void FigureBook::on_result(
    const sched::JobView& job, std::uint32_t epoch, const sched::Report& report) {
  if (is_small(job)) return;
  auto entry = find(job.id());
  if (entry == entries_.end()) {
    // This one may be counted already.
    if (ended_of(job) > 1) return;
    make(job, epoch).whole = true;
    entry = entries_.begin();
  }
  // A second result takes the place of the first, which cannot be taken out again.
  if (entry->epoch != epoch || !entry->add(report)) entries_.erase(entry);
}

void FigureBook::on_retry(const sched::JobId& id) {
  if (const auto entry = find(id); entry != entries_.end()) entries_.erase(entry);
}

// Without an order, jobs that are more than there are places for would push each other out for
// ever.
bool FigureBook::may_read(const sched::JobId& id, overlay::Time now) {
  if (reading_ && *reading_ != id && now - asked_at_ < kPatience) return false;
  if (reading_ != id) next_piece_ = now;
  reading_ = id;
  asked_at_ = now;
  if (now < next_piece_) return false;
  next_piece_ = now + kPause;
  return true;
}

Result<bool> FigureBook::read(
    TaskHistory& history, const sched::JobView& job, std::uint32_t epoch, overlay::Time now) {
  auto entry = find(job.id());
  if (entry != entries_.end() && (entry->epoch != epoch || is_small(job))) {
    entries_.erase(entry);
    entry = entries_.end();
  }
  const bool whole = entry != entries_.end() && entry->whole;
  if (!whole && !is_small(job) && !may_read(job.id(), now)) return false;
  if (entry == entries_.end()) {
    make(job, epoch);
  } else {
    entries_.splice(entries_.begin(), entries_, entry);
  }
  Entry& front = entries_.front();
  if (whole) return true;
  const auto rows = history.results(
      {.job = front.id, .first = front.next, .limit = kPiece, .listed = Listed::all});
  if (!rows) return tl::unexpected(rows.error());
  for (const ResultRow& row : *rows) front.add(row.report);
  if (!rows->empty()) front.next = rows->back().report.index + 1;
  front.whole = rows->size() < kPiece || front.next >= job.task_count();
  if (front.whole && reading_ == front.id) reading_.reset();
  return front.whole;
}

}  // namespace dunlin::node
