// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tools/dunlin/jobs/job_file.h"

namespace dunlin::cli {

/// The job of a file of that text.
inline Result<JobRequest> parse(std::string_view text) {
  return parse_job_file(text, "job.toml", "/here");
}

/// What is wrong with it.
inline std::string problem(std::string_view text) {
  const auto request = parse(text);
  EXPECT_FALSE(request) << text;
  if (request) return "";
  EXPECT_EQ(request.error().kind, ErrorKind::usage);
  return request.error().text;
}

}  // namespace dunlin::cli
