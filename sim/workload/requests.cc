// SPDX-License-Identifier: MIT
#include "sim/workload/requests.h"

#include "sched/ledger/class_name.h"
#include "sim/fields.h"

namespace dunlin::sim {

Result<void> RequestsFormat::read(std::string_view line, std::vector<TraceJob>& jobs) {
  const auto submit = cut_word(line);
  if (submit.empty() || submit.front() == '#') return {};
  const auto at = seconds_in(submit);
  const auto class_id = cut_word(line);
  const auto duration = seconds_in(cut_word(line));
  const auto count = cut_word(line);
  const auto tasks = count.empty() ? std::optional<std::uint64_t>(1) : count_in(count, 1'000'000);
  // A fifth word is a line of another format, not something to be passed over.
  if (!at || !duration || !tasks || !cut_word(line).empty()) {
    return failure(ErrorKind::corrupt, "expected: submit_s class duration_s, perhaps how many");
  }
  if (auto fine = sched::check_class_name(class_id); !fine) {
    return failure(ErrorKind::corrupt, fine.error().text);
  }
  if (*tasks == 0) return {};
  TraceJob job{.at = *at, .tasks = static_cast<std::uint32_t>(*tasks), .durations = {*duration}};
  job.service_class = class_id;
  jobs.push_back(std::move(job));
  return {};
}

}  // namespace dunlin::sim
