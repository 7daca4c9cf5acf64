// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

// What earlier versions of Dunlin left on disk: their tables as they made them, with a job of three
// tasks: one done, one that failed once, one that waits.
namespace dunlin::test {

inline constexpr const char* kTables1 = R"sql(
create table meta(
  key text primary key,
  value
) without rowid;
create table jobs(
  number integer primary key,
  home text not null,
  name text not null,
  owner text not null,
  submitted_at integer not null,
  task_count integer not null,
  cancelled integer not null default 0,
  restarts integer not null default 0,
  groups blob not null
);
create table results(
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
  primary key (job, task)
) without rowid;
create table attempts(
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

/// Version 1 had no books of cells.
inline constexpr const char* kDatabase1 = R"sql(
pragma user_version = 1;
insert into meta values('incarnation', 5);
insert into jobs values(7, '00c0ffee00c0ffee', 'old', 'anna', 1700000000000000000, 3, 0, 2,
  cast(x'01000100040000006d61696e03000000e80300004000000000000000000000003200020004000000' ||
    x'7370656300000000000000000000000000000000' as blob));
insert into results values(7, 0, 1, 'exited', 0, '8000000000000001', 5, 3, 9, 7, 8, 1, '');
insert into attempts values(7, 1, 1, 'exited', 4, '8000000000000001', 5, 3, 9, 7, 8, 1, 'd');
)sql";

inline constexpr const char* kDatabase2 = R"sql(
pragma user_version = 2;
create table raft_state(raft_group text primary key, replica text not null, term integer not null,
  vote text not null, checksum integer not null) without rowid;
create table raft_log(raft_group text not null, entry integer not null, term integer not null,
  kind text not null, data blob not null, checksum integer not null,
  primary key (raft_group, entry)) without rowid;
create table raft_snapshot(raft_group text primary key, entry integer not null,
  term integer not null, configuration integer not null, members blob not null,
  data blob not null, checksum integer not null) without rowid;
insert into meta values('incarnation', 5);
insert into jobs values(7, '00c0ffee00c0ffee', 'old', 'anna', 1700000000000000000, 3, 0, 2,
  cast(x'02000100040000006d61696e03000000e80300004000000000000000000000003200020004000000' ||
    x'73706563000000000000000000000000000000000000000000000000' as blob));
insert into results values(7, 0, 1, 'exited', 0, '8000000000000001', 5, 3, 9, 7, 8, 1, '');
insert into attempts values(7, 1, 1, 'exited', 4, '8000000000000001', 5, 3, 9, 7, 8, 1, 'd');
)sql";

/// Version 3 added lineages; it had no checksums of rows.
inline constexpr const char* kDatabase3 = R"sql(
pragma user_version = 3;
alter table jobs add column lineage integer not null default 0;
alter table results add column lineage integer not null default 0;
alter table attempts add column lineage integer not null default 0;
create table raft_state(raft_group text primary key, replica text not null, term integer not null,
  vote text not null, checksum integer not null) without rowid;
create table raft_log(raft_group text not null, entry integer not null, term integer not null,
  kind text not null, data blob not null, checksum integer not null,
  primary key (raft_group, entry)) without rowid;
create table raft_snapshot(raft_group text primary key, entry integer not null,
  term integer not null, configuration integer not null, members blob not null,
  data blob not null, checksum integer not null) without rowid;
insert into meta values('incarnation', 5);
insert into jobs values(7, '00c0ffee00c0ffee', 'old', 'anna', 1700000000000000000, 3, 0, 2,
  cast(x'02000100040000006d61696e03000000e80300004000000000000000000000003200020004000000' ||
    x'73706563000000000000000000000000000000000000000000000000' as blob), 0);
insert into results values(7, 0, 1, 'exited', 0, '8000000000000001', 5, 3, 9, 7, 8, 1, '', 0);
insert into attempts values(7, 1, 1, 'exited', 4, '8000000000000001', 5, 3, 9, 7, 8, 1, 'd', 0);
)sql";

/// Version 4 had no log of actions. Its rows have the checksums that it gave them.
inline constexpr const char* kDatabase4 = R"sql(
pragma user_version = 4;
alter table jobs add column lineage integer not null default 0;
alter table results add column lineage integer not null default 0;
alter table attempts add column lineage integer not null default 0;
alter table meta add column checksum integer not null default 0;
alter table jobs add column checksum integer not null default 0;
alter table jobs add column progress_checksum integer not null default 0;
alter table results add column checksum integer not null default 0;
alter table attempts add column checksum integer not null default 0;
create table raft_state(raft_group text primary key, replica text not null, term integer not null,
  vote text not null, checksum integer not null) without rowid;
