// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "node/message.h"
#include "overlay/address.h"
#include "overlay/ids.h"
#include "overlay/time.h"

namespace dunlin::node {

/// Finds out why peers know a later incarnation of this node, or another address of it, or count
/// more of its datagrams than it does. Either the node forgot its past (its database was lost, or
/// an old one or a snapshot of the machine was restored), or another process has its identity now,
/// a *twin*, because the data directory or the machine was copied.
///
/// A node with a past goes on as a later incarnation (the refutation of SWIM, Das 2002, section
/// 4.2). The younger of two twins stops: the process that has run for less time. Each tells how
/// long it has run, by its own steady clock, so no wall clock has a say.
///
/// No peer is believed. A peer's words only make the node look: it asks at the other address. A
/// twin proves itself by answering a number drawn for the purpose, sealed with a key that only
/// holders of this identity have.
class Twins {
 public:
  /// Receives the findings.
  class Port {
   public:
    /// Sends to the agent that has our identity at `to`.
    virtual void send_to_twin(const overlay::Address& to, const Twin& message) = 0;
    /// 64 bits by chance, from the system: never 0, and never those of a copy of this process.
    virtual std::uint64_t draw_nonce() = 0;
    /// Become a later incarnation than `above`; `told_by` knows that one.
    virtual void rise_above(std::uint32_t above, overlay::PeerId told_by) = 0;
    /// A twin lives at that address. The younger of the two must stop.
    virtual void meet_twin(const overlay::Address& twin, bool younger) = 0;

   protected:
    ~Port() = default;
  };

  /// When this process began.
  struct Start {
    overlay::Time at{};        ///< By the clock of all calls.
    std::int64_t wall_ns = 0;  ///< By the wall clock, in ns since 1970, for twins of before.
  };
  /// Borrows `port`.
  Twins(Port& port, const overlay::Address& self, const Start& start)
      : port_(port),
        self_(self),
        start_(start) {}

  /// We are this incarnation from now on.
  void set_incarnation(std::uint32_t incarnation) { incarnation_ = incarnation; }

  /// Our own facts, when a peer says how it knows us.
  struct Own {
    std::int64_t unix_seconds = 0;
    std::uint64_t counter = 0;  ///< Datagrams sealed so far, by the process as it remembers.
  };
  /// A proven peer says how it knows us. False if it names an incarnation that no sound clock can
  /// have made: that one is ignored, however often it is said.
  bool on_elsewhere(
      overlay::Time now, const Own& own, overlay::PeerId from, const Elsewhere& elsewhere);
  /// A process with our identity, this one perhaps, said something.
  void on_twin(overlay::Time now, const overlay::Address& from, const Twin& twin);

  void wake(overlay::Time now);
  overlay::Time deadline() const { return suspicion_ ? suspicion_->next : overlay::kNever; }

 private:
  /// A number that we speak by, and our age when it was drawn, in ns. Both twins compare the same
  /// two ages, whichever of them asked.
  struct Number {
    std::uint64_t nonce = 0;  ///< 0: none.
    std::uint64_t age = 0;
  };

  /// Where another one of us may be.
  struct Suspicion {
    overlay::Address where;
    std::uint32_t incarnation = 0;
    bool ahead = false;  ///< It knows a later incarnation, or ours when it had done more.
    overlay::PeerId told_by;
    Number number;
    int asked = 0;
    overlay::Time next{};
  };

  Twin message(const Number& own, std::uint64_t echo) const;
  /// The number by which we speak now.
  Number number(overlay::Time now);
  /// The number of ours with that nonce; null if we do not use it any more.
  const Number* find(std::uint64_t nonce) const;
  void conclude(const overlay::Address& from, const Number& own, const Twin& twin);
  void answer(overlay::Time now, const overlay::Address& from, const Twin& twin);

  Port& port_;
  overlay::Address self_;
  Start start_;
  std::uint32_t incarnation_ = 0;
  std::optional<Suspicion> suspicion_;
  std::array<Number, 2> numbers_{};  ///< The one we use now, and the one before.
  overlay::Time number_until_{};
  bool answered_ = false;  ///< A twin asked, and may have heard our answer.
  overlay::Time answer_again_{};
  overlay::Time rise_again_{};
  overlay::Duration pause_{0};  ///< Between the last two times we rose, at least.
};

}  // namespace dunlin::node
