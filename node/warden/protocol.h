// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "node/fields.h"
#include "node/warden/use/use_meter.h"

// The protocol between an agent and its warden, over a Unix socket in the agent's data directory.
// The warden outlives its agent, so the next agent may be of another build: hence the versions.
//
//   agent -> warden   Hello     once, first          -> Welcome; then Kept for each task that the
//                                                       warden has, and Exited if it has ended; and
//                                                       Listed
//   agent -> warden   Start     run this             -> Exited, once, when all of it is gone; or
//                                                       `stuck`, and Freed when all of it is gone
//   agent -> warden   Kill      end it
//   agent -> warden   Suspend   have it stand still, or go on
//   agent -> warden   Forget    its end need not be kept any more
//   agent -> warden   Stop      end everything, and yourself
//   agent -> warden   Feed      bytes of standard input  -> Fed, as the task takes them
//   agent -> warden   Resize    the size of its terminal
//   warden -> agent   Used      what a task has taken so far, each Settings.sample_ms
//   warden -> agent   Note      an operator should know
//
// A frame is a 32-bit count of the bytes that follow it, an 8-bit kind, and the fields. The kinds
// of Hello and Welcome, the fields of Greeting and the first one of Welcome never change.
namespace dunlin::node::warden {

/// A longer frame is a bug: the kernel's ARG_MAX bounds one task's words and variables.
inline constexpr std::size_t kFrameMax = 8u << 20;
/// Nothing that a stranger sends may be longer.
inline constexpr std::size_t kStrangerFrameMax = 4u << 10;
/// The version that this build speaks. It grows when a frame changes.
inline constexpr std::uint16_t kVersion = 9;
inline constexpr std::uint64_t kMagic = 0x6e64'7261'776e'6c64;

// The files of a warden, in a directory of its own.
inline constexpr const char* kSocketFile = "socket";
inline constexpr const char* kSecretFile = "secret";
inline constexpr const char* kLockFile = "lock";  ///< Locked as long as the warden lives.
inline constexpr std::size_t kSecretSize = 32;

/// The exit status of a warden that found another one alive in its directory.
inline constexpr int kExitSecond = 75;

/// T or const T: the argument of `fields`, to write to or to read.
template <typename U, typename T>
concept IsA = std::is_same_v<std::remove_const_t<U>, T>;

/// The kind of a frame. The numbers are those of the protocol: a new kind goes to the end.
enum class Kind : std::uint8_t {
  hello,
  welcome,
  start,
  kill,
  forget,
  stop,
  kept,
  exited,
  listed,
  freed,
  note,
  feed,
  resize,
  fed,
  suspend,
  used
};

/// The beginning of a Hello, which all versions can read.
struct Greeting {
  std::uint64_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint32_t incarnation = 0;  ///< Of the agent: a later one takes the place of an earlier one.
  std::string secret;             ///< As the file has it.
};
void fields(auto& archive, IsA<Greeting> auto& m) {
  archive(m.magic, m.version, m.incarnation, m.secret);
}

/// The settings of the agent for all tasks.
struct Settings {
  std::string label;   ///< Names this agent's cgroups.
  std::string limits;  ///< "auto", "v2", "v1", "rlimit", "none".
  bool cpu_quota = false;
  std::uint32_t start_ms = 30'000;  ///< A start that lasts longer hangs.
  std::uint32_t kill_ms = 10'000;   ///< A process that outlives SIGKILL by more is stuck.
  std::uint32_t umask = 022;        ///< The umask of tasks.
  std::uint64_t core_limit = 0;     ///< Their soft limit of core dumps, in bytes.
  std::uint32_t pids_max = 0;       ///< Processes and threads of one task; 0 is no limit.
  std::uint32_t grace_ms = 0;       ///< From SIGTERM to SIGKILL, when no agent comes back.
  std::uint32_t reattach_ms = 0;    ///< Tasks run on without an agent for so long.
  std::uint32_t uid_min = 1000;     ///< Tasks run as no other user below this id.
  std::uint32_t sample_ms = 0;      ///< The use of tasks is read each so many ms; 0: never.
  std::string data;                 ///< A directory on the disk of which tasks demand rates.
  std::uint64_t room_min = 0;       ///< Much output goes slowly where its disk has less, in bytes.
  friend bool operator==(const Settings&, const Settings&) = default;
};
void fields(auto& archive, IsA<Settings> auto& m) {
  archive(m.label, m.limits, m.cpu_quota, m.start_ms, m.kill_ms, m.umask, m.core_limit, m.pids_max,
      m.grace_ms, m.reattach_ms, m.uid_min, m.sample_ms, m.data, m.room_min);
}

/// The first frame of an agent. Until its secret was seen it is a stranger, with a smaller bound
/// for frames.
struct Hello {
  static constexpr Kind kKind = Kind::hello;
  Greeting greeting;
  Settings settings;
};
void fields(auto& archive, IsA<Hello> auto& m) {
  archive(m.greeting, m.settings);
}

/// The answer to Hello: what this warden can do for this agent, or why it will not serve it.
struct Welcome {
  static constexpr Kind kKind = Kind::welcome;
  std::uint16_t version = kVersion;  ///< 0: it speaks none that the agent does, and ends.
  std::string error;  ///< Not empty: the warden serves another agent, or cannot do what is wanted.
  std::uint32_t since = 0;   ///< The incarnation of the first agent that it served.
  std::string limits;        ///< The mechanism in use: "v2", "v1", "rlimit", "none".
  bool users = false;        ///< It can run tasks as other users.
  bool suspends = false;     ///< It can have tasks stand still.
  bool limits_disk = false;  ///< It holds tasks to the rates of the disk that they demand.
  bool limits_net = false;   ///< Likewise, of the network.
};
void fields(auto& archive, IsA<Welcome> auto& m) {
  archive(m.version, m.error, m.since, m.limits, m.users, m.suspends, m.limits_disk, m.limits_net);
}

/// What a task reads.
enum class Input : std::uint8_t { file, pipe, terminal };

/// The most that a task may take of a resource of setrlimit(2), or the hard limit if that is less.
struct TaskLimit {
  std::int32_t resource = 0;
  std::uint64_t max = 0;  ///< All bits set: no limit.
};
void fields(auto& archive, IsA<TaskLimit> auto& m) {
  archive(m.resource, m.max);
}

/// One attempt that is to run. All that is needed for it is in here: the warden knows nothing of
/// jobs.
struct Start {
  static constexpr Kind kKind = Kind::start;
  std::uint64_t id = 0;         ///< The agent's name for this attempt, never used again.
  std::uint32_t slot = 0;       ///< Small; one task at a time.
  std::uint32_t cpu = 0;        ///< milli-CPU
  std::uint32_t memory = 0;     ///< MiB; 0 is no limit.
  std::uint32_t disk_read = 0;  ///< KiB/s; 0 is no limit.
  std::uint32_t disk_write = 0;
  std::uint32_t net_in = 0;
  std::uint32_t net_out = 0;
  std::string user;       ///< The user that it runs as, by name; empty: the warden's.
  std::string directory;  ///< Empty: the home of `user`.
  std::string out;  ///< Output is appended, see truncates(). Relative files are in `directory`.
  std::string err;
  std::string in;             ///< The file that it reads; empty: none.
  Input input = Input::file;  ///< `terminal`: it is `out` and `err`, too, and kept in `out`.
  std::uint16_t rows = 0;     ///< Of the terminal.
  std::uint16_t columns = 0;
  bool measure_out = false;  ///< Report the size of `out` at the end.
  bool measure_err = false;
  std::vector<std::string> words;        ///< At least one.
  std::vector<std::string> environment;  ///< "NAME=value"; PATH is searched for the command.
  std::string card;                      ///< The agent's own notes of it, for Kept.
  std::uint16_t umask = 0;               ///< One more than its umask; 0: that of Settings.
  std::vector<TaskLimit> limits{};       ///< Those that it does not inherit.
  /// `directory` is to be made for it, for `user` alone, and removed when it has ended.
  bool own_directory = false;

