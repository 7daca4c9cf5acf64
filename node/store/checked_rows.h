// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// The rows of jobs, results, attempts, actions, logs and meta, and their checksums, as SQL. A row
// is sound if its checksum is that of its table's name and its columns: row_checksum(), which a
// Database has.
namespace dunlin::node {

/// Views that live as long as the connection: checked_jobs and so on are the tables with a column
/// `sound` more, which is 0 for a row that something has changed.
const std::string& checked_views();

/// Gives every row the checksum of what it says: for a database from before there were any.
const std::string& sum_all_rows();
/// Statements that give sums anew to the rows of jobs and attempts whose columns version 6 added,
/// if the sums of the columns before were right.
const std::string& sum_changed_rows();
/// The same for the rows of results and attempts, to which version 8 added a column.
const std::string& sum_rows_with_use();

/// Statements that write a row with its checksum. Parameters are the columns in the order of the
/// text, as far as it names them.
namespace sql {
const std::string& put_meta();       ///< key, value
const std::string& put_job();        ///< number, lineage, home, name, owner, submitted_at,
                                     ///< task_count, groups
const std::string& put_action();     ///< number, at, user, remote, verb, object, refused
const std::string& put_log();        ///< log, origin, cell, contacts, office, entry
const std::string& put_log_batch();  ///< log, position, epoch, life, records
const std::string& put_progress();   ///< number, lineage, restarts, cancelled, changes
/// job, lineage, task, last attempt: puts the task's result among the attempts. To delete it is
/// another statement.
const std::string& put_retry();
/// job, lineage, task, attempt, outcome, status, worker, wall_ns, cpu_ns, memory_peak, out_bytes,
/// err_bytes, started_at, detail, used. Takes the place of an older row.
const std::string& put_attempt();
/// The same. Changes nothing if the task has a sound result.
const std::string& put_result();
const std::string& put_holder();  ///< node, high, low, port, away
const std::string& put_wish();    ///< job, lineage, task, attempt, wished
const std::string& put_end();  ///< job, lineage, after_ns, begun_ns, worst, exit, failed, cancelled
}  // namespace sql

}  // namespace dunlin::node
