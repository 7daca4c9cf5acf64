// SPDX-License-Identifier: MIT
#include "node/store/checked_rows.h"

#include <string_view>
#include <vector>

// Each table's columns stand here once; all SQL with checksums is made of them. The changing
// columns of a job have a checksum of their own: to sum the whole row again would make good what a
// disk has spoilt.
namespace dunlin::node {
namespace {

using Columns = std::vector<std::string_view>;

const Columns kMeta = {"key", "value"};
const Columns kJob = {
    "number", "lineage", "home", "name", "owner", "submitted_at", "task_count", "groups"};
const Columns kProgress = {"number", "lineage", "restarts", "cancelled", "changes"};
/// As before version 6.
const Columns kProgress4 = {"number", "lineage", "restarts", "cancelled"};
/// As before version 8.
const Columns kReport7 = {"job", "lineage", "task", "attempt", "outcome", "status", "worker",
    "wall_ns", "cpu_ns", "memory_peak", "out_bytes", "err_bytes", "started_at", "detail"};

Columns with(Columns columns, std::string_view more) {
  columns.push_back(more);
  return columns;
}

const Columns kReport = with(kReport7, "used");
/// Before version 6 attempts had the columns of a report alone.
const Columns kAttempt7 = with(kReport7, "retried");
const Columns kAttempt = with(kReport, "retried");

const Columns kWish = {"job", "lineage", "task", "attempt", "wished"};
const Columns kHolder = {"node", "high", "low", "port", "away"};
const Columns kEnd = {
    "job", "lineage", "after_ns", "begun_ns", "worst", "exit", "failed", "cancelled"};
const Columns kAction = {"number", "at", "user", "remote", "verb", "object", "refused"};
const Columns kLog = {"log", "origin", "cell", "contacts", "office", "entry"};
const Columns kLogBatch = {"log", "position", "epoch", "life", "records"};

std::string joined(const Columns& columns, std::string_view before = "") {
  std::string text;
  for (const auto column : columns) {
    text += (text.empty() ? "" : ", ") + std::string(before) + std::string(column);
  }
  return text;
}

std::string parameters(const Columns& columns) {
  std::string text;
  for (std::size_t i = 1; i <= columns.size(); ++i) {
    text += (i == 1 ? "?" : ", ?") + std::to_string(i);
  }
  return text;
}

/// `of` says what is summed: columns, or parameters.
/// The name goes into the sum, so that a row which lands in another table does not fit there.
std::string checksum(std::string_view name, const std::string& of) {
  return "row_checksum('" + std::string(name) + "', " + of + ")";
}

std::string view(const std::string& table, const std::string& sound) {
  return "create temp view checked_" + table + " as select *, " + sound + " as sound from main." +
      table + ";";
}

std::string matches(std::string_view name, const Columns& columns) {
  return "checksum = " + checksum(name, joined(columns));
}

std::string insert(const std::string& table, const Columns& columns) {
  return table + "(" + joined(columns) + ", checksum) values(" + parameters(columns) + ", " +
      checksum(table, parameters(columns)) + ")";
}

}  // namespace

// Views of this connection: each read sees beside every row if it is sound, and no reader can
// forget to ask.
const std::string& checked_views() {
  static const std::string text = view("meta", matches("meta", kMeta)) +
      view("jobs",
          "(" + matches("jobs", kJob) + " and progress_" + matches("progress", kProgress) + ")") +
      view("results", matches("results", kReport)) +
      view("attempts", matches("attempts", kAttempt)) + view("wishes", matches("wishes", kWish)) +
      view("ends", matches("ends", kEnd)) + view("holders", matches("holders", kHolder)) +
      view("actions", matches("actions", kAction)) + view("logs", matches("logs", kLog)) +
      view("log_batches", matches("log_batches", kLogBatch));
  return text;
}

// For databases of before checksums, at their upgrade: what is there is taken as sound.
const std::string& sum_all_rows() {
  static const std::string text = "update meta set " + matches("meta", kMeta) +
      "; update jobs set " + matches("jobs", kJob) + ", progress_" +
      matches("progress", kProgress) + "; update results set " + matches("results", kReport7) +
      "; update attempts set " + matches("attempts", kAttempt7) + ";";
  return text;
}

// Only rows that were sound before the upgrade get a new sum: a damaged one must not become right
// by it.
const std::string& sum_changed_rows() {
  static const std::string text = "update jobs set progress_" + matches("progress", kProgress) +
      " where progress_" + matches("progress", kProgress4) + "; update attempts set " +
      matches("attempts", kAttempt7) + " where " + matches("attempts", kReport7) + ";";
  return text;
}

const std::string& sum_rows_with_use() {
  static const std::string text = "update results set " + matches("results", kReport) + " where " +
      matches("results", kReport7) + "; update attempts set " + matches("attempts", kAttempt) +
      " where " + matches("attempts", kAttempt7) + ";";
  return text;
}

namespace sql {

const std::string& put_meta() {
  static const std::string text = "insert or replace into " + insert("meta", kMeta);
  return text;
}

const std::string& put_action() {
  static const std::string text = "insert or replace into " + insert("actions", kAction);
  return text;
}

const std::string& put_wish() {
  static const std::string text = "insert or replace into " + insert("wishes", kWish);
  return text;
}

const std::string& put_end() {
  static const std::string text = "insert or replace into " + insert("ends", kEnd);
  return text;
}

const std::string& put_holder() {
  static const std::string text = "insert or replace into " + insert("holders", kHolder);
  return text;
}

const std::string& put_log() {
  static const std::string text = "insert or replace into " + insert("logs", kLog);
  return text;
}

const std::string& put_log_batch() {
  static const std::string text = "insert or replace into " + insert("log_batches", kLogBatch);
  return text;
}

// A job may be there already: a log that this node goes on with, or takes back, has it too. It must
// not keep all that comes after it from the disk.
const std::string& put_job() {
  static const std::string text = "insert or replace into jobs(" + joined(kJob) +
      ", checksum, progress_checksum) values(" + parameters(kJob) + ", " +
      checksum("jobs", parameters(kJob)) + ", " + checksum("progress", "?1, ?2, 0, 0, x''") + ")";
  return text;
}

const std::string& put_progress() {
  static const std::string text = "update jobs set restarts = ?3, cancelled = ?4, changes = ?5, " +
      ("progress_checksum = " + checksum("progress", parameters(kProgress))) +
      " where number = ?1 and lineage = ?2";
  return text;
}

const std::string& put_attempt() {
  static const std::string text = "insert or replace into attempts(" + joined(kAttempt) +
      ", checksum) values(" + parameters(kReport) + ", 0, " +
      checksum("attempts", parameters(kReport) + ", 0") + ")";
  return text;
}

const std::string& put_retry() {
  static const std::string text = "insert or replace into attempts(" + joined(kAttempt) +
      ", checksum) select " + joined(kReport) + ", ?4, case when sound then " +
      checksum("attempts", joined(kReport) + ", ?4") +
      " else 0 end from checked_results where job = ?1 and lineage = ?2 and task = ?3";
  return text;
}

const std::string& put_result() {
  static const std::string text = [] {
    std::string replacing = "checksum = excluded.checksum";
    for (const auto column : kReport) {
      replacing += ", " + std::string(column) + " = excluded." + std::string(column);
    }
    return "insert into " + insert("results", kReport) +
        " on conflict(job, lineage, task) do update set " + replacing +
        // A result is replaced only if the row that is there is damaged: the first result counts.
        " where results.checksum <> " + checksum("results", joined(kReport, "results."));
  }();
  return text;
}

}  // namespace sql

}  // namespace dunlin::node
