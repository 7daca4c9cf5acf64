// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "node/base64.h"
#include "node/control/control_protocol.h"

namespace dunlin::node {

/// A set of tasks of one job, a bit for each: those that a client was told of already. As a text it
/// goes with a request that is made once more, at another node.
class TaskBits {
 public:
  /// Room for the text of the largest job.
  static constexpr std::size_t kTextMax = (kSubmitTasksMax / 8 + 3) / 3 * 4 + 4;

  explicit TaskBits(std::uint32_t tasks) : tasks_(tasks) {}
  /// The set that text() described; an empty one for an empty text, nothing for another text.
  static std::optional<TaskBits> read(std::string_view text, std::uint32_t tasks) {
    TaskBits bits(tasks);
    if (text.empty()) return bits;
    auto bytes = from_base64(text);
    if (!bytes || bytes->size() != bits.size()) return std::nullopt;
    bits.bytes_ = std::move(*bytes);
    return bits;
  }

  /// True if it was not there yet, and is a task of the job.
  bool add(std::uint32_t task) {
    if (task >= tasks_) return false;
    if (bytes_.empty()) bytes_.assign(size(), '\0');
    char& byte = bytes_[task / 8];
    const auto with = static_cast<char>(static_cast<unsigned char>(byte) | 1u << task % 8);
    if (with == byte) return false;
    byte = with;
    return true;
  }
  /// It is not there any more.
  void remove(std::uint32_t task) {
    if (task >= tasks_ || bytes_.empty()) return;
    char& byte = bytes_[task / 8];
    byte = static_cast<char>(static_cast<unsigned char>(byte) & ~(1u << task % 8));
  }
  std::string text() const { return to_base64(bytes_); }

 private:
  std::size_t size() const { return (std::size_t{tasks_} + 7) / 8; }

  std::uint32_t tasks_;
  std::string bytes_;  ///< Empty: none is in it.
};

}  // namespace dunlin::node
