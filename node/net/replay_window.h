// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dunlin::node {

/// Which counters of one incarnation of one peer were seen, of the newest kSpan: what is older
/// counts as seen. Peers count all they send, to whomever, so the span is wide. Source: RFC 6479 (a
/// ring of words, cleared word by word as it moves).
class ReplayWindow {
 public:
  static constexpr std::uint64_t kWords = 32;
  static constexpr std::uint64_t kSpan = (kWords - 1) * 64;

  /// True if `counter` was not seen and is not too old to tell. 0 is never sent.
  constexpr bool fresh(std::uint64_t counter) const {
    if (counter == 0 || counter + kSpan <= newest_) return false;
    return counter > newest_ || (seen_[word(counter)] & bit(counter)) == 0;
  }

  /// The highest that was marked; 0 before the first.
  constexpr std::uint64_t newest() const { return newest_; }

  /// Requires fresh(counter).
  constexpr void mark(std::uint64_t counter) {
    if (counter > newest_) {
      const std::uint64_t moved = std::min(counter / 64 - newest_ / 64, kWords);
      for (std::uint64_t i = 1; i <= moved; ++i) seen_[(newest_ / 64 + i) % kWords] = 0;
      newest_ = counter;
    }
    seen_[word(counter)] |= bit(counter);
  }

 private:
  static constexpr std::size_t word(std::uint64_t counter) { return counter / 64 % kWords; }
  static constexpr std::uint64_t bit(std::uint64_t counter) {
    return std::uint64_t{1} << (counter % 64);
  }

  std::uint64_t newest_ = 0;
  std::array<std::uint64_t, kWords> seen_{};
};

/// The tags of datagrams that need not be looked at again, as many as there is room for: a later
/// one may take the place of an earlier. A stranger cannot seal, so it cannot choose a
/// tag that is kept, either.
class SeenTags {
 public:
  bool contains(std::uint64_t tag) const { return tags_[tag % kTags] == tag; }
  void add(std::uint64_t tag) { tags_[tag % kTags] = tag; }

 private:
  static constexpr std::size_t kTags = 4096;

  std::vector<std::uint64_t> tags_ = std::vector<std::uint64_t>(kTags);
};

}  // namespace dunlin::node
