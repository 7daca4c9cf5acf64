// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "overlay/message.h"
#include "overlay/params.h"

namespace dunlin::overlay {

/// What makes a peer desirable.
enum class Utility : std::uint8_t {
  cpu_memory,  ///< Free share of its CPU times free share of its memory.
  cpu,         ///< Free share of its CPU.
  memory,      ///< Free share of its memory.
};
template <>
inline constexpr std::string_view kWords<Utility>[] = {"cpu_memory", "cpu", "memory"};

/// Which peers a peer wants for neighbours.
enum class Ranking : std::uint8_t {
  gradient,  ///< Its equals, then the closest of those above it, then the closest below.
  highest,   ///< Those with the highest utility.
};
template <>
inline constexpr std::string_view kWords<Ranking>[] = {"gradient", "highest"};

/// In [0, 1]; 0 for a peer that has nothing at all. Source: ID2210 section 3.2.
double utility(const Descriptor& peer, Utility kind);

/// Orders peers by how much one of them, the base, wants them for neighbours: a strict total order,
/// whatever the utilities. Idle peers all have utility 1, so ties are the rule: they are broken by
/// the distance of the ids, upwards from the base's own and around, so that a thousand equals do
/// not all choose the same twenty.
///
/// Source: ID2210 section 3.2 has both strategies; the case of peers on either side of the base is
/// KompicsToolbox's: the higher one wins.
class Preference {
 public:
  /// A peer's place in the order: the least is the most wanted.
  struct Place {
    std::uint64_t level = 0;  ///< By utility: see level_of() in ranking.cc.
    std::uint64_t turn = 0;   ///< Of the ids, around the ring.

    friend constexpr auto operator<=>(const Place&, const Place&) = default;
  };

  Preference(Ranking ranking, Utility kind, const Descriptor& base)
      : ranking_(ranking),
        kind_(kind),
        base_(base.id),
        height_(utility(base, kind)) {}

  Place place(const Descriptor& peer) const;

  /// True if the base prefers `a` to `b`.
  bool operator()(const Descriptor& a, const Descriptor& b) const { return place(a) < place(b); }

 private:
  Ranking ranking_;
  Utility kind_;
  PeerId base_;
  double height_;
};

}  // namespace dunlin::overlay
