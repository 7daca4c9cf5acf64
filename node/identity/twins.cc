// SPDX-License-Identifier: MIT
#include "node/identity/twins.h"

#include <algorithm>
#include <tuple>
#include <utility>

// Peers drop what an earlier incarnation than the latest says, or two processes of one identity
// would speak in turns. So a node that is told of a later one asks where that one was last heard.
// If no agent answers there, it was the node's own past: the node rises above it. If a twin
// answers, both compare when they began. Each concludes only from an answer to its own nonce, for
// an older answer may be replayed; a process that hears its own nonce is talking to itself.
namespace dunlin::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kAsks = 3;
constexpr overlay::Duration kAskAgain = milliseconds(300);
/// A clock may be ahead by a time zone or so; what is further ahead was made up.
constexpr std::int64_t kAheadMax = std::int64_t{24} * 60 * 60;
/// Two twins that cannot reach each other rise in turns: more and more slowly.
constexpr overlay::Duration kPauseMin = seconds(1);
constexpr overlay::Duration kPauseMax = minutes(5);
constexpr overlay::Duration kPauseForgotten = minutes(10);
constexpr overlay::Duration kAnswerPause = milliseconds(50);
/// Both of two twins may ask at once. With one number each, both conversations end alike.
constexpr overlay::Duration kNonceKept = seconds(10);

}  // namespace

Twin Twins::message(std::uint64_t nonce, std::uint64_t echo) const {
  return {.nonce = nonce, .echo = echo, .started_at = started_at_, .incarnation = incarnation_};
}

std::uint64_t Twins::nonce(overlay::Time now) {
  if (nonces_[0] == 0 || now >= nonce_until_) {
    nonces_ = {port_.draw_nonce(), nonces_[0]};
    nonce_until_ = now + kNonceKept;
  }
  return nonces_[0];
}

bool Twins::on_elsewhere(
    overlay::Time now, const Own& own, overlay::PeerId from, const Elsewhere& elsewhere) {
  const std::uint32_t known = elsewhere.incarnation;
  const bool here = !elsewhere.address || elsewhere.address == self_;
  const bool ahead =
      known > incarnation_ || (known == incarnation_ && elsewhere.counter > own.counter);
  if (known < incarnation_ || (!ahead && here)) return true;
  if (known > own.unix_seconds + kAheadMax) return false;
  if (suspicion_ && suspicion_->incarnation >= known && suspicion_->ahead >= ahead) return true;
  suspicion_ = {.where = elsewhere.address,
      .incarnation = known,
      .ahead = ahead,
      .told_by = from,
      .nonce = nonce(now),
      .asked = here ? kAsks : 0,  // No other agent can be at our own address.
      .next = now};
  wake(now);
  return true;
}

void Twins::wake(overlay::Time now) {
  if (!suspicion_ || now < suspicion_->next) return;
  if (suspicion_->asked < kAsks) {
    ++suspicion_->asked;
    suspicion_->next = now + kAskAgain;
    return port_.send_to_twin(suspicion_->where, message(suspicion_->nonce, 0));
  }
  // It is silent and not ahead: we had that address once, or have risen above it since.
  if (!suspicion_->ahead || suspicion_->incarnation < incarnation_) return suspicion_.reset();
  if (now < rise_again_) {
    suspicion_->next = rise_again_;
    return;
  }
  const bool calm = now - rise_again_ > kPauseForgotten;
  pause_ = calm ? kPauseMin : std::clamp(2 * pause_, kPauseMin, kPauseMax);
  rise_again_ = now + pause_;
  const Suspicion past = *suspicion_;
  suspicion_.reset();
  port_.rise_above(past.incarnation, past.told_by);
}

void Twins::on_twin(overlay::Time now, const overlay::Address& from, const Twin& twin) {
  const auto is_ours = [this](std::uint64_t nonce) {
    return nonce == 0 || std::ranges::find(nonces_, nonce) != nonces_.end();
  };
  if (is_ours(twin.nonce)) return;  // Our own words, from an address of ours.
  if (twin.echo == 0) return answer(now, from, twin);
  if (!is_ours(twin.echo)) return;  // Replayed, or too late.
  if (suspicion_) {
    suspicion_.reset();
    port_.send_to_twin(from, message(twin.echo, twin.nonce));
  } else if (!std::exchange(answered_, false)) {
    return;
  }
  conclude(from, twin.echo, twin);
}

void Twins::answer(overlay::Time now, const overlay::Address& from, const Twin& twin) {
  if (now < answer_again_) return;
  answer_again_ = now + kAnswerPause;
  answered_ = true;
  port_.send_to_twin(from, message(nonce(now), twin.nonce));
}

void Twins::conclude(const overlay::Address& from, std::uint64_t nonce, const Twin& twin) {
  // The nonces decide between two that were one process before their machine was copied.
  const bool younger = std::tie(started_at_, nonce) > std::tie(twin.started_at, twin.nonce);
  port_.meet_twin(from, younger);
  if (!younger && twin.incarnation >= incarnation_) port_.rise_above(twin.incarnation, {});
}

}  // namespace dunlin::node
