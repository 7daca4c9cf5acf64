// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "node/client/conversation.h"
#include "node/client/following.h"
#include "node/client/inputs.h"
#include "node/client/job.h"
#include "node/client/later.h"
#include "node/client/outputs.h"
#include "node/client/queries.h"
#include "node/client/submits.h"

namespace dunlin::client {

/// A client without its socket, clock and thread: it is told what comes and what time it is, and
/// says what to send, when to connect and when it next wants time.
class Engine {
 public:
  /// The newest version of the control protocol that the library speaks, ...
  static constexpr int kProtocol = 2;
  /// ... and that which knows no errors but `refused` where a program knows no others.
  static constexpr int kProtocolRefused = 1;
  /// An agent that does not greet for so long is left for the next address, if there is one, ...
  static constexpr std::chrono::seconds kGreetingMax{5};
  /// ... and so is one that is silent for so long; it is asked for a sign of life before.
  static constexpr std::chrono::seconds kSilenceMax{15};

  /// `addresses`: how many there are. `jitter` gives numbers by chance from 0 to 1. `protocol`: the
  /// version that agents are asked to speak.
  Engine(std::size_t addresses, std::function<double()> jitter, int protocol = kProtocol);

  // What the program wants.

  /// Submits a job, or tells that it is wrong.
  void submit(const JobPtr& job, const Problem& problem = {});
  /// The job of that id; with `results`, those of its tasks are to be told.
  JobPtr find(const std::string& id, bool results);
  /// Cancels or retries a job, when its id is known and the agent takes requests. `done` tells
  /// when.
  void command(const std::shared_ptr<Command>& command) { commands_.push_back(command); }
  /// False if too many are read.
  bool read(const std::shared_ptr<Output>& output) { return outputs_.add(output); }
  void stop_reading(const std::shared_ptr<Output>& output) { outputs_.drop(output, agent_); }
  /// False if too many tasks are given something.
  bool give(const std::shared_ptr<Input>& input) { return inputs_.add(input); }
  /// A task that still reads is ended by that, unless the end of its input was said.
  void stop_giving(const std::shared_ptr<Input>& input) { inputs_.drop(input, agent_); }
  /// Asks an agent something, when it takes requests.
  void ask(const std::shared_ptr<Query>& query) { queries_.add(query); }
  void stop_asking(const std::shared_ptr<Query>& query) { queries_.drop(query, agent_); }
  /// The program has no handle of the job any more.
  void drop(const JobPtr& job) { following_.drop(job); }

  // What the connection does.

  /// True if it is time to connect to address().
  bool wants_connection(Time now) const { return state_ == State::apart && now >= connect_at_; }
  /// The one to connect to, as an index: the next after each that was lost.
  std::size_t address() const { return address_; }
  /// Greets the agent. Nothing else is sent before its answer, which tells its version.
  void on_connected(Time now);
  /// The connection ended, or could not be made.
  void on_lost(Time now, const std::string& why);
  /// A message came. False if it makes no sense, or says why the agent ends the connection, which
  /// is parting() then: the connection is to be ended.
  bool hear(Time now, Json message);
  const std::string& parting() const { return agent_.parting().problem.text; }
  /// Does what is due. True if the connection is to be ended.
  bool advance(Time now);
  /// When advance() is wanted next even if nothing comes.
  Time due() const;
  /// Bytes to be sent, to be taken from there.
  std::string& out() { return agent_.out(); }

  /// Why no agent answers; DUNLIN_OK if one does.
  const Problem& problem() const { return problem_; }
  const Submits& submits() const { return submits_; }
  /// How many jobs it was given by submit().
  std::uint64_t submitted() const { return submitted_; }
  /// Its callbacks are to be looked at.
  void note_changed(const JobPtr& job) { changed_.push_back(job); }
  /// Jobs that changed since this was last taken.
  std::vector<JobPtr> take_changed() { return std::exchange(changed_, {}); }

 private:
  /// Not connected; connected, and the version is not known; in conversation.
  enum class State : std::uint8_t { apart, greeting, ready };

  /// Takes the agent's answer to the greeting: the first thing that either side says.
  void greet(const Reply& reply);
  /// Sends a command, or puts it back where it cannot be sent yet.
  void run(const std::shared_ptr<Command>& command);
  void run_commands();
  /// No agent speaks our version, for good: all that waits is told so.
  void fail_all();

  std::size_t addresses_;
  std::function<double()> jitter_;
  int protocol_;
  State state_ = State::apart;
  Problem problem_;
  bool for_good_ = false;  ///< No agent speaks a version that this library does.
  std::size_t address_ = 0;
  unsigned failures_ = 0;   ///< In a row.
  unsigned strangers_ = 0;  ///< Agents of other versions, in a row.
  /// Not before then, once it was lost.
  Time connect_at_{};
  /// When the agent last said anything.
  Time heard_at_{};
  bool asked_for_sign_ = false;
  bool end_ = false;  ///< The connection is to be ended.
  std::string node_;  ///< The id of the agent.
  Conversation agent_;
  Later later_;
  std::uint64_t submitted_ = 0;
  Submits submits_;
  Following following_;
  std::deque<std::shared_ptr<Command>> commands_;
  Outputs outputs_;
  Inputs inputs_;
  Queries queries_;
  std::vector<JobPtr> changed_;
};

}  // namespace dunlin::client
