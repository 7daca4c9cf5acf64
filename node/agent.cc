// SPDX-License-Identifier: MIT
#include "node/agent.h"

#include <filesystem>

#include "node/codec.h"
#include "node/control/cell_answer.h"
#include "overlay/codec.h"
#include "sched/cell/cell_node.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

using overlay::Level;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr overlay::Duration kHousekeeping = seconds(1);
constexpr overlay::Duration kLonelyReminder = minutes(1);
/// A peer whose deadlines do not get on must not hold up the loop.
constexpr int kWakesPerTurn = 16;
/// Of other agents, about cells: an answer takes some reckoning.
constexpr std::uint32_t kQuestionsPerSecond = 200;

}  // namespace

Agent::Agent(uv_loop_t& loop, Configuration configuration)
    : loop_(loop),
      configuration_(std::move(configuration)),
      log_(configuration_.agent.log_level, configuration_.agent.log_format, metrics_),
      started_(node::now(loop)) {
  uv_prepare_init(&loop_, settle_.get());
  settle_->data = this;
}

Agent::~Agent() {
  if (!stopped_ && transport_ != nullptr) transport_->close();
}

sched::Host Agent::host() {
  return {.now = now(),
      .rng = *rng_,
      .gossip = *this,
      .out = *this,
      .events = log_,
      .store = *this,
      .executor = *executor_,
      .cells = *this,
      .books = store_->raft()};
}

void Agent::receive(const overlay::Endpoint& from, Layer layer, std::span<const std::byte> bytes) {
  if (stopped_) return;
  switch (layer) {
    case Layer::overlay:
      if (const auto message = overlay::decode(bytes))
        return peer_->receive(host(), from, *message);
      break;
    case Layer::sched:
      if (const auto message = sched::decode(bytes)) {
        if (const auto* reply = std::get_if<sched::DrainReply>(&*message)) {
          return control_->on_drain_reply(from.id, *reply);
        }
        return peer_->receive(host(), from, *message);
      }
      break;
    case Layer::cell:
      if (const auto message = sched::cell::decode(bytes)) {
        ++metrics_.cell_messages_received;
        return peer_->receive(host(), from, *message);
      }
      ++metrics_.cell_messages_malformed;
      break;
    case Layer::node:
      if (const auto message = node::decode(bytes)) return receive(from, *message);
      break;
  }
  ++metrics_.malformed;
}

void Agent::receive(const overlay::Endpoint& from, const Message& message) {
  std::visit([&](const auto& kind) { on_message(from, kind); }, message);
}

void Agent::on_message(const overlay::Endpoint& from, const CellQuestion& question) {
  if (!questions_.take(now(), kQuestionsPerSecond)) {
    ++metrics_.cell_questions_dropped;
    return;
  }
  ++metrics_.cell_questions;
  send(from, answer_to(question, peer_->cells(), configuration_.peer.sharing.cell, now()));
}

void Agent::on_message(const overlay::Endpoint& from, const CellAnswer& answer) {
  if (!control_->on_cell_answer(from.id, answer)) ++metrics_.cell_answers_dropped;
}

void Agent::on_message(const overlay::Endpoint& from, const WriteOff& asked) {
  const auto done = write_off(asked.cell, asked.lost, asked.reissue);
  const std::string refusal = done ? std::string() : done.error().text;
  send(from,
      WriteOffAnswer{
          .request = asked.request, .refusal = refusal.substr(0, WriteOffAnswer::kRefusalMax)});
}

void Agent::on_message(const overlay::Endpoint& from, const WriteOffAnswer& answer) {
  if (!control_->on_write_off_answer(from.id, answer)) ++metrics_.cell_answers_dropped;
}

void Agent::send(const overlay::Endpoint& to, const overlay::Message& message) {
  free_.add(to, Layer::overlay, [&](std::string& out) { overlay::encode(message, out); });
}

void Agent::send(const overlay::Endpoint& to, const sched::Message& message) {
  // A reservation names no task: if its job is lost with its record, whoever asks gets nothing.
  Outgoing& out = std::holds_alternative<sched::Reserve>(message) ? free_ : scheduling_;
  out.add(to, Layer::sched, [&](std::string& bytes) { sched::encode(message, bytes); });
}

void Agent::send(const overlay::Endpoint& to, const sched::cell::Message& message) {
  ++metrics_.cell_messages_sent;
  scheduling_.add(to, Layer::cell, [&](std::string& out) { sched::cell::encode(message, out); });
}

void Agent::send(const overlay::Endpoint& to, const Message& message) {
  free_.add(to, Layer::node, [&](std::string& out) { node::encode(message, out); });
}

