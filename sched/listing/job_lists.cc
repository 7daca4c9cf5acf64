// SPDX-License-Identifier: MIT
#include "sched/listing/job_lists.h"

#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/frontend/frontend.h"
#include "sched/listing/listings.h"
#include "sched/logs/peer_logs.h"
#include "sched/overloaded.h"
#include "sched/peer_parts.h"
#include "sched/turn.h"

namespace dunlin::sched {
namespace {

std::vector<const JobState*> jobs_here(const PeerParts& parts) {
  std::vector<const JobState*> jobs;
  const auto add = [&](const Frontend& frontend) {
    for (const auto& [number, job] : frontend.jobs()) jobs.push_back(&job);
  };
  if (parts.frontend) add(*parts.frontend);
  if (parts.seldom.logs() == nullptr) return jobs;
  for (const Frontend* frontend : parts.seldom.logs()->parts().frontends()) add(*frontend);
  return jobs;
}

/// No job was ever driven here, as far as is known.
bool has_no_usage(const PeerParts& parts) {
  const bool took_jobs = parts.frontend && parts.frontend->table().last() > 0;
  return !parts.spec->has_usage && !took_jobs && parts.seldom.logs() == nullptr;
}

/// `turn` outlives what is returned.
ListingTurn listing_turn(const PeerParts& parts, Turn& turn) {
  return {.turn = turn,
      .self = parts.endpoint(),
      .cells = parts.cells.get(),
      .here = [&parts, now = turn.now](const JobFilter& filter) {
        NodeJobs told = jobs_of_node(parts.endpoint(), jobs_here(parts), filter);
        told.orphans =
            parts.seldom.logs() != nullptr && !parts.seldom.logs()->parts().orphans(now).empty();
        told.no_usage = has_no_usage(parts);
        return told;
      }};
}

}  // namespace

std::uint64_t JobLists::begin(const Host& host, const JobQuery& query) {
  Turn turn = PeerParts::turn(host);
  return parts_.seldom.ensure_listings().begin(listing_turn(parts_, turn), filter_of(query));
}

std::optional<ClusterJobs> JobLists::take(std::uint64_t number) {
  return parts_.seldom.listings() ? parts_.seldom.listings()->take(number) : std::nullopt;
}

void JobLists::drop(std::uint64_t number) {
  if (parts_.seldom.listings()) parts_.seldom.listings()->drop(number);
}

bool JobLists::receive(const Host& host, const Endpoint& from, const Message& message) {
  Turn turn = PeerParts::turn(host);
  const auto to_listings = [&](const auto& m) {
    parts_.seldom.ensure_listings().receive(listing_turn(parts_, turn), from, m);
    return true;
  };
  return std::visit(Overloaded{
                        [&](const ListJobs& m) { return to_listings(m); },
                        [&](const JobsListed& m) { return to_listings(m); },
                        [&](const NodesListed& m) { return to_listings(m); },
                        [](const auto&) { return false; },
                    },
      message);
}

void JobLists::wake(const Host& host) {
  if (!parts_.seldom.listings() || parts_.seldom.listings()->deadline() > host.now) return;
  Turn turn = PeerParts::turn(host);
  parts_.seldom.listings()->wake(listing_turn(parts_, turn));
}

}  // namespace dunlin::sched
