// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/followed_job.h"

#include <utility>

// A watch tells of each attempt that starts and of each that ends, and all of it once more if
// another agent, or another home of the job, goes on with it. Each attempt is printed once.
namespace dunlin::cli {

Result<void> FollowedJob::take(const Json& told) {
  for (const Json& task : member(told, "started")) {
    const auto index = value<std::uint32_t>(task, "index");
    const auto attempt = value<std::uint32_t>(task, "attempt");
    if (!selector_.includes(index)) continue;
    // Another home of the job tells of it once more.
    const auto before = followed_.find(index);
    if (before != followed_.end() && before->second == attempt) continue;
    if (before != followed_.end()) output_.on_replaced(index, before->second);
    followed_[index] = attempt;
    if (auto added = add(index, attempt, nullptr); !added) return added;
  }
  for (const Json& task : member(told, "finished")) {
    const auto index = value<std::uint32_t>(task, "index");
    const auto attempt = value<std::uint32_t>(task, "attempt");
    if (!selector_.includes(index)) continue;
    const auto followed = followed_.extract(index);
    // An agent that is back tells all of them once more.
    const auto [ended, is_new] = ended_.try_emplace(index, attempt);
    if (!is_new && std::exchange(ended->second, attempt) == attempt) continue;
    // It is followed already, and its end comes by its own stream.
    if (!followed.empty() && followed.mapped() == attempt) continue;
    if (!followed.empty()) output_.on_replaced(index, followed.mapped());
    if (auto added = add(index, attempt, &task); !added) return added;
  }
  return {};
}

Result<void> FollowedJob::add(std::uint32_t index, std::uint32_t attempt, const Json* ended) {
  for (const bool err : {false, true}) {
    if (!(err ? wanted_.err : wanted_.out)) continue;
    const char* const bytes = err ? "err_bytes" : "out_bytes";
    // Of a stream that is known to be empty nothing is asked.
    if (ended != nullptr && value<std::uint64_t>(*ended, bytes) == 0) continue;
    if (auto added = output_.follow(index, attempt, err); !added) return added;
  }
  return {};
}

}  // namespace dunlin::cli
