// SPDX-License-Identifier: MIT
#include "sim/gnuplot.h"

#include <cerrno>
#include <cstdio>
#include <sys/wait.h>

namespace dunlin::sim {

std::string gnuplot_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

Result<void> draw(
    const std::string& script, const std::string& plot_command, const std::string& base) {
  const std::string all = script +
      "set terminal svg size 720,440 font 'sans,13' background rgb 'white'\n" + "set output " +
      gnuplot_quoted(base + ".svg") + "\n" + plot_command + "\n" +
      "set terminal pngcairo size 1080,660 font 'sans,13'\n" + "set output " +
      gnuplot_quoted(base + ".png") + "\n" + plot_command + "\n";
  // The shell says 127 if there is no such command; and gnuplot must not wait for a display.
  std::FILE* pipe = popen("exec gnuplot 2>/dev/null", "w");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) return failure_of(errno, "gnuplot");
  std::fwrite(all.data(), 1, all.size(), pipe);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return failure(ErrorKind::not_found, "no gnuplot: install gnuplot-nox for pictures");
  }
  if (status != 0) return failure(ErrorKind::io, base + ".svg: gnuplot failed");
  return {};
}

}  // namespace dunlin::sim
