// SPDX-License-Identifier: MIT
#include "sched/logs/part_view.h"

#include "sched/logs/held_office.h"
#include "sched/logs/log_wire.h"
#include "sched/peer_parts.h"

namespace dunlin::sched::logs {

Message home_is(const LogPart& part, std::uint64_t request) {
  return to_wire(part.facts(), part.copy().entry(), request);
}

bool may_tell(const LogPart& part, std::uint64_t position) {
  const replica::Home* const home = part.copy().home();
  return home != nullptr && home->gate() >= position;
}

Time frontend_deadline(const LogPart& part) {
  const Frontend* const frontend = part.frontend();
  return frontend != nullptr && !part.is_handing_over() ? frontend->deadline() : kNever;
}

bool waits_for_standbys(const LogPart& part, const Site& site, Time now, const JobId& job) {
  const replica::Home* const home = part.copy().home();
  const LogTurn::Submit* const submit = part.untold(job);
  if (home == nullptr || submit == nullptr) return false;
  return !home->has_required() || part.shortfall(site, now, submit->required).lack != Lack::none;
}

Shortfall shortfall_of(const LogPart& part, const Site& site, Time now, const JobId& job) {
  const LogTurn::Submit* const submit = part.untold(job);
  return submit == nullptr ? Shortfall{} : part.shortfall(site, now, submit->required);
}

// Another node may drive the job, and it is not sure then that this node's copy has the last word:
// such a key says no number of tasks, so that a client which says it again is told to ask there.
std::vector<SpentKey> keys_of(const LogPart& part, const PeerParts& parts, Time now) {
  const bool drives = part.frontend() != nullptr;
  std::vector<SpentKey> keys;
  if (!drives && part.facts().origin != parts.endpoint().id) return keys;
  for (const auto& [key, said] : submissions_of(copies_of(part.copy().log()))) {
    keys.push_back(spent_key(key, said, now));
    if (!drives && !part.moved().is_sure()) keys.back().tasks = 0;
  }
  return keys;
}

bool may_be_taken_over(const LogPart& part) {
  const replica::Home* const home = part.copy().home();
  return home != nullptr && home->office().set.size() > 1 && part.books().opened() &&
      part.books().voters() >= kVotersSafe;
}

bool may_leave(const LogPart& part, Time now) {
  const replica::Home* const home = part.copy().home();
  if (part.end().is_over()) return true;
  if (home == nullptr) return !has(part.copy().entry().set, part.copy().self().replica);
  return !part.books().opened() || !home->may_have_successor(now);
}

}  // namespace dunlin::sched::logs
