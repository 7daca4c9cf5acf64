// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "config/text.h"
#include "sched/resources.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/time_limit.h"
#include "tools/dunlin/screen/interrupts.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/node_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// `top` repeats one request and repaints the whole screen. The other screen of the terminal is
// used, so that the user's own text is back when `top` ends.
namespace dunlin::cli {
namespace {

constexpr std::uint32_t kJobsShown = 200;

/// The header of the nodes' table, a node, and how many more there are.
constexpr std::size_t kRowsMin = 3;

/// Switches to the other screen of the terminal, without cursor and echo; restores everything at
/// its end.
class Screen {
 public:
  Screen() {
    fitted_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (fitted_) {
      termios raw = before_;
      raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    std::fputs("\033[?1049h\033[?25l", stdout);
  }
  ~Screen() {
    std::fputs("\033[?25h\033[?1049l", stdout);
    std::fflush(stdout);
    if (fitted_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  std::size_t rows() const {
    winsize size{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return known ? size.ws_row : 24;
  }

  /// Writes over the old picture, line by line, because clearing it first would flicker.
  void paint(const std::string& text) {
    std::size_t rows = this->rows();
    std::string out = "\033[H";
    for (std::size_t at = 0; at < text.size() && rows > 1; --rows) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out += text.substr(at, end - at) + "\033[K\r\n";
      at = end + 1;
    }
    out += "\033[J";
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
  }

  /// Waits; true if the user wants to leave.
  bool left_within(std::chrono::milliseconds patience, const Interrupts& interrupts) {
    pollfd ready[] = {{.fd = interrupts.fd(), .events = POLLIN, .revents = 0},
        {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}};
    poll(ready, fitted_ ? 2 : 1, static_cast<int>(patience.count()));
    char key = 0;
    const bool typed = fitted_ && ready[1].revents != 0 && read(STDIN_FILENO, &key, 1) == 1;
    return interrupts.seen() || (typed && (key == 'q' || key == 'Q' || key == 27));
  }

 private:
  termios before_{};
  bool fitted_ = false;
};

std::string gauge(const char* label, double used, double total, const std::string& text) {
  constexpr std::size_t kWidth = 30;
  const double share = total > 0 ? std::clamp(used / total, 0.0, 1.0) : 0;
  const auto filled = static_cast<std::size_t>(share * kWidth + 0.5);
  return std::string(label) + " [" + std::string(filled, '|') + std::string(kWidth - filled, ' ') +
      "] " + text + "\n";
}

std::string gauges(const Json& nodes) {
  double cpu_free = 0, cpu = 0, memory_free = 0, memory = 0;
  for (const Json& node : nodes) {
    if (!member(node, "free").is_object()) continue;
    cpu_free += value<double>(member(node, "free"), "cpu_milli");
    cpu += value<double>(member(node, "total"), "cpu_milli");
    memory_free += value<double>(member(node, "free"), "memory_mib");
    memory += value<double>(member(node, "total"), "memory_mib");
  }
  const auto mebibytes = [](double amount) {
    return sched::memory_text(static_cast<std::uint64_t>(std::max(amount, 0.0)));
  };
  const auto milli = [](double amount) {
    return sched::cpu_text(static_cast<std::uint32_t>(std::max(amount, 0.0)));
  };
  return gauge("CPU   ", cpu - cpu_free, cpu,
             milli(cpu - cpu_free) + " of " + milli(cpu) + " reserved") +
      gauge("memory", memory - memory_free, memory,
          mebibytes(memory - memory_free) + " of " + mebibytes(memory) + " reserved");
}

/// The first lines of `table`, `rows` in all; the last one then says how many more there are.
std::string first_rows(const std::string& table, std::size_t rows) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(table, '\n'));
  if (lines <= rows) return table;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < rows; ++i) end = table.find('\n', end) + 1;
  return table.substr(0, end) + "... and " + std::to_string(lines + 1 - rows) + " more\n";
}

/// The picture. Nodes get at most half of the `rows` on the screen (0: no limit), because a user
/// looks for jobs.
std::string render(const Json& reply, const Terminal& out, std::size_t rows = 0) {
  const Json& status = member(reply, "status");
  const Json& nodes = member(reply, "nodes");
  const Json& jobs = member(reply, "jobs");
  const auto line = [&](const std::string& words) {
    return (out.columns == 0 ? words : config::shortened(words, out.columns)) + "\n";
  };
  std::string text =
      line("dunlin top: cluster " + printable(value<std::string>(status, "cluster")) +
          ", seen from " + printable(value<std::string>(status, "name")) + ", up " +
          age_text(seconds_of(status, "uptime_ns")) + "; q leaves");
  if (const auto error = value<std::string>(status, "store_error"); !error.empty()) {
    text += out.paint(line("its store fails: " + printable(error)), Colour::red);
  }
  const std::string table = node_table(nodes).render(out);
  text += gauges(nodes) + "\n" +
      (rows == 0 ? table : first_rows(table, std::max(rows / 2, kRowsMin))) +
      node_totals(nodes, "") + "\n";
  if (jobs.empty()) return text + "no job is unfinished\n";
  return text + job_table(jobs).render(out) +
      job_totals(member(reply, "listing"), jobs.size(), true);
}

/// The agent's view of itself and of the nodes, and the unfinished jobs of the cluster.
Result<Json> look(Connection& agent) {
  auto reply = agent.ask("top");
  if (!reply) return reply;
  auto listing = agent.ask("jobs", {{"cluster", true}, {"sort", "newest"}, {"limit", kJobsShown}});
  if (!listing) return listing;
  (*reply)["jobs"] = member(*listing, "jobs");
  listing->erase("jobs");
  (*reply)["listing"] = std::move(*listing);
  return reply;
}

}  // namespace

Result<int> top(const Globals& globals, const TopOptions& options) {
  const auto interval = parse_time_limit(options.interval);
  if (!interval) return failure(ErrorKind::usage, "--interval: " + interval.error().text);
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  auto reply = look(*agent);
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.top/1", published(*reply));
    return kSuccess;
  }
  if (options.once || !globals.out().interactive) {
    print(render(*reply, globals.out()));
    return kSuccess;
  }
  const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(*interval);
  const Interrupts interrupts;
  Screen screen;
  while (true) {
    screen.paint(render(*reply, globals.out(), screen.rows()));
    if (screen.left_within(pause, interrupts)) return kSuccess;
    reply = look(*agent);
    if (!reply) return tl::unexpected(reply.error());
  }
}

}  // namespace dunlin::cli
