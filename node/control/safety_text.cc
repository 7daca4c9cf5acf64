// SPDX-License-Identifier: MIT
#include "node/control/safety_text.h"

#include "node/control/agent_services.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

std::string text_of(const sched::logs::Shortfall& shortfall) {
  using sched::logs::Lack;
  const std::string of =
      std::to_string(shortfall.there) + " of " + std::to_string(shortfall.needed) + " ";
  switch (shortfall.lack) {
    case Lack::none:
      return "";
    case Lack::standbys:
      return of + "standbys on other machines have it";
    case Lack::cell:
      return "no cell keeps books of its standbys yet";
    case Lack::answer:
      return "the books of its cell do not answer";
    case Lack::keepers:
      return "the books of its cell would be lost with this machine: " + of +
          "machines that must keep them do";
    case Lack::word:
      return of + "standbys know where the books of its cell are";
  }
  return "";
}

}  // namespace

std::string safety_text(const AgentServices& agent, const sched::JobState& job) {
  const auto shortfall = sched::shortfall_of(agent.peer(), agent.now(), job.id());
  const std::string text = text_of(shortfall);
  if (text.empty()) return "";
  const auto never = sched::directory_of(agent.peer())
                         .why_never_safe(job.job().replicas_required, "required replica");
  return "it is not safe yet: " + text + (never ? "; " + *never : "");
}

std::string exposure_text(const AgentServices& agent, const sched::JobState& job) {
  if (job.job().replicas == 0 || job.finished()) return "";
  const auto shortfall = sched::exposure_of(agent.peer(), agent.now(), job);
  const std::string text = text_of(shortfall);
  if (text.empty()) return "";
  const auto never =
      sched::directory_of(agent.peer()).why_never_safe(job.job().replicas, "replica");
  return text + (never ? "; " + *never : "");
}

std::string waits_for_record(const AgentServices& agent, const RecordMark& mark) {
  const std::string& self = agent.peer().self().name;
  if (mark.commit > agent.recorded().on_disk) return "the disk of " + self + " to store it";
  return "the job's standbys to have what " + self + " has recorded";
}

}  // namespace dunlin::node
