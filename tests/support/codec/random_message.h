// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "overlay/rng.h"
#include "overlay/wire_types.h"

namespace dunlin::testing {

/// Fills in messages by chance, extremes included, up to a number of bytes and elements per
/// message.
class RandomMessage {
 public:
  RandomMessage(std::uint64_t seed, std::size_t budget) : rng_(seed), budget_(budget) {}

  /// Alternative `index` of `Message`, a std::variant.
  template <typename Message>
  Message draw(std::size_t index) {
    Message message = nth<Message>(index, std::make_index_sequence<std::variant_size_v<Message>>());
    std::visit([this](auto& alternative) { this->fill(alternative, 0); }, message);
    return message;
  }

  template <typename T>
  void fill(T& value, std::size_t bound) {
    if constexpr (requires { T::fields(value, [](auto&&...) {}); }) {
      T::fields(
          value, [this](const char*, auto& member, std::size_t max) { this->fill(member, max); });
    } else if constexpr (requires { std::variant_size<T>::value; }) {
      // A union within a struct is left at its first alternative: see draw().
    } else if constexpr (std::same_as<T, bool>) {
      value = rng_.chance(0.5);
    } else if constexpr (std::integral<T>) {
      value = number<T>();
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(rng_.index(word_count(T{})));
    } else {
      fill_strong(value, bound);
    }
  }

 private:
  template <typename Message, std::size_t... I>
  static Message nth(std::size_t index, std::index_sequence<I...>) {
    Message message;
    ((I == index ? void(message.template emplace<I>()) : void()), ...);
    return message;
  }

  template <typename T>
  T number() {
    switch (rng_.below(4)) {
      case 0:
        return 0;
      case 1:
        return std::numeric_limits<T>::max();
      case 2:
        return std::numeric_limits<T>::min();
      default:
        return static_cast<T>(rng_());
    }
  }

  /// Often none, sometimes all that the bound allows.
  std::size_t size(std::size_t bound) {
    const std::size_t max = std::min(bound, budget_);
    std::size_t drawn = rng_.index(max + 1);
    if (rng_.chance(0.3)) drawn = 0;
    if (rng_.chance(0.3)) drawn = max;
    budget_ -= drawn;
    return drawn;
  }

  template <typename Id>
    requires std::same_as<decltype(Id::value), std::uint64_t>
  void fill_strong(Id& id, std::size_t) {
    id.value = number<std::uint64_t>();
  }
  void fill_strong(overlay::Duration& value, std::size_t) {
    value = std::chrono::milliseconds(number<std::uint32_t>());  // Every field can carry it.
  }
  void fill_strong(overlay::Time& value, std::size_t) {
    value = overlay::Time{std::chrono::milliseconds(number<std::uint32_t>())};
  }
  void fill_strong(overlay::OptionalDuration& value, std::size_t) {
    const std::chrono::nanoseconds drawn(number<std::int64_t>() & INT64_MAX);
    value.reset();
    if (drawn.count() > 0) value = drawn;
  }
  void fill_strong(overlay::Address& address, std::size_t) {
    address = {.high = number<std::uint64_t>(), .low = rng_(), .port = number<std::uint16_t>()};
  }
  void fill_strong(overlay::Signature& signature, std::size_t) {
    signature = {.low = rng_(), .high = number<std::uint64_t>()};
  }
  void fill_strong(std::string& text, std::size_t bound) {
    text.resize(size(bound));
    for (char& byte : text) byte = static_cast<char>(rng_());
  }
  template <typename T>
  void fill_strong(std::vector<T>& list, std::size_t bound) {
    list.resize(size(bound));
    for (T& item : list) fill(item, 0);
  }
  template <typename T, std::size_t N>
  void fill_strong(overlay::InlineVector<T, N>& list, std::size_t) {
    ensure(list.resize(size(N)));
    for (T& item : list) fill(item, 0);
  }

  overlay::Rng rng_;
  std::size_t budget_;
};

}  // namespace dunlin::testing
