// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "node/message_fwd.h"
#include "overlay/address.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/logs/promise.h"
#include "sched/message_fwd.h"

// What the requests of clients may see and do, by subject. A handler takes the ports that its verb
// needs, and can do no more than those. Types are only named here: who calls a port includes what
// it gives to it and gets from it.
namespace dunlin::sched {
class Peer;
struct CellId;
struct ClusterJobs;
struct Job;
struct JobChange;
struct DrainTerms;
struct JobQuery;
namespace books {
struct Classes;
}
}  // namespace dunlin::sched

namespace dunlin::node {

class ControlConnection;
struct Unreached;
enum class Measure;
struct AttemptQuery;
struct AttemptRow;
struct Configuration;
struct KeptOutput;
struct ResultQuery;
struct ResultRow;
struct StoredUsage;
struct UsageQuery;

/// The disk of the data directory, in bytes.
struct DiskFigures {
  std::uint64_t size = 0;
  std::uint64_t free = 0;    ///< For users without privilege.
  std::uint64_t needed = 0;  ///< With less free the node is sick: see agent.disk_free_min.
};

/// The agent's own figures, which its peer does not know.
struct AgentStatus {
  std::string cluster;                     ///< The name in the key file.
  overlay::Duration uptime{0};             ///< Since the process started.
  std::uint64_t output_bytes = 0;          ///< Kept output of tasks.
  std::optional<DiskFigures> disk;         ///< Empty: it cannot be measured.
  std::vector<std::string> damage;         ///< Damage in the database, as far as it was looked at.
  std::string not_joined;                  ///< Why it has no neighbour, though it should; or empty.
  std::vector<std::string> address_notes;  ///< What is wrong with addresses of nodes, a line each.
  std::map<std::string, std::uint64_t> counters;
};

/// Places in the order of commits: see Records::Mark.
struct Recorded {
  std::uint64_t last = 0;
  std::uint64_t on_disk = 0;
};

/// Stands for what was recorded up to a moment.
struct RecordMark {
  std::uint64_t commit = 0;
  sched::Promise promise;  ///< Of a job with replicas: its standbys have it, too.
};

/// The agent's knowledge. Changes nothing.
class AgentKnowledge {
 public:
  virtual ~AgentKnowledge() = default;

  /// Constant during a turn.
  virtual overlay::Time now() const = 0;
  /// All that the node knows of jobs, nodes and cells. To be read within the turn only: the next
  /// one may change any of it.
  virtual const sched::Peer& peer() const = 0;
  /// As it was at the start: a reload reads the key file alone.
  virtual const Configuration& configuration() const = 0;
  /// Copies all counters: not for each request, let alone each job.
  virtual AgentStatus status() const = 0;
  /// Nodes that speak with this one, and cannot be reached at the address that they tell others.
  virtual const std::map<overlay::PeerId, Unreached>& unreachable() const = 0;
  /// How a node that has told nothing since this agent began called itself before; empty if that is
  /// not known: then others are asked for it.
  virtual std::string remembered_name(overlay::PeerId node) const = 0;
  /// What nodes were called before: by that name.
  virtual const std::map<std::string, overlay::PeerId>& former_names() const = 0;
  /// True if an answer to such a question may come within moments.
  virtual bool asks_names() const = 0;
  /// All that was recorded so far, and that part of it which is on disk.
  virtual Recorded recorded() const = 0;
  /// Why it is not; empty if commits succeed: then it will be, in a later turn.
  virtual const std::string& store_error() const = 0;
  /// A number by chance.
  virtual std::uint64_t draw() = 0;

  /// Stands for all that was recorded so far.
  RecordMark record_mark() const { return {recorded().last, {}}; }
  /// The same, and for all that was said of that job.
  RecordMark record_mark(const sched::JobId& job) const;
  /// True if all that a record_mark() stands for is on disk, and with those of the job's standbys
  /// that are in sync. A node that another one has relieved of the job never says so.
  bool durable(const RecordMark& mark) const;
  /// Another node drives the job by now, before its standbys had all that the mark is of: durable()
  /// will never say so, and what was done may be lost.
  bool is_void(const RecordMark& mark) const;
  /// Of this node.
  overlay::PeerId id() const;
  /// The name of that node; its id if the name is not known.
  std::string name_of(overlay::PeerId node) const;
};

/// What users may do to their jobs. All fail like the calls of sched::Peer of the same names.
class JobOrders {
 public:
  virtual ~JobOrders() = default;

