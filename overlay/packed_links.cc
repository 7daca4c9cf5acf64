// SPDX-License-Identifier: MIT
#include "overlay/packed_links.h"

#include <algorithm>
#include <utility>

#include "overlay/ensure.h"

namespace dunlin::overlay {

PackedLinks::PackedTime::PackedTime(Time time) {
  const auto count = static_cast<std::uint64_t>(time.time_since_epoch().count());
  low_ = static_cast<std::uint32_t>(count);
  high_ = static_cast<std::uint32_t>(count >> 32);
}

Time PackedLinks::PackedTime::time() const {
  return Time{Duration{static_cast<Duration::rep>(std::uint64_t{high_} << 32 | low_)}};
}

PackedLinks::PackedLinks(std::size_t capacity) : capacity_(static_cast<std::uint8_t>(capacity)) {
  ensure(capacity <= 255, "a view so large");
}

PackedLinks::PackedLinks(const PackedLinks& other)
    : capacity_(other.capacity_),
      size_(other.size_),
      make_count_(other.make_count_) {
  if (!other.ids_) return;
  ids_ = std::make_unique<PeerId[]>(capacity_);
  slots_ = std::make_unique<Slot[]>(capacity_);
  makes_ = std::make_unique<Make[]>(make_count_);
  std::copy_n(other.ids_.get(), size_, ids_.get());
  std::copy_n(other.slots_.get(), size_, slots_.get());
  std::copy_n(other.makes_.get(), make_count_, makes_.get());
}

PackedLinks::PackedLinks(PackedLinks&& other) noexcept
    : ids_(std::move(other.ids_)),
      slots_(std::move(other.slots_)),
      makes_(std::move(other.makes_)),
      capacity_(other.capacity_),
      size_(std::exchange(other.size_, std::uint8_t{0})),
      make_count_(std::exchange(other.make_count_, std::uint8_t{0})) {}

PackedLinks& PackedLinks::operator=(PackedLinks other) noexcept {
  ids_ = std::move(other.ids_);
  slots_ = std::move(other.slots_);
  makes_ = std::move(other.makes_);
  capacity_ = other.capacity_;
  size_ = other.size_;
  make_count_ = other.make_count_;
  return *this;
}

void PackedLinks::prefetch() const {
  constexpr std::size_t kLine = 64;
  const auto fetch = [](const void* begin, std::size_t bytes) {
    const char* at = static_cast<const char*>(begin);
    for (std::size_t offset = 0; offset < bytes; offset += kLine) __builtin_prefetch(at + offset);
  };
  fetch(ids_.get(), capacity_ * sizeof(PeerId));
  fetch(slots_.get(), capacity_ * sizeof(Slot));
  fetch(makes_.get(), sizeof(Make));
}

Link PackedLinks::at(std::size_t i) const {
  ensure(i < size_, "a link beyond a view");
  const Slot& slot = slots_[i];
  const Make& make = makes_[slot.make];
  return {.neighbour = {.peer = {.id = ids_[i],
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
                            .signature = make.signature},
              .born = slot.born.time()},
      .linked = slot.linked.time()};
}

void PackedLinks::push_back(const Link& link) {
  ensure(size_ < capacity_, "a view over its capacity");
  if (!ids_) {
    ids_ = std::make_unique<PeerId[]>(capacity_);
    slots_ = std::make_unique<Slot[]>(capacity_);
  }
  ++size_;
  set(size_ - 1u, link);
}

void PackedLinks::set(std::size_t i, const Link& link) {
  ensure(i < size_, "a link beyond a view");
  const Descriptor& peer = link.neighbour.peer;
  ids_[i] = peer.id;
  slots_[i] = {.born = PackedTime(link.neighbour.born),
      .linked = PackedTime(link.linked),
      .host = static_cast<std::uint32_t>(peer.address.low),
      .sequence = peer.sequence,
      .cpu_free = peer.cpu_free,
      .memory_free = peer.memory_free,
      .queued = peer.queued,
      .make = make_count_};
  slots_[i].make = intern({.net_high = peer.address.high,
      .net_low = static_cast<std::uint32_t>(peer.address.low >> 32),
      .incarnation = peer.incarnation,
      .cpu_total = peer.cpu_total,
      .memory_total = peer.memory_total,
      .signature = peer.signature,
      .port = peer.address.port});
}

std::uint8_t PackedLinks::intern(const Make& make) {
  const auto place_of = [&](const Make* place) {
    return static_cast<std::uint8_t>(place - makes_.get());
  };
  const std::span<Make> makes(makes_.get(), make_count_);
  if (const auto same = std::ranges::find(makes, make); same != makes.end()) {
    return place_of(&*same);
  }
  for (Make& old : makes) {
    const auto of_it = [&](const Slot& slot) { return slot.make == place_of(&old); };
    if (std::any_of(slots_.get(), slots_.get() + size_, of_it)) continue;
    old = make;
    return place_of(&old);
  }
  auto more = std::make_unique<Make[]>(make_count_ + 1u);
  std::ranges::copy(makes, more.get());
  more[make_count_] = make;
  makes_ = std::move(more);
  return make_count_++;
}

void PackedLinks::swap(std::size_t i, std::size_t j) {
  std::swap(ids_[i], ids_[j]);
  std::swap(slots_[i], slots_[j]);
}

void PackedLinks::erase(std::size_t i) {
  ensure(i < size_, "a link beyond a view");
  swap(i, size_ - 1u);
  --size_;
}

}  // namespace dunlin::overlay
