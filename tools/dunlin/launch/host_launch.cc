// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/host_launch.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tools/dunlin/screen/text.h"

// Each way begins with a look at the host, and what follows depends on what is there and on nothing
// that was remembered. So a launch that is said again, or was killed half-way, does what is missing
// and no more.
namespace dunlin::cli {
namespace {

/// The status of ssh for troubles of its own; scripts of ours that fail end with 1.
constexpr int kSshFailed = 255;
/// A busy sshd refuses some of many connections (MaxStartups).
constexpr int kRefusalsMax = 3;
constexpr std::chrono::milliseconds kRefusalPause{500};
/// Hosts whose numbers differ by less come back at different moments, or they would all be refused
/// together once more.
constexpr std::size_t kPausesMixed = 7;
/// Room beside the programs that an agent needs to begin.
constexpr std::uint64_t kRoomKib = 64 * 1024;
/// A line of the report: what a host prints is a stranger's, and may be long.
constexpr std::size_t kProblemBytesMax = 300;

/// The step's text about `word`; empty: nothing.
std::string fact_of(const RemoteFacts& facts, std::string_view word) {
  const auto found = facts.find(word);
  return found == facts.end() ? "" : found->second;
}

/// ssh tells its troubles by sentences alone: its status is 255 for all of them.
bool says(const RemoteResult& result, std::string_view text) {
  return result.err.find(text) != std::string::npos;
}

/// The line nearest to the end is the cause: what stands above it is banners and warnings.
std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  text.remove_prefix(text.rfind('\n') + 1);  // npos + 1 is 0.
  return printable(text.substr(0, kProblemBytesMax));
}

/// True if the host answered, and closed the connection before it was one.
bool was_refused(const RemoteResult& result) {
  return result.status == kSshFailed && !result.timed_out &&
      (says(result, "kex_exchange_identification") || says(result, "Connection reset") ||
          says(result, "Connection closed by") || says(result, "closed by remote host"));
}

/// In KiB, as df counts.
std::uint64_t kibibytes_of(const LaunchPrograms& programs) {
  std::uint64_t bytes = 0;
  for (const LaunchProgram& file : programs.files) bytes += file.bytes.size();
  return bytes / 1024;
}

}  // namespace

std::string_view word_of(LaunchStep step) {
  switch (step) {
    case LaunchStep::probe:
      return "look";
    case LaunchStep::put_program:
      return "programs";
    case LaunchStep::put_key:
      return "key";
    case LaunchStep::start:
      return "start";
    case LaunchStep::restart:
      return "restart";
    case LaunchStep::stop:
      return "stop";
    case LaunchStep::remove:
      return "remove";
  }
  return "";
}

// Each text says what to do, since the sentences of ssh do not.
std::string ssh_problem(
    const RemoteResult& result, const std::string& host, std::chrono::seconds timeout) {
  const std::string seconds = std::to_string(timeout.count()) + " s";
  // The order matters: ssh says "Host key verification failed" of a changed key, too.
  if (says(result, "REMOTE HOST IDENTIFICATION HAS CHANGED")) {
    return "its host key is not the one that is known: somebody may stand between; if the machine "
           "was made anew, ssh-keygen -R takes the old key out of known_hosts";
  }
  if (says(result, "Host key verification failed") || says(result, "host key is known")) {
    return "its host key is not known: connect once by hand (ssh " + host +
        "), and compare the fingerprint";
  }
  if (says(result, "Permission denied")) {
    return "it lets nobody in with the keys of this account: ssh-copy-id " + host +
        ", or ssh-add a key that it knows";
  }
  if (says(result, "Could not resolve hostname")) {
    return "no such name: " + last_line(result.err);
  }
  if (says(result, "Connection refused")) return "no ssh server listens there";
  if (result.timed_out || says(result, "timed out")) return "it does not answer within " + seconds;
  if (was_refused(result)) {
    return "its ssh server closes the connection: MaxStartups in its sshd_config, or a ban";
  }
  const std::string line = last_line(result.err);
  return line.empty() ? "ssh failed and does not say why: ssh -v " + host : "ssh: " + line;
}

HostLaunch::HostLaunch(const LaunchTerms& terms, LaunchHost host, std::size_t index)
    : terms_(terms),
      host_(std::move(host)),
      index_(index) {}

