// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>
#include <streambuf>
#include <string>
#include <sys/types.h>

namespace dunlin::config {

/// Stands between a program and its standard output, and knows whether all of it was written: a
/// full disk or a closed descriptor must not look like success. While it lives, `stdout` and
/// std::cout print through it. A program has one at most, made by main() before anything is
/// printed.
class StandardOutput {
 public:
  StandardOutput();
  /// Gives `stdout` and std::cout back.
  ~StandardOutput();
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  /// Writes what still waits. Returns the errno of the first write ever that failed, or 0.
  int finish();

 private:
  /// std::cout, by way of `stdout`: the two never overtake each other.
  class Printer : public std::streambuf {
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int overflow(int c) override;
    int sync() override;
  };

  static ssize_t write(void* self, const char* bytes, std::size_t size);

  std::FILE* before_;
  std::FILE* stream_;
  Printer printer_;
  std::streambuf* cout_before_;
  int failed_ = 0;
};

/// "cannot write to stdout: No space left on device", for an errno.
std::string unwritten_text(const std::string& stream, int code);

}  // namespace dunlin::config
