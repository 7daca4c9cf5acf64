// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::node {

/// The value of `PRAGMA user_version`. A database with a higher one is refused.
inline constexpr int kSchemaVersion = 8;

/// The tables of an agent's database. People may read them at any time with sqlite3:
///
///     sqlite3 -readonly dunlin.sqlite "select job, task, status, worker from results"
///
/// A job is known by `number` and `lineage`, 64 random bits: a number alone may come again when a
/// database is lost, restored or rolled back. Times are ns, wall-clock times ns since 1970, memory
/// is bytes, nodes are their ids in hex. `outcome` is a word of sched::kOutcomeWords; of attempts
/// also "lost" (with the node), "not_started" or "interrupted" (by the node's fault). Every row has
/// a checksum of its table's name and its other columns: see node/store/checked_rows.h for those of
/// jobs, results and attempts, and sched/raft/raft_check.h for those of the books.
inline constexpr const char* kSchema = R"sql(
create table meta(
  key text primary key,
  value,                             -- 'incarnation': the node's highest; 'drain': see drain_text.h
  checksum integer not null default 0
) without rowid;
)sql";

/// Since version 7 they are so: a node that takes over jobs of another has two of one number. Jobs
/// with replicas are in their logs, too, and their rows here are made of those.
inline constexpr const char* kJobSchema = R"sql(
create table jobs(
  number integer not null,           -- as people know it
  lineage integer not null default 0,
  home text not null,                -- the node it was submitted to
  name text not null,
  owner text not null,
  submitted_at integer not null,
  task_count integer not null,
  cancelled integer not null default 0,
  restarts integer not null default 0,
  groups blob not null,              -- what to run, see node/store/jobs/job_blob.h
  checksum integer not null default 0,
  progress_checksum integer not null default 0, -- of cancelled, restarts and changes
  changes blob not null default x'',            -- what else changed: node/store/jobs/changes_blob.h
  primary key (number, lineage)
);

create table results(                -- the one result of each finished task
  job integer not null,
  lineage integer not null default 0,
  task integer not null,
  attempt integer not null,
  outcome text not null,
  status integer not null,           -- exit status, signal or errno, as outcome says
  worker text not null,
  wall_ns integer not null,
  cpu_ns integer not null,
  memory_peak integer not null,
  out_bytes integer not null,
  err_bytes integer not null,
  started_at integer not null,
  detail text not null,
  used blob not null default x'',    -- beyond that: see node/store/jobs/use_blob.h
  checksum integer not null default 0,
  primary key (job, lineage, task)   -- so there can't be two
) without rowid;

create table attempts(               -- those that failed or were stopped, or preempted, made again;
                                     -- those lost
  job integer not null,
  lineage integer not null default 0,
  task integer not null,
  attempt integer not null,
  outcome text not null,
  status integer not null,
  worker text not null,
  wall_ns integer not null,
  cpu_ns integer not null,
  memory_peak integer not null,
  out_bytes integer not null,
  err_bytes integer not null,
  started_at integer not null,       -- of one lost: when that was noticed
  detail text not null,
  used blob not null default x'',
  checksum integer not null default 0,
  retried integer not null default 0,  -- its user had the task run again: attempts up to this
                                       -- one count no more
  primary key (job, lineage, task, attempt)
) without rowid;
)sql";

/// Added by version 2: the books of the cells of which this node keeps a replica. Groups, replicas
/// and votes are ids in hex.
inline constexpr const char* kRaftSchema = R"sql(
create table raft_state(
  raft_group text primary key,
  replica text not null,             -- drawn with these records: a lost disk is another
  term integer not null,
  vote text not null,
  checksum integer not null
) without rowid;

create table raft_log(
  raft_group text not null,
  entry integer not null,
  term integer not null,
  kind text not null,                -- command, barrier or change
  data blob not null,
  checksum integer not null,
  primary key (raft_group, entry)
) without rowid;

create table raft_snapshot(
  raft_group text primary key,
  entry integer not null,            -- the last one it stands for
  term integer not null,
  configuration integer not null,    -- the entry that names the members
  members blob not null,
  data blob not null,
  checksum integer not null
) without rowid;
)sql";

