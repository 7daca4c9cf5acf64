// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_figures.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "sched/resources.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// Percentiles of a job's tasks. The agent counts them, over all tasks; the desk only prints, so a
// job of a million tasks costs the same as one of ten.
namespace dunlin::cli {
namespace {

/// One figure of one task, or the percentiles of several. Nothing is printed of what was not
/// counted.
template <typename Text>
void show_measure(const char* label, const Json& of, Text&& text) {
  if (value<double>(of, "max") <= 0) return;  // Nothing ever ran.
  // Percentiles of one value would say the same thrice.
  if (value<std::uint64_t>(of, "count") == 1) {
    std::printf("  %-8s %s\n", label, text("max").c_str());
  } else {
    std::printf("  %-8s p50 %s, p99 %s, max %s\n", label, text("p50").c_str(), text("p99").c_str(),
        text("max").c_str());
  }
}

}  // namespace

void show_measures(const Json& job) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kSpans = {
      {{"start", "start"}, {"run", "run"}, {"cpu", "CPU time"}}};
  for (const auto& [key, label] : kSpans) {
    const Json& of = member(job, key);
    show_measure(label, of, [&](const char* which) { return span_text(seconds_of(of, which)); });
  }
  const auto show_bytes = [](const Json& of, const char* label) {
    show_measure(
        label, of, [&](const char* which) { return bytes_text(value<std::uint64_t>(of, which)); });
  };
  show_bytes(member(job, "memory_peak_bytes"), "memory");
  if (const auto kills = value<std::uint64_t>(job, "memory_kills"); kills > 0) {
    std::printf("  %-8s %s for want of memory\n", "killed",
        (kills == 1 ? "1 process" : std::to_string(kills) + " processes").c_str());
  }
  // Only what the nodes of its tasks count.
  const Json& use = member(job, "use");
  const Json& cpus = member(use, "cpu_peak_milli");
  show_measure("CPU peak", cpus,
      [&](const char* which) { return sched::cpu_text(value<std::uint32_t>(cpus, which)); });
  show_bytes(member(use, "disk_read_bytes"), "read");
  show_bytes(member(use, "disk_written_bytes"), "written");
  show_bytes(member(use, "net_received_bytes"), "received");
  show_bytes(member(use, "net_sent_bytes"), "sent");
}

}  // namespace dunlin::cli
