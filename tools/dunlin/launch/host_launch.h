// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/dunlin/launch/host_list.h"
#include "tools/dunlin/launch/launch_terms.h"
#include "tools/dunlin/launch/remote_script.h"

namespace dunlin::cli {

/// A command for a host, by ssh.
struct RemoteCommand {
  LaunchStep step = LaunchStep::probe;
  std::string script;
  std::string_view payload;           ///< Behind the script on standard input.
  std::chrono::milliseconds delay{};  ///< Before it is tried.
};

/// What came of it.
struct RemoteResult {
  int status = 0;  ///< 255: ssh itself failed. 128 + n for a signal.
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// How far a host is.
enum class HostPhase {
  waiting,   ///< Its turn has not come.
  at_work,   ///< A command is under way, or due.
  seedless,  ///< It has all that it needs, but contacts.
  done,
  failed
};

/// What is known of a host.
struct HostReport {
  std::string agent;    ///< "up", "down", "none", "mute", "removed"; empty: unknown.
  std::string did;      ///< What was done, or would be: "started", "sent 3 programs, started".
  std::string problem;  ///< Why it failed, and the cure.
  std::string directory;
  std::string address;  ///< Of its agent.
  std::string name;
  std::string version;
  std::string programs;  ///< The hash of those that run.
  std::string tasks;     ///< That run there.
};

/// The way of one host through a launch: from the result of the last command to the next one. Pure:
/// it knows neither ssh nor a clock.
class HostLaunch {
 public:
  /// `index` is its place among the hosts: retries of many hosts do not come at one moment.
  /// `terms` outlives it.
  HostLaunch(const LaunchTerms& terms, LaunchHost host, std::size_t index);

  /// The command that is due. `contacts` are addresses of agents that are up, between commas; a new
  /// agent without any becomes the first of its cluster, so it is asked for only if `may_found`.
  /// Nothing if it is done, has failed, or must wait for contacts. Requires that the result of the
  /// one before was taken.
  std::optional<RemoteCommand> next(const std::string& contacts, bool may_found);
  /// The command that next() gave has ended so. The words of a host are not trusted: they are shown
  /// to people in one printable line at most.
  void take(const RemoteResult& result);

  /// Ends it from outside. A step that was under way may have changed the host: where that is so,
  /// what its agent does is unknown.
  void fail(std::string problem);

  HostPhase phase() const { return phase_; }
  /// The step that is under way or due.
  LaunchStep step() const { return step_; }
  const LaunchHost& host() const { return host_; }
  const HostReport& report() const { return report_; }

 private:
  /// True if the result is one of a busy ssh server, and the same step is worth another try.
  bool connects_again(const RemoteResult& result);
  /// The look has ended: decides by the verb what is missing.
  void take_probe(const RemoteFacts& facts);
  /// The words of a step that saw an agent about it.
  void take_agent(const RemoteFacts& facts);
  /// False, and the host has failed, if these programs cannot run there or have no room.
  bool check_machine(const RemoteFacts& facts);
  /// What follows the probe, by the verb.
  void plan_launch();
  void plan_upgrade();
  void plan_stop();
  /// What follows a step that went well.
  void advance();
  /// The step that follows once no program is missing; until then the next one that is.
  void after_programs();
  void go(LaunchStep step);
  /// Nothing is left to do: `agent` as in HostReport, `did` for people.
  void finish(std::string agent, std::string did);
  /// Adds to what was done, between commas.
  void note(std::string_view what);

  const LaunchTerms& terms_;
  LaunchHost host_;
  std::size_t index_;
  HostPhase phase_ = HostPhase::waiting;
  LaunchStep step_ = LaunchStep::probe;
  std::size_t program_ = 0;  ///< Of put_program.
  std::string have_;         ///< Programs that are there: " dunlin  dunlin-agent ".
  bool has_key_ = false;
  int refusals_ = 0;  ///< Connections that were closed at once.
  HostReport report_;
};

/// Why ssh could not do it, and the cure.
std::string ssh_problem(
    const RemoteResult& result, const std::string& host, std::chrono::seconds timeout);

/// "programs", "key", "start": the step for people.
std::string_view word_of(LaunchStep step);

}  // namespace dunlin::cli