/// Added by version 5: who did what, the newest actions alone.
inline constexpr const char* kActionSchema = R"sql(
create table actions(
  number integer primary key,
  at integer not null,
  user text not null,
  remote integer not null,           -- by a holder of the cluster key
  verb text not null,                -- of the control protocol
  object text not null,              -- what it was about
  refused integer not null,
  checksum integer not null
);
)sql";

/// Added by version 7: the logs of jobs of which this node keeps a copy: see sched/replica/. The
/// name of the copies, the `replica`, is in meta. Logs, nodes and cells are ids in hex.
inline constexpr const char* kLogSchema = R"sql(
create table logs(
  log text primary key,
  origin text not null,              -- the node that took its jobs
  cell text not null,                -- whose books say which node drives them; zeros: none yet
  contacts blob not null,            -- these three: node/store/log_blobs.h
  office blob not null,
  entry blob not null,
  checksum integer not null
) without rowid;

create table log_batches(
  log text not null,
  position integer not null,         -- from 1
  epoch integer not null,            -- of the home that wrote it, ...
  life integer not null,             -- ... in this life of its agent
  records blob not null,             -- of sched/replica/record.capnp
  checksum integer not null,
  primary key (log, position)
) without rowid;
)sql";

/// How nodes call themselves: see node/store/name_table.h. They say it again, so rows have no
/// checksum.
inline constexpr const char* kNameSchema = R"sql(
create table if not exists names(
  node text primary key,             -- 16 hexadecimal digits
  name text not null,
  told_at integer not null
) without rowid;
create table if not exists former_names(
  name text primary key,             -- how a node was called before
  node text not null
) without rowid;
)sql";

/// What tasks of recurring jobs took: see node/store/profile_table.h. A profile is a guess, and is
/// learned again if it is lost; so it has no version, and rows no checksum.
inline constexpr const char* kProfileSchema = R"sql(
create table if not exists profiles(
  owner text not null,
  job text not null,                 -- the name of the job ...
  task_group text not null,          -- ... and of its group
  cpu_milli integer not null,        -- 0, here and below: not known
  memory_mib integer not null,
  disk_read integer not null,        -- KiB/s
  disk_write integer not null,
  net_in integer not null,
  net_out integer not null,
  tasks integer not null,            -- so many told it
  learned_at integer not null,
  primary key (owner, job, task_group)
) without rowid;
)sql";

/// What users wished of attempts that ran, and were told: see sched::Wished. It may be missing in a
/// database of this version, and an older Dunlin of the same version leaves it alone.
inline constexpr const char* kWishSchema = R"sql(
create table if not exists wishes(
  job integer not null,
  lineage integer not null,
  task integer not null,
  attempt integer not null,          -- the last one of which ...
  wished text not null,              -- ... this was wished: cancel, requeue or only
  checksum integer not null default 0,
  primary key (job, lineage, task, wished)
) without rowid;
)sql";

/// The workers that may hold tasks of this node's jobs without replicas: after a restart they are
/// waited for. Likewise of no version.
inline constexpr const char* kHolderSchema = R"sql(
create table if not exists holders(
  node text primary key,
  high integer not null,             -- these three: its address, as of IPv6, and its port
  low integer not null,
  port integer not null,
  away integer not null,             -- it said that it may be silent for so much longer
  checksum integer not null default 0
) without rowid;
)sql";

/// The nodes that left without a good-bye: see node/store/gone_table.h. Likewise of no version, and
/// without checksums: it is what people look at.
inline constexpr const char* kGoneSchema = R"sql(
create table if not exists gone_nodes(
  node text primary key,
  name text not null,
  high integer not null,             -- these three: its address, as of IPv6, and its port
  low integer not null,
  port integer not null,
  heard_at integer not null,         -- the last time
  forgotten integer not null         -- 1: somebody said that it does not come back
) without rowid;
)sql";

/// What is left of submissions of jobs that are forgotten: see node/store/keys/spent_key_table.h.
/// Likewise of no version, and without checksums: of a row that is spoilt a key is lost that hardly
/// any client says again.
inline constexpr const char* kSpentKeySchema = R"sql(
create table if not exists spent_keys(
  hash integer primary key,          -- of the key: see sched::hash_of()
  home text not null,                -- these three: the job that it was
  job integer not null,
  lineage integer not null,
  owner text not null,
  name text not null,
  tasks integer not null,
  spent_at integer not null          -- when the job was forgotten
);
create index if not exists spent_keys_by_owner on spent_keys(owner, spent_at);
create index if not exists spent_keys_by_age on spent_keys(spent_at);
)sql";

