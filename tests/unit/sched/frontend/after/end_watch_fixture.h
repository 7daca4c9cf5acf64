// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "sched/frontend/frontend.h"
#include "sched/frontend/job_check.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

namespace dunlin::test {

/// A frontend at node 99 whose jobs wait for others, of node 5 or of its own.
class EndWatchFixture : public Solo {
 protected:
  static constexpr std::uint64_t kOther = 5;

  EndWatchFixture() { know_nodes(8); }

  static sched::AfterJob after(std::uint32_t number, bool any = false) {
    return {.job = {.home = {kOther}, .number = number, .lineage = 77},
        .any = any,
        .address = node(kOther).address};
  }
  sched::JobId submit(std::vector<sched::AfterJob> jobs, bool held = false) {
    sched::Job job = test::job(2);
    job.held = held;
    job.after_jobs = std::move(jobs);
    job.id = frontend.next_job(1);
    const sched::JobId id = job.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    return id;
  }
  /// Wakes the frontend whenever it wants, for so long.
  void pass(sched::Duration time) {
    const sched::Time end = now + time;
    while (now < end) {
      now = std::min(end, std::max(frontend.deadline(), now + std::chrono::milliseconds(1)));
      auto now_turn = turn();
      frontend.wake(now_turn, around());
    }
  }
  /// How the job `number` of the other node stands, in answer to the last question; it began so
  /// long ago.
  void answer(std::uint32_t number,
      sched::JobStanding standing,
      std::uint32_t succeeded = 0,
      sched::OptionalDuration begun_for = {}) {
    const auto asked = out.all<sched::EndRequest>();
    const auto last = std::find_if(asked.rbegin(), asked.rend(),
        [&](const sched::EndRequest& each) { return each.job.number == number; });
    ASSERT_NE(last, asked.rend());
    tell({.request = last->request,
        .job = last->job,
        .standing = standing,
        .tasks = 3,
        .succeeded = succeeded,
        .home = {},
        .begun_for = begun_for});
  }
  std::size_t questions() const { return out.all<sched::EndRequest>().size(); }
  void tell(const sched::JobEnd& told, std::uint64_t from = kOther) {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(from), told);
  }
  /// One that waits for a job of this frontend itself, however it ends.
  static sched::AfterJob after_own(const sched::JobId& job) {
    return {.job = job, .any = true, .address = node(99).address};
  }
  void cancel(const sched::JobId& job) {
    auto now_turn = turn();
    ASSERT_TRUE(frontend.cancel(now_turn, job, {}));
  }
  /// The words of ends that the frontend sent to its own node come there.
  void deliver_own() {
    const auto sent = std::exchange(out.sent, {});
    for (const auto& [to, message] : sent) {
      const auto* const told = std::get_if<sched::JobEnd>(&message);
      if (told != nullptr && to == node(99)) tell(*told, 99);
    }
  }
  void check() const {
    ASSERT_EQ(sched::broken_invariant(frontend.table()), std::nullopt);
    ASSERT_EQ(frontend.ends().broken_invariant(frontend.table()), std::nullopt);
  }
  const sched::JobState& state(const sched::JobId& job) const { return *frontend.find(job); }
  sched::Frontend restarted() {
    store.commit(store.take_turn());
    sched::Frontend next{params, node(99)};
    auto now_turn = turn();
    next.restore(now_turn, store.load());
    return next;
  }

  sched::FrontendParams params{.placement = sched::PlacementName::random};
  sched::Frontend frontend{params, node(99)};
};

}  // namespace dunlin::test