std::optional<RemoteCommand> HostLaunch::next(const std::string& contacts, bool may_found) {
  if (phase_ == HostPhase::done || phase_ == HostPhase::failed) return std::nullopt;
  // All that can be prepared is, before it waits: one word of a contact is then enough to start.
  if (step_ == LaunchStep::start && contacts.empty() && !may_found) {
    phase_ = HostPhase::seedless;
    return std::nullopt;
  }
  phase_ = HostPhase::at_work;
  RemoteCommand command{.step = step_, .script = {}, .payload = {}, .delay = {}};
  command.script = remote_script(step_, terms_, host_, program_, contacts);
  if (step_ == LaunchStep::put_program) command.payload = terms_.programs.files[program_].bytes;
  if (step_ == LaunchStep::put_key) command.payload = terms_.key;
  if (refusals_ > 0) {
    command.delay =
        kRefusalPause * refusals_ + kRefusalPause * (index_ % kPausesMixed) / kPausesMixed;
  }
  return command;
}

void HostLaunch::take(const RemoteResult& result) {
  // The step has not begun, so it may be said again as it is.
  if (connects_again(result)) return;
  RemoteFacts facts = read_facts(result.out);
  // The script's own reason comes first: it names the cure, and its status is but 1.
  if (const std::string told = fact_of(facts, "fail"); !told.empty()) return fail(told);
  // A probe that takes too long is a host that does not answer; a later step had an answer once.
  if (result.timed_out && step_ != LaunchStep::probe) {
    return fail("the step '" + std::string(word_of(step_)) + "' took more than " +
        std::to_string(terms_.timeout.count()) + " s");
  }
  if (result.timed_out || result.status == kSshFailed) {
    return fail(ssh_problem(result, host_.text(), terms_.timeout));
  }
  if (result.status != 0) {
    return fail("the step '" + std::string(word_of(step_)) + "' ended with status " +
        std::to_string(result.status) + ": " + last_line(result.err));
  }
  if (step_ == LaunchStep::probe) return take_probe(facts);
  if (step_ == LaunchStep::start || step_ == LaunchStep::restart) take_agent(facts);
  advance();
}

bool HostLaunch::connects_again(const RemoteResult& result) {
  if (!was_refused(result) || refusals_ == kRefusalsMax) return false;
  ++refusals_;
  return true;
}

void HostLaunch::fail(std::string problem) {
  // What a step began and did not end is not known.
  const bool changes = step_ == LaunchStep::start || step_ == LaunchStep::restart ||
      step_ == LaunchStep::stop || step_ == LaunchStep::remove;
  if (changes) report_.agent.clear();
  phase_ = HostPhase::failed;
  report_.problem = std::move(problem);
}

void HostLaunch::take_agent(const RemoteFacts& facts) {
  report_.address = fact_of(facts, "address");
  report_.name = fact_of(facts, "name");
  report_.version = fact_of(facts, "version");
  report_.programs = fact_of(facts, "running");
  report_.tasks = fact_of(facts, "tasks");
}

void HostLaunch::take_probe(const RemoteFacts& facts) {
  const std::string agent = fact_of(facts, "agent");
  host_.directory = report_.directory = fact_of(facts, "dir");
  if (agent.empty()) return fail("it does not answer as sh does: is its login shell a shell?");
  take_agent(facts);
  have_ = fact_of(facts, "have");
  has_key_ = fact_of(facts, "key") == "there";
  // No agent, but a key: one of this cluster lived here.
  report_.agent = agent == "none" && has_key_ ? "down" : agent;
  if (terms_.verb == LaunchVerb::status) return finish(report_.agent, "");
  const bool sends = terms_.verb == LaunchVerb::launch || terms_.verb == LaunchVerb::upgrade;
  if (sends && !check_machine(facts)) return;
  if (terms_.verb == LaunchVerb::launch) return plan_launch();
  if (terms_.verb == LaunchVerb::upgrade) return plan_upgrade();
  plan_stop();
}

