// SPDX-License-Identifier: MIT
#include "node/client/engine.h"

#include <algorithm>
#include <utility>

#include "node/client/frames.h"
#include "node/client/include/dunlin.h"

// The agent may die at any moment. What the library asked for stays in lists of its own until it is
// answered, and is said again on the next connection: a submit by its key to the node that may have
// it, a subscription with what was told, an output from where it was read to.
namespace dunlin::client {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBackoffMin{50};
constexpr milliseconds kBackoffMax{2000};
/// A submit goes to one node until it is told whether that has it, so the first answer counts.
constexpr const char* kLost = "the connection to the agent broke; whether it was done is not known";

}  // namespace

Engine::Engine(std::size_t addresses, std::function<double()> jitter, int protocol)
    : addresses_(addresses),
      jitter_(std::move(jitter)),
      protocol_(protocol),
      problem_{DUNLIN_IO, "no agent has answered yet"},
      submits_(
          [this](const JobPtr& job) {
            if (job->handles > 0) following_.add(job);
            changed_.push_back(job);
          },
          [this](const JobPtr& job) { changed_.push_back(job); }),
      following_([this](const JobPtr& job) { changed_.push_back(job); }) {}

void Engine::submit(const JobPtr& job, const Problem& problem) {
  job->number = ++submitted_;
  if (problem.status == DUNLIN_OK) return submits_.add(job);
  job->phase = Job::Phase::failed;
  job->problem = problem;
  changed_.push_back(job);
}

void Engine::on_connected(Time now) {
  state_ = State::greeting;
  heard_at_ = now;
  asked_for_sign_ = false;
  const std::string version = std::to_string(protocol_);
  agent_.ask("hello", "\"newest\":" + version, [this](const Reply& reply) { greet(reply); });
}

void Engine::greet(const Reply& reply) {
  if (reply.problem.status == DUNLIN_LOST) return;
  if (!reply.failed()) {
    state_ = State::ready;
    node_ = text_of(reply.ok, "node");
    agent_.set_requests_max(number_of<std::uint32_t>(reply.ok, "requests_max"));
    problem_ = {};
    failures_ = strangers_ = 0;
    return;
  }
  // An agent that knows no `hello` calls it a wrong request.
  const bool old = reply.problem.status == DUNLIN_USAGE;
  problem_ = {DUNLIN_MISMATCH,
      old ? "the agent is older than this library: it does not know the request 'hello'"
          : reply.problem.text};
  // One agent of another version may be in the midst of an upgrade, with others beside it: only if
  // all addresses say so is it for good.
  for_good_ = ++strangers_ >= addresses_;
  end_ = true;
}

void Engine::on_lost(Time now, const std::string& why) {
  state_ = State::apart;
  end_ = false;
  // The better reason is kept: the connection ended because of it.
  if (problem_.status != DUNLIN_MISMATCH) problem_ = {DUNLIN_IO, why};
  // Said by an agent that has no room: there is no use in coming sooner.
  const milliseconds wanted = pause_of(agent_.parting().problem);
  agent_.lose({DUNLIN_LOST, kLost});
  // After lose(), whose handlers may still have something to do with the old lists.
  following_.reset();
  address_ = (address_ + 1) % addresses_;
  // The first try of all addresses is at once; then clients of one agent come back one by one.
  const unsigned rounds = failures_++ / static_cast<unsigned>(addresses_);
  const milliseconds pause = std::min(kBackoffMax, kBackoffMin * (1 << std::min(rounds, 6u)));
  const bool at_once = failures_ < addresses_;
  // Thousands of clients lose an agent at the same moment.
  const double part = 0.5 + jitter_() / 2;
  const milliseconds drawn{static_cast<int>(static_cast<double>(pause.count()) * part)};
  connect_at_ = now + (at_once ? milliseconds{0} : std::max(drawn, wanted));
}

bool Engine::hear(Time now, Json message) {
  heard_at_ = now;
  asked_for_sign_ = false;
  return agent_.hear(std::move(message));
}

