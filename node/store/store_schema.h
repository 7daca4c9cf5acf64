// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::node {

/// What `PRAGMA user_version` says. A database of a higher one is refused.
inline constexpr int kSchemaVersion = 2;

/// The tables of an agent's database. People may read them at any time with sqlite3:
///
///     sqlite3 -readonly dunlin.sqlite "select job, task, status, worker from results"
///
/// Times are ns, wall-clock times ns since 1970, memory is bytes, nodes are their ids in hex.
/// `outcome` is a word of sched::kOutcomeWords, or "lost".
inline constexpr const char* kSchema = R"sql(
create table meta(
  key text primary key,
  value                              -- 'incarnation': how many lives this node has had
) without rowid;

create table jobs(
  number integer primary key,        -- as people know it
  home text not null,                -- the node it was submitted to
  name text not null,
  owner text not null,
  submitted_at integer not null,
  task_count integer not null,
  cancelled integer not null default 0,
  restarts integer not null default 0,
  groups blob not null               -- what to run, see node/store/job_blob.h
);

create table results(                -- the one result of each finished task
  job integer not null,
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
  primary key (job, task)            -- so there can't be two
) without rowid;

create table attempts(               -- those that failed or were stopped, made again; those lost
  job integer not null,
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
  started_at integer not null,
  detail text not null,
  primary key (job, task, attempt)
) without rowid;
)sql";

/// What came with version 2: the books of the cells this node keeps a replica of. Groups, replicas
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

}  // namespace dunlin::node
