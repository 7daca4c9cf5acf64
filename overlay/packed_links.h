// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>

#include "overlay/ensure.h"
#include "overlay/neighbour.h"
#include "overlay/prefetch.h"

namespace dunlin::overlay {

/// A neighbour, as a view holds it.
struct Link {
  Neighbour neighbour;
  /// The time at which the owner made this very link: "oldest" means the earliest, and shuffles
  /// carry its age. News of the peer that come by other ways make `neighbour` younger and leave
  /// this alone. Without that, peers that are talked to often would be shuffled with last, and
  /// gather links. Only Cyclon reads it.
  Time linked;

  PeerId id() const { return neighbour.peer.id; }
};

/// Links in less than half the memory of as many Link: 44 bytes each. Nodes often share a *make*
/// (the subnet, the size, the attributes, the incarnation), so it is stored once for all of them.
/// Ids stand in a row, because most searches read only ids. What is taken of rates has a row of its
/// own, 4 bytes more for each link, once some node has said that anything is. A value.
class PackedLinks {
 public:
  /// Requires that `capacity` is at most 255.
  explicit PackedLinks(std::size_t capacity);
  PackedLinks(const PackedLinks& other);
  PackedLinks(PackedLinks&& other) noexcept;
  PackedLinks& operator=(PackedLinks other) noexcept;
  ~PackedLinks() = default;

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }

  std::span<const PeerId> ids() const { return {id_row(), size_}; }
  /// A hint that all of it will soon be read; changes nothing.
  void prefetch() const {
    if (block_) overlay::prefetch(block_.get(), block_size());
  }
  Time linked(std::size_t i) const { return slots()[i].linked.time(); }
  Time born(std::size_t i) const { return slots()[i].born.time(); }
  Link at(std::size_t i) const;

  /// True if `news` is of a later incarnation, or of the same and said later, than link i is.
  bool is_older(std::size_t i, const Descriptor& news) const {
    const Slot& slot = slots()[i];
    return std::tie(makes()[slot.make].incarnation, slot.sequence) <
        std::tie(news.incarnation, news.sequence);
  }
  /// The part of a link's peer that a ranking reads.
  struct Offer {
    PeerId id;
    std::uint32_t cpu_free, memory_free, cpu_total, memory_total;
  };
  Offer offer(std::size_t i) const {
    const Slot& slot = slots()[i];
    const Make& make = makes()[slot.make];
    return {id_row()[i], slot.cpu_free, slot.memory_free, make.cpu_total, make.memory_total};
  }

  /// Requires size() < capacity().
  void push_back(const Link& link);
  void set(std::size_t i, const Link& link);
  void swap(std::size_t i, std::size_t j);
  /// The last link takes its place.
  void erase(std::size_t i);
  /// Link i becomes the one that was at places[i]; as many links as there are places stay. A place
  /// beyond the size makes an empty link, for set() to fill.
  void arrange(std::span<const std::uint8_t> places);

 private:
  /// A time, aligned to 4 bytes only.
  class PackedTime {
   public:
    PackedTime() = default;
    explicit PackedTime(Time time) {
      const auto count = static_cast<std::uint64_t>(time.time_since_epoch().count());
      low_ = static_cast<std::uint32_t>(count);
      high_ = static_cast<std::uint32_t>(count >> 32);
    }
    Time time() const {
      return Time{Duration{static_cast<Duration::rep>(std::uint64_t{high_} << 32 | low_)}};
    }

   private:
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0;
  };
  struct Slot {
    PackedTime born;
    PackedTime linked;
    std::uint32_t host = 0;  ///< The last 4 bytes of the address.
    std::uint32_t sequence = 0;
    std::uint32_t cpu_free = 0;
    std::uint32_t memory_free = 0;
    std::uint16_t queued = 0;
    std::uint8_t make = 0;
  };
  static_assert(sizeof(Slot) == 36);
  struct Make {
    std::uint64_t net_high = 0;  ///< The address but for its last 4 bytes.
    std::uint32_t net_low = 0;
    std::uint32_t incarnation = 0;
    std::uint32_t cpu_total = 0;
    std::uint32_t memory_total = 0;
    Signature signature;
    std::uint32_t rates_total = 0;
    std::uint16_t port = 0;

    friend bool operator==(const Make&, const Make&) = default;
  };

  /// The index of this make. It takes the place of a make that no link uses, if there is one.
  std::uint8_t intern(const Make& make);
  /// Makes room for one more make.
  void grow();
  /// Makes room for a row of what is taken of rates, nothing so far.
  void add_rates();

  std::size_t block_size() const {
    const std::size_t rates = has_rates_ ? sizeof(std::uint32_t) : 0;
    return make_count_ * sizeof(Make) + capacity_ * (sizeof(PeerId) + sizeof(Slot) + rates);
  }
  Make* makes() const { return reinterpret_cast<Make*>(block_.get()); }
  PeerId* id_row() const { return reinterpret_cast<PeerId*>(makes() + make_count_); }
  Slot* slots() const { return reinterpret_cast<Slot*>(id_row() + capacity_); }
  /// Requires has_rates_.
  std::uint32_t* rates() const { return reinterpret_cast<std::uint32_t*>(slots() + capacity_); }

  /// One block of makes, ids, slots and rates, because each allocation costs 16 bytes. None at
  /// first.
  std::unique_ptr<std::byte[]> block_;
  std::uint8_t capacity_ = 0;
  std::uint8_t size_ = 0;
  std::uint8_t make_count_ = 0;
  bool has_rates_ = false;
};

// Inline, so that a caller that wants a part of a link unpacks no more than that part.
inline Link PackedLinks::at(std::size_t i) const {
  ensure(i < size_, "a link beyond a view");
  const Slot& slot = slots()[i];
  const Make& make = makes()[slot.make];
  return {.neighbour = {.peer = {.id = id_row()[i],
                            .address = {.high = make.net_high,
                                .low = std::uint64_t{make.net_low} << 32 | slot.host,
                                .port = make.port},
                            .queued = slot.queued,
                            .age = {},
                            .incarnation = make.incarnation,
                            .sequence = slot.sequence,
                            .cpu_free = slot.cpu_free,
                            .memory_free = slot.memory_free,
                            .cpu_total = make.cpu_total,
                            .memory_total = make.memory_total,
                            .signature = make.signature,
                            .rates_total = make.rates_total,
                            .rates_used = has_rates_ ? rates()[i] : 0},
              .born = slot.born.time()},
      .linked = slot.linked.time()};
}

}  // namespace dunlin::overlay
