// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "node/message.h"
#include "node/task/output/output.h"
#include "overlay/result.h"

namespace dunlin::node {

/// A copy of output, from the byte `begin` on.
struct KeptOutput {
  OutputChunk chunk;
  std::uint64_t begin = 0;
};

/// The ends of what tasks wrote on other nodes, for jobs whose log this node has a part in: a
/// worker that is gone has taken the rest with it. Kept as output is, in a directory of its own.
class OutputCopies {
 public:
  /// `directory` is created if missing. Keeps `bytes_max` bytes; the oldest jobs go first.
  static Result<OutputCopies> open(std::string directory, std::uint64_t bytes_max);

  /// Keeps a copy. A failure (disk full) loses it.
  Result<void> put(const OutputCopy& copy);
  /// What is kept of what was asked for, from `offset` or its own first byte on, whichever comes
  /// later; nothing if there is no copy of that attempt.
  std::optional<KeptOutput> read(const OutputRequest& request);
  /// As OutputStore::sweep().
  OutputStore::Swept sweep(const Shortage& shortage) { return store_.sweep(shortage); }
  std::uint64_t bytes() const { return store_.bytes(); }

 private:
  explicit OutputCopies(OutputStore store) : store_(std::move(store)) {}

  OutputStore store_;
};

}  // namespace dunlin::node
