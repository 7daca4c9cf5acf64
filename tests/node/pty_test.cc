// SPDX-License-Identifier: MIT
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include "tests/node/agent_world.h"

// `dunlin run --pty` at a terminal: the task has one of its own, on whichever node it runs, and the
// user's is as it was, however the command ends.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

/// A command at a terminal of this test.
class AtTerminal {
 public:
  AtTerminal(const std::string& socket, std::vector<std::string> words) {
    winsize size{.ws_row = 30, .ws_col = 90, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::openpty(&ours_, &theirs_, nullptr, nullptr, &size), 0);
    ::tcgetattr(theirs_, &before_);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::login_tty(theirs_);
      ::setenv("DUNLIN_ADDRESS", socket.c_str(), 1);
      ::setenv("TERM", "vt220", 1);
      std::vector<char*> pointers{const_cast<char*>(DUNLIN_PROGRAM)};
      for (std::string& word : words) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      ::execv(DUNLIN_PROGRAM, pointers.data());
      ::_exit(127);
    }
  }
  ~AtTerminal() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    ::close(ours_);
    ::close(theirs_);
  }
  AtTerminal(const AtTerminal&) = delete;
  AtTerminal& operator=(const AtTerminal&) = delete;

  void type(const std::string& keys) const {
    EXPECT_EQ(::write(ours_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void resize(unsigned short rows, unsigned short columns) const {
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(ours_, TIOCSWINSZ, &size);
  }
  void signal(int number) const { ::kill(pid_, number); }
  /// Reads until the screen has shown `text`; false after `patience`.
  bool shows(
      const std::string& text, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (shown.find(text) == std::string::npos) {
      if (std::chrono::steady_clock::now() > end) return false;
      read_some(20);
    }
    return true;
  }
  /// The exit status; 128 + n of a signal.
  int wait() {
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) return -1;
      read_some(20);
    }
    pid_ = -1;
    read_some(0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  bool is_raw() const {
    termios now{};
    ::tcgetattr(theirs_, &now);
    return (now.c_lflag & (ICANON | ECHO | ISIG)) == 0;
  }
  bool is_as_before() const {
    termios now{};
    ::tcgetattr(theirs_, &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
        now.c_oflag == before_.c_oflag;
  }

  std::string shown;

 private:
  void read_some(int patience_ms) {
    pollfd ready{.fd = ours_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, patience_ms) <= 0 || (ready.revents & POLLIN) == 0) return;
    char piece[4096];
    const ssize_t got = ::read(ours_, piece, sizeof piece);
    if (got > 0) shown.append(piece, static_cast<std::size_t>(got));
  }

  int ours_ = -1;
  int theirs_ = -1;
  pid_t pid_ = -1;
  termios before_{};
};

class PtyTest : public AgentWorld {
 protected:
  PtyTest() {
    add("a").wait_until_up();
    add("b", {"--attributes=where=b"}).wait_until_up();
    wait_for_nodes(*agents[0], 2);
  }
  std::string socket() const { return agents[0]->socket(); }
};

// The task runs on b, the command at a: keys, sizes and the end go through both.
TEST_F(PtyTest, ATaskOnAnotherNodeHasTheUsersTerminal) {
  AtTerminal command(socket(),
      {"run", "--pty", "--constraint", "where=b", "--", "sh", "-c",
          "tty -s && echo $DUNLIN_NODE $TERM $(stty size); "
          "while read line; do echo \"<$line> $(stty size)\"; [ $line = end ] && exit 7; done"});
  ASSERT_TRUE(command.shows("b vt220 30 90")) << command.shown;
  EXPECT_TRUE(command.is_raw());
  command.type("salt\r");
  ASSERT_TRUE(command.shows("<salt> 30 90")) << command.shown;
  command.resize(50, 132);
  EXPECT_TRUE(eventually([&] {
    command.type("pepper\r");
    return command.shows("<pepper> 50 132", std::chrono::milliseconds(200));
  })) << command.shown;
  command.type("end\r");
  EXPECT_EQ(command.wait(), 7) << command.shown;
  EXPECT_TRUE(command.is_as_before());
}

TEST_F(PtyTest, CtrlCIsTheTasks) {
  AtTerminal command(socket(),
      {"run", "--pty", "--", "sh", "-c",
          "trap 'echo caught; exit 5' INT; echo up; "
          "while :; do sleep 0.05; done"});
  ASSERT_TRUE(command.shows("up")) << command.shown;
  command.type("\x03");
  EXPECT_EQ(command.wait(), 5) << command.shown;
  EXPECT_THAT(command.shown, HasSubstr("caught"));
  EXPECT_TRUE(command.is_as_before());
}

TEST_F(PtyTest, TheTerminalIsAsBeforeAfterTheConnectionIsLost) {
  AtTerminal command(socket(), {"run", "--pty", "--", "sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(command.shows("up")) << command.shown;
  ASSERT_TRUE(command.is_raw());
  agents[0]->kill9();
  EXPECT_EQ(command.wait(), 1) << command.shown;
  EXPECT_THAT(command.shown, HasSubstr("the agent is gone"));
  EXPECT_TRUE(command.is_as_before());
}

TEST_F(PtyTest, ASignalRestoresTheTerminalAndTheTaskIsHungUp) {
  AtTerminal command(socket(), {"run", "--pty", "--", "sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(command.shows("up")) << command.shown;
  command.signal(SIGTERM);
  EXPECT_EQ(command.wait(), 128 + SIGTERM);
  EXPECT_TRUE(command.is_as_before());
  const Json counts = finish(*agents[0], 1);
  EXPECT_EQ(counts["failed"], 1) << "nobody is there for it any more";
}

TEST_F(PtyTest, WhatATerminalShowedIsKept) {
  AtTerminal command(socket(), {"run", "--pty", "--", "echo", "kept"});
  EXPECT_EQ(command.wait(), 0) << command.shown;
  EXPECT_THAT(command.shown, HasSubstr("kept"));
  EXPECT_EQ(output(*agents[0], 1, 0), "kept\r\n");
}

}  // namespace
}  // namespace dunlin::node
