// SPDX-License-Identifier: MIT
#include "config/standard_output.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <poll.h>
#include <unistd.h>

// stdio tells whether a write failed, yet not why: the errno is gone by the time that a program
// ends. So the stream itself is ours, and each write passes through one function.
namespace dunlin::config {
namespace {

/// Waits until a descriptor that others made non-blocking takes bytes again.
void wait_writable(int fd) {
  pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
  ::poll(&ready, 1, -1);
}

/// Writes all of it to stdout. Returns the errno, or 0.
int write_all(const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes, size);
    if (written < 0 && errno == EAGAIN) wait_writable(STDOUT_FILENO);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return errno;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

StandardOutput::StandardOutput()
    : before_(stdout),
      stream_(::fopencookie(
          this, "w", {.read = nullptr, .write = &write, .seek = nullptr, .close = nullptr})),
      cout_before_(std::cout.rdbuf()) {
  if (stream_ == nullptr) return;  // No memory: as without us.
  std::setvbuf(stream_, nullptr, ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF, BUFSIZ);
  stdout = stream_;
  std::cout.rdbuf(&printer_);
}

StandardOutput::~StandardOutput() {
  if (stream_ == nullptr) return;
  std::cout.rdbuf(cout_before_);
  stdout = before_;
  std::fclose(stream_);
}

int StandardOutput::finish() {
  if (std::fflush(stdout) != 0 && failed_ == 0) failed_ = errno;
  return failed_;
}

ssize_t StandardOutput::write(void* self, const char* bytes, std::size_t size) {
  int& failed = static_cast<StandardOutput*>(self)->failed_;
  // After a gap, more would look whole.
  if (failed == 0) failed = write_all(bytes, size);
  errno = failed;
  return failed == 0 ? static_cast<ssize_t>(size) : 0;
}

std::streamsize StandardOutput::Printer::xsputn(const char* text, std::streamsize size) {
  return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(size), stdout));
}

int StandardOutput::Printer::overflow(int c) {
  return c == traits_type::eof() ? traits_type::not_eof(c) : std::fputc(c, stdout);
}

int StandardOutput::Printer::sync() {
  return std::fflush(stdout);
}

std::string unwritten_text(const std::string& stream, int code) {
  return "cannot write to " + stream + ": " + std::strerror(code);
}

}  // namespace dunlin::config
