// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/job_words.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "config/text.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

/// Where the texts begin, behind their labels.
constexpr std::size_t kTexts = 11;

/// "step=2, team=lab3"; empty of a job of an agent that tells none.
std::string labels_text(const Json& labels) {
  std::string text;
  for (const auto& [key, value] : labels.items()) {
    if (!value.is_string()) continue;
    text += (text.empty() ? "" : ", ") + key + "=" + value.get<std::string>();
  }
  return text;
}

}  // namespace

void show_line(const char* label, const std::string& text, const Terminal& out) {
  std::array<char, 32> head{};
  std::snprintf(head.data(), head.size(), "  %-8s ", label);
  const std::string line = head.data() + printable(text);
  std::printf("%s\n", config::wrapped(line, out.columns, kTexts).c_str());
}

std::string after_text(const Json& after, const std::string& state) {
  const auto when = value<std::string>(after, "when");
  const bool any = when == "any";
  const bool failed = when == "failed";
  const bool started = when == "started";
  const std::string text = "job " + value<std::string>(after, "name") + ": ";
  if (state == "open") {
    const double delay = seconds_of(after, "delay_ns");
    if (started && delay > 0) return text + "waits until " + span_text(delay) + " after it began";
    return text +
        (any              ? "waits for its end"
                : failed  ? "waits for it to fail"
                : started ? "waits for it to begin"
                          : "waits for its success");
  }
  if (state == "missed") return text + (failed ? "did not fail" : "did not succeed");
  return text +
      (any              ? "has ended"
              : failed  ? "has failed"
              : started ? "has begun"
                        : "has succeeded");
}

void show_words(const Json& job, const Terminal& out) {
  const auto comment = value<std::string>(job, "comment");
  if (!comment.empty()) show_line("comment", comment, out);
  const std::string labels = labels_text(member(job, "labels"));
  if (!labels.empty()) show_line("labels", labels, out);
  if (value<std::string>(job, "rerun") == "never") {
    show_line("rerun", "never: a task whose attempt is lost ends as lost", out);
  }
  const auto begins = value<std::int64_t>(job, "begin_at_ns");
  if (begins != 0) show_line("begin", "not before " + iso_time(begins), out);
}

}  // namespace dunlin::cli