  /// `out` and `err` begin empty, where they are files of the user. It stands where the size of a
  /// terminal would: a warden that does not know it appends, and goes on with its tasks otherwise.
  void set_truncate(bool on) { rows = on ? 1 : 0; }
  bool truncates() const { return input != Input::terminal && rows != 0; }

  /// All its processes get `signal` once, when it has run for so long. It stands among the limits,
  /// of a resource that no kernel has: a warden that does not know it sets none and sends nothing.
  void set_signal(std::uint8_t signal, std::uint32_t after_ms) {
    limits.push_back({.resource = kSignalResource, .max = std::uint64_t{signal} << 32 | after_ms});
  }
  /// The signal that it gets so; 0: none.
  std::uint8_t signal() const { return static_cast<std::uint8_t>(signal_word() >> 32); }
  std::chrono::milliseconds signal_after() const {
    return std::chrono::milliseconds(static_cast<std::uint32_t>(signal_word()));
  }

 private:
  static constexpr std::int32_t kSignalResource = -1;
  std::uint64_t signal_word() const {
    for (const TaskLimit& limit : limits) {
      if (limit.resource == kSignalResource) return limit.max;
    }
    return 0;
  }
};
void fields(auto& archive, IsA<Start> auto& m) {
  archive(m.id, m.slot, m.cpu, m.memory, m.disk_read, m.disk_write, m.net_in, m.net_out, m.user,
      m.directory, m.out, m.err, m.in, m.input, m.rows, m.columns, m.measure_out, m.measure_err,
      m.words, m.environment, m.card, m.umask, m.limits, m.own_directory);
}

/// A task is to end. A second one may come, with less grace or another reason.
struct Kill {
  static constexpr Kind kKind = Kind::kill;
  std::uint64_t id = 0;
  std::uint32_t grace_ms = 0;  ///< From SIGTERM to SIGKILL; 0: SIGKILL at once.
  std::uint8_t reason = 0;     ///< The agent's own word for why: see Exited.
  std::uint8_t warning = 0;  ///< A signal that comes before SIGTERM, to the main process; 0: none.
  std::uint32_t warning_ms = 0;  ///< From that to SIGTERM, unless the main process ends before.
};
void fields(auto& archive, IsA<Kill> auto& m) {
  archive(m.id, m.grace_ms, m.reason, m.warning, m.warning_ms);
}

/// All processes of a task are to stand still until it goes on, or is to end. Of one that ended it
/// means nothing.
struct Suspend {
  static constexpr Kind kKind = Kind::suspend;
  std::uint64_t id = 0;
  bool on = true;  ///< False: it goes on.
};
void fields(auto& archive, IsA<Suspend> auto& m) {
  archive(m.id, m.on);
}

/// The end of a task need not be kept any more.
struct Forget {
  static constexpr Kind kKind = Kind::forget;
  std::uint64_t id = 0;
};
void fields(auto& archive, IsA<Forget> auto& m) {
  archive(m.id);
}

/// All tasks are to be killed at once, and the warden ends.
struct Stop {
  static constexpr Kind kKind = Kind::stop;
};
void fields(auto&, IsA<Stop> auto&) {}

/// A task that an earlier agent started.
struct Kept {
  static constexpr Kind kKind = Kind::kept;
  std::uint64_t id = 0;
  std::uint32_t slot = 0;
  bool slot_passed_on = false;    ///< A later task got its slot, so it has ended.
  bool forgotten = false;         ///< Its end is of no use: it is listed because it is stuck.
  std::int64_t ran = 0;           ///< ns since its start, less those that it stood still.
  bool suspended = false;         ///< It stands still, or did when it was told to end, ...
  std::int64_t stands = 0;        ///< ... for so many ns.
  std::uint16_t suspensions = 0;  ///< So often it was told to stand still.
  bool kill_requested = false;    ///< It was told to end, ...
  std::uint8_t kill_reason = 0;   ///< ... for that reason: see Kill.
  std::string card;
};
void fields(auto& archive, IsA<Kept> auto& m) {
  archive(m.id, m.slot, m.slot_passed_on, m.forgotten, m.ran, m.suspended, m.stands, m.suspensions,
      m.kill_requested, m.kill_reason, m.card);
}

/// All that was kept has been told.
struct Listed {
  static constexpr Kind kKind = Kind::listed;
};
void fields(auto&, IsA<Listed> auto&) {}

/// Begins the detail of an end if its output could not be written; the text of the errno follows.
inline constexpr std::string_view kUnwritten = "its output could not be written: ";

/// The end of a task, or the reason why it never began.
enum class Ending : std::uint8_t {
  exited,
  signalled,
  out_of_memory,
  not_found,
  not_executable,
  not_started,   ///< Not the command's fault; `status` is an errno.
  no_directory,  ///< Not started either: it could not enter its working directory.
  no_output,  ///< Likewise: a file that it is to write could not be opened, and is not kept here.
  no_input,   ///< Likewise: the file that it is to read could not be opened.
  no_user,    ///< Likewise: it may not run as its user here, or there is none of that name.
};

/// The end of a task, told once; kept, and told to the next agent, until Forget.
struct Exited {
  static constexpr Kind kKind = Kind::exited;
  std::uint64_t id = 0;
  Ending ending = Ending::exited;
  std::int32_t status = 0;       ///< Exit status, signal, or errno.
  bool kill_requested = false;   ///< A Kill arrived before it had ended by itself, ...
  std::uint8_t kill_reason = 0;  ///< ... the last of them for that reason.
  std::int64_t wall = 0;         ///< ns, less those that it stood still.
  std::int64_t cpu = 0;          ///< ns
  std::uint64_t memory_peak = 0;
  std::uint64_t out_bytes = 0;
  std::uint64_t err_bytes = 0;
  std::int64_t started_at = 0;  ///< ns since 1970
  std::string detail;
  bool stuck = false;  ///< Processes of it survive SIGKILL: its slot is taken until Freed.
  UseSummary use;
};
void fields(auto& archive, IsA<Exited> auto& m) {
  archive(m.id, m.ending, m.status, m.kill_requested, m.kill_reason, m.wall, m.cpu, m.memory_peak,
      m.out_bytes, m.err_bytes, m.started_at, m.detail, m.stuck, m.use);
}

/// What a task that runs has taken since its start. None of it ever falls but `memory`.
struct Used {
  static constexpr Kind kKind = Kind::used;
  std::uint64_t id = 0;
  std::uint64_t cpu = 0;     ///< ns
  std::uint64_t memory = 0;  ///< Bytes at this moment; 0: not known.
  std::uint64_t disk_read = 0;
  std::uint64_t disk_written = 0;
  bool has_disk = false;  ///< Bytes of disks are counted.
  std::uint64_t net_received = 0;
  std::uint64_t net_sent = 0;
  bool has_net = false;  ///< Bytes of the network are counted.
};
void fields(auto& archive, IsA<Used> auto& m) {
  archive(m.id, m.cpu, m.memory, m.disk_read, m.disk_written, m.has_disk, m.net_received,
      m.net_sent, m.has_net);
}

/// The last process of a task that was stuck has ended.
struct Freed {
  static constexpr Kind kKind = Kind::freed;
  std::uint64_t id = 0;
};
void fields(auto& archive, IsA<Freed> auto& m) {
  archive(m.id);
}

/// A line for the agent's log, where operators look.
struct Note {
  static constexpr Kind kKind = Kind::note;
  std::string text;
};
void fields(auto& archive, IsA<Note> auto& m) {
  archive(m.text);
}

}  // namespace dunlin::node::warden
