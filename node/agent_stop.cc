// SPDX-License-Identifier: MIT
#include "node/agent.h"
#include "node/loop/notify.h"
#include "sched/cell/cell_node.h"
#include "sched/peer_view.h"
#include "sched/raft/raft_check.h"

// How an agent ends, and what it may be told before.
namespace dunlin::node {

using overlay::Level;

bool Agent::idle() const {
  const sched::Worker* worker = peer_->worker();
  if (worker == nullptr) return executor_->running() == 0;
  return executor_->running() == 0 && worker->running().empty() && worker->asking().empty() &&
      worker->outbox().items().empty();
}

// Tasks first: meanwhile others take over most of what this node does for its cells.
bool Agent::may_stop() {
  if (!idle() && now() < stop_at_) return false;
  if (peer_->departed(now())) return true;
  if (leave_at_ == overlay::kNever) leave_at_ = now() + configuration_.agent.leave_deadline;
  if (now() < leave_at_) return false;
  std::string left;
  for (const sched::CellId cell : peer_->cells()->left_behind(now())) {
    left += (left.empty() ? "" : " ") + sched::hex_text(cell);
  }
  log_.say(Level::warn, "left_in_haste",
      {{"waited", overlay::to_string(configuration_.agent.leave_deadline)},
          {"books_not_handed_over", left.empty() ? "none" : left},
          {"cure",
              left.empty() ? "its cell notices within a lease"
                           : "start this node again before its disk is given up"}});
  return true;
}

void Agent::drain_and_stop() {
  if (stop_at_ != overlay::kNever) return stop();
  stop_at_ = now() + configuration_.agent.drain_deadline;
  log_.say(Level::info, "stopping",
      {{"running", std::to_string(sched::running_of(*peer_))},
          {"at_most", overlay::to_string(configuration_.agent.drain_deadline)}});
  notify_service_manager("STOPPING=1");
  peer_->depart(host());
}

void Agent::stop() {
  if (std::exchange(stopped_, true)) return;
  peer_->leave(host());
  commit();
  release();
  transport_->flush();
  control_->close();
  transport_->close();
  uv_prepare_stop(settle_.get());
  settle_.reset();
  wakeup_.reset();
  housekeeping_.reset();
  control_.reset();
  output_service_.reset();
  executor_.reset();
  log_.say(durable() ? Level::info : Level::error, "stopped",
      {{"stored", durable() ? "all" : store_error_}});
}

void Agent::reload() {
  const auto keyring = Keyring::load(configuration_.agent.key_file);
  if (!keyring) {
    log_.say(Level::error, "reload_failed", {{"error", keyring.error().text}});
    return;
  }
  if (keyring->cluster() != keyring_->cluster()) {
    log_.say(Level::error, "reload_failed", {{"error", "the key file names another cluster"}});
    return;
  }
  keyring_ = *keyring;
  transport_->rotate(*keyring_);
  log_.say(Level::info, "keys_reloaded", {{"keys", std::to_string(keyring_->keys().size())}});
}

}  // namespace dunlin::node
