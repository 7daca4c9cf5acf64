// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::node {

/// Who used how much, by the hour: see node/store/usage/usage_rows.h. Of no version, as it may be
/// missing and an older Dunlin leaves it alone; and without checksums: a row that is spoilt costs
/// figures of an hour.
inline constexpr const char* kUsageSchema = R"sql(
create table if not exists usage(
  hour integer not null,             -- since 1970
  log text not null,                 -- of jobs with replicas; empty: of all others
  home text not null,                -- the node that took the jobs
  user text not null,
  class text not null,
  epoch integer not null,            -- of the home of that log which added it up
  jobs integer not null,             -- submitted
  tasks integer not null,            -- results
  failed integer not null,           -- attempts
  preempted integer not null,
  lost integer not null,             -- below 0: some that an earlier hour has as lost turned up
  cpu_us integer not null,           -- CPU time, in microseconds
  cpu_held_us integer not null,      -- CPUs of the demand x time, ...
  cpu_wasted_us integer not null,    -- ... the part of attempts that came to nothing
  memory_held integer not null,      -- MiB of the demand x ms
  gpu_held_ms integer not null,
  primary key (hour, log, home, user, class)
) without rowid;
create index if not exists usage_by_log on usage(log) where log <> '';
)sql";

}  // namespace dunlin::node
