// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "node/agent_options.h"
#include "node/events/event_feed.h"
#include "node/message.h"
#include "node/net/control_connection.h"
#include "node/store/results.h"
#include "node/task/output_copies.h"
#include "node/task/task_inputs.h"
#include "overlay/result.h"
#include "sched/frontend/job_state.h"
#include "sched/listing/listing.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer.h"

namespace dunlin::node {

class Accounts;

/// The agent's own figures, which its peer does not know.
struct AgentStatus {
  std::string cluster;              ///< The name in the key file.
  overlay::Duration uptime{0};      ///< Since the process started.
  std::uint64_t output_bytes = 0;   ///< Kept output of tasks.
  std::vector<std::string> damage;  ///< Damage in the database, as far as it was looked at.
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

/// Parts of this agent that requests use as they are.
struct LocalParts {
  ActionLog& actions;  ///< The log of actions by users.
  TaskInputs& inputs;  ///< What clients give to tasks of this node to read.
  EventFeed& events;
  bool suspends;  ///< Tasks can be suspended here.
  ProfileBook& profiles;
  Accounts& accounts;  ///< What the requests of each user cost.
};

/// All that the requests of clients may see and do. The agent implements it; a test may, too.
///
/// A call that changes something changes it within the current turn of the loop. Its records are
/// durable when durable() says so of the record_mark() after the call, and a client may be told of
/// success only then.
class AgentServices {
 public:
  virtual ~AgentServices() = default;

  // The agent's knowledge.

  /// Constant during a turn.
  virtual overlay::Time now() const = 0;
  virtual const sched::Peer& peer() const = 0;
  virtual const Configuration& configuration() const = 0;
  virtual AgentStatus status() const = 0;
  /// All that was recorded so far, and that part of it which is on disk.
  virtual Recorded recorded() const = 0;
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
  /// Why it is not; empty if commits succeed: then it will be, in a later turn.
  virtual const std::string& store_error() const = 0;
  /// A number by chance.
  virtual std::uint64_t draw() = 0;

  // Requests of clients to the node. All fail like the calls of sched::Peer, its Sharing and its
  // Maintenance of the same names.

  /// Fails besides, with `refused`, if the agent is about to stop; with `io` if records cannot be
  /// stored.
  virtual Result<sched::JobId> submit(sched::Job job, bool allow_unsatisfiable) = 0;
  virtual Result<void> cancel(const sched::JobId& job, std::span<const std::uint32_t> tasks) = 0;
  virtual Result<void> change(const sched::JobId& job, const sched::JobChange& change) = 0;
  /// Fails besides if the job has ended and its record cannot be read.
  virtual Result<void> retry(const sched::JobId& job, std::span<const std::uint32_t> tasks) = 0;
  virtual Result<std::uint32_t> requeue(
      const sched::JobId& job, std::span<const std::uint32_t> tasks) = 0;
  virtual void drain(bool on) = 0;
  /// See sched::PeerLogs::lose().
  virtual Result<void> take_over(const sched::JobId& job) = 0;
  virtual Result<void> set_classes(const sched::books::Classes& classes) = 0;
  virtual Result<void> write_off(sched::CellId cell, sched::CellId lost, bool reissue) = 0;
  /// Asks every node for fresh facts, which the directory has as they come.
  virtual void ask_for_facts() = 0;

  // Records of tasks; see SqliteStore.

  virtual Result<std::vector<ResultRow>> results(const ResultQuery& query) = 0;
  virtual Result<std::vector<AttemptRow>> attempts(
      const sched::JobId& job, std::uint32_t index) = 0;
  virtual Result<std::vector<std::int64_t>> values(const sched::JobId& job, Measure measure) = 0;

  // Messages to other agents; answers come to the requests under way (Pending).

  virtual void send(const overlay::Endpoint& to, const sched::Message& message) = 0;
  virtual void send(const overlay::Endpoint& to, const Message& message) = 0;

  // The jobs that nodes have, by the managers of all cells; see sched::JobLists.

  virtual std::uint64_t begin_list(const sched::JobQuery& query) = 0;
  virtual std::optional<sched::ClusterJobs> take_list(std::uint64_t number) = 0;
  virtual void drop_list(std::uint64_t number) = 0;

  /// Dials another agent, to send it requests; see Transport::call(). Null if too many streams are
  /// open.
  virtual std::shared_ptr<ControlConnection> call(const overlay::Endpoint& to) = 0;

  // Output of tasks, kept here or elsewhere; see OutputService.

  virtual OutputChunk read_output(const OutputRequest& request) = 0;
  /// The copy that this node keeps of it, if it does.
  virtual std::optional<OutputCopies::Read> read_output_copy(const OutputRequest& request) = 0;
  virtual std::uint64_t ask_output(const overlay::Endpoint& node, const OutputRequest& request) = 0;
  virtual std::optional<OutputChunk> take_output(std::uint64_t asked) = 0;
  virtual void abandon_output(std::uint64_t asked) = 0;

  virtual LocalParts local() = 0;

  overlay::PeerId id() const { return peer().self().endpoint.id; }
  /// The name of that node; its id if the name is not known.
  std::string name_of(overlay::PeerId node) const;
};

}  // namespace dunlin::node