  /// Fails besides, with `refused`, if the agent is about to stop; with `io` if records cannot be
  /// stored.
  virtual Result<sched::JobId> submit(sched::Job job, bool allow_unsatisfiable) = 0;
  /// Stops those tasks; without any, all of the job. What ended before stays as it is, and is no
  /// error. Running tasks end later, when their workers say so.
  virtual Result<void> cancel(const sched::JobId& job, std::span<const std::uint32_t> tasks) = 0;
  /// Holds or releases a job, or sets its priority or deadline: whatever `change` says.
  virtual Result<void> change(const sched::JobId& job, const sched::JobChange& change) = 0;
  /// Fails besides if the job has ended and its record cannot be read.
  virtual Result<void> retry(const sched::JobId& job, std::span<const std::uint32_t> tasks) = 0;
  /// Stops the attempts of those tasks that run (without any: of all), to be made again. Returns
  /// how many. Fails if one must not have a second attempt, as its input was given once.
  virtual Result<std::uint32_t> requeue(
      const sched::JobId& job, std::span<const std::uint32_t> tasks) = 0;
};

/// What administrators may do to the node, and through it to the cluster. All fail like the calls
/// of sched::Sharing and sched::Maintenance of the same names.
class NodeOrders {
 public:
  virtual ~NodeOrders() = default;

  /// Empty: this node takes tasks again.
  virtual void drain(const std::optional<sched::DrainTerms>& terms) = 0;
  /// See sched::PeerLogs::lose().
  virtual Result<void> take_over(const sched::JobId& job) = 0;
  /// The table goes to all nodes by gossip; the cells put it in their books as they hear of it.
  virtual Result<void> set_classes(const sched::books::Classes& classes) = 0;
  /// Declares `lost` gone for good, in the books of `cell`, which this node manages.
  virtual Result<void> write_off(sched::CellId cell, sched::CellId lost, bool reissue) = 0;
};

/// Records of tasks; see SqliteStore.
class TaskHistory {
 public:
  virtual ~TaskHistory() = default;

  /// From disk alone: what is queued, and not yet committed, is not among them. All fail with `io`.
  virtual Result<std::vector<ResultRow>> results(const ResultQuery& query) = 0;
  /// Those of a task before the one that counts, in order.
  virtual Result<std::vector<AttemptRow>> attempts(
      const sched::JobId& job, std::uint32_t index) = 0;
  /// The same of all tasks of a job, page by page.
  virtual Result<std::vector<AttemptRow>> attempts_page(const AttemptQuery& query) = 0;
  /// The job as it was submitted, with the lines of its groups. Null if it is not on disk, cannot
  /// be read, or has more than kLinesKept bytes of lines: a listing asks for it page by page, so
  /// the last one stays in memory.
  virtual std::shared_ptr<const sched::Job> record(const sched::JobId& job) = 0;
  static constexpr std::size_t kLinesKept = std::size_t{16} << 20;
  /// What was used here, by the hour: a page of it.
  virtual Result<std::vector<StoredUsage>> usage(const UsageQuery& query) = 0;
};

/// Words to other agents; answers come to the requests under way (Pending).
class OtherAgents {
 public:
  virtual ~OtherAgents() = default;

  /// Leaves once what this turn recorded is on disk, and may get lost: senders repeat what matters,
  /// or give up in time.
  virtual void send(const overlay::Endpoint& to, const sched::Message& message) = 0;
  virtual void send(const overlay::Endpoint& to, const Message& message) = 0;
  /// Asks every node for fresh facts, which the directory has as they come.
  virtual void ask_for_facts() = 0;
  /// Asks that node alone. The directory has those of this node at once.
  virtual void ask_for_facts_of(overlay::PeerId node) = 0;
  /// Dials another agent, to send it requests; see Transport::call(). Null if too many streams are
  /// open.
  virtual std::shared_ptr<ControlConnection> call(const overlay::Endpoint& to) = 0;
};

/// The jobs that nodes have, by the managers of all cells; see sched::JobLists.
class ClusterLists {
 public:
  virtual ~ClusterLists() = default;

  /// Begins to collect. Returns a number for the calls below; 0 if there are no cells to ask.
  virtual std::uint64_t begin_list(const sched::JobQuery& query) = 0;
  /// What was told, once all have answered or their time is over; empty before.
  virtual std::optional<sched::ClusterJobs> take_list(std::uint64_t number) = 0;
  /// Nobody waits for that one any more. Each begun list is taken or dropped.
  virtual void drop_list(std::uint64_t number) = 0;
};

/// Output of tasks, kept here or elsewhere; see OutputService.
class TaskOutput {
 public:
  virtual ~TaskOutput() = default;

  /// What this node has of it, at once. Not found is no error: the task may not have begun.
  virtual OutputChunk read_output(const OutputRequest& request) = 0;
  /// The copy that this node keeps of it, if it does.
  virtual std::optional<KeptOutput> read_output_copy(const OutputRequest& request) = 0;
  /// Asks another node. Returns a number by which the answer is taken, if it comes.
  virtual std::uint64_t ask_output(const overlay::Endpoint& node, const OutputRequest& request) = 0;
  /// The answer; empty as long as there is none.
  virtual std::optional<OutputChunk> take_output(std::uint64_t asked) = 0;
  /// An answer that still comes is dropped. Each number that is not taken is abandoned.
  virtual void abandon_output(std::uint64_t asked) = 0;
};

}  // namespace dunlin::node
