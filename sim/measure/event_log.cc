// SPDX-License-Identifier: MIT
#include "sim/measure/event_log.h"

namespace dunlin::sim {
namespace {

std::int64_t ns_of(Time time) {
  return time.time_since_epoch().count();
}

/// "17/1/88": home, number and lineage.
struct Name {
  const sched::JobId& id;
};
std::ostream& operator<<(std::ostream& out, const Name& name) {
  return out << name.id.home.value << '/' << name.id.number << '/' << name.id.lineage;
}

}  // namespace

void EventLog::machine(std::uint32_t cpu) {
  if (out_ == nullptr) return;
  *out_ << "machine " << cpu << '\n';
}

void EventLog::arrived(Time now) {
  if (out_ == nullptr) return;
  *out_ << "arrived " << ns_of(now) << '\n';
}

void EventLog::accepted(const JobRecord& job) {
  if (out_ == nullptr) return;
  const JobFacts& facts = job.facts;
  *out_ << "accepted " << ns_of(job.submitted) << ' ' << Name{job.id} << ' ' << job.tasks << ' '
        << ns_of(job.arrived) << ' ' << facts.longest.count() << ' ' << facts.mean.count() << ' '
        << facts.constrained << ' ' << facts.priority << ' ';
  if (facts.deadline) {
    *out_ << facts.deadline->count();
  } else {
    *out_ << '-';
  }
  *out_ << ' ' << facts.whole << ' ' << facts.stages << ' ' << facts.whole_tasks << '\n';
}

void EventLog::refused(Time arrived, const JobFacts& facts) {
  if (out_ == nullptr) return;
  *out_ << "refused " << ns_of(arrived) << ' ' << facts.whole << ' ' << facts.stages << ' '
        << facts.whole_tasks << '\n';
}

void EventLog::bound(Time now, const sched::JobId& job) {
  if (out_ == nullptr) return;
  *out_ << "bound " << ns_of(now) << ' ' << Name{job} << '\n';
}

void EventLog::started(Time now, const sched::JobId& job, std::uint32_t attempt) {
  if (out_ == nullptr) return;
  *out_ << "started " << ns_of(now) << ' ' << Name{job} << ' ' << attempt << '\n';
}

void EventLog::finished(Time now,
    const sched::JobId& job,
    std::uint32_t succeeded,
    std::uint32_t failed,
    std::uint32_t cancelled) {
  if (out_ == nullptr) return;
  *out_ << "finished " << ns_of(now) << ' ' << Name{job} << ' ' << succeeded << ' ' << failed << ' '
        << cancelled << '\n';
}

void EventLog::began(Time now) {
  if (out_ == nullptr) return;
  *out_ << "began " << ns_of(now) << '\n';
}

void EventLog::worked(std::uint32_t machine, Time begin, Time end, std::uint32_t cpu) {
  if (out_ == nullptr) return;
  *out_ << "worked " << machine << ' ' << ns_of(begin) << ' ' << ns_of(end) << ' ' << cpu << '\n';
}

void EventLog::ended(Time at, const sched::JobId& job, std::uint32_t machine, bool by_itself) {
  if (out_ == nullptr) return;
  *out_ << "ended " << ns_of(at) << ' ' << Name{job} << ' ' << machine << ' ' << by_itself << '\n';
}

void EventLog::sent(std::string_view kind) {
  if (out_ == nullptr) return;
  *out_ << "sent " << kind << '\n';
}

void EventLog::end(Time now) {
  if (out_ == nullptr) return;
  *out_ << "end " << ns_of(now) << '\n';
}

}  // namespace dunlin::sim