bool Engine::advance(Time now) {
  later_.advance(now);
  if (for_good_) fail_all();
  if (state_ == State::greeting && addresses_ > 1 && now - heard_at_ >= kGreetingMax) end_ = true;
  if (state_ != State::ready) return end_;
  // Silence matters only where there is another agent to go to. A request that stops nothing is
  // answered by any agent, and costs it nothing.
  if (addresses_ > 1 && now - heard_at_ >= kSilenceMax) {
    end_ = true;
  } else if (addresses_ > 1 && now - heard_at_ >= kSilenceMax / 2 && !asked_for_sign_) {
    asked_for_sign_ = true;
    agent_.ask("stop", "", [](const Reply&) {});
  }
  run_commands();
  submits_.advance(agent_, node_, later_);
  following_.advance(agent_, later_);
  outputs_.advance(agent_, later_);
  inputs_.advance(agent_);
  queries_.advance(agent_, later_);
  return end_;
}

Time Engine::due() const {
  Time due = later_.due();
  if (state_ == State::apart) return std::min(due, connect_at_);
  if (addresses_ == 1) return due;
  const auto patience = state_ == State::greeting ? kGreetingMax
      : asked_for_sign_                           ? kSilenceMax
                                                  : kSilenceMax / 2;
  return std::min(due, heard_at_ + patience);
}

void Engine::fail_all() {
  submits_.fail_all(problem_);
  following_.fail_all(problem_);
  inputs_.fail_all(problem_);
  queries_.fail_all(problem_);
  for (const auto& command : std::exchange(commands_, {})) {
    command->problem = problem_;
    command->done = true;
  }
  outputs_.fail_all(problem_);
}

JobPtr Engine::find(const std::string& id, bool results) {
  JobPtr job = following_.find(id);
  if (job != nullptr && (job->wants_results || !results)) return job;
  if (job == nullptr) {
    job = std::make_shared<Job>();
    job->phase = Job::Phase::known;
    job->id = id;
    job->state = "unknown";
  }
  job->wants_results = results;
  following_.add(job);
  return job;
}

void Engine::run_commands() {
  for (auto& command : std::exchange(commands_, {})) run(command);
}

void Engine::run(const std::shared_ptr<Command>& command) {
  const JobPtr job = command->job;
  const bool cancels = command->verb == "cancel";
  // Not sent yet: it can be taken back with certainty, without the agent.
  if (job->phase == Job::Phase::queued && cancels && submits_.take_back(job)) {
    job->phase = Job::Phase::failed;
    job->problem = {DUNLIN_REFUSED, "the job was cancelled before it was submitted"};
    changed_.push_back(job);
    command->done = true;
    return;
  }
  // No agent has it, so there is none to ask.
  if (job->id.empty() && job->phase == Job::Phase::failed) {
    command->problem = job->problem;
    command->done = true;
    return;
  }
  // Back to the list: advance() tries it again. Without an id there is nothing to name to the
  // agent.
  if (job->id.empty() || !agent_.has_room()) {
    commands_.push_back(command);
    return;
  }
  std::string members = "\"job\":" + json_text(job->id) + command->members;
  if (!job->lineage.empty()) members += ",\"lineage\":" + json_text(job->lineage);
  agent_.ask(command->verb, members, [this, command, job, cancels](const Reply& reply) {
    // To cancel twice is to cancel once; to retry twice may run tasks twice, so the program must
    // look.
    if (reply.problem.status == DUNLIN_LOST && cancels) return commands_.push_back(command);
    // An agent that is busy did nothing, so that nothing can be done twice.
    if (may_try_again(reply.problem, later_.now(), command->busy_at)) {
      return later_.in(pause_of(reply.problem), [this, command] { commands_.push_back(command); });
    }
    command->problem = reply.problem;
    command->count = number_of<std::uint32_t>(reply.ok, cancels ? "cancelled" : "retried");
    command->done = true;
    if (cancels || reply.failed() || command->count == 0) return;
    // It has not ended any more, and its tasks that run again have new results to tell.
    job->phase = Job::Phase::known;
    job->state = "running";
    job->retried = true;
    following_.add(job);
  });
}

}  // namespace dunlin::client
