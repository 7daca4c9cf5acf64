// SPDX-License-Identifier: MIT
#include "config/manual/page_files.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace dunlin::config {
namespace {

std::string problem_with(const std::string& path, int code) {
  return path + ": " + std::strerror(code);
}

/// Writes `text` and closes the file. Returns the errno of what failed, or 0.
int write_and_close(std::FILE* file, const std::string& text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int code = written ? 0 : errno;
  // A full disk may be noticed only here.
  return std::fclose(file) == 0 || code != 0 ? code : errno;
}

}  // namespace

const ManualPage* find_page(const std::vector<ManualPage>& pages,
    const std::string& program,
    const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : "-") + word;
  const auto named = [&](const std::string& name) {
    return std::ranges::find_if(
        pages, [&](const ManualPage& page) { return page.name.name == name; });
  };
  auto found = named(joined.empty() ? program : program + "-" + joined);
  if (found == pages.end()) found = named(joined);
  return found == pages.end() ? nullptr : &*found;
}

std::string write_pages(const std::vector<ManualPage>& pages, const std::string& folder) {
  for (const ManualPage& page : pages) {
    const std::string path = folder + "/" + page.file();
    std::error_code code;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), code);
    if (code) return problem_with(folder, code.value());
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return problem_with(path, errno);
    if (const int failed = write_and_close(file, page.text); failed != 0) {
      return problem_with(path, failed);
    }
  }
  return "";
}

std::string show_page(const ManualPage& page) {
  // A reader may close the pager early, and that is no failure.
  std::signal(SIGPIPE, SIG_IGN);
  std::FILE* const reader = popen("man -l -", "w");
  if (reader == nullptr) return problem_with("man", errno);
  std::fwrite(page.text.data(), 1, page.text.size(), reader);
  return pclose(reader) == 0 ? "" : "man(1) could not show the page of " + page.name.name;
}

}  // namespace dunlin::config