void Agent::put_report(
    const sched::JobId& job, const sched::Report& report, overlay::PeerId worker, bool final) {
  store_->put_report(job, report, worker, final);
  if (final && control_) control_->on_result(job.number, report, worker);
}

Result<sched::JobId> Agent::submit(sched::Job job, bool allow_unsatisfiable) {
  if (stop_at_ != overlay::kNever) {
    return failure(ErrorKind::refused, "this agent is about to stop; submit to another node");
  }
  if (!store_error_.empty()) {
    return failure(
        ErrorKind::io, "no new job is accepted while records cannot be stored: " + store_error_);
  }
  return peer_->submit(host(), std::move(job), allow_unsatisfiable);
}

Result<void> Agent::set_classes(sched::books::Classes classes) {
  return peer_->set_classes(host(), std::move(classes));
}

Result<void> Agent::write_off(sched::CellId cell, sched::CellId lost, bool reissue) {
  return peer_->write_off(host(), cell, lost, reissue);
}

Result<void> Agent::cancel(const sched::JobId& job, std::span<const std::uint32_t> tasks) {
  return peer_->cancel(host(), job, tasks);
}

void Agent::drain(bool on) {
  peer_->drain(host(), on);
}

Metrics::Snapshot Agent::counters() const {
  Metrics::Snapshot all = metrics_.snapshot(transport_->counters());
  const sched::CellNode* cells = peer_->cells();
  all["grants_refused"] = cells == nullptr ? 0 : cells->member().refused();
  all["cell_strangers"] = cells == nullptr ? 0 : cells->strangers();
  return all;
}

std::string Agent::name_of(overlay::PeerId node) const {
  return sched::directory_of(*peer_).name_of(node);
}

void Agent::ask_for_facts() {
  peer_->refresh_directory(host());
}

void Agent::settle() {
  tell_exits();
  wake_peer();
  if (!durable()) release_free();  // Others work while the disk does.
  commit();
  release();
  control_->advance();
  // Answering clients may have made records (a job undone) and messages (output asked for).
  if (!durable() || !scheduling_.empty() || !free_.empty()) {
    commit();
    release();
  }
  transport_->flush();
  if (stop_at_ != overlay::kNever && may_stop()) return stop();
  arm();
}

void Agent::tell_exits() {
  if (exits_.empty()) return;
  peer_->on_exits(host(), exits_);
  exits_.clear();
}

void Agent::wake_peer() {
  for (int i = 0; i < kWakesPerTurn && peer_->deadline() <= now(); ++i) peer_->wake(host());
}

void Agent::commit() {
  if (durable()) return;
  if (!store_error_.empty() && now() < commit_again_) return;
  const auto committed = store_->commit();
  if (committed) {
    ++metrics_.commits;
    if (!store_error_.empty()) log_.say(Level::info, "store_recovered");
    store_error_.clear();
    return;
  }
  ++metrics_.commits_failed;
  commit_again_ = now() + kHousekeeping;
  if (store_error_.empty()) {
    log_.say(Level::error, "store_failed", {{"error", committed.error().text}});
  }
  store_error_ = committed.error().text;
}

void Agent::hand_over(Outgoing& messages) {
  messages.release([this](const overlay::Endpoint& to, Layer layer, std::string_view bytes) {
    transport_->send(to, layer, bytes);
  });
}

void Agent::release_free() {
  if (free_.empty()) return;
  hand_over(free_);
  transport_->flush();
}

void Agent::release() {
  if (durable()) {
    hand_over(scheduling_);
  } else {
    metrics_.messages_held_back += scheduling_.size();
    scheduling_.clear();
  }
  hand_over(free_);
}

void Agent::arm() {
  // At least a millisecond ahead: what is due now was done above, as far as one turn may go.
  const overlay::Time next = std::max(peer_->deadline(), now() + milliseconds(1));
  const overlay::Time when = peer_->deadline() == overlay::kNever ? overlay::kNever : next;
  if (when == wakeup_at_) return;
  wakeup_at_ = when;
  wakeup_->at(when);
}

void Agent::run_periodic() {
  output_->sweep();
  const bool lonely =
      !configuration_.agent.join.empty() && peer_->overlay().cyclon().view().empty();
  if (lonely && now() - lonely_told_ >= kLonelyReminder) {
    lonely_told_ = now();
    log_.say(Level::warn, "waiting_for_contact", {{"join", configuration_.agent.join}});
  }
  housekeeping_->at(now() + kHousekeeping);
}

}  // namespace dunlin::node
