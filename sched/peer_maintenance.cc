// SPDX-License-Identifier: MIT
#include "sched/peer_maintenance.h"

#include <utility>

#include "sched/cell/cell_node.h"
#include "sched/directory/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/logs/peer_logs.h"
#include "sched/node_spec.h"
#include "sched/peer_parts.h"
#include "sched/peer_sharing.h"
#include "sched/surroundings.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

// Each of these changes more than one part of the node: the worker does it, and gossip, the
// directory or the node's cells must know.
namespace dunlin::sched {

void Maintenance::drain(const Host& host, bool on) {
  Turn turn = PeerParts::turn(host);
  parts_.ensure_worker().drain(turn, parts_.around(host.now), on);
  Sharing(parts_).drain(host, on);
  if (parts_.seldom.logs()) parts_.seldom.logs()->hurry(host.now);
  parts_.publish(host);
}

void Maintenance::set_drain(const Host& host, const std::optional<DrainTerms>& terms) {
  NodeSpec spec = *parts_.spec;
  const bool says_more = !terms || !spec.drain || !terms->reason.empty() || terms->until != 0;
  if (says_more && spec.drain != terms) {
    spec.drain = terms;
    host.store.put_drain(terms);
    parts_.spec = std::move(spec);
    parts_.update_self(host);
  }
  drain(host, terms.has_value());
}

void Maintenance::depart(const Host& host) {
  drain(host, true);
  Sharing(parts_).depart(host);
}

void Maintenance::pause(const Host& host) {
  Turn turn = PeerParts::turn(host);
  parts_.ensure_worker().pause(turn, parts_.around(host.now));
  parts_.publish(host);
}

void Maintenance::set_use(const Host& host, const Measured& measured) {
  Turn turn = PeerParts::turn(host);
  parts_.ensure_worker().on_measured(turn, measured);
  parts_.publish(host);
}

void Maintenance::raise(const Host& host, std::uint32_t incarnation) {
  ensure(incarnation > parts_.overlay.self().incarnation, "an incarnation that is not later");
  parts_.overlay.raise(incarnation);
  parts_.update_self(host);
  if (!parts_.worker) return;
  Turn turn = PeerParts::turn(host);
  parts_.worker->raise(turn, incarnation);
}

void Maintenance::set_trouble(const Host& host, std::string_view trouble) {
  NodeSpec spec = *parts_.spec;
  spec.trouble = trouble.substr(0, Facts::kTroubleMax);
  parts_.spec = std::move(spec);
  parts_.update_self(host);
}

void Maintenance::set_disk(const Host& host, bool fails) {
  if (parts_.spec->disk_fails == fails) return;
  NodeSpec spec = *parts_.spec;
  spec.disk_fails = fails;
  parts_.spec = std::move(spec);
  if (parts_.seldom.logs()) parts_.seldom.logs()->hurry(host.now);
}

void Maintenance::note_usage() {
  NodeSpec spec = *parts_.spec;
  spec.has_usage = true;
  parts_.spec = std::move(spec);
}

Result<void> Maintenance::take_over(const Host& host, const JobId& job) {
  return parts_.seldom.ensure_logs().lose(parts_, host, job);
}

void Maintenance::set_health(const Host& host, std::string_view why_sick) {
  parts_.on_verdict(host, HealthJudge::operators, why_sick);
}

void Maintenance::set_room(const Host& host, std::string_view why_sick) {
  parts_.on_verdict(host, HealthJudge::disk, why_sick);
}

}  // namespace dunlin::sched
