// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

/// How jobs ended. It may be missing in a database of this version, and an older Dunlin of the same
/// version leaves it alone: it takes the ends of jobs from their tasks.
inline constexpr const char* kEndSchema = R"sql(
create table if not exists ends(
  job integer not null,
  lineage integer not null default 0,
  after_ns integer not null,         -- from its submit to its end, ...
  begun_ns integer not null,         -- ... and to the start of its first task; 0: unknown, or none
  worst text not null,               -- the worst outcome of its tasks
  exit integer not null,             -- as `dunlin run` of it ends
  failed integer not null,           -- tasks
  cancelled integer not null,
  checksum integer not null default 0,
  primary key (job, lineage)
) without rowid;
)sql";

/// Writes how the job ended, or that it did not.
Result<void> put_end(
    Database& database, const sched::JobId& job, const std::optional<sched::EndFacts>& end);

/// What is known of the end of a job.
struct StoredEnd {
  std::optional<sched::EndFacts> end;  ///< Without EndFacts::pruned, which the row of the job says.
  bool sound = true;                   ///< Else there is a row, and it is damaged.
};
Result<StoredEnd> find_end(Database& database, const sched::JobId& job);

}  // namespace dunlin::node
