// SPDX-License-Identifier: MIT
#include "node/agent/troubles.h"

#include <chrono>
#include <utility>

#include "sched/peer_maintenance.h"

// Troubles that an operator should see to, each under its subject and gone when it is mended. They
// are told in three ways that must agree: a line in the log when one begins, a sentence among the
// node's facts, and what the scheduler concludes, such as that logs of jobs should move away.
namespace dunlin::node {
namespace {

constexpr overlay::Duration kFaultPeriod = std::chrono::seconds(1);

}  // namespace

void Troubles::set(const std::string& subject, std::string sentence) {
  if (sentence.empty()) {
    sentences_.erase(subject);
  } else {
    sentences_[subject] = std::move(sentence);
  }
  std::string all;
  // By subject, so that the same troubles always make the same text.
  for (const auto& [about, what] : sentences_) all += (all.empty() ? "" : ". ") + what;
  parts_.peer->maintenance().set_trouble(parts_.host(), all);
}

void Troubles::tell_damage() {
  SqliteStore& store = parts_.records->store();
  const auto& damage = store.damage().lines();
  if (damage_told_ == damage.size()) return;
  for (; damage_told_ < damage.size(); ++damage_told_) {
    parts_.log.say(overlay::Level::error, "row_damaged",
        {{"what", damage[damage_told_]}, {"database", store.path()}});
  }
  set("database",
      "its database is damaged: " + damage.front() +
          (damage.size() > 1 ? ", and more: see its log" : "") + "; check its disk");
}

void Troubles::tell_failing_disk() {
  const std::string& error = parts_.records->error();
  if (error == failing_told_) return;
  failing_told_ = error;
  set("disk", error.empty() ? "" : "its records cannot be stored: " + error);
  parts_.peer->maintenance().set_disk(parts_.host(), !error.empty());
}

void Troubles::tell_stuck() {
  const std::size_t stuck = parts_.executor->stuck();
  if (std::exchange(stuck_told_, stuck) == stuck) return;
  set("slots",
      stuck == 0 ? ""
                 : std::to_string(stuck) +
              " of its slots are stuck: processes in them survive SIGKILL; "
              "check the file systems that its log names");
}

void Troubles::tell_socket(const Result<bool>& restored) {
  if (restored && *restored) {
    parts_.log.say(overlay::Level::warn, "socket_made_again",
        {{"socket", parts_.configuration.agent.socket},
            {"why", "somebody removed it; a cleaner of temporary files must spare it"}});
  }
  const std::string why = restored ? "" : restored.error().text;
  if (std::exchange(socket_told_, why) == why) return;
  if (!why.empty()) parts_.log.say(overlay::Level::error, "socket_gone", {{"error", why}});
  set("socket", why.empty() ? "" : "its socket is gone, and cannot be made again: " + why);
}

void Troubles::tell_fault(std::string_view user, std::string_view verb, std::string_view fault) {
  ++parts_.metrics.requests_failed;
  if (parts_.now() < fault_told_ + kFaultPeriod) return;
  fault_told_ = parts_.now();
  parts_.log.say(overlay::Level::error, "request_failed",
      {{"verb", std::string(verb)}, {"user", std::string(user)}, {"fault", std::string(fault)},
          {"so_far", std::to_string(parts_.metrics.requests_failed)}});
}

}  // namespace dunlin::node
