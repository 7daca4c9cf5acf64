// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "node/fields.h"

// The protocol between an agent and its warden, over a stream socket pair (descriptor 3 of the
// warden). Both come from the same build, so there are no versions; incoming frames are checked all
// the same.
//
//   agent -> warden   Hello     once, first          -> Ready
//   agent -> warden   Start     run this             -> Exited, once, when all of it is gone; or
//                                                       `stuck`, and Freed when all of it is gone
//   agent -> warden   Kill      end it
//   warden -> agent   Note      an operator should know
//
// A frame is a 32-bit count of the bytes that follow it, an 8-bit kind, and the fields.
namespace dunlin::node::warden {

/// A longer frame is a bug: the kernel's ARG_MAX bounds one task's words and variables.
inline constexpr std::size_t kFrameMax = 8u << 20;
inline constexpr int kSocketDescriptor = 3;

/// T or const T: the argument of `fields`, to write to or to read.
template <typename U, typename T>
concept IsA = std::is_same_v<std::remove_const_t<U>, T>;

enum class Kind : std::uint8_t { hello, start, kill, ready, exited, note, freed };

struct Hello {
  static constexpr Kind kKind = Kind::hello;
  std::string label;   ///< Names this agent's cgroups.
  std::string limits;  ///< "auto", "v2", "v1", "rlimit", "none".
  bool cpu_quota = false;
  std::uint32_t start_ms = 30'000;  ///< A start that lasts longer hangs.
  std::uint32_t kill_ms = 10'000;   ///< A process that outlives SIGKILL by more is stuck.
  std::uint32_t umask = 022;        ///< The umask of tasks.
  std::uint64_t core_limit = 0;     ///< Their soft limit of core dumps, in bytes.
  std::uint32_t pids_max = 0;       ///< Processes and threads of one task; 0 is no limit.
};
void fields(auto& archive, IsA<Hello> auto& m) {
  archive(m.label, m.limits, m.cpu_quota, m.start_ms, m.kill_ms, m.umask, m.core_limit, m.pids_max);
}

struct Start {
  static constexpr Kind kKind = Kind::start;
  std::uint64_t id = 0;      ///< The agent's name for this attempt, never used again.
  std::uint32_t slot = 0;    ///< Small; one task at a time.
  std::uint32_t cpu = 0;     ///< milli-CPU
  std::uint32_t memory = 0;  ///< MiB; 0 is no limit.
  std::string directory;
  std::string out;  ///< Output is appended. Relative files are in `directory`.
  std::string err;
  bool measure_out = false;  ///< Report the size of `out` at the end.
  bool measure_err = false;
  std::vector<std::string> words;        ///< At least one.
  std::vector<std::string> environment;  ///< "NAME=value"; PATH is searched for the command.
};
void fields(auto& archive, IsA<Start> auto& m) {
  archive(m.id, m.slot, m.cpu, m.memory, m.directory, m.out, m.err, m.measure_out, m.measure_err,
      m.words, m.environment);
}

struct Kill {
  static constexpr Kind kKind = Kind::kill;
  std::uint64_t id = 0;
  std::uint32_t grace_ms = 0;  ///< From SIGTERM to SIGKILL; 0: SIGKILL at once.
};
void fields(auto& archive, IsA<Kill> auto& m) {
  archive(m.id, m.grace_ms);
}

struct Ready {
  static constexpr Kind kKind = Kind::ready;
  std::string limits;  ///< The mechanism in use: "v2", "v1", "rlimit", "none".
  std::string error;   ///< Not empty: the wanted mechanism cannot be had; the warden ends.
};
void fields(auto& archive, IsA<Ready> auto& m) {
  archive(m.limits, m.error);
}

enum class Ending : std::uint8_t {
  exited,
  signalled,
  out_of_memory,
  not_found,
  not_executable,
  not_started,   ///< Not the command's fault; `status` is an errno.
  no_directory,  ///< Not started either: it could not enter its working directory.
  no_output,  ///< Likewise: a file that it is to write could not be opened, and is not kept here.
};

struct Exited {
  static constexpr Kind kKind = Kind::exited;
  std::uint64_t id = 0;
  Ending ending = Ending::exited;
  std::int32_t status = 0;      ///< Exit status, signal, or errno.
  bool kill_requested = false;  ///< A Kill arrived before it had ended by itself.
  std::int64_t wall = 0;        ///< ns
  std::int64_t cpu = 0;         ///< ns
  std::uint64_t memory_peak = 0;
  std::uint64_t out_bytes = 0;
  std::uint64_t err_bytes = 0;
  std::int64_t started_at = 0;  ///< ns since 1970
  std::string detail;
  bool stuck = false;  ///< Processes of it survive SIGKILL: its slot is taken until Freed.
};
void fields(auto& archive, IsA<Exited> auto& m) {
  archive(m.id, m.ending, m.status, m.kill_requested, m.wall, m.cpu, m.memory_peak, m.out_bytes,
      m.err_bytes, m.started_at, m.detail, m.stuck);
}

/// The last process of a task that was stuck has ended.
struct Freed {
  static constexpr Kind kKind = Kind::freed;
  std::uint64_t id = 0;
};
void fields(auto& archive, IsA<Freed> auto& m) {
  archive(m.id);
}

struct Note {
  static constexpr Kind kKind = Kind::note;
  std::string text;
};
void fields(auto& archive, IsA<Note> auto& m) {
  archive(m.text);
}

/// Appends `message` as a frame.
template <typename Message>
void append_frame(std::string& out, const Message& message) {
  const std::size_t begin = out.size();
  FieldWriter write(out);
  write(std::uint32_t{0}, Message::kKind, message);
  std::string size;
  FieldWriter{size}(static_cast<std::uint32_t>(out.size() - begin - sizeof(std::uint32_t)));
  out.replace(begin, size.size(), size);
}

/// The message in a frame's body; empty if it is malformed.
template <typename Message>
std::optional<Message> parse(std::string_view body) {
  Message message;
  FieldReader read(body);
  read(message);
  if (!read.finished()) return std::nullopt;
  return message;
}

/// Cuts a stream of bytes into frames.
class FrameReader {
 public:
  struct Frame {
    Kind kind;
    std::string_view body;  ///< Valid until the next append().
  };

  void append(std::string_view bytes) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    buffer_ += bytes;
  }
  /// The next whole frame, if there is one. After broken() there is none.
  std::optional<Frame> next() {
    if (!ready()) return std::nullopt;
    const auto frame = std::string_view(buffer_).substr(begin_ + kHeader, size_);
    begin_ += kHeader + size_;
    return Frame{static_cast<Kind>(frame[0]), frame.substr(1)};
  }
  /// True if next() would yield a frame.
  bool ready() {
    const auto rest = std::string_view(buffer_).substr(begin_);
    if (rest.size() < kHeader) return false;
    FieldReader{rest}(size_);
    broken_ = size_ == 0 || size_ > kFrameMax;
    return !broken_ && rest.size() - kHeader >= size_;
  }
  /// True if the next bytes cannot be a frame.
  bool broken() const { return broken_; }

 private:
  static constexpr std::size_t kHeader = sizeof(std::uint32_t);

  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint32_t size_ = 0;  ///< The size of the frame at `begin_`, without its header.
  bool broken_ = false;
};

}  // namespace dunlin::node::warden
