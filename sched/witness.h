// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/turn.h"

namespace dunlin::sched {

/// Finds out for frontends whether a node is there: asks it for its facts, a few times, and tells
/// the asker if it answered. The indirect probes of SWIM, section 3.1, with more than one try.
class Witness {
 public:
  /// The questions to a silent node ...
  static constexpr int kQuestionsMax = 3;
  /// ... so far apart.
  static constexpr Duration kAskAgain = std::chrono::seconds(1);
  /// Inquiries at work. Those beyond are not answered, which counts for nothing.
  static constexpr std::size_t kInquiriesMax = 64;

  /// `from` asks; `self` is this node, which is there.
  void inquire(Turn& turn, PeerId self, const Endpoint& from, const Inquiry& inquiry);
  /// A node answers, perhaps this one's question.
  void on_facts(Turn& turn, const Endpoint& from, const Facts& facts);
  void wake(Turn& turn);
  Time deadline() const;

 private:
  struct Open {
    Endpoint asker;
    std::uint64_t request = 0;  ///< The asker's.
    Endpoint node;
    std::uint64_t question = 0;  ///< Ours, the same each time: a late answer is proof of life.
    int asked = 0;
    Time due{};
  };

  static void ask(Turn& turn, Open& open);

  std::vector<Open> open_;
};

}  // namespace dunlin::sched
