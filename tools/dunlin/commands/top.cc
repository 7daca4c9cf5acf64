// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <optional>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/wake_set.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/interrupts.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/keys.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/raw_terminal.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"
#include "tools/dunlin/screen/top_view.h"

// `top` repeats two requests and repaints the whole screen. It waits for answers and keys at the
// same time: an agent that waits for a silent node must not make the keys slow. The other screen of
// the terminal is used, so that the user's own text is back when `top` ends.
namespace dunlin::cli {
namespace {

/// After so long without another byte, an escape is the key of that name.
constexpr std::chrono::milliseconds kKeyWait{50};

/// Switches to the other screen of the terminal, without cursor and echo; restores everything at
/// its end.
class Screen {
 public:
  Screen() {
    fitted_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (fitted_) {
      termios raw = before_;
      // Not ISIG: Ctrl-C stays a signal, and a second one ends even a program that hangs.
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

  /// True if there are keys to read.
  bool fitted() const { return fitted_; }
  /// Lines that can be painted: a line end after the last one would scroll.
  static std::size_t rows() {
    const std::size_t rows = size_of_terminal(STDOUT_FILENO).rows;
    // A terminal that does not say is taken for one of 24 lines.
    return rows == 0 ? 23 : rows - 1;
  }

  /// Writes over the old picture, line by line, because clearing it first would flicker.
  static void paint(const std::string& text) {
    std::size_t rows = Screen::rows();
    std::string out = "\033[H";
    for (std::size_t at = 0; at < text.size() && rows > 0; --rows) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      // What is left of a longer line of before is cleared behind the new one.
      out += text.substr(at, end - at) + "\033[K\r\n";
      at = end + 1;
    }
    out += "\033[J";
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
  }

 private:
  termios before_{};
  bool fitted_ = false;
};

/// The agent's view of itself and of the nodes, and the unfinished jobs of the cluster: two
/// requests, and their answers as they come.
class Look {
 public:
  Look(Connection& agent, const Json& jobs) : agent_(agent) {
    if (auto top = agent_.start("top")) top_ = *top;
    if (auto listing = agent_.start("jobs", jobs)) listing_ = *listing;
  }

  /// Waits until all answers are there, at most until the deadline or a wake-up. True if they are;
  /// fails if the agent is gone. A list that the agent refuses is no failure: the user's filter may
  /// be wrong.
  // Answers to the two requests come in either order, and one of them may take long.
  Result<bool> wait(Clock::time_point deadline) {
    while (!(status_ && jobs_)) {
      auto reply = agent_.next(deadline);
      if (!reply && reply.error().kind == ErrorKind::timeout) return false;
      if (!reply) return tl::unexpected(reply.error());
      if (reply->id == top_) {
        if (reply->error) return tl::unexpected(*reply->error);
        status_ = std::move(reply->ok);
      } else if (reply->id == listing_) {
        jobs_ = reply->error ? Json{{"refused", reply->error->text}} : std::move(reply->ok);
      }
    }
    return true;
  }

  /// Requires that they are there.
  Json take() {
    Json look = std::move(*status_);
    look["refused"] = value<std::string>(*jobs_, "refused");
    look["jobs"] = member(*jobs_, "jobs");
    jobs_->erase("jobs");
    look["listing"] = std::move(*jobs_);
    return look;
  }

