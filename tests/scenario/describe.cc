// SPDX-License-Identifier: MIT
#include "tests/scenario/describe.h"

#include "tests/support/trace.h"

namespace dunlin::test {
namespace {

std::string name_of(const sched::JobId& job) {
  return std::to_string(job.home.value) + "/" + std::to_string(job.number);
}

std::string name_of(const auto& task) {
  return " " + std::to_string(task.index) + "." + std::to_string(task.attempt);
}

std::string name_all(const auto& tasks) {
  std::string text;
  for (const auto& task : tasks) text += name_of(task);
  return text;
}

struct Details {
  std::string operator()(const sched::Reserve& m) const {
    return name_of(m.job) + " probe=" + std::to_string(m.probe) +
        " hops_left=" + std::to_string(m.walk.hops_left);
  }
  std::string operator()(const sched::Queued& m) const {
    return name_of(m.job) + " probe=" + std::to_string(m.probe) +
        " ahead=" + std::to_string(m.ahead);
  }
  std::string operator()(const sched::Bounced& m) const {
    return name_of(m.job) + " probe=" + std::to_string(m.probe) + " " +
        std::string(sched::kBounceReasonWords[static_cast<std::size_t>(m.reason)]);
  }
  std::string operator()(const sched::GetTask& m) const {
    return name_of(m.job) + " probe=" + std::to_string(m.probe) + " room=" + std::to_string(m.room);
  }
  std::string operator()(const sched::Tasks& m) const {
    return name_of(m.job) + (m.tasks.empty() ? " none" : name_all(m.tasks));
  }
  std::string operator()(const sched::Refused& m) const {
    return name_of(m.job) + name_all(m.tasks);
  }
  std::string operator()(const sched::Done& m) const {
    std::string text = name_of(m.job);
    for (const sched::Report& report : m.reports) {
      text += name_of(report) + ":" +
          std::string(sched::kOutcomeWords[static_cast<std::size_t>(report.outcome)]) + "=" +
          std::to_string(report.status);
    }
    return text;
  }
  std::string operator()(const sched::Kill& m) const {
    return name_of(m.job) + name_all(m.tasks) + (m.requeue ? " requeue" : "");
  }
  std::string operator()(const sched::Cancel& m) const {
    return name_of(m.job) + " group=" + std::to_string(m.group);
  }
  std::string operator()(const sched::JobEnd& m) const {
    return name_of(m.job) + " succeeded=" + std::to_string(m.succeeded) + "/" +
        std::to_string(m.tasks);
  }
  std::string operator()(const auto& m) const {
    if constexpr (requires {
                    m.job;
                    m.tasks;
                  })
      return name_of(m.job) + name_all(m.tasks);
    else if constexpr (requires { m.tasks.job; })  // Of those that a local master is to start.
      return (*this)(m.tasks);
    else if constexpr (requires { m.job; })
      return name_of(m.job);
    else
      return "";
  }
};

}  // namespace

std::string describe(const sched::Message& message) {
  return std::string(kind_of(message)) + " " + std::visit(Details{}, message);
}

}  // namespace dunlin::test
