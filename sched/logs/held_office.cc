// SPDX-License-Identifier: MIT
#include "sched/logs/held_office.h"

#include <algorithm>
#include <utility>

#include "sched/logs/log_turn.h"

namespace dunlin::sched::logs {
namespace {

/// Words that wait at the gate beyond so many are dropped: workers say it again.
constexpr std::size_t kWordsMax = 100'000;
/// A standby that is well acknowledges sooner.
constexpr Duration kOverdue = std::chrono::milliseconds(200);

}  // namespace

struct HeldOffice::Word {
  std::uint64_t position = 0;
  Endpoint to;
  Message message;
  Time since{};
  bool overdue = false;
};

HeldOffice::HeldOffice(Frontend frontend) : frontend_(std::move(frontend)) {}
HeldOffice::~HeldOffice() = default;

std::vector<std::string> HeldOffice::call(
    const Host& host, std::uint64_t end, const std::function<void(Frontend&, Turn&)>& act) {
  LogTurn lent(host, untold_, frontend_.office());
  Turn turn = lent.turn();
  act(frontend_, turn);
  std::vector<std::string> batches = lent.take_records();
  // What it said rests on the log as it is after this call.
  const std::uint64_t position = end + batches.size();
  for (auto& [to, message] : lent.take_words()) {
    if (words_.size() < kWordsMax) words_.push_back({position, to, std::move(message), host.now});
  }
  return batches;
}

void HeldOffice::release(const Host& host, std::uint64_t gate, const IsSafe& is_safe) {
  told_up_to_ = std::max(told_up_to_, gate);
  std::erase_if(untold_, [&](const auto& item) {
    const auto& [number, submit] = item;
    if (submit.position > gate) return false;
    // Nothing of a job that has ended already can be lost but that it did.
    const auto job = frontend_.jobs().find(number);
    const bool is_over = job == frontend_.jobs().end() || job->second.finished();
    const bool may_tell = submit.required == 0 || is_over || is_safe(submit.required);
    if (may_tell) unborn_.erase(number);
    return may_tell;
  });
  while (!words_.empty() && words_.front().position <= gate) {
    host.out.send(words_.front().to, words_.front().message);
    words_.pop_front();
  }
}

std::vector<Endpoint> HeldOffice::take_overdue(Time now) {
  std::vector<Endpoint> nodes;
  for (Word& word : words_) {
    if (now - word.since < kOverdue) break;
    if (std::exchange(word.overdue, true)) continue;
    const auto same = [&](const Endpoint& node) { return node.id == word.to.id; };
    if (std::ranges::none_of(nodes, same)) nodes.push_back(word.to);
  }
  return nodes;
}

void HeldOffice::note_submit(std::uint32_t number, const LogTurn::Submit& submit) {
  if (submit.position > told_up_to_ || submit.required > 0) untold_[number] = submit;
}

const LogTurn::Submit* HeldOffice::untold(std::uint32_t number) const {
  const auto at = untold_.find(number);
  return at == untold_.end() ? nullptr : &at->second;
}

bool HeldOffice::has_unsafe() const {
  return std::ranges::any_of(untold_, [](const auto& item) { return item.second.required > 0; });
}

void HeldOffice::note_new(std::uint32_t number, const LogTurn::Submit& submit) {
  note_submit(number, submit);
  if (untold_.contains(number)) unborn_.insert(number);
}

void HeldOffice::forget_rows(const Host& host) const {
  for (const auto& [number, job] : frontend_.jobs()) host.store.forget_job(job.id());
}

}  // namespace dunlin::sched::logs