/// What the manager of a cell tells other programs, of the cells that this node manages: see
/// node/store/plan_tables.h. No agent reads it, so it is of no version. A node has one row in
/// `workers` for each of these cells; its slots are of one CPU each.
inline constexpr const char* kPlanSchema = R"sql(
create table if not exists workers(
  cell text not null,
  node text not null,
  slots integer not null,            -- of these are available, ...
  available integer not null,
  occupied integer not null,         -- ... held, but no task runs, ...
  busy integer not null,
  down integer not null,             -- ... of a node that takes no task, or has left
  changed_at integer not null,
  primary key (cell, node)
) without rowid;

create table if not exists plans(    -- the last hundred
  id integer primary key,
  cell text not null,
  epoch integer not null,            -- of the manager, ...
  number integer not null,           -- ... which counts its plans from 1
  made_at integer not null,
  cause text not null,               -- rule, jobs, workers or off_course
  policy text not null,
  slots integer not null,            -- all there were
  moved integer not null,            -- those that changed their job
  jobs integer not null
);

create table if not exists plan_slots( -- none of a plan that another one followed within a second
  plan integer not null,             -- its id
  home text not null,                -- the job: the node that took it, and its number there
  job integer not null,
  lineage integer not null,
  node text not null,                -- empty: the job has no slots
  slots integer not null,
  need integer not null,             -- of the job: the slots that the policy wanted for it
  slack_ns integer,                  -- of the job, below 0 if it will be late; null: no deadline
  primary key (plan, home, job, lineage, node)
) without rowid;

delete from workers;
)sql";

/// Turns a database of version 2 into one of version 3: older rows have lineage 0.
inline constexpr const char* kToVersion3 = R"sql(
alter table jobs add column lineage integer not null default 0;
alter table results add column lineage integer not null default 0;
alter table attempts add column lineage integer not null default 0;
)sql";

/// ... and one of version 4. The checksums follow: see kSumAllRows.
inline constexpr const char* kToVersion4 = R"sql(
alter table meta add column checksum integer not null default 0;
alter table jobs add column checksum integer not null default 0;
alter table jobs add column progress_checksum integer not null default 0;
alter table results add column checksum integer not null default 0;
alter table attempts add column checksum integer not null default 0;
)sql";

/// ... and one of version 6, from version 4 on. The checksums follow: see sum_changed_rows().
inline constexpr const char* kToVersion6 = R"sql(
alter table jobs add column changes blob not null default x'';
alter table attempts add column retried integer not null default 0;
)sql";

/// ... and one of version 7, from version 6 on: kJobSchema comes between the two.
inline constexpr const char* kBeforeVersion7 = R"sql(
alter table jobs rename to old_jobs;
alter table results rename to old_results;
alter table attempts rename to old_attempts;
)sql";
inline constexpr const char* kToVersion7 = R"sql(
insert into jobs(number, lineage, home, name, owner, submitted_at, task_count, cancelled, restarts,
    groups, checksum, progress_checksum, changes)
  select number, lineage, home, name, owner, submitted_at, task_count, cancelled, restarts,
    groups, checksum, progress_checksum, changes from old_jobs;
insert into results(job, lineage, task, attempt, outcome, status, worker, wall_ns, cpu_ns,
    memory_peak, out_bytes, err_bytes, started_at, detail, checksum)
  select job, lineage, task, attempt, outcome, status, worker, wall_ns, cpu_ns,
    memory_peak, out_bytes, err_bytes, started_at, detail, checksum from old_results;
insert into attempts(job, lineage, task, attempt, outcome, status, worker, wall_ns, cpu_ns,
    memory_peak, out_bytes, err_bytes, started_at, detail, checksum, retried)
  select job, lineage, task, attempt, outcome, status, worker, wall_ns, cpu_ns,
    memory_peak, out_bytes, err_bytes, started_at, detail, checksum, retried from old_attempts;
drop table old_jobs;
drop table old_results;
drop table old_attempts;
)sql";

/// ... and one of version 8, from version 7 on: kJobSchema has the columns. The checksums follow:
/// see sum_rows_with_use().
inline constexpr const char* kToVersion8 = R"sql(
alter table results add column used blob not null default x'';
alter table attempts add column used blob not null default x'';
)sql";

}  // namespace dunlin::node
