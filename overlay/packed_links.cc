// SPDX-License-Identifier: MIT
#include "overlay/packed_links.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "overlay/ensure.h"

// A simulation of a million peers is bound by memory, and each peer holds 40 links. A plain link
// takes about 100 bytes, but most of it repeats: nodes of one rack differ in the last bytes of
// their address and in what is free. So a view is one block: a table of makes, a row of ids, and a
// slot for each link that names its make by index.
// A make that no link uses is overwritten; one more is added only if all are in use, which moves
// the ids and slots behind it. A view of different makes grows to the size of plain links, no more.
namespace dunlin::overlay {

PackedLinks::PackedLinks(std::size_t capacity) : capacity_(static_cast<std::uint8_t>(capacity)) {
  ensure(capacity <= 255, "a view so large");
}

PackedLinks::PackedLinks(const PackedLinks& other)
    : capacity_(other.capacity_),
      size_(other.size_),
      make_count_(other.make_count_),
      has_rates_(other.has_rates_) {
  if (!other.block_) return;
  block_ = std::make_unique<std::byte[]>(block_size());
  std::copy_n(other.block_.get(), block_size(), block_.get());
}

PackedLinks::PackedLinks(PackedLinks&& other) noexcept
    : block_(std::move(other.block_)),
      capacity_(other.capacity_),
      size_(std::exchange(other.size_, std::uint8_t{0})),
      make_count_(std::exchange(other.make_count_, std::uint8_t{0})),
      has_rates_(std::exchange(other.has_rates_, false)) {}

PackedLinks& PackedLinks::operator=(PackedLinks other) noexcept {
  block_ = std::move(other.block_);
  capacity_ = other.capacity_;
  size_ = other.size_;
  make_count_ = other.make_count_;
  has_rates_ = other.has_rates_;
  return *this;
}

void PackedLinks::push_back(const Link& link) {
  ensure(size_ < capacity_, "a view over its capacity");
  if (!block_) block_ = std::make_unique<std::byte[]>(block_size());
  ++size_;
  set(size_ - 1u, link);
}

void PackedLinks::set(std::size_t i, const Link& link) {
  ensure(i < size_, "a link beyond a view");
  const Descriptor& peer = link.neighbour.peer;
  id_row()[i] = peer.id;
  slots()[i] = {.born = PackedTime(link.neighbour.born),
      .linked = PackedTime(link.linked),
      .host = static_cast<std::uint32_t>(peer.address.low),
      .sequence = peer.sequence,
      .cpu_free = peer.cpu_free,
      .memory_free = peer.memory_free,
      .queued = peer.queued,
      .make = make_count_};
  // intern() may move the slots, so they are looked up anew below.
  const std::uint8_t make = intern({.net_high = peer.address.high,
      .net_low = static_cast<std::uint32_t>(peer.address.low >> 32),
      .incarnation = peer.incarnation,
      .cpu_total = peer.cpu_total,
      .memory_total = peer.memory_total,
      .signature = peer.signature,
      .rates_total = peer.rates_total,
      .port = peer.address.port});
  slots()[i].make = make;
  if (peer.rates_used != 0 && !has_rates_) add_rates();
  if (has_rates_) rates()[i] = peer.rates_used;
}

std::uint8_t PackedLinks::intern(const Make& make) {
  std::uint8_t place = 0;
  // A linear search: a view holds a few makes, at most as many as links.
  for (; place < make_count_; ++place) {
    if (makes()[place] == make) return place;
  }
  const auto unused = [&](std::uint8_t old) {
    return std::none_of(
        slots(), slots() + size_, [&](const Slot& slot) { return slot.make == old; });
  };
  for (place = 0; place < make_count_ && !unused(place);) ++place;
  if (place == make_count_) grow();
  makes()[place] = make;
  return place;
}

// One make at a time: makes are few, and growth by halves would waste what packing saves.
void PackedLinks::grow() {
  const std::size_t makes_size = make_count_ * sizeof(Make);
  const std::size_t rest = block_size() - makes_size;
  ++make_count_;
  auto block = std::make_unique<std::byte[]>(block_size());
  std::copy_n(block_.get(), makes_size, block.get());
  std::copy_n(block_.get() + makes_size, rest, block.get() + makes_size + sizeof(Make));
  block_ = std::move(block);
}

void PackedLinks::add_rates() {
  const std::size_t size_before = block_size();
  has_rates_ = true;
  auto block = std::make_unique<std::byte[]>(block_size());
  std::copy_n(block_.get(), size_before, block.get());
  block_ = std::move(block);
}

void PackedLinks::swap(std::size_t i, std::size_t j) {
  std::swap(id_row()[i], id_row()[j]);
  std::swap(slots()[i], slots()[j]);
  if (has_rates_) std::swap(rates()[i], rates()[j]);
}

void PackedLinks::arrange(std::span<const std::uint8_t> places) {
  ensure(places.size() <= capacity_, "a view over its capacity");
  if (!block_) {
    if (places.empty()) return;
    block_ = std::make_unique<std::byte[]>(block_size());
  }
  std::size_t same = 0;
  while (same < std::min<std::size_t>(places.size(), size_) && places[same] == same) ++same;
  // The links as they were, from the first that moves on. They are bytes, because memcpy() needs no
  // constructed objects.
  constexpr std::size_t kLinksMax = 255;
  std::array<std::byte, kLinksMax * sizeof(PeerId)> ids;
  std::array<std::byte, kLinksMax * sizeof(Slot)> slots;
  std::array<std::uint32_t, kLinksMax> taken;
  std::memcpy(ids.data(), id_row() + same, (size_ - same) * sizeof(PeerId));
  std::memcpy(slots.data(), this->slots() + same, (size_ - same) * sizeof(Slot));
  if (has_rates_) std::copy(rates() + same, rates() + size_, taken.begin());
  for (std::size_t i = same; i < places.size(); ++i) {
    if (places[i] >= size_) {
      id_row()[i] = {};
      this->slots()[i] = {};
      if (has_rates_) rates()[i] = 0;
      continue;
    }
    ensure(places[i] >= same, "a link that is to stand at two places");
    const std::size_t from = places[i] - same;
    std::memcpy(id_row() + i, ids.data() + from * sizeof(PeerId), sizeof(PeerId));
    std::memcpy(this->slots() + i, slots.data() + from * sizeof(Slot), sizeof(Slot));
    if (has_rates_) rates()[i] = taken[from];
  }
  size_ = static_cast<std::uint8_t>(places.size());
}

void PackedLinks::erase(std::size_t i) {
  ensure(i < size_, "a link beyond a view");
  swap(i, size_ - 1u);
  --size_;
}

}  // namespace dunlin::overlay
