// SPDX-License-Identifier: MIT
#include "sim/plot.h"

#include <cerrno>
#include <cstdio>
#include <sstream>
#include <sys/wait.h>

namespace dunlin::sim {
namespace {

double ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// As a gnuplot string in single quotes, in which only the quote itself is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::string script_of(const Simulation& run, const std::string& base) {
  std::ostringstream script;
  script << "$delays << END\n";
  for (const auto& point : run.recorder().queueing_delay().distribution()) {
    script << ms(point.value) << ' ' << point.share << '\n';
  }
  script << "END\n"
         << "set title " << quoted(run.scenario().title) << " noenhanced\n"
         << "set xlabel 'queueing delay of a task, ms'\n"
         << "set ylabel 'share of tasks'\n"
         << "set logscale x\nset yrange [0:1]\nset grid\nunset key\n"
         << "plot_line = \"$delays using 1:2 with steps lw 2 lc rgb '#1f6f8b'\"\n"
         << "set terminal svg size 720,440 font 'sans,13' background rgb 'white'\n"
         << "set output " << quoted(base + ".svg") << "\nplot @plot_line\n"
         << "set terminal pngcairo size 1080,660 font 'sans,13'\n"
         << "set output " << quoted(base + ".png") << "\nplot @plot_line\n";
  return script.str();
}

}  // namespace

Result<void> draw_delays(const Simulation& run, const std::string& base) {
  if (run.recorder().queueing_delay().count() == 0) return {};
  // The shell says 127 if there is no such command; and gnuplot must not wait for a display.
  std::FILE* pipe = popen("exec gnuplot 2>/dev/null", "w");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) return failure_of(errno, "gnuplot");
  const std::string script = script_of(run, base);
  std::fwrite(script.data(), 1, script.size(), pipe);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return failure(ErrorKind::not_found, "no gnuplot: install gnuplot-nox for pictures");
  }
  if (status != 0) return failure(ErrorKind::io, base + ".svg: gnuplot failed");
  return {};
}

}  // namespace dunlin::sim
