// SPDX-License-Identifier: MIT
#include "node/warden/task_input.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "node/kernel/descriptor.h"

// The warden holds the other end of a task's input, not the agent: an agent that is replaced must
// not look to the task like the end of its input, nor like a terminal that was hung up.
// What a terminal shows goes to the file of the task's output, as if the task had written there. So
// it is kept, read live and measured like all output, and no client needs to be there.
namespace dunlin::node::warden {
namespace {

constexpr std::size_t kPiece = 16u << 10;
/// Pieces of one terminal read in a row; others have their turn then.
constexpr int kPiecesAtOnce = 8;
/// The end of input, as a user types it.
constexpr char kEndOfInput = 4;

void set_size(int terminal, std::uint16_t rows, std::uint16_t columns) {
  // A client that does not know its size leaves the kernel's.
  if (rows == 0 || columns == 0) return;
  const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
}

void append(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // The disk is full: as with any output, the rest is lost.
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

Result<std::shared_ptr<TaskInput>> TaskInput::open(const Start& start) {
  std::shared_ptr<TaskInput> input(new TaskInput());
  input->terminal_ = start.input == Input::terminal;
  const auto opened = input->terminal_ ? input->open_terminal(start) : input->open_pipe();
  if (!opened) return tl::unexpected(opened.error());
  return input;
}

TaskInput::~TaskInput() {
  close_child_end();
  close_if_open(own_);
  close_if_open(output_);
}

Result<void> TaskInput::open_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failure_of(errno, "no pipe for its input");
  child_ = ends[0];
  own_ = ends[1];
  // Only this end: the flag is of the open pipe's end, and the task's reads are to block.
  ::fcntl(own_, F_SETFL, O_NONBLOCK);
  return {};
}

Result<void> TaskInput::open_terminal(const Start& start) {
  own_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (own_ < 0 || ::grantpt(own_) != 0 || ::unlockpt(own_) != 0) {
    return failure_of(errno, "no terminal for it");
  }
  // Not by its name: what is mounted at /dev/pts need not be where this terminal is.
  child_ = ::ioctl(own_, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (child_ < 0) return failure_of(errno, "no terminal for it");
  set_size(own_, start.rows, start.columns);
  // A new file: a process of an earlier task of the slot may have the old one open.
  ::unlink(start.out.c_str());
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  output_ = ::open(start.out.c_str(), flags, 0600);
  if (output_ < 0) return failure_of(errno, "cannot write output to '" + start.out + "'");
  return {};
}

void TaskInput::close_child_end() {
  if (const int end = child_.exchange(-1); end >= 0) ::close(end);
}

void TaskInput::feed(std::string_view data, bool end) {
  if (closed_ || end_) {
    // What nobody reads counts as taken: a client that waits for room would else wait for ever.
    taken_ += data.size();
    return;
  }
  waiting_ += data;
  end_ = end;
  if (end && terminal_) waiting_ += kEndOfInput;
  write();
}

void TaskInput::resize(std::uint16_t rows, std::uint16_t columns) {
  if (terminal_ && own_ >= 0) set_size(own_, rows, columns);
}

short TaskInput::events() const {
  return static_cast<short>((terminal_ ? POLLIN : 0) | (waiting_.empty() ? 0 : POLLOUT));
}

void TaskInput::work(short ready) {
  if (!terminal_ &&
      (ready & POLLERR) != 0) {  // No process reads any more, and poll() would repeat it.
    taken_ += std::exchange(waiting_, {}).size();
    closed_ = true;
    return close_own();
  }
  if (!waiting_.empty()) write();
  for (int i = 0; terminal_ && i < kPiecesAtOnce; ++i) {
    if (!read()) break;
  }
}

void TaskInput::write() {
  while (!waiting_.empty() && own_ >= 0) {
    const ssize_t written = ::write(own_, waiting_.data(), waiting_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) {  // EPIPE: no process reads, nor ever will.
      taken_ += std::exchange(waiting_, {}).size();
      closed_ = true;
      if (!terminal_) close_own();
      return;
    }
    taken_ += static_cast<std::uint64_t>(written);
    waiting_.erase(0, static_cast<std::size_t>(written));
  }
  if (end_ && !terminal_) close_own();
}

bool TaskInput::read() {
  if (own_ < 0 || hung_up_) return false;
  char piece[kPiece];
  const ssize_t got = ::read(own_, piece, sizeof piece);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got <= 0) {  // EIO: the last process that had it open has ended.
    hung_up_ = child_ < 0;
    return false;
  }
  append(output_, piece, static_cast<std::size_t>(got));
  return true;
}

// Its processes have ended, and what they wrote last is still in the terminal.
void TaskInput::drain() {
  close_child_end();
  while (read()) {
  }
}

void TaskInput::close_own() {
  close_if_open(own_);
}

}  // namespace dunlin::node::warden
