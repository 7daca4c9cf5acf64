// SPDX-License-Identifier: MIT
#include "sched/replica/home.h"

#include <algorithm>
#include <utility>

// Each member of the set holds up every word, so a standby that is silent must leave it; but only
// the books can say that it has left, because it may be asking them for the office at this moment.
// A proposal without an answer may have been applied or not. So it is written down before it is
// sent, both sets count until a later version is known, and it is sent again until then.
namespace dunlin::sched::replica {
namespace {

/// Batches in one message, and bytes of them but for one that is longer alone.
constexpr std::uint64_t kBatchesMax = 64;
constexpr std::size_t kBytesMax = 256 << 10;
/// A deaf home gives a sign of life each so many times HomeParams::deaf_after: there is time to
/// take over between two of them. It gives some, since a standby that comes back must hear of it.
constexpr int kDeafPause = 6;
/// A standby is told so often that signs of life will be rare before they are: one that did not
/// hear it would miss its home, and take the office from it.
constexpr int kIdleSaid = 3;

}  // namespace

Home::Home(const HomeParams& params,
    const Member& self,
    Stamp stamp,
    HomeRecord office,
    Log log,
    const Rules& rules)
    : params_(params),
      self_(self),
      stamp_(stamp),
      office_(std::move(office)),
      log_(std::move(log)),
      rules_(rules),
      durable_(log_.end()) {
  // A batch of its own comes first, and nothing is told before each member has it. From then on
  // their logs end with this stamp or a later one, which is how a standby that restarts knows that
  // it must not follow an earlier home: that one would take away what this one has told.
  log_.append({stamp_, {}});
  begin_ = log_.end();
}

std::uint64_t Home::acked(ReplicaId replica) const {
  const Follower* const follower = followers_.find(replica);
  if (follower == nullptr) return rules_.gate_from_zero ? 0 : begin_;
  return follower->acked.value_or(0);
}

std::uint64_t Home::gate() const {
  return has_required() ? in_sync() : 0;
}

std::uint64_t Home::in_sync() const {
  if (deposed_) return 0;
  std::uint64_t gate = rules_.home_disk_counts ? durable_ : log_.end();
  const auto wait_for = [&](const Set& set) {
    for (const Member& member : set) {
      if (member.replica != self_.replica) gate = std::min(gate, acked(member.replica));
    }
  };
  // With shrink_waits off, the set that is wished for counts as if it were the books'.
  const bool wished = !rules_.shrink_waits && !office_.intents.empty();
  wait_for(wished ? office_.intents.back().set : office_.set);
  if (rules_.gate_is_union && !wished) {
    for (const ChangeSet& intent : office_.intents) wait_for(intent.set);
  }
  return gate;
}

std::uint64_t Home::append(Time now, Port& out, std::string records) {
  log_.append({stamp_, std::move(records)});
  if (is_deaf(now)) return log_.end();
  // Before the own disk has it: the two waits overlap.
  for (auto& [id, follower] : followers_.all()) {
    const bool writes = follower.acked && (follower.stays() || names(office_, id));
    if (writes) send(now, out, follower, follower.sent);
  }
  return log_.end();
}

void Home::send(Time now, Port& out, Follower& to, std::uint64_t from) {
  Append append{.stamp = stamp_, .before = log_.mark(from), .batches = {}, .idle = idle_};
  const std::uint64_t end = std::min(log_.end(), from + kBatchesMax);
  std::size_t bytes = 0;
  for (std::uint64_t i = from + 1; i <= end; ++i) {
    bytes += log_.at(i).records.size();
    if (bytes > kBytesMax && !append.batches.empty()) break;
    append.batches.push_back(log_.at(i));
  }
  to.sent = from + append.batches.size();
  to.sent_at = now;
  to.idle_said = idle_ ? std::min(to.idle_said + 1, kIdleSaid) : 0;
  if (!to.unanswered) to.unanswered = now;
  append.hands_over = successor_ == to.member.replica && to.sent == log_.end();
  out.send(to.member.node, append);
}

void Home::on_message(Time now, Port& out, const Appended& appended) {
  if (rules_.acks_of_this_life && appended.stamp != stamp_) return;
  Follower* const peer = followers_.find(appended.replica);
  if (peer == nullptr || deposed_) return;
  heard_ = peer->heard = now;
  peer->unanswered.reset();
  peer->leaves = appended.leaves;
  peer->trouble = appended.trouble;
  const std::uint64_t position = std::min(appended.position, log_.end());
  const bool is_news = !peer->acked || position > *peer->acked;
  if (is_news) peer->acked = position;
  if (is_news && position < log_.end() && position >= peer->sent) send(now, out, *peer, position);
}

void Home::on_message(Time now, Port& out, const Behind& behind) {
  Follower* const peer = followers_.find(behind.replica);
  if (peer == nullptr || deposed_ || behind.stamp != stamp_) return;
  heard_ = peer->heard = now;
  peer->unanswered.reset();
  std::uint64_t common = log_.common(behind.runs);
  if (!rules_.compare_stamps && !behind.runs.empty()) {
    common = std::min(log_.end(), behind.runs.back().position);
  }
  send(now, out, *peer, common);
}

void Home::on_entry(Time now, const Entry& entry, bool heard) {
  if (heard) heard_ = now;
  if (entry.epoch > office_.epoch || entry.home.replica != self_.replica) {
    deposed_ = deposed_ || entry.epoch >= office_.epoch;
    return;
  }
  if (entry.version <= office_.version) return;
  office_.version = entry.version;
  office_.set = entry.set;
  std::erase_if(
      office_.intents, [&](const ChangeSet& intent) { return intent.version < entry.version; });
  ++office_changes_;
}

void Home::choose(Time now) {
  // An earlier office may have had its word, and this one knows nothing of it.
  const auto acked = rules_.gate_from_zero ? std::optional<std::uint64_t>{} : std::optional{begin_};
  const auto follow = [&](const Member& member) {
    if (member.replica != self_.replica) followers_.add(now, member, log_.end(), acked);
  };
  std::ranges::for_each(office_.set, follow);
  for (const ChangeSet& intent : office_.intents) std::ranges::for_each(intent.set, follow);
  // One of those that do not answer may be gone for good: others are made ready beside it.
  std::size_t well = followers_.well(now, params_);
  for (const Member& candidate : candidates_) {
    if (well >= params_.standbys) break;
    if (candidate.node.id == self_.node.id || followers_.find(candidate.replica)) continue;
    follow(candidate);
    ++well;
  }
  followers_.drop(now, params_, office_);
}

// A wish may stand in the books for all that this home knows, and holds it to them. So none is
// written down for books that gave the log up: it would keep the home from opening the log in
// others.
void Home::shrink_or_grow(Time now) {
  if (!in_books_ || !office_.intents.empty() || is_handing_over()) return;
  // One that joins must have all that was told: by this life, which the gate knows, and by those
  // before, which no node knows any more.
  const std::uint64_t told = rules_.joins_caught_up ? in_sync() : 0;
  const std::uint64_t past = rules_.joins_with_past ? begin_ : 0;
  Set set = followers_.next_set(now, params_, office_, heard_, std::max(told, past));
  if (set == office_.set || set.size() < 1 + params_.required) return;
  office_.intents.push_back({office_.epoch, office_.version, std::move(set)});
  ++office_changes_;
}

void Home::begin_handover(Time now, Port& out) {
  const Follower* const chosen = followers_.successor(now, params_, office_.set);
  if (chosen == nullptr || deposed_) return;
  successor_ = chosen->member.replica;
  send(now, out, *followers_.find(*successor_), chosen->acked.value_or(0));
}

// A standby that hears this home does not ask for its office. So where no word comes back, from any
// node, this home must fall silent, or its jobs would wait for as long as the network is so.
bool Home::is_deaf(Time now) const {
  return now - heard_ >= params_.deaf_after && followers_.all_silent(now, params_, office_);
}

void Home::beat(Time now, Port& out) {
  const bool deaf = is_deaf(now);
  for (auto& [id, peer] : followers_.all()) {
    // What is not answered is said again soon, however little there is to say.
    const bool knows = idle_ && peer.idle_said >= kIdleSaid;
    const bool rare = knows && !peer.unanswered && peer.acked == log_.end() && successor_ != id;
    const Duration pause = deaf ? kDeafPause * params_.deaf_after
        : rare                  ? params_.idle_heartbeat
                                : params_.heartbeat;
    if (now - peer.sent_at < pause) continue;
    if (!peer.stays() && !names(office_, id)) continue;
    send(now, out, peer, peer.acked.value_or(log_.end()));
  }
}

void Home::propose(Time now, Port& out) {
  if (proposed_ && now - *proposed_ < params_.propose_again) return;
  // A standby may leave the set only if the books are heard: one that hears all would be put out by
  // a home that hears nothing.
  bool unheard = false;
  bool quiet = false;
  for (const auto& [id, peer] : followers_.all()) {
    if (!names(office_, id) || !peer.unanswered) continue;
    if (now - *peer.unanswered < params_.patience / 2) continue;
    unheard = unheard || heard_ < *peer.unanswered;
    quiet = quiet || now - heard_ >= params_.deaf_after / 2;
  }
  const bool durable = office_durable_ == office_changes_ || !rules_.intents_durable;
  const bool wishes = !office_.intents.empty() && durable;
  if (unheard || (quiet && !wishes)) {
    proposed_ = now;
    return out.propose(Ask{});
  }
  if (!wishes) return;
  proposed_ = now;
  for (const ChangeSet& intent : office_.intents) out.propose(intent);
}

void Home::wake(Time now, Port& out) {
  if (deposed_) return;
  choose(now);
  beat(now, out);
  shrink_or_grow(now);
  propose(now, out);
}

}  // namespace dunlin::sched::replica
