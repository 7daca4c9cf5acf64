// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "overlay/rng.h"
#include "sched/replica/job_copies.h"
#include "sched/replica/record_writer.h"
#include "tests/support/memory_store.h"
#include "tests/unit/sched/replica/stored_twice.h"

// Words by chance, to the disk of a frontend and to the log that its standbys read.
namespace dunlin::sched::replica {
namespace {

using test::MemoryStore;

/// The last attempt of a task.
struct Last {
  std::uint32_t attempt = 0;
  bool lost = false;
};

JobProgress drawn_progress(overlay::Rng& rng) {
  JobProgress progress{rng.below(9), rng.chance(0.5), CancelledBy::deadline};
  progress.held = rng.chance(0.5);
  if (rng.chance(0.5)) progress.terms.priority = static_cast<std::int16_t>(rng.below(9));
  if (rng.chance(0.5)) progress.terms.deadline = OptionalDuration{};
  if (rng.chance(0.2)) progress.cancelled_by = CancelledBy::after;
  progress.after_met = rng.below(2);
  progress.after_missed = rng.below(2);
  progress.end_command = {.run = static_cast<EndRun>(rng.below(3)),
      .outcome = static_cast<Outcome>(rng.below(8)),
      .status = static_cast<std::int32_t>(rng.below(3)),
      .detail = rng.chance(0.5) ? "no such file" : ""};
  if (rng.chance(0.3)) {
    progress.ended = EndFacts{.after = Duration{1 + rng.below(99)},
        .worst = static_cast<Outcome>(rng.below(9)),
        .exit = static_cast<std::uint8_t>(rng.below(256)),
        .failed = rng.below(3),
        .cancelled = rng.below(3),
        .pruned = rng.chance(0.3)};
    if (rng.chance(0.5)) progress.ended->begun = Duration{1 + rng.below(99)};
  }
  return progress;
}

void put_drawn_wish(Frontends& both, overlay::Rng& rng, const JobId& id, const Attempt& attempt) {
  const JobProgress progress = drawn_progress(rng);
  const auto wished = static_cast<Wished>(rng.below(2));
  both.put([&](Store& store) {
    store.put_progress(id, progress);
    store.put_wishes(id, progress, wished, std::vector<Attempt>{attempt});
  });
}

TEST(JobCopies, CountsAsTheStoreOfAFrontendDoes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    overlay::Rng rng(seed);
    Frontends both;
    std::uint32_t jobs = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Last> attempts;
    for (int step = 0; step < 60; ++step) {
      const std::uint32_t number = 1 + rng.below(std::max(1u, jobs));
      const JobId id = full_job(number, 3).id;
      const std::uint32_t index = rng.below(5);
      if (jobs == 0 || rng.chance(0.1)) {
        ++jobs;
        both.put([&](Store& store) { store.put_job(full_job(jobs, 3)); });
      } else if (!both.disk.holds(id)) {
        continue;
      } else if (rng.chance(0.05)) {
        both.put([&](Store& store) { store.forget_job(id); });
      } else if (rng.chance(0.1)) {
        const JobProgress progress = drawn_progress(rng);
        both.put([&](Store& store) { store.put_progress(id, progress); });
      } else if (rng.chance(0.1)) {
        put_drawn_wish(both, rng, id, {index, attempts[{number, index}].attempt + 1});
      } else if (both.disk.result(id, index) != nullptr) {
        auto& last = attempts[{number, index}];
        const Attempt highest{index, static_cast<decltype(Attempt::attempt)>(last.attempt)};
        if (rng.chance(0.5)) both.put([&](Store& store) { store.put_retry(id, highest); });
      } else {
        // An attempt that was lost may be lost again, or reported after all.
        auto& [attempt, lost] = attempts[{number, index}];
        if (!lost || rng.chance(0.5)) ++attempt;
        Report report{.index = index,
            .attempt = static_cast<decltype(Report::attempt)>(attempt),
            .outcome = static_cast<Outcome>(rng.below(8)),
            .status = static_cast<std::int32_t>(rng.below(3)),
            .wall = std::chrono::seconds(rng.below(50)),
            .cause = static_cast<Cause>(rng.below(3))};
        const bool final = rng.chance(0.2);
        const PeerId worker{1 + rng.below(4)};
        lost = !final && report.status == 0;
        both.put([&](Store& store) {
          if (lost) {
            store.put_loss(id, {index, report.attempt}, worker);
          } else {
            store.put_report(id, report, worker, final);
          }
        });
      }
    }
    expect_same(both.copies.jobs(), both.disk.load());
    EXPECT_EQ(both.disk.violation(), "");
    // The node that takes over stores them, and restarts with the same.
    MemoryStore heir;
    both.copies.put(heir);
    heir.commit(heir.take_turn());
    expect_same(heir.load(), both.disk.load());
    EXPECT_EQ(heir.violation(), "");
  }
}

}  // namespace
}  // namespace dunlin::sched::replica
