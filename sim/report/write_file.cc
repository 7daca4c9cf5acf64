// SPDX-License-Identifier: MIT
#include "sim/report/write_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace dunlin::sim {
namespace {

/// Returns the errno, or 0.
int write_directly(const std::string& file, const std::string& text) {
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) return errno;
  // A disk that is full may show only when the last buffer is written, which fclose() does.
  int code = std::fwrite(text.data(), 1, text.size(), out) == text.size() ? 0 : errno;
  if (std::fclose(out) != 0 && code == 0) code = errno;
  return code;
}

}  // namespace

Result<void> write_file(const std::string& file, const std::string& text) {
  std::error_code code;
  const auto kind = std::filesystem::status(file, code).type();
  if (kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::not_found) {
    const int failed = write_directly(file, text);
    return failed == 0 ? Result<void>() : failure_of(failed, file);
  }
  // Through a link, so that the link stays.
  const auto real = std::filesystem::weakly_canonical(file, code);
  const std::string target = code ? file : real.string();
  // The process is in the name, so that two of them that write one file do not mix their parts.
  const std::string part = target + ".part-" + std::to_string(::getpid());
  int failed = write_directly(part, text);
  if (failed == 0 && std::rename(part.c_str(), target.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  std::remove(part.c_str());
  return failure_of(failed, file);
}

}  // namespace dunlin::sim
