// SPDX-License-Identifier: MIT
#include "sched/logs/orphan_watch.h"

#include <string_view>
#include <utility>

#include "sched/logs/books_link.h"
#include "sched/logs/copied_jobs.h"
#include "sched/peer_parts.h"
#include "sched/replica/copy.h"

// Where the books do not answer silence alone shows it: whether they are lost or cut off no node
// can tell. A standby in sync takes the office by itself once they do. One that is not in their set
// never may, so where all of the set are gone an administrator has to know what it has.
namespace dunlin::sched::logs {
namespace {

/// A home takes no longer to come back from a restart, nor books to elect their next manager.
constexpr Duration kGone = std::chrono::seconds(20);
constexpr std::string_view kTakeOver = "dunlin node take-over";

}  // namespace

std::optional<OrphanCause> OrphanWatch::cause(
    Time now, const replica::Copy& copy, const BooksLink& books) const {
  if (copy.log().end() == 0 || !copy.entry().home.node.id) return std::nullopt;
  if (now - heard_ < kGone) return std::nullopt;
  if (now - books.answered() >= kGone) return OrphanCause::unheard;
  const replica::Set& set = copy.entry().set;
  return has(set, copy.self().replica) ? std::nullopt : set_.verdict(now, set);
}

void OrphanWatch::look(const PeerParts& parts,
    const Host& host,
    const replica::Copy& copy,
    const BooksLink& books,
    JobsLook& jobs) {
  const replica::LogFacts& facts = books.facts();
  const replica::Set& set = copy.entry().set;
  if (host.now - heard_ >= kGone / 2 && !has(set, copy.self().replica)) {
    for (const Endpoint& node : set_.look(host.now, parts.directory.get(), set)) {
      host.out.send(node, FindHome{.request = 0, .job = {}, .log = facts.log});
    }
  }
  const std::optional<OrphanCause> cause = this->cause(host.now, copy, books);
  if (std::exchange(told_, cause) == cause || !cause) return;
  const CopiedJobs& copied = jobs.jobs(host.now, copy.log());
  host.events.on(LogOrphaned{.log = facts.log,
      .origin = facts.origin,
      .home = copy.entry().home.node.id,
      .jobs = static_cast<std::uint32_t>(copied.numbers.size()),
      .last = copied.last(),
      .cause = *cause,
      .cure = kTakeOver});
}

}  // namespace dunlin::sched::logs
