// SPDX-License-Identifier: MIT
#include "node/warden/cgroup/cgroup.h"

#include <algorithm>

#include "node/warden/cgroup/cgroup_backends.h"
#include "node/warden/process_tree.h"

// Which way of limiting tasks there is: cgroup version 2, version 1, or none that the kernel
// enforces. The strongest that works is taken, unless one was named; then a weaker one in its place
// would be a promise that is broken in silence.
namespace dunlin::node {
namespace {

class Unlimited final : public Limiter {
 public:
  explicit Unlimited(bool polls) : polls_(polls) {}

  // As in agent.limits, and as `dunlin nodes` shows it.
  std::string_view word() const override { return polls_ ? "rlimit" : "none"; }
  Result<void> prepare(std::uint32_t, const Limits&) override { return {}; }
  const std::vector<std::string>& join_files(std::uint32_t) const override { return none_; }
  std::vector<pid_t> processes(
      std::uint32_t slot, pid_t main, std::span<const pid_t> others) const override {
    return task_processes(main, slot, others);
  }
  bool polls_memory() const override { return polls_; }
  // Nothing is counted for a whole task: what its processes tell when they are reaped must do.
  Usage finish(std::uint32_t, bool) override { return {}; }

 private:
  bool polls_;
  std::vector<std::string> none_;
};

/// True if a label can be a part of a file name.
bool is_plain(const std::string& label) {
  return !label.empty() && std::ranges::all_of(label, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
        c == '_';
  });
}

}  // namespace

std::unique_ptr<Limiter> make_unlimited(bool polls) {
  return std::make_unique<Unlimited>(polls);
}

Result<std::unique_ptr<Limiter>> Limiter::open(
    const LimiterOptions& options, std::vector<std::string>& notes) {
  if (!is_plain(options.label)) {
    return failure(ErrorKind::usage,
        "limits: '" + options.label + "' is no label: letters, digits, '-' and '_' only");
  }
  const std::string& wanted = options.wanted;
  if (wanted == "none") return make_unlimited(false);
  if (wanted == "rlimit") return make_unlimited(true);
  if (wanted != "auto" && wanted != "v1" && wanted != "v2") {
    return failure(
        ErrorKind::usage, "limits: '" + wanted + "' is none of auto, v2, v1, rlimit, none");
  }
  std::string reasons;
  if (wanted != "v1") {
    auto v2 = open_v2(options);
    if (v2) return v2;
    reasons = "v2: " + v2.error().text;
  }
  if (wanted != "v2") {
    auto v1 = open_v1(options);
    if (v1) return v1;
    reasons += (reasons.empty() ? "v1: " : "; v1: ") + v1.error().text;
  }
  // A user that names one way wants no weaker one in its place.
  if (wanted != "auto") return failure(ErrorKind::refused, "limits: " + reasons);
  notes.push_back(
      "limits: no cgroup is writable, so memory is watched 5 times a second and CPU is "
      "not limited (" +
      reasons +
      "). Start the agent by systemd with Delegate=yes, or "
      "as root, for real limits.");
  return make_unlimited(true);
}

}  // namespace dunlin::node
