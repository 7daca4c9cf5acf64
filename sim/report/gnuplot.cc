// SPDX-License-Identifier: MIT
#include "sim/report/gnuplot.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sys/wait.h>

namespace dunlin::sim {
namespace {

/// As long as it lives, a write to a pipe without a reader fails and does not end the program.
class PipesMayBreak {
 public:
  PipesMayBreak() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  PipesMayBreak(const PipesMayBreak&) = delete;
  PipesMayBreak& operator=(const PipesMayBreak&) = delete;
  ~PipesMayBreak() { std::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int);
};

}  // namespace

std::string gnuplot_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

namespace {

/// Runs a script. Its pictures, if it draws any, are called `base`.
Result<void> run_gnuplot(const std::string& script, const std::string& base) {
  // The shell returns 127 if there is no such command. gnuplot must not wait for a display.
  std::FILE* pipe = popen("exec gnuplot 2>/dev/null", "w");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) return failure_of(errno, "gnuplot");
  // Without gnuplot, or when it fails at the first line, it is gone before all is written. It must
  // not inherit the ignored signal, so the signal is ignored only after popen().
  const PipesMayBreak patient;
  std::fwrite(script.data(), 1, script.size(), pipe);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return failure(ErrorKind::not_found, "no gnuplot: install gnuplot-nox for pictures");
  }
  if (status != 0) return failure(ErrorKind::io, base + ".svg: gnuplot failed");
  return {};
}

}  // namespace

void remove_pictures(const std::string& base) {
  std::error_code code;
  for (const char* const kind : {".svg", ".png"}) std::filesystem::remove(base + kind, code);
}

Result<void> draw(const std::string& script,
    const std::string& plot_command,
    const std::string& base,
    double size) {
  const auto pixels = [size](int width, int height) {
    return std::to_string(std::lround(width * size)) + "," +
        std::to_string(std::lround(height * size));
  };
  // Colours that differ on white, also for people that see no red or green: after Okabe and Ito.
  constexpr const char* kColours =
      "set linetype 1 lc rgb '#0072b2'\nset linetype 2 lc rgb '#d55e00'\n"
      "set linetype 3 lc rgb '#009e73'\nset linetype 4 lc rgb '#cc79a7'\n"
      "set linetype 5 lc rgb '#e69f00'\nset linetype 6 lc rgb '#56b4e9'\n"
      "set linetype 7 lc rgb '#555555'\nset linetype 8 lc rgb '#8c510a'\n";
  const std::string all = kColours + script + "set terminal svg size " + pixels(720, 440) +
      " font 'sans,13' background rgb 'white'\n" + "set output " + gnuplot_quoted(base + ".svg") +
      "\n" + plot_command + "\n" + "set terminal pngcairo size " + pixels(1080, 660) +
      " font 'sans,13'\n" + "set output " + gnuplot_quoted(base + ".png") + "\n" + plot_command +
      "\n";
  remove_pictures(base);
  auto drawn = run_gnuplot(all, base);
  if (!drawn) remove_pictures(base);
  return drawn;
}

}  // namespace dunlin::sim
