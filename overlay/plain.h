// SPDX-License-Identifier: MIT
#pragma once

#include <capnp/blob.h>
#include <cstddef>
#include <string>
#include <vector>

#include "overlay/ensure.h"
#include "overlay/inline_vector.h"

// The parts of the generated codecs (*.plain.h): bounded copies between capnp's containers and
// ours. To encode beyond a bound is our bug, so it aborts; to decode beyond it is a stranger's
// malice, so it fails.
namespace dunlin::plain {

/// The size of a list to be encoded.
template <typename List>
unsigned wire_size(const List& list, std::size_t bound) {
  ensure(list.size() <= bound, "a list longer than its schema allows");
  return static_cast<unsigned>(list.size());
}

/// Borrows `text`.
inline capnp::Text::Reader wire_text(const std::string& text, std::size_t bound) {
  ensure(text.size() <= bound, "a text longer than its schema allows");
  return {text.c_str(), text.size()};
}

/// Borrows `bytes`.
inline capnp::Data::Reader wire_data(const std::string& bytes, std::size_t bound) {
  ensure(bytes.size() <= bound, "data longer than their schema allows");
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

/// False if `size` is beyond the bound.
template <typename T, std::size_t N>
[[nodiscard]] bool resize(overlay::InlineVector<T, N>& list, std::size_t size, std::size_t) {
  return list.resize(size);
}
template <typename T>
[[nodiscard]] bool resize(std::vector<T>& list, std::size_t size, std::size_t bound) {
  if (size > bound) return false;
  list.resize(size);
  return true;
}

/// False if `from` is beyond the bound.
[[nodiscard]] inline bool assign(std::string& to, capnp::Text::Reader from, std::size_t bound) {
  if (from.size() > bound) return false;
  to.assign(from.begin(), from.size());
  return true;
}
[[nodiscard]] inline bool assign(std::string& to, capnp::Data::Reader from, std::size_t bound) {
  if (from.size() > bound) return false;
  to.assign(reinterpret_cast<const char*>(from.begin()), from.size());
  return true;
}

}  // namespace dunlin::plain
