// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dunlin::node {

template <typename T>
concept Scalar = std::is_integral_v<T> || std::is_enum_v<T>;

/// Appends values to a string of bytes: scalars little-endian, strings and vectors by a 32-bit
/// count. A type is described once, for writer and reader, by `void fields(auto& archive, auto&
/// value)`.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  void operator()(const auto&... values) { (put(values), ...); }

 private:
  template <Scalar T>
  void put(T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    out_.append(bytes, sizeof(T));
  }
  void put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    out_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const T& item : list) put(item);
  }
  template <typename T>
    requires std::is_class_v<T>
  void put(const T& value) {
    fields(*this, value);
  }

  std::string& out_;
};

/// Reads what a FieldWriter wrote. Never beyond the end: a reading that would leaves defaults, and
/// ok() is false ever after. Allocates no more than the bytes at hand can fill.
class FieldReader {
 public:
  explicit FieldReader(std::string_view in) : in_(in) {}

  void operator()(auto&... values) { (take(values), ...); }

  /// True if all was there. `finished()`: and nothing was left over.
  bool ok() const { return ok_; }
  bool finished() const { return ok_ && in_.empty(); }

 private:
  bool enough(std::size_t bytes) {
    if (in_.size() < bytes) ok_ = false;
    return ok_;
  }
  template <Scalar T>
  void take(T& value) {
    if (!enough(sizeof(T))) return;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(in_[i])) << (8 * i);
    }
    value = static_cast<T>(bits);
    in_.remove_prefix(sizeof(T));
  }
  void take(std::string& text) {
    std::uint32_t size = 0;
    take(size);
    if (!enough(size)) return;
    text.assign(in_.substr(0, size));
    in_.remove_prefix(size);
  }
  template <typename T>
  void take(std::vector<T>& list) {
    std::uint32_t size = 0;
    take(size);
    if (!enough(size)) return;  // Every item takes at least one byte.
    list.clear();
    if constexpr (Scalar<T>) {
      if (!enough(std::size_t{size} * sizeof(T))) return;
      list.reserve(size);
    }
    for (std::uint32_t i = 0; i < size && ok_; ++i) take(list.emplace_back());
  }
  template <typename T>
    requires std::is_class_v<T>
  void take(T& value) {
    fields(*this, value);
  }

  std::string_view in_;
  bool ok_ = true;
};

}  // namespace dunlin::node
