// SPDX-License-Identifier: MIT
#include "node/warden/warden.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "node/signals.h"
#include "node/warden/cgroup/cgroup.h"
#include "node/warden/process_tree.h"
#include "node/warden/task_user.h"

// An agent that is killed, or replaced by a newer build, is no reason to lose hours of work. So the
// warden, which has all that a task needs from its start to its end, goes on without one: tasks
// write their output themselves, and their ends are recorded. It must not go on for ever, because
// other nodes make the attempts again once they take the node for dead.
namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

/// Starts handled before exits are reaped and reported: neither may wait long for the other.
constexpr int kFramesAtOnce = 8;
/// Its first agent, which started it, comes at once or not at all.
constexpr auto kFirstAgentWithin = 20s;

/// Lets go of what the agent that started it watches, such as a pipe to a terminal.
void drop_error_output() {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return;
  ::dup2(null, STDERR_FILENO);
  ::close(null);
}

/// Tells a guest that it cannot be served, in words and by a version, and hangs up.
void turn_away(int guest, std::uint16_t version, const std::string& why) {
  std::string out;
  append_frame(out, Welcome{.version = version, .error = why, .limits = {}});
  // A few bytes into an empty socket: they fit, or the guest is gone.
  (void)::send(guest, out.data(), out.size(), MSG_NOSIGNAL);
  ::close(guest);
}

}  // namespace

Warden::Warden(Door door, bool service) : reception_(std::move(door)), service_(service) {
  if (!service_) wait_until_ = Clock::now() + kFirstAgentWithin;
}

Warden::~Warden() {
  if (agent_ >= 0) ::close(agent_);
  if (signals_ >= 0) ::close(signals_);
}

int Warden::run() {
  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  ::sigaddset(&watched, SIGTERM);
  signals_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) {
    std::perror("signalfd");
    return 1;
  }
  while (!ending_ || (supervisor_ && !supervisor_->empty())) {
    if (!step()) {
      std::perror("poll");
      return 1;
    }
  }
  // A process that hid from every sweep is an orphan by now, and so our child.
  for (const pid_t process : descendants_of(::getpid())) {
    if (process != ::getpid()) signal_process(process, SIGKILL);
  }
  return 0;
}

bool Warden::step() {
  std::vector<pollfd> polled{{.fd = signals_, .events = POLLIN, .revents = 0},
      {.fd = agent_,
          .events = static_cast<short>(POLLIN | (record_.out().empty() ? 0 : POLLOUT)),
          .revents = 0},
      {.fd = supervisor_ ? supervisor_->outputs().descriptor() : -1,
          .events = POLLIN,
          .revents = 0}};
  const auto guests_begin = static_cast<std::ptrdiff_t>(polled.size());
  reception_.watch(polled);
  const auto inputs_begin = static_cast<std::ptrdiff_t>(polled.size());
  if (supervisor_) supervisor_->inputs().watch(polled);
  if (::poll(polled.data(), polled.size(), timeout()) < 0 && errno != EINTR) return false;
  if (polled[0].revents != 0) on_signals();
  if ((polled[1].revents & ~POLLOUT) != 0) receive();
  const auto inputs = polled.begin() + inputs_begin;
  if (polled[2].revents != 0) supervisor_->on_output(Clock::now());
  const bool knocks = std::any_of(
      polled.begin() + guests_begin, inputs, [](const pollfd& each) { return each.revents != 0; });
  if (supervisor_) supervisor_->inputs().on_polled({inputs, polled.end()});
  const auto due = reception_.deadline();
  if (knocks || (due && Clock::now() >= *due)) receive_guests();
  // After guests: one that is the agent's successor takes its place before more of its orders are
  // read, and serve() reads out those that came.
  handle_frames();
  tick(Clock::now());
  if (supervisor_ && agent_ >= 0) supervisor_->inputs().tell(record_.out());
  flush();
  return true;
}

/// For poll(), in ms: until the first thing that is due, -1 if nothing is.
int Warden::timeout() {
  std::optional<Clock::time_point> first;
  const auto consider = [&](const std::optional<Clock::time_point>& when) {
    if (when && (!first || *when < *first)) first = when;
  };
  consider(wait_until_);
  consider(kill_at_);
  consider(reception_.deadline());
  if (supervisor_) consider(supervisor_->deadline());
  if (!ending_ && frames_.ready()) first = Clock::now();
  if (!first) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, 60'000));
}

