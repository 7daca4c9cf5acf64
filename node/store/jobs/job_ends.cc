// SPDX-License-Identifier: MIT
#include "node/store/jobs/job_ends.h"

#include <cstdint>

#include "node/store/checked_rows.h"
#include "node/store/store_words.h"

namespace dunlin::node {

// A job may go on after it had ended (a retry): its end is deleted then.
Result<void> put_end(
    Database& database, const sched::JobId& job, const std::optional<sched::EndFacts>& end) {
  if (!end) {
    return database.prepare("delete from ends where job = ? and lineage = ?")
        .bind(job.number, job.lineage)
        .run();
  }
  return database.prepare(sql::put_end().c_str())
      .bind(job.number, job.lineage, end->after.count(), std::int64_t{sched::to_wire(end->begun)},
          sched::word_of(end->worst), end->exit, end->failed, end->cancelled)
      .run();
}

Result<StoredEnd> find_end(Database& database, const sched::JobId& job) {
  auto rows = database.prepare(
      "select after_ns, begun_ns, worst, exit, failed, cancelled, sound from checked_ends "
      "where job = ? and lineage = ?");
  const auto row = rows.bind(job.number, job.lineage).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return StoredEnd{};
  sched::EndFacts end{.after = sched::sane_age(sched::Duration{rows.number(0)}),
      .worst = outcome_of(rows.text(2)),
      .exit = narrow<std::uint8_t>(rows.number(3)),
      .failed = narrow<std::uint32_t>(rows.number(4)),
      .cancelled = narrow<std::uint32_t>(rows.number(5))};
  const bool fine = rows.number(6) != 0 && sched::from_wire(rows.number(1), end.begun);
  return fine ? StoredEnd{end} : StoredEnd{.end = {}, .sound = false};
}

}  // namespace dunlin::node
