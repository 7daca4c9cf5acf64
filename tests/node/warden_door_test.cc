// SPDX-License-Identifier: MIT
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "node/task/warden_link.h"
#include "node/warden/frames.h"
#include "node/warden/protocol.h"
#include "tests/node/executor_world.h"

// A warden takes orders from its agent, and from no other process.
namespace dunlin::node {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// A client of a warden's socket.
class Stranger {
 public:
  explicit Stranger(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    error_ = connected_ ? 0 : errno;
  }
  ~Stranger() { ::close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool connected() const { return connected_; }
  int error() const { return error_; }
  template <typename Message>
  void send(const Message& message) {
    std::string bytes;
    warden::append_frame(bytes, message);
    send_raw(bytes);
  }
  void send_raw(const std::string& bytes) {
    (void)::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// All that comes within 5 s, up to the end of the connection; "open" at the end if it has none.
  std::string rest() {
    std::string all;
    for (;;) {
      pollfd polled{.fd = socket_, .events = POLLIN, .revents = 0};
      if (::poll(&polled, 1, 5000) <= 0) return all + "open";
      char block[4096];
      const ssize_t got = ::recv(socket_, block, sizeof block, 0);
      if (got <= 0) return all;
      all.append(block, static_cast<std::size_t>(got));
    }
  }

 private:
  int socket_;
  bool connected_ = false;
  int error_ = 0;
};

class WardenDoor : public ExecutorWorld {
 protected:
  std::string place() const { return directory_.path() + "/warden"; }
  std::string socket() const { return place() + "/" + warden::kSocketFile; }
  std::string secret() const { return file(place() + "/" + warden::kSecretFile); }
  static mode_t mode(const std::string& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
  }
  /// The executor still has its warden.
  void expect_served() {
    EXPECT_EQ(run(command({"true"})).outcome, sched::Outcome::exited);
    EXPECT_TRUE(lost().empty());
  }
  std::vector<std::string> lost() const {
    std::vector<std::string> found;
    for (const auto& note : notes_) {
      if (note.find("died") != std::string::npos) found.push_back(note);
    }
    return found;
  }
  void expect_note(const std::string& text) {
    run_until([&] {
      return std::ranges::any_of(
          notes_, [&](const auto& note) { return note.find(text) != std::string::npos; });
    });
  }
};

TEST_F(WardenDoor, IsClosedToOtherUsers) {
  open();
  EXPECT_EQ(mode(place()), 0700u);
  EXPECT_EQ(mode(socket()), 0600u);
  EXPECT_EQ(mode(place() + "/" + warden::kSecretFile), 0600u);
  EXPECT_EQ(secret().size(), warden::kSecretSize);
}

TEST_F(WardenDoor, TurnsAwayWhoDoesNotKnowTheSecret) {
  open();
  {
    Stranger stranger(socket());
    ASSERT_TRUE(stranger.connected());
    stranger.send(warden::Hello{
        .greeting = {.incarnation = 99, .secret = std::string(warden::kSecretSize, 'x')}});
    EXPECT_EQ(stranger.rest(), "") << "not a word";
  }
  expect_note("does not know the secret");
  {
    Stranger stranger(socket());
    stranger.send(warden::Kill{.id = 1});
    EXPECT_EQ(stranger.rest(), "");
  }
  expect_note("did not greet");
  {
    Stranger stranger(socket());
    stranger.send_raw(std::string(8192, '\xff'));
    EXPECT_EQ(stranger.rest(), "");
  }
  expect_served();
}

TEST_F(WardenDoor, DoesNotWaitForGuests) {
  open();
  Stranger first(socket());
  std::vector<std::unique_ptr<Stranger>> more;
  for (int i = 0; i < 8; ++i) more.push_back(std::make_unique<Stranger>(socket()));
  EXPECT_EQ(first.rest(), "") << "it had to make room, or its time was over";
  expect_served();
  EXPECT_EQ(more.back()->rest(), "");
}

TEST_F(WardenDoor, TurnsAwayTasksThatKnowTheSecret) {
  if (std::system("command -v python3 > /dev/null") != 0) {
    GTEST_SKIP() << "UNTESTED: there is no python3 here for a task that connects";
  }
  open();
  const std::string script =
      "import socket,sys\n"
      "s=socket.socket(socket.AF_UNIX)\n"
      "s.connect('" +
      socket() +
      "')\n"
      "print(len(open('" +
      place() +
      "/secret','rb').read()))\n"
      "print(s.recv(100))\n";
  EXPECT_EQ(run(command({"python3", "-c", script})).status, 0) << kept(OutputStream::err);
  EXPECT_EQ(kept(), "32\nb''\n");
  expect_note("belongs to a task");
}

TEST_F(WardenDoor, TurnsAwayAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "UNTESTED: only root can become another user";
  }
  open();
  const auto connect_as_nobody = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(100);
      Stranger stranger(socket());
      if (!stranger.connected()) ::_exit(stranger.error());
      ::_exit(stranger.rest().empty() ? 101 : 102);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(connect_as_nobody(), EACCES);
  // Even with all doors open its user is seen.
  for (auto path = std::filesystem::path(place()); path != path.root_path();
      path = path.parent_path()) {
    if (path == "/tmp") break;
    ::chmod(path.c_str(), 0755);
  }
  ::chmod(socket().c_str(), 0666);
  EXPECT_EQ(connect_as_nobody(), 101);
  expect_note("of user 65534");
  expect_served();
}

TEST_F(WardenDoor, AnAgentOfAnotherVersionEndsIt) {
  open();
  executor_->start(launch(shell("echo $$; sleep 60")));
  run_until([&] { return !kept().empty(); });
  const pid_t task_pid = std::stoi(kept());
  Stranger later(socket());
  later.send(warden::Hello{.greeting = {.version = 99, .incarnation = 2, .secret = secret()}});
  const auto answer = later.rest();
  warden::FrameReader frames;
  frames.append(answer);
  const auto frame = frames.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, warden::Kind::welcome);
  EXPECT_EQ(warden::parse<warden::Welcome>(frame->body)->version, 0);
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(reports_[0].cause, sched::Cause::lost) << "its warden is gone, by no fault of the task";
  EXPECT_TRUE(eventually([&] { return ::kill(task_pid, 0) != 0; }));
}

TEST_F(WardenDoor, ASecondWardenGivesWay) {
  open();
  const int status = std::system((*find_warden() + " " + place() + " 2>/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), warden::kExitSecond);
  expect_served();
}

TEST_F(WardenDoor, AWardenOfAServiceManagerIsFound) {
  const pid_t service = ::fork();
  if (service == 0) {
    const auto program = *find_warden();
    ::execl(program.c_str(), "dunlin-warden", "--service", place().c_str(), nullptr);
    ::_exit(127);
  }
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(socket()); }));
  open({.warden_service = true, .reattach_within = 30s});
  expect_served();
  executor_->start(
      launch(shell("trap 'echo bye; exit' TERM; echo up; while :; do sleep 0.02; done"), 1));
  run_until([&] { return kept(OutputStream::out, 1) == "up\n"; });
  executor_->leave();
  executor_.reset();
  ::kill(service, SIGTERM);
  int status = -1;
  ASSERT_EQ(::waitpid(service, &status, 0), service);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file(directory_.path() + "/output/live/0.out").substr(0, 3), "up\n");
}

TEST_F(WardenDoor, WithoutItsServiceThereIsNoWarden) {
  auto output = OutputStore::open({.directory = directory_.path() + "/other"});
  const auto none = WardenLink::open(loop_,
      {.program = *find_warden(),
          .directory = place(),
          .service = true,
          .settings = {},
          .patience = 50ms},
      {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("start the service dunlin-warden"));
}

}  // namespace
}  // namespace dunlin::node
