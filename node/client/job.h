// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the library knows of one job, of one task's result, and of the output that is read.
namespace dunlin::client {

/// Why something failed: a status of dunlin.h, and a sentence.
struct Problem {
  int status = 0;  ///< DUNLIN_OK: nothing did.
  std::string text;
  bool again = false;         ///< Nothing was done, and the same may be asked for again later.
  std::int64_t retry_ns = 0;  ///< The agent is busy: so long from now; 0: it did not say.
};

/// So long the same is asked of agents that are too busy for it and say when to come again.
inline constexpr std::chrono::seconds kBusyMax{60};

/// True if it is worth another try after pause_of(). `since`: when an agent was first too busy for
/// it, which is remembered there; the beginning of time: none was yet.
inline bool may_try_again(const Problem& problem,
    std::chrono::steady_clock::time_point now,
    std::chrono::steady_clock::time_point& since) {
  if (problem.retry_ns <= 0) return false;
  if (since == std::chrono::steady_clock::time_point{}) since = now;
  return now - since < kBusyMax;
}
inline std::chrono::milliseconds pause_of(const Problem& problem) {
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(problem.retry_ns));
}

/// The result of a task.
struct TaskResult {
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  std::string state;
  std::string outcome;
  /// An exit status, a signal or an errno, as `outcome` says.
  std::int32_t status = 0;
  std::int32_t shell_status = 0;
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;
  std::uint64_t memory_peak = 0;
  std::uint64_t out_bytes = 0;
  std::uint64_t err_bytes = 0;
  std::string worker;
  /// Why, in words, if there is more to say.
  std::string detail;
  /// Since 1970, by the clock of the node; 0: it never started.
  std::int64_t started_at_ns = 0;
  /// This and the next three: 0 where they are not counted.
  std::uint64_t disk_read_bytes = 0;
  std::uint64_t disk_written_bytes = 0;
  std::uint64_t net_received_bytes = 0;
  std::uint64_t net_sent_bytes = 0;
};

/// A job of this client. Guarded by the client's mutex.
struct Job {
  enum class Phase : std::uint8_t {
    queued,  ///< To be submitted, or under way to the agent.
    known,   ///< The agent has it.
    ended,
    failed,  ///< It was not taken, or is not known: see `problem`.
  };
  Phase phase = Phase::queued;
  Problem problem;
  Problem trouble;  ///< Why nothing is heard of it at the moment, which may pass.

  // Until it is known.
  std::string text;  ///< As the program said it, until the client's thread reads it.
  /// Where the program was at the submit: tasks that name no directory run there. Empty text: no
  /// path leads there. Without a value they run where the agent has them run.
  std::optional<std::string> directory;
  std::string members;              ///< The members of the request, in JSON, without braces.
  std::vector<std::string> pieces;  ///< Its lines, if it is too large for one message: requests.
  std::uint64_t number = 0;         ///< In the order of the submits of its client, from 1.
  /// Drawn here: by it an agent knows a job that is submitted again.
  std::string key;
  std::chrono::steady_clock::time_point busy_at{};  ///< Since when agents are too busy for it.
  std::string node;           ///< The id of the node that it was sent to; empty: to none yet.
  bool may_be_there = false;  ///< That node did not answer, and may have it.
  std::chrono::steady_clock::time_point lost_at{};  ///< Since when.
  int tries = 0;  ///< Since it could not be told whether that node has it.

  // Once it is known.
  std::string id;  ///< "NODE.NUMBER".
  /// Tells jobs apart that have one id, after a node was set back; empty: not told.
  std::string lineage;
  std::string state = "submitting";
  std::uint32_t tasks = 0;
  std::uint32_t running = 0;
  std::uint32_t cancelling = 0;
  std::uint32_t done = 0;
  std::uint32_t failed = 0;
  std::uint32_t cancelled = 0;
  int not_found = 0;  ///< How often in a row no node knew it.

  /// Asked for with the job; else results take no memory.
  bool wants_results = false;
  std::vector<std::uint32_t> attempts;  ///< Of each task: the last one told of; 0: none.
  std::deque<TaskResult> results;       ///< Not read yet.
  bool retried = false;  ///< Tasks may have new results: the agent must not leave any out.

  int handles = 0;  ///< Of the program: without one it is not followed.
  /// To be called when it is over, each once, with the handle that each belongs to.
  std::vector<std::pair<const void*, std::function<void()>>> on_end;

  bool over() const { return phase == Phase::ended || phase == Phase::failed; }
};

using JobPtr = std::shared_ptr<Job>;

/// The reading of one stream of one task. Guarded by the client's mutex.
struct Output {
  /// So much is asked for at a time, when less than that waits to be read.
  static constexpr std::size_t kPiece = std::size_t{128} << 10;

  /// Bytes of one attempt: those of another never join them.
  struct Chunk {
    std::uint32_t attempt = 0;
    std::string bytes;
  };
  JobPtr job;
  std::uint32_t task = 0;
  bool err = false;
  bool follow = false;

  std::uint32_t attempt = 0;
  std::uint64_t offset = 0;  ///< Of the next byte to ask for, in that attempt.
  std::deque<Chunk> chunks;
  std::size_t waiting = 0;                          ///< Bytes in chunks.
  std::uint64_t asked = 0;                          ///< The request under way; 0: none.
  std::size_t got = 0;                              ///< Bytes of it so far.
  bool resting = false;                             ///< It is asked for again later.
  std::chrono::steady_clock::time_point busy_at{};  ///< Since when the agent is too busy for it.
  bool ended = false;
  Problem problem;
};

/// What one task is given to read. Guarded by the client's mutex.
struct Input {
  /// So many bytes wait in the program, before it has to wait for the task.
  static constexpr std::size_t kWaitingMax = std::size_t{256} << 10;

  JobPtr job;
  std::uint32_t task = 0;

  std::string waiting;         ///< Not sent yet.
  bool end = false;            ///< The program gives no more.
  std::uint64_t attached = 0;  ///< The request that attaches it to the task; 0: none yet.
  bool ready = false;          ///< The task runs, and may be given something.
  bool begun = false;          ///< Something was sent.
  bool said_end = false;
  std::size_t under_way = 0;  ///< Pieces that the task has not taken.
  bool taken = false;         ///< The task has taken all, and knows that it is all.
  bool over = false;          ///< Nothing more can be given.
  bool dropped = false;       ///< The program closed it before the task had begun.
  Problem problem;            ///< Why; DUNLIN_OK: the task reads no more.
};

/// Something that an agent is to do about a job. Guarded by the client's mutex.
struct Command {
  JobPtr job;
  std::string verb;     ///< "cancel" or "retry".
  std::string members;  ///< More of the request, such as ",\"failed\":true".
  bool done = false;
  std::chrono::steady_clock::time_point busy_at{};  ///< Since when the agent is too busy for it.
  std::uint32_t count = 0;                          ///< Tasks that it concerned.
  Problem problem;
};

}  // namespace dunlin::client