create table raft_log(raft_group text not null, entry integer not null, term integer not null,
  kind text not null, data blob not null, checksum integer not null,
  primary key (raft_group, entry)) without rowid;
create table raft_snapshot(raft_group text primary key, entry integer not null,
  term integer not null, configuration integer not null, members blob not null,
  data blob not null, checksum integer not null) without rowid;
insert into meta values('incarnation', 5, 1430129654);
insert into jobs values(7, '00c0ffee00c0ffee', 'old', 'anna', 1700000000000000000, 3, 0, 2,
  cast(x'02000100040000006d61696e03000000e80300004000000000000000000000003200020004000000' ||
    x'73706563000000000000000000000000000000000000000000000000' as blob), 0, 3571495516, 902241438);
insert into results values(7, 0, 1, 'exited', 0, '8000000000000001', 5, 3, 9, 7, 8, 1, '', 0,
  2984158753);
insert into attempts values(7, 1, 1, 'exited', 4, '8000000000000001', 5, 3, 9, 7, 8, 1, 'd', 0,
  401555082);
)sql";

/// Version 5 had no word on what changed of a job, and retried nothing.
inline constexpr const char* kDatabase5 = R"sql(
pragma user_version = 5;
alter table jobs add column lineage integer not null default 0;
alter table results add column lineage integer not null default 0;
alter table attempts add column lineage integer not null default 0;
alter table meta add column checksum integer not null default 0;
alter table jobs add column checksum integer not null default 0;
alter table jobs add column progress_checksum integer not null default 0;
alter table results add column checksum integer not null default 0;
alter table attempts add column checksum integer not null default 0;
create table actions(number integer primary key, at integer not null, user text not null,
  remote integer not null, verb text not null, object text not null, refused integer not null,
  checksum integer not null);
create table raft_state(raft_group text primary key, replica text not null, term integer not null,
  vote text not null, checksum integer not null) without rowid;
create table raft_log(raft_group text not null, entry integer not null, term integer not null,
  kind text not null, data blob not null, checksum integer not null,
  primary key (raft_group, entry)) without rowid;
create table raft_snapshot(raft_group text primary key, entry integer not null,
  term integer not null, configuration integer not null, members blob not null,
  data blob not null, checksum integer not null) without rowid;
insert into meta values('incarnation', 5, 1430129654);
insert into jobs values(7, '00c0ffee00c0ffee', 'old', 'anna', 1700000000000000000, 3, 0, 2,
  cast(x'02000100040000006d61696e03000000e80300004000000000000000000000003200020004000000' ||
    x'73706563000000000000000000000000000000000000000000000000' as blob), 0, 3571495516, 902241438);
insert into results values(7, 0, 1, 'exited', 0, '8000000000000001', 5, 3, 9, 7, 8, 1, '', 0,
  2984158753);
insert into attempts values(7, 1, 1, 'exited', 4, '8000000000000001', 5, 3, 9, 7, 8, 1, 'd', 0,
  401555082);
)sql";

/// Version 6 knew jobs and their tasks by their numbers alone, and kept no logs.
inline constexpr const char* kDatabase6 = R"sql(
pragma user_version = 6;
alter table jobs add column lineage integer not null default 0;
alter table results add column lineage integer not null default 0;
alter table attempts add column lineage integer not null default 0;
alter table meta add column checksum integer not null default 0;
alter table jobs add column checksum integer not null default 0;
alter table jobs add column progress_checksum integer not null default 0;
alter table results add column checksum integer not null default 0;
alter table attempts add column checksum integer not null default 0;
alter table jobs add column changes blob not null default x'';
alter table attempts add column retried integer not null default 0;
create table actions(number integer primary key, at integer not null, user text not null,
  remote integer not null, verb text not null, object text not null, refused integer not null,
  checksum integer not null);
create table raft_state(raft_group text primary key, replica text not null, term integer not null,
  vote text not null, checksum integer not null) without rowid;
create table raft_log(raft_group text not null, entry integer not null, term integer not null,
  kind text not null, data blob not null, checksum integer not null,
  primary key (raft_group, entry)) without rowid;
