// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "node/control/control_handlers.h"
#include "node/control/stopping.h"
#include "node/ids.h"
#include "sched/peer_view.h"

// That a job is not driven here means two things to another agent: look elsewhere (a standby may
// have taken it over), or look no further, since this node never gave that number.
namespace dunlin::node {

Result<overlay::PeerId> origin_of(const AgentServices& agent, Args& args) {
  const std::string text = args.text("origin", 16);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (text.empty()) return agent.id();
  std::uint64_t id = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, id, 16);
  if (read.ec != std::errc{} || read.ptr != end) {
    return failure(ErrorKind::usage, "'origin' must be the id of a node, in hexadecimal digits");
  }
  return overlay::PeerId{id};
}

Error no_job(const AgentServices& agent, overlay::PeerId origin, std::uint32_t number) {
  if (origin != agent.id()) {
    return {ErrorKind::elsewhere,
        "node " + agent.peer().self().name + " does not drive job " + std::to_string(number) +
            " of " + agent.name_of(origin)};
  }
  std::string text = "node " + agent.peer().self().name + " has no job " + std::to_string(number) +
      "; `dunlin jobs --all` lists those of the cluster";
  if (sched::never_gave(agent.peer(), number)) return never_given(std::move(text));
  return {ErrorKind::not_found, std::move(text)};
}

Result<const sched::JobState*> find_job(const AgentServices& agent, Args& args) {
  const auto number = static_cast<std::uint32_t>(args.number("number", 1, UINT32_MAX));
  const std::string lineage = args.text("lineage", 16);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  const auto origin = origin_of(agent, args);
  if (!origin) return tl::unexpected(origin.error());
  const sched::JobState* const job = sched::find_job(agent.peer(), *origin, number);
  if (job == nullptr) return tl::unexpected(no_job(agent, *origin, number));
  if (!lineage.empty() && lineage != lineage_text(job->id())) {
    return failure(ErrorKind::not_found,
        "job " + std::to_string(number) + " of " + agent.name_of(*origin) +
            " is another one than you mean: it is of lineage " + lineage_text(job->id()));
  }
  return job;
}

}  // namespace dunlin::node
