// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <string_view>

#include "overlay/message.h"
#include "overlay/params.h"

namespace dunlin::overlay {

/// The number that makes a peer desirable.
enum class Utility : std::uint8_t {
  cpu_memory,  ///< Free share of its CPU times free share of its memory.
  cpu,         ///< Free share of its CPU.
  memory,      ///< Free share of its memory.
};
template <>
inline constexpr std::string_view kWords<Utility>[] = {"cpu_memory", "cpu", "memory"};

/// The peers that a peer wants for neighbours.
enum class Ranking : std::uint8_t {
  gradient,  ///< Its equals, then the closest of those above it, then the closest below.
  highest,   ///< Those with the highest utility.
};
template <>
inline constexpr std::string_view kWords<Ranking>[] = {"gradient", "highest"};

/// The free share of a capacity, in [0, 1]. A stranger may claim more free than there is.
inline double free_share(std::uint32_t free, std::uint32_t total) {
  if (total == 0) return 0;
  if (free >= total) return 1;
  return static_cast<double>(free) / static_cast<double>(total);
}

// These are inline, so that code that ranks many descriptors reads no more of each than needed.

/// In [0, 1]; 0 for a peer that has nothing at all. Source: ID2210 section 3.2.
double utility(const auto& peer, Utility kind) {
  switch (kind) {
    case Utility::cpu:
      return free_share(peer.cpu_free, peer.cpu_total);
    case Utility::memory:
      return free_share(peer.memory_free, peer.memory_total);
    case Utility::cpu_memory:
      break;
  }
  return free_share(peer.cpu_free, peer.cpu_total) *
      free_share(peer.memory_free, peer.memory_total);
}

/// Orders peers by how much one of them, the base, wants them for neighbours. It is a strict total
/// order, whatever the utilities. Idle peers all have utility 1, so ties are the rule. The distance
/// of the ids breaks them, upwards from the base's own and around the ring: so a thousand equals do
/// not all choose the same twenty.
///
/// Source: ID2210 section 3.2 has both strategies. The report does not say which peer wins if one
/// is above and one below the base; as in KompicsToolbox, the higher one does.
class Preference {
 public:
  /// A peer's place in the order: the least is the most wanted.
  struct Place {
    std::uint64_t level = 0;  ///< By utility: see level_of().
    std::uint64_t turn = 0;   ///< The distance of the ids, upwards around the ring.

    friend constexpr auto operator<=>(const Place&, const Place&) = default;
  };

  Preference(Ranking ranking, Utility kind, const Descriptor& base)
      : ranking_(ranking),
        kind_(kind),
        base_(base.id),
        height_(utility(base, kind)) {}

  Place place(const auto& peer) const {
    const double height = utility(peer, kind_);
    const std::uint64_t turn = peer.id.value - base_.value;
    if (ranking_ == Ranking::highest) return {~level_of(Side::equal, height), turn};
    if (height > height_) return {level_of(Side::above, height - height_), turn};
    if (height < height_) return {level_of(Side::below, height_ - height), turn};
    return {.turn = turn};
  }

  /// True if the base prefers `a` to `b`.
  bool operator()(const Descriptor& a, const Descriptor& b) const { return place(a) < place(b); }

 private:
  enum class Side : std::uint64_t { equal, above, below };

  /// The side and a distance in [0, 1] as one number. The bits of positive floating-point numbers
  /// order as the numbers do, and numbers up to 1 leave the first two bits unused.
  static std::uint64_t level_of(Side side, double distance) {
    return static_cast<std::uint64_t>(side) << 62 | std::bit_cast<std::uint64_t>(distance);
  }

  Ranking ranking_;
  Utility kind_;
  PeerId base_;
  double height_;
};

}  // namespace dunlin::overlay
