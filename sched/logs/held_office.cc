// SPDX-License-Identifier: MIT
#include "sched/logs/held_office.h"

#include <algorithm>

namespace dunlin::sched::logs {
namespace {

/// Words that wait at the gate beyond so many are dropped: workers say it again.
constexpr std::size_t kWordsMax = 100'000;

}  // namespace

std::vector<std::string> HeldOffice::call(
    const Host& host, std::uint64_t end, const std::function<void(Frontend&, Turn&)>& act) {
  LogTurn lent(host, untold_);
  Turn turn = lent.turn();
  act(frontend_, turn);
  std::vector<std::string> batches = lent.take_records();
  // What it said rests on the log as it is after this call.
  const std::uint64_t position = end + batches.size();
  for (auto& [to, message] : lent.take_words()) {
    if (words_.size() < kWordsMax) words_.push_back({position, to, std::move(message)});
  }
  return batches;
}

void HeldOffice::release(const Host& host, std::uint64_t gate) {
  told_up_to_ = std::max(told_up_to_, gate);
  std::erase_if(untold_, [&](const auto& submit) { return submit.second <= gate; });
  while (!words_.empty() && words_.front().position <= gate) {
    host.out.send(words_.front().to, words_.front().message);
    words_.pop_front();
  }
}

void HeldOffice::note_submit(std::uint32_t number, std::uint64_t position) {
  if (position > told_up_to_) untold_[number] = position;
}

void HeldOffice::forget_rows(const Host& host) const {
  for (const auto& [number, job] : frontend_.jobs()) host.store.forget_job(job.id());
}

}  // namespace dunlin::sched::logs
