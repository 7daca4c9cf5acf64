// SPDX-License-Identifier: MIT
#include "sched/logs/handover.h"

#include "sched/replica/record_writer.h"

namespace dunlin::sched::logs {
namespace {

/// A takeover needs one answer of the books. Workers miss their home only after this.
constexpr Duration kPatience = std::chrono::seconds(3);
constexpr Duration kTryAgain = std::chrono::seconds(5);

}  // namespace

void Handover::begin(Time now, std::uint64_t position) {
  since_ = now;
  position_ = position;
}

bool Handover::has_failed(Time now) const {
  return since_ && now - *since_ >= kPatience;
}

void Handover::give_up(Time now) {
  since_.reset();
  next_ = now + kTryAgain;
}

std::vector<std::string> handover_records(const Frontend& frontend) {
  replica::RecordWriter records;
  for (const auto& [number, job] : frontend.jobs()) {
    std::vector<HandedTask> bound;
    for (const auto& [index, binding] : job.bindings()) {
      bound.push_back({.job = job.id(),
          .running = {index, binding.attempt},
          .holder = {binding.worker, binding.incarnation, binding.away}});
    }
    records.put_bindings(job.id(), bound);
  }
  records.hand_over(true);
  return records.take();
}

std::vector<std::string> no_handover_records() {
  replica::RecordWriter records;
  records.hand_over(false);
  return records.take();
}

}  // namespace dunlin::sched::logs
