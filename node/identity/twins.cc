// SPDX-License-Identifier: MIT
#include "node/identity/twins.h"

#include <algorithm>
#include <tuple>
#include <utility>

// Peers drop what an earlier incarnation than the latest says, or two processes of one identity
// would speak in turns. So a node that is told of a later one asks where that one was last heard.
// If no agent answers there, it was the node's own past: the node rises above it. If a twin
// answers, both compare how long they have run. Each concludes only from an answer to its own
// nonce, for an older answer may be replayed; a process that hears its own nonce is talking to
// itself.
namespace dunlin::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kAsks = 3;
constexpr overlay::Duration kAskAgain = milliseconds(300);
/// A clock may be ahead by a time zone or so; what is further ahead was made up ...
constexpr std::int64_t kAheadMax = std::int64_t{24} * 60 * 60;
/// ... but where this node's own clock once was further ahead: from there, each start counts one.
constexpr std::int64_t kStartsMax = 1000;
/// Two twins that cannot reach each other rise in turns: more and more slowly.
constexpr overlay::Duration kPauseMin = seconds(1);
constexpr overlay::Duration kPauseMax = minutes(5);
constexpr overlay::Duration kPauseForgotten = minutes(10);
constexpr overlay::Duration kAnswerPause = milliseconds(50);
/// Both of two twins may ask at once. With one number each, both conversations end alike. It lasts
/// for all asks; so two ages that are compared are wrong by this at most.
constexpr overlay::Duration kNumberKept = seconds(1);
static_assert(kNumberKept > kAsks * kAskAgain);

}  // namespace

Twin Twins::message(const Number& own, std::uint64_t echo) const {
  return {.nonce = own.nonce,
      .echo = echo,
      .started_at = start_.wall_ns,
      .incarnation = incarnation_,
      .age = own.age};
}

Twins::Number Twins::number(overlay::Time now) {
  if (numbers_[0].nonce == 0 || now >= number_until_) {
    const auto age = std::max((now - start_.at).count(), overlay::Duration::rep{1});
    numbers_ = {Number{port_.draw_nonce(), static_cast<std::uint64_t>(age)}, numbers_[0]};
    number_until_ = now + kNumberKept;
  }
  return numbers_[0];
}

const Twins::Number* Twins::find(std::uint64_t nonce) const {
  const auto* const found = std::ranges::find(numbers_, nonce, &Number::nonce);
  return nonce == 0 || found == numbers_.end() ? nullptr : found;
}

bool Twins::on_elsewhere(
    overlay::Time now, const Own& own, overlay::PeerId from, const Elsewhere& elsewhere) {
  const std::uint32_t known = elsewhere.incarnation;
  const bool here = !elsewhere.address || elsewhere.address == self_;
  const bool ahead =
      known > incarnation_ || (known == incarnation_ && elsewhere.counter > own.counter);
  if (known < incarnation_ || (!ahead && here)) return true;
  const std::int64_t believed =
      std::max(own.unix_seconds + kAheadMax, std::int64_t{incarnation_} + kStartsMax);
  if (known > believed) return false;
  if (suspicion_ && suspicion_->incarnation >= known && suspicion_->ahead >= ahead) return true;
  suspicion_ = {.where = elsewhere.address,
      .incarnation = known,
      .ahead = ahead,
      .told_by = from,
      .number = number(now),
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
    return port_.send_to_twin(suspicion_->where, message(suspicion_->number, 0));
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
  if (twin.nonce == 0 || find(twin.nonce)) return;  // Our own words, from an address of ours.
  if (twin.echo == 0) return answer(now, from, twin);
  const Number* const own = find(twin.echo);
  if (!own) return;  // Replayed, or too late.
  if (suspicion_) {
    suspicion_.reset();
    port_.send_to_twin(from, message(*own, twin.nonce));
  } else if (!std::exchange(answered_, false)) {
    return;
  }
  conclude(from, *own, twin);
}

void Twins::answer(overlay::Time now, const overlay::Address& from, const Twin& twin) {
  if (now < answer_again_) return;
  answer_again_ = now + kAnswerPause;
  answered_ = true;
  port_.send_to_twin(from, message(number(now), twin.nonce));
}

// The nonces decide between two of one age. A twin of before knows no ages, so both go by the wall
// clock.
void Twins::conclude(const overlay::Address& from, const Number& own, const Twin& twin) {
  const bool younger = twin.age != 0
      ? std::tie(twin.age, own.nonce) > std::tie(own.age, twin.nonce)
      : std::tie(start_.wall_ns, own.nonce) > std::tie(twin.started_at, twin.nonce);
  port_.meet_twin(from, younger);
  if (!younger && twin.incarnation >= incarnation_) port_.rise_above(twin.incarnation, {});
}

}  // namespace dunlin::node
