// SPDX-License-Identifier: MIT
#include "sim/report/progress.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unistd.h>

#include "config/text.h"

namespace dunlin::sim {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

double Progress::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void Progress::show(double share) {
  share = std::clamp(share, 0.0, 1.0);
  if (terminal_) {
    constexpr std::size_t kWidth = 40;
    const auto done = static_cast<std::uint64_t>(share * kWidth);
    // As if the rest went on at the pace so far: a run that fills up goes slower at its end.
    const double left = share > 0 ? elapsed() * (1 - share) / share : 0;
    std::fprintf(stderr, "\r%s %3.0f %%  %.0f s left \x1b[K",
        config::progress_bar(done, kWidth, kWidth).c_str(), 100 * share, left);
  } else if (static_cast<int>(share * 10) > tenths_) {
    tenths_ = static_cast<int>(share * 10);
    std::fprintf(stderr, "%d %% after %.1f s\n", 10 * tenths_, elapsed());
  }
}

void Progress::finish() {
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace dunlin::sim