bool HostLaunch::check_machine(const RemoteFacts& facts) {
  const std::string arch = fact_of(facts, "arch");
  if (arch != terms_.programs.arch) {
    fail("it is " + arch + ", and these programs are for " + terms_.programs.arch +
        ": build there, and name the folder of what was built with --programs");
    return false;
  }
  const std::string free = fact_of(facts, "free");
  std::uint64_t kib = 0;
  const auto read = std::from_chars(free.data(), free.data() + free.size(), kib);
  const std::uint64_t wanted = kibibytes_of(terms_.programs) + kRoomKib;
  const bool runs = report_.agent == "up" || report_.agent == "mute";
  if (read.ec == std::errc{} && kib < wanted && !(runs && terms_.verb == LaunchVerb::launch)) {
    fail("the disk of " + report_.directory + " is full: " + bytes_text(kib * 1024) +
        " are free, and " + bytes_text(wanted * 1024) + " needed");
    return false;
  }
  return true;
}

void HostLaunch::plan_launch() {
  if (report_.agent == "up") return finish("up", "nothing to do");
  if (report_.agent == "mute") {
    return fail("an agent runs there and does not answer: look at " + report_.directory +
        "/agent.log, or say dunlin launch --stop");
  }
  // Only the desk that founded the cluster, or was given the key, has it.
  if (terms_.key.empty() && !has_key_) {
    return fail("it lacks the key, and so does this desk: copy it from " + terms_.key_file +
        " of another desk, or from cluster.key in the directory of a host that has it");
  }
  after_programs();
}

void HostLaunch::plan_upgrade() {
  if (report_.agent != "up") {
    return fail("no agent that answers runs there: dunlin launch starts what is missing");
  }
  // Said again after an upgrade that stopped half-way, it passes over those that have gone on.
  if (report_.programs == terms_.programs.hash) return finish("up", "nothing to do");
  after_programs();
}

void HostLaunch::plan_stop() {
  const bool runs = report_.agent == "up" || report_.agent == "mute";
  const bool removes = terms_.verb == LaunchVerb::remove;
  if (terms_.dry_run) {
    note(runs ? "would stop" : "");
    if (removes) note("would remove " + report_.directory);
    return finish(report_.agent, report_.did.empty() ? "nothing to do" : report_.did);
  }
  if (runs) return go(LaunchStep::stop);
  if (removes) return go(LaunchStep::remove);
  finish(report_.agent, "nothing to do");
}

/// Puts the next program that is missing; then comes the key, or the restart.
void HostLaunch::after_programs() {
  const auto& files = terms_.programs.files;
  if (terms_.dry_run) {
    const bool all = std::ranges::all_of(files,
        [&](const LaunchProgram& file) { return have_.find(" " + file.name + " ") != have_.npos; });
    if (!all) note("would send the programs");
    note(terms_.verb == LaunchVerb::upgrade ? "would restart" : "would start");
    return finish(report_.agent, report_.did);
  }
  for (program_ = 0; program_ < files.size(); ++program_) {
    if (have_.find(" " + files[program_].name + " ") == have_.npos) {
      return go(LaunchStep::put_program);
    }
  }
  if (terms_.verb == LaunchVerb::upgrade) return go(LaunchStep::restart);
  // Also where there is one: another key would make another cluster of this host.
  go(terms_.key.empty() ? LaunchStep::start : LaunchStep::put_key);
}

void HostLaunch::advance() {
  switch (step_) {
    case LaunchStep::put_program:
      // A program that arrived is not asked for again: the script has compared the sum.
      have_ += " " + terms_.programs.files[program_].name + " ";
      if (report_.did.empty()) note("programs sent");
      return after_programs();
    case LaunchStep::put_key:
      return go(LaunchStep::start);
    case LaunchStep::start:
      note("started");
      return finish("up", report_.did);
    case LaunchStep::restart:
      note("restarted");
      return finish("up", report_.did);
    case LaunchStep::stop:
      note("stopped");
      if (terms_.verb == LaunchVerb::remove) return go(LaunchStep::remove);
      return finish("down", report_.did);
    case LaunchStep::remove:
      note("removed");
      return finish("removed", report_.did);
    case LaunchStep::probe:
      break;
  }
}

// Refusals count by step: each may meet a busy server of its own.
void HostLaunch::go(LaunchStep step) {
  step_ = step;
  refusals_ = 0;
}

void HostLaunch::finish(std::string agent, std::string did) {
  phase_ = HostPhase::done;
  report_.agent = std::move(agent);
  report_.did = std::move(did);
}

void HostLaunch::note(std::string_view what) {
  if (what.empty()) return;
  report_.did += (report_.did.empty() ? "" : ", ") + std::string(what);
}

}  // namespace dunlin::cli
