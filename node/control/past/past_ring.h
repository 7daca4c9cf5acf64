// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "overlay/time.h"

// What an agent remembers of its own figures: each step of 5 s for an hour, each minute for two
// days. It is of one size, 1.1 MiB, and is gone with the agent.
namespace dunlin::node {

/// How figures of steps become that of a minute.
enum class PastKind : std::uint8_t {
  mean,  ///< Of a level, such as free CPU.
  sum,   ///< Of what happened, such as tasks that started.
  high,  ///< The highest.
};

/// One figure of an agent's past. Its unit is in its name (_milli: thousandths of a CPU, _mib, _ns,
/// _bytes); without one it is a number of things.
struct PastFigure {
  std::string_view name;
  PastKind kind = PastKind::mean;
  /// The counter of `status` that it is the increase of; empty: it is measured.
  std::string_view counter = {};
};

/// By number. The measured ones come first, in the order of PastLevel.
inline constexpr PastFigure kPastFigures[] = {
    {"cpu_free_milli"},
    {"cpu_used_milli"},
    {"memory_free_mib"},
    {"memory_used_mib"},
    {"running"},
    {"suspended"},
    {"asking"},
    {"queued"},
    {"jobs"},
    {"nodes_known"},
    {"output_bytes"},
    {"loop_late_ns", PastKind::high},
    {"failed", PastKind::sum},
    {"started", PastKind::sum, "event_task_started"},
    {"ended", PastKind::sum, "event_task_ended"},
    {"lost", PastKind::sum, "event_task_lost"},
    {"preempted", PastKind::sum, "event_task_preempted"},
    {"bound", PastKind::sum, "event_task_bound"},
    {"jobs_accepted", PastKind::sum, "event_job_accepted"},
    {"jobs_finished", PastKind::sum, "event_job_finished"},
    {"deadlines_missed", PastKind::sum, "event_deadline_missed"},
    {"probes_sent", PastKind::sum, "event_probe_sent"},
    {"reservations_bounced", PastKind::sum, "event_reservation_bounced"},
    {"neighbours_lost", PastKind::sum, "event_neighbour_down"},
    {"commits", PastKind::sum, "commits"},
    {"commits_failed", PastKind::sum, "commits_failed"},
    {"messages_held_back", PastKind::sum, "messages_held_back"},
    {"requests", PastKind::sum, "requests"},
    {"requests_failed", PastKind::sum, "requests_failed"},
    {"messages_sent", PastKind::sum, "messages_sent"},
    {"messages_received", PastKind::sum, "messages_received"},
    {"datagrams_sent", PastKind::sum, "datagrams_sent"},
    {"datagrams_received", PastKind::sum, "datagrams_received"},
    {"datagrams_unsent", PastKind::sum, "datagrams_unsent"},
    {"datagram_bytes_sent", PastKind::sum, "datagram_bytes_sent"},
    {"datagram_bytes_received", PastKind::sum, "datagram_bytes_received"},
    {"stream_bytes_sent", PastKind::sum, "stream_bytes_sent"},
    {"stream_bytes_received", PastKind::sum, "stream_bytes_received"},
    {"cell_messages_sent", PastKind::sum, "cell_messages_sent"},
    {"cell_messages_received", PastKind::sum, "cell_messages_received"},
};
inline constexpr std::size_t kPastCount = std::size(kPastFigures);

/// The measured figures.
enum class PastLevel : std::uint8_t {
  cpu_free,
  cpu_used,
  memory_free,
  memory_used,
  running,
  suspended,
  asking,
  queued,
  jobs,
  nodes_known,
  output_bytes,
  loop_late,
  failed,
};

using PastFigures = std::array<std::int64_t, kPastCount>;

/// The figures of the past, in two rings.
class PastRing {
 public:
  /// Of a step in which no look fell.
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();

  struct Ring {
    overlay::Duration step;
    std::size_t size;  ///< Steps that are kept.
  };
  static constexpr Ring kFine{std::chrono::seconds(5), 720};
  static constexpr Ring kCoarse{std::chrono::minutes(1), 2880};

  PastRing();

  /// The number of the step that is under way.
  static std::int64_t step_at(overlay::Time now, const Ring& ring) {
    return now.time_since_epoch() / ring.step;
  }
  /// The figures of the step of kFine in which `now` lies. Steps that were left out before it are
  /// unknown.
  void add(overlay::Time now, const PastFigures& figures);

  /// The first step that is kept, and the one behind the last that is over; equal while there is
  /// none.
  struct Kept {
    std::int64_t first = 0;
    std::int64_t end = 0;
  };
  Kept kept(const Ring& ring) const;
  /// Requires that the step is kept.
  std::int64_t at(const Ring& ring, std::int64_t step, std::size_t figure) const;

  /// Of memory.
  std::size_t bytes() const;

 private:
  struct Rows {
    std::vector<PastFigures> rows;  ///< By step modulo size.
    std::int64_t first = 0;
    std::int64_t end = 0;
  };
  /// A step is over.
  static void put(Rows& rows, std::size_t size, std::int64_t step, const PastFigures& figures);
  const Rows& rows_of(const Ring& ring) const { return ring.size == kFine.size ? fine_ : coarse_; }
  void flush_minute();

  Rows fine_;
  Rows coarse_;
  std::optional<std::int64_t> minute_;  ///< The step of kCoarse that is under way, ...
  PastFigures sums_{};                  ///< ... what it has come to, ...
  std::int64_t looks_ = 0;              ///< ... and of how many steps.
};

}  // namespace dunlin::node