create table raft_snapshot(raft_group text primary key, entry integer not null,
  term integer not null, configuration integer not null, members blob not null,
  data blob not null, checksum integer not null) without rowid;
insert into meta values('incarnation', 5, 1430129654);
insert into jobs values(7, '00c0ffee00c0ffee', 'old', 'anna', 1700000000000000000, 3, 0, 2,
  cast(x'02000100040000006d61696e03000000e80300004000000000000000000000003200020004000000' ||
    x'73706563000000000000000000000000000000000000000000000000' as blob), 0, 3571495516,
  1345690296, x'');
insert into results values(7, 0, 1, 'exited', 0, '8000000000000001', 5, 3, 9, 7, 8, 1, '', 0,
  2984158753);
insert into attempts values(7, 1, 1, 'exited', 4, '8000000000000001', 5, 3, 9, 7, 8, 1, 'd', 0,
  1668712536, 0);
)sql";

/// Version 7 had no word on what tasks used.
inline constexpr const char* kDatabase7 = R"sql(
pragma user_version = 7;
drop table meta;
drop table jobs;
drop table results;
drop table attempts;
create table meta(key text primary key, value, checksum integer not null default 0) without rowid;
create table jobs(number integer not null, lineage integer not null default 0, home text not null,
  name text not null, owner text not null, submitted_at integer not null,
  task_count integer not null, cancelled integer not null default 0,
  restarts integer not null default 0, groups blob not null, checksum integer not null default 0,
  progress_checksum integer not null default 0, changes blob not null default x'',
  primary key (number, lineage));
create table results(job integer not null, lineage integer not null default 0,
  task integer not null, attempt integer not null, outcome text not null, status integer not null,
  worker text not null, wall_ns integer not null, cpu_ns integer not null,
  memory_peak integer not null, out_bytes integer not null, err_bytes integer not null,
  started_at integer not null, detail text not null, checksum integer not null default 0,
  primary key (job, lineage, task)) without rowid;
create table attempts(job integer not null, lineage integer not null default 0,
  task integer not null, attempt integer not null, outcome text not null, status integer not null,
  worker text not null, wall_ns integer not null, cpu_ns integer not null,
  memory_peak integer not null, out_bytes integer not null, err_bytes integer not null,
  started_at integer not null, detail text not null, checksum integer not null default 0,
  retried integer not null default 0, primary key (job, lineage, task, attempt)) without rowid;
create table raft_state(raft_group text primary key, replica text not null, term integer not null,
  vote text not null, checksum integer not null) without rowid;
create table raft_log(raft_group text not null, entry integer not null, term integer not null,
  kind text not null, data blob not null, checksum integer not null,
  primary key (raft_group, entry)) without rowid;
create table raft_snapshot(raft_group text primary key, entry integer not null,
  term integer not null, configuration integer not null, members blob not null,
  data blob not null, checksum integer not null) without rowid;
create table actions(number integer primary key, at integer not null, user text not null,
  remote integer not null, verb text not null, object text not null, refused integer not null,
  checksum integer not null);
create table logs(log text primary key, origin text not null, cell text not null,
  contacts blob not null, office blob not null, entry blob not null,
  checksum integer not null) without rowid;
create table log_batches(log text not null, position integer not null, epoch integer not null,
  life integer not null, records blob not null, checksum integer not null,
  primary key (log, position)) without rowid;
insert into meta values('incarnation', 5, 1430129654);
insert into jobs values(7, 0, '00c0ffee00c0ffee', 'old', 'anna', 1700000000000000000, 3, 0, 2,
  cast(x'02000100040000006d61696e03000000e80300004000000000000000000000003200020004000000' ||
    x'73706563000000000000000000000000000000000000000000000000' as blob), 3571495516,
  1345690296, x'');
insert into results values(7, 0, 0, 1, 'exited', 0, '8000000000000001', 5, 3, 9, 7, 8, 1, '',
  2984158753);
insert into attempts values(7, 0, 1, 1, 'exited', 4, '8000000000000001', 5, 3, 9, 7, 8, 1, 'd',
  1668712536, 0);
)sql";

/// Each version, and the SQL that makes its database once kTables1 are there.
inline constexpr std::pair<int, const char*> kOldDatabases[] = {{1, kDatabase1}, {2, kDatabase2},
    {3, kDatabase3}, {4, kDatabase4}, {5, kDatabase5}, {6, kDatabase6}, {7, kDatabase7}};

}  // namespace dunlin::test
