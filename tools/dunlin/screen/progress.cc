// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/progress.h"

#include <algorithm>
#include <cmath>

#include "config/text.h"
#include "tools/dunlin/screen/text.h"

// The rate is that of the last few seconds, not of the whole run: the time left should follow when
// the cluster fills or empties. On a terminal the line is painted over; in a log file it would fill
// pages, so there it is written seldom, and only if it has changed.
namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kRepaint = 100ms;
constexpr auto kPlainPeriod = 10s;
constexpr auto kRateWindow = 5s;
constexpr std::size_t kBarWidth = 20;

}  // namespace

std::string progress_text(const TaskCounts& counts, double per_second) {
  const auto total = counts.total();
  const auto percent = total == 0 ? 0 : counts.ended() * 100 / total;
  std::string text = std::to_string(percent) + " %  " + std::to_string(counts.done) + " done, " +
      std::to_string(counts.running) + " running, " + std::to_string(counts.waiting) +
      " waiting, " + std::to_string(counts.failed) + " failed";
  if (counts.cancelled != 0) text += ", " + std::to_string(counts.cancelled) + " cancelled";
  // Without a rate the time left would be for ever.
  if (per_second <= 0) return text;
  const auto left = static_cast<double>(total - counts.ended()) / per_second;
  char rate[32];
  std::snprintf(rate, sizeof rate, per_second < 9.95 ? "  %.1f/s" : "  %.0f/s", per_second);
  text += rate;
  if (total != counts.ended()) text += "  " + age_text(std::ceil(left)) + " left";
  return text;
}

double Progress::rate(const TaskCounts& counts, Clock::time_point now) {
  samples_.emplace_back(now, counts.ended());
  // Two samples always stay, because a rate needs a beginning and an end.
  while (samples_.size() > 2 && now - samples_.front().first > kRateWindow) samples_.pop_front();
  const auto [since, before] = samples_.front();
  const double seconds = std::chrono::duration<double>(now - since).count();
  // Two samples so close make a rate of noise.
  return seconds < 0.2 ? 0 : static_cast<double>(counts.ended() - before) / seconds;
}

void Progress::show(const std::string& label, const TaskCounts& counts, const std::string& note) {
  const auto now = Clock::now();
  if (now - shown_ < (terminal_.interactive ? Clock::duration(kRepaint) : kPlainPeriod)) return;
  shown_ = now;
  const std::string text = progress_text(counts, rate(counts, now));
  const std::string reason = note.empty() ? "" : "  " + note;
  if (!terminal_.interactive) {
    const std::string line = label + ": " + text + reason;
    // A log of a job that waits all night is one line.
    if (line != last_) std::fprintf(stream_, "%s\n", line.c_str());
    last_ = line;
    return;
  }
  const std::string line = label + ": " +
      config::progress_bar(counts.ended(), counts.total(), kBarWidth) + " " + text + reason;
  // One column stays free, because some terminals wrap when the last one is written.
  std::fprintf(stream_, "\r%s\033[K", config::shortened(line, terminal_.columns - 1).c_str());
  std::fflush(stream_);
  // Remembered, as what is printed next must not begin behind this line.
  painted_ = true;
}

void Progress::clear() {
  if (!painted_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  painted_ = false;
}

}  // namespace dunlin::cli
