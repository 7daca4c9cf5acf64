// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace dunlin::sim {

/// A job of a log, in seconds.
struct SwfJob {
  int submit = 0;
  int run = 1;
  int processors = 1;
  int user = 1;
};

/// A log in the Standard Workload Format, in a folder of its own as long as this lives.
class SwfTrace {
 public:
  explicit SwfTrace(const std::vector<SwfJob>& jobs)
      : folder_(
            std::filesystem::temp_directory_path() / ("dunlin-swf-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream out(folder_ / "log");
    for (const SwfJob& job : jobs) {
      out << "1 " << job.submit << " 0 " << job.run << ' ' << job.processors << " -1 -1 "
          << job.processors << " -1 -1 1 " << job.user << " 1 -1 1 -1 -1 -1\n";
    }
  }
  ~SwfTrace() { std::filesystem::remove_all(folder_); }
  SwfTrace(const SwfTrace&) = delete;
  SwfTrace& operator=(const SwfTrace&) = delete;

  std::string folder() const { return folder_.string(); }
  static constexpr const char* kFile = "log";

 private:
  std::filesystem::path folder_;
};

}  // namespace dunlin::sim
