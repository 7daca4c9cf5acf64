// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "tools/dunlin/grammar.h"
#include "tools/dunlin/program.h"

namespace dunlin::cli {

/// One command line, taken apart.
class Line {
 public:
  explicit Line(const std::vector<std::string>& words) {
    if (const auto read = read_line(app_, invocation_, words, all_commands()); !read)
      problem_ = read.error().text;
  }
  const Invocation& operator*() const { return invocation_; }
  const Invocation* operator->() const { return &invocation_; }
  const std::string& problem() const { return problem_; }

  Result<GroupRequest> group() const {
    auto request = job_request(invocation_.run.job, "/here");
    if (!request) return tl::unexpected(request.error());
    return request->groups.at(0);
  }

 private:
  Invocation invocation_;
  CLI::App app_;
  std::string problem_;
};

}  // namespace dunlin::cli
