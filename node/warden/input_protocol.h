// SPDX-License-Identifier: MIT
#pragma once

#include "node/warden/protocol.h"

// The frames about what tasks read: see node/warden/protocol.h.
namespace dunlin::node::warden {

/// More of a task's standard input.
struct Feed {
  static constexpr Kind kKind = Kind::feed;
  std::uint64_t id = 0;
  std::string data;
  bool end = false;  ///< There is no more.
};
void fields(auto& archive, IsA<Feed> auto& m) {
  archive(m.id, m.data, m.end);
}

/// The terminal of a task has another size.
struct Resize {
  static constexpr Kind kKind = Kind::resize;
  std::uint64_t id = 0;
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
};
void fields(auto& archive, IsA<Resize> auto& m) {
  archive(m.id, m.rows, m.columns);
}

/// How much of its input a task, or the buffer of its pipe, has taken.
struct Fed {
  static constexpr Kind kKind = Kind::fed;
  std::uint64_t id = 0;
  std::uint64_t taken = 0;  ///< Bytes, since its start.
  bool closed = false;      ///< It reads no more; or an earlier agent gave all that there is.
};
void fields(auto& archive, IsA<Fed> auto& m) {
  archive(m.id, m.taken, m.closed);
}

}  // namespace dunlin::node::warden
