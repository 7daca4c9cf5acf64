// SPDX-License-Identifier: MIT
#include "tools/dunlin/words/about_job.h"

#include <cstdint>
#include <utility>

#include "node/utf8.h"
#include "overlay/field_info.h"
#include "sched/labels.h"
#include "sched/replica/record.h"

namespace dunlin::cli {

Result<void> add_labels(const std::vector<std::string>& texts, std::vector<sched::Label>& labels) {
  for (const std::string& text : texts) {
    auto label = sched::parse_label(text);
    if (!label) return failure(ErrorKind::usage, "--job-label: " + label.error().text);
    sched::set_label(labels, std::move(*label));
  }
  return {};
}

Result<void> check_about(const std::string& comment, const std::vector<sched::Label>& labels) {
  const auto& about = sched::replica::PutJob::Terms::comment;
  if (static_cast<std::int64_t>(comment.size()) > about.max || !node::is_utf8(comment)) {
    return failure(ErrorKind::usage,
        std::string(overlay::long_flag(about)) + ": a comment is at most " +
            std::to_string(about.max) + " bytes of UTF-8 text");
  }
  for (const sched::Label& label : labels) {
    if (node::is_utf8(label.value)) continue;
    return failure(
        ErrorKind::usage, "the label " + label.key + " has a value that is no UTF-8 text");
  }
  return sched::check_labels(labels);
}

}  // namespace dunlin::cli