 private:
  Connection& agent_;
  std::uint64_t top_ = 0;
  std::uint64_t listing_ = 0;
  std::optional<Json> status_;
  std::optional<Json> jobs_;
};

Result<Json> look_once(Connection& agent, const TopView& view) {
  Look look(agent, view.request());
  const auto complete = look.wait(kNoDeadline);
  if (!complete) return tl::unexpected(complete.error());
  Json told = look.take();
  const auto refused = value<std::string>(told, "refused");
  if (!refused.empty()) return failure(ErrorKind::usage, refused);
  told.erase("refused");
  return told;
}

/// `top` on a terminal, from its first picture to its last.
class Live {
 public:
  Live(const Globals& globals, Connection& agent, std::chrono::nanoseconds interval)
      : globals_(globals),
        agent_(agent),
        interval_(std::chrono::duration_cast<Clock::duration>(interval)) {
    wake_.add(interrupts_.fd());
    reads_ = screen_.fitted() && wake_.add(STDIN_FILENO);
    agent_.wake_by(wake_.fd());
  }
  ~Live() { agent_.wake_by(-1); }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  Result<int> run() {
    look_.emplace(agent_, view_.request());
    while (true) {
      if (look_) {
        const auto complete = look_->wait(key_due());
        if (!complete && agent_.lost()) {
          look_.reset();
          auto back = agent_.come_back(complete.error());
          const bool left = !back && back.error().kind == ErrorKind::timeout;
          if (!back && !left) return tl::unexpected(back.error());
          asks_ = true;
        } else if (!complete) {
          return tl::unexpected(complete.error());
        } else if (*complete) {
          finish_look();
        }
      } else {
        const auto due = view_.paused() ? kNoDeadline : next_;
        pollfd ready{.fd = wake_.fd(), .events = POLLIN, .revents = 0};
        poll(&ready, 1, patience_until(std::min(due, key_due())));
      }
      // After each wait, whichever way it ended: keys and signals are why waits end early.
      if (interrupts_.seen() || !take_keys()) return kSuccess;
      const bool due = !view_.paused() && Clock::now() >= next_;
      if (!look_ && (asks_ || due)) {
        asks_ = false;
        look_.emplace(agent_, view_.request());
      }
    }
  }

 private:
  /// When the bytes of a key that has begun are taken as they are.
  Clock::time_point key_due() const {
    return keys_.waits() ? Clock::now() + kKeyWait : kNoDeadline;
  }

  void finish_look() {
    shown_ = look_->take();
    look_.reset();
    // From the answer on, not from the question: a slow agent is not asked all the time.
    next_ = Clock::now() + interval_;
    paint();
  }

  void paint() {
    if (shown_.is_object()) {
      Screen::paint(view_.picture(shown_, globals_.out(), Screen::rows()));
    }
  }

  /// False if the user wants to leave.
  bool take_keys() {
    bool idle = keys_.waits();
    if (reads_ && is_readable(STDIN_FILENO)) {
      char bytes[64];
      const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
      if (count <= 0) return false;  // The terminal is gone.
      keys_.feed({bytes, static_cast<std::size_t>(count)});
      idle = false;
    }
    while (const auto key = keys_.next(idle)) {
      const auto effect = view_.on_key(*key);
      if (effect == TopView::Effect::quit) return false;
      if (effect == TopView::Effect::ask) asks_ = true;
      if (effect != TopView::Effect::none) paint();
    }
    return true;
  }

  const Globals& globals_;
  Connection& agent_;
  Clock::duration interval_;
  Interrupts interrupts_;
  Screen screen_;
  WakeSet wake_;
  bool reads_ = false;
  KeyReader keys_;
  TopView view_;
  Json shown_;
  std::optional<Look> look_;
  bool asks_ = false;  ///< What is to be shown is another thing than what was asked for.
  Clock::time_point next_{};
};

}  // namespace

Result<int> top(const Globals& globals, const TopOptions& options) {
  const auto interval = parse_time_limit(options.interval);
  if (!interval) return failure(ErrorKind::usage, "--interval: " + interval.error().text);
  const auto patience = parse_patience(globals.reconnect);
  if (!patience) return tl::unexpected(patience.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  // Not told on stderr: the picture is on the same terminal.
  agent->be_patient(*patience, false);
  if (!globals.json && !options.once && globals.out().interactive) {
    return Live(globals, *agent, *interval).run();
  }
  TopView view;
  const auto look = look_once(*agent, view);
  if (!look) return tl::unexpected(look.error());
  if (globals.json) {
    print_json("dunlin.top/1", published(*look));
    return kSuccess;
  }
  print(view.picture(*look, globals.out(), 0));
  if (const auto silent = silent_nodes_text(member(*look, "listing")); !silent.empty()) {
    std::fflush(stdout);
    std::fprintf(stderr, "dunlin: %s\n", printable(silent).c_str());
  }
  const Json& listing = member(*look, "listing");
  std::fputs((orphans_text(listing) + not_joined_line(listing)).c_str(), stderr);
  return kSuccess;
}

}  // namespace dunlin::cli