void Warden::on_signals() {
  signalfd_siginfo caught{};
  while (::read(signals_, &caught, sizeof caught) == sizeof caught) {
    if (caught.ssi_signo == SIGTERM) end(true);
  }
  // Whatever the signal was: signals of one kind merge, so one SIGCHLD may stand for many exits.
  if (supervisor_) supervisor_->reap(Clock::now());
}

void Warden::receive_guests() {
  std::vector<std::string> refused;
  while (auto guest = reception_.receive(Clock::now(), refused)) meet(std::move(*guest));
  for (const std::string& who : refused) record_.tell(Note{"the warden turned away " + who});
}

void Warden::meet(Reception::Greeted guest) {
  const std::uint32_t incarnation = guest.greeting.incarnation;
  // The one that is served is alive as far as is known, and only a later one is its successor.
  if (incarnation < incarnation_ || (agent_ >= 0 && incarnation == incarnation_)) {
    return turn_away(
        guest.socket, kVersion, "the warden serves a later agent of this data directory");
  }
  // One of another version: it is told why, in the form that never changes.
  if (guest.hello) return serve(std::move(guest));
  turn_away(guest.socket, 0, "the warden is of another version, and ends with its tasks");
  part();
  end(true);
}

/// Takes its settings from the first agent: cgroups are opened once, and tasks run in them. Later
/// agents find them as they are until no task runs.
bool Warden::prepare(int guest, const Hello& hello, std::vector<std::string>& notes) {
  const Settings& wanted = hello.settings;
  auto limiter = open_limiter(wanted, notes, unenforced_);
  if (!limiter) {
    turn_away(guest, kVersion, limiter.error().text);
    end(false);
    return false;
  }
  settings_ = wanted;
  welcome_ = {.error = {},
      .since = hello.greeting.incarnation,
      .limits = std::string((*limiter)->word()),
      .users = can_change_user(),
      .limits_disk = (*limiter)->limits_disk(),
      .limits_net = (*limiter)->limits_net()};
  supervisor_ = std::make_unique<Supervisor>(std::move(*limiter), record_,
      Patience{.start = std::chrono::milliseconds(wanted.start_ms),
          .kill = std::chrono::milliseconds(wanted.kill_ms)},
      UserSettings{.umask = wanted.umask, .core_limit = wanted.core_limit}, wanted.uid_min);
  supervisor_->sample_each(std::chrono::milliseconds(wanted.sample_ms));
  welcome_.suspends = supervisor_->suspends();
  return true;
}

void Warden::serve(Reception::Greeted guest) {
  std::vector<std::string> notes;
  // Of each agent anew: it follows the disk, which may have grown.
  settings_.room_min = guest.hello->settings.room_min;
  if (!supervisor_) {
    if (!prepare(guest.socket, *guest.hello, notes)) return;
  } else if (!(guest.hello->settings == settings_)) {
    notes.emplace_back(
        "the settings of limits and graces have changed, and hold from a start of the agent on at "
        "which none of its tasks runs");
  }
  supervisor_->outputs().leave_room(settings_.room_min);
  // The last orders of the one before count: its tasks are believed to run.
  while (agent_ >= 0 && receive()) {
  }
  while (agent_ >= 0 && !ending_ && frames_.ready()) handle_frames();
  // A successor of another version cannot read our frames, and two wardens must not share slots and
  // cgroups: so this one ends its tasks, with their grace, and the agent starts its own.
  part();
  if (ending_) return turn_away(guest.socket, kVersion, "the warden was told to stop");
  agent_ = guest.socket;
  frames_ = std::move(guest.frames);
  frames_.widen(kFrameMax);
  incarnation_ = guest.greeting.incarnation;
  wait_until_.reset();
  record_.welcome(welcome_, Clock::now());
  if (supervisor_) supervisor_->inputs().tell_all();
  for (const auto& note : notes) record_.tell(Note{note});
}

