// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace dunlin::sim {

/// Unpacks one stream after another of a packed file: a file may hold several, as `cat` of two and
/// parallel packers make them.
class Unpacking {
 public:
  enum class State {
    within,   ///< The stream goes on.
    between,  ///< It has ended; the file may end here, or another one follows.
    damaged,  ///< It is none.
  };

  virtual ~Unpacking() = default;
  /// The name of the format, for people.
  virtual std::string_view name() const = 0;
  /// Takes what it can off the front of `packed`, and off `plain` what it has filled of it.
  virtual State unpack(std::span<const char>& packed, std::span<char>& plain) = 0;
};

/// What unpacks a file of gzip, bzip2, xz or zstd that begins with `head`; null if none of these
/// packed it. Names tell nothing: `head` does.
std::unique_ptr<Unpacking> unpacking_of(std::string_view head);

/// As many first bytes as unpacking_of() looks at.
inline constexpr std::size_t kPackedHead = 10;

}  // namespace dunlin::sim