/// False when there is nothing more to read for now, or no agent any more.
bool Warden::receive() {
  static char block[256u << 10];
  const ssize_t got = ::recv(agent_, block, sizeof block, 0);
  if (got > 0) {
    frames_.append({block, static_cast<std::size_t>(got)});
    return true;
  }
  if (got < 0 && errno == EINTR) return true;
  if (got == 0 || errno != EAGAIN) {
    // What it sent before it died was meant.
    while (!ending_ && frames_.ready()) handle_frames();
    part();
  }
  return false;
}

// A malformed frame has no later one that could be trusted, so all ends: an agent of this machine
// sends none.
void Warden::handle_frames() {
  for (int i = 0; i < kFramesAtOnce && agent_ >= 0 && !ending_; ++i) {
    const auto frame = frames_.next();
    if (!frame) break;
    if (!handle(*frame)) {
      std::fprintf(stderr, "dunlin-warden: a malformed frame\n");
      end(false);
    }
  }
  if (agent_ >= 0 && frames_.broken() && !ending_) end(false);
}

bool Warden::handle(const FrameReader::Frame& frame) {
  switch (frame.kind) {
    case Kind::start: {
      auto start = parse<Start>(frame.body);
      const auto now = Clock::now();
      if (!start || start->words.empty()) return false;
      if (const auto note = unenforced_.note_for(*start)) record_.tell(*note);
      if (record_.begin(*start, now)) supervisor_->start(std::move(*start), now);
      return true;
    }
    case Kind::kill: {
      const auto kill = parse<Kill>(frame.body);
      if (kill) record_.note(*kill);
      if (kill) supervisor_->kill(*kill, Clock::now());
      return kill.has_value();
    }
    case Kind::suspend: {
      const auto suspend = parse<Suspend>(frame.body);
      const auto now = Clock::now();
      if (suspend) record_.note(*suspend, now);
      if (suspend) supervisor_->suspend(*suspend, now);
      return suspend.has_value();
    }
    case Kind::forget: {
      const auto forget = parse<Forget>(frame.body);
      if (forget) record_.forget(forget->id);
      return forget.has_value();
    }
    case Kind::feed: {
      const auto feed = parse<Feed>(frame.body);
      if (feed) supervisor_->inputs().feed(*feed);
      return feed.has_value();
    }
    case Kind::resize: {
      const auto resize = parse<Resize>(frame.body);
      if (resize) supervisor_->inputs().resize(*resize);
      return resize.has_value();
    }
    case Kind::stop:
      end(false);
      return true;
    default:
      return false;
  }
}

// As far as the socket takes it: the warden must not wait for an agent that does not read.
void Warden::flush() {
  std::string& out = record_.out();
  if (ending_) out.clear();
  while (agent_ >= 0 && !out.empty()) {
    const ssize_t sent = ::send(agent_, out.data(), out.size(), MSG_NOSIGNAL);
    if (sent < 0) return;  // Full: poll() tells when to go on. Broken: recv() tells.
    out.erase(0, static_cast<std::size_t>(sent));
  }
}

// The tasks go on. From here on the time runs in which another agent has to come.
void Warden::part() {
  if (agent_ < 0) return;
  ::close(std::exchange(agent_, -1));
  frames_ = FrameReader();
  record_.part();
  if (!ending_) wait_until_ = Clock::now() + std::chrono::milliseconds(settings_.reattach_ms);
  if (!service_) drop_error_output();
}

// Called more than once the shorter patience counts.
void Warden::end(bool grace) {
  const auto now = Clock::now();
  reception_.close();
  ending_ = true;
  wait_until_.reset();
  if (!supervisor_) return;
  const auto kill_at = now + std::chrono::milliseconds(grace ? settings_.grace_ms : 0);
  if (!kill_at_ || kill_at < *kill_at_) kill_at_ = kill_at;
  for (const std::uint64_t id : record_.running()) {
    supervisor_->kill({.id = id, .grace_ms = grace ? settings_.grace_ms : 0}, now);
  }
}

// Without an agent and without anything to remember there is no reason to stay.
void Warden::tick(Clock::time_point now) {
  if (supervisor_) supervisor_->tick(now);
  const bool idle = supervisor_ && agent_ < 0 && record_.empty();
  if (!ending_ && (idle || (wait_until_ && now >= *wait_until_))) end(true);
  if (kill_at_ && now >= *kill_at_) {
    kill_at_.reset();
    supervisor_->kill_everything(now);
  }
}

}  // namespace dunlin::node::warden
