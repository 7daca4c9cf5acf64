// SPDX-License-Identifier: MIT
#include "sched/plan/planner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "overlay/ensure.h"
#include "sched/plan/whole_tasks.h"

// Claims come in one by one, and each is compared with what was known: only a change calls for a
// plan. A plan notes for each job when it should end. Later claims of the job are held against
// that: tasks take longer than was thought, a node is slow, or the job got slots that no plan gave
// it. As long as it is within the length of a task and a fifth of its time, nothing is done, since
// each plan may move slots. But a job that its plan has meet its deadline may not come to miss
// that. Several changes at once make one plan, plan.gap after the last one.
namespace dunlin::sched {
namespace {

using Seconds = std::chrono::duration<double>;

/// A job is off its course beyond this part of the time that it had left.
constexpr double kSlop = 0.2;
/// A speed that changes by more than this part is another speed.
constexpr double kSpeedSlop = 0.05;
/// The speeds that a member may claim, in thousandths.
constexpr std::uint32_t kSpeedMin = 10;
constexpr std::uint32_t kSpeedMax = 100'000;

/// The time in which so many slots' work is done at that throughput; empty if it has no end.
std::optional<Duration> time_for(const cell::Claim& claim, double throughput) {
  if (throughput <= 0 || claim.task_time <= Duration{0}) return std::nullopt;
  const Seconds takes(Seconds(claim.task_time).count() * claim.left / throughput);
  if (takes > Seconds(kTaskTimeMax)) return kTaskTimeMax;
  return std::chrono::duration_cast<Duration>(takes);
}

/// `age` is that of the job, `since` that of the claim.
PlanJob plan_job(const cell::Claim& claim, Duration age, Duration since) {
  PlanJob job{.job = claim.job,
      .priority = claim.priority,
      .tasks_left = claim.left,
      .task_time = claim.task_time,
      .running = claim.held,
      .ran = std::min(claim.ran + since, claim.task_time)};
  if (claim.deadline) job.time_left = std::min(*claim.deadline, kTaskTimeMax) - age;
  return job;
}

}  // namespace

Planner::Planner(const PlannerParams& params, Duration lease, Duration settle)
    : params_(&params),
      lease_(lease),
      settle_(settle) {}

bool Planner::set_rule(Time now, const std::optional<PlanParams>& rule) {
  if (rule_ == rule) return false;
  if (!rule_) first_ = now + settle_;
  rule_ = rule;
  if (rule_) {
    note(PlanCause::rule);
    return true;
  }
  // What a plan gave lapses at the members, and claims come no more.
  pending_.reset();
  members_.clear();
  guests_ = 0;
  jobs_.clear();
  return true;
}

void Planner::note(PlanCause cause) {
  if (rule_ && !pending_) pending_ = cause;
}

bool Planner::hear(Time now, const Endpoint& from, const cell::Claims& said) {
  if (!rule_) return false;
  if (said.guest && guests_ >= kGuestsMax && !members_.contains(from.id)) return false;
  const auto [at, is_new] = members_.try_emplace(from.id);
  Member& member = at->second;
  if (!is_new && said.sequence <= member.sequence) return false;
  const double speed = std::clamp(said.speed, kSpeedMin, kSpeedMax) / 1000.0;
  const std::uint32_t slots = said.guest ? 0 : std::min(said.slots, kSlotsMax);
  const bool faster = std::abs(speed - member.speed) > kSpeedSlop * member.speed;
  const bool other = is_new || member.slots != slots || faster;
  if (other && !(said.guest && (is_new || member.guest))) {
    note(PlanCause::workers);
    member.speed = speed;
  }
  if (said.guest != member.guest) said.guest ? ++guests_ : --guests_;
  member.guest = said.guest;
  member.preempts = said.preempts && !said.guest;
  member.endpoint = from;
  member.sequence = said.sequence;
  member.heard = now;
  member.slots = slots;
  for (const cell::Claim& claim : said.claims) hear(now, from, claim);
  return true;
}

void Planner::hear(Time now, const Endpoint& from, const cell::Claim& said) {
  cell::Claim claim = said;
  claim.left = std::min(said.left, kLeftMax);
  claim.elsewhere = std::min(said.elsewhere, kLeftMax);
  claim.task_time = sane_task_time(said.task_time);
  claim.age = sane_task_time(said.age);
  claim.ran = sane_task_time(said.ran);
  const auto at = jobs_.find(claim.job);
  if (claim.left == 0) {
    if (at == jobs_.end() || at->second.frontend.id != from.id) return;
    jobs_.erase(at);
    note(PlanCause::jobs);
    return;
  }
  if (at == jobs_.end()) {
    if (jobs_.size() >= kJobsMax) return;
    jobs_.emplace(claim.job,
        KnownJob{.frontend = from, .claim = claim, .submitted = now - claim.age, .heard = now});
    note(PlanCause::jobs);
    return;
  }
  KnownJob& job = at->second;
  const bool has_other_terms = claim.priority != job.claim.priority ||
      claim.deadline != job.claim.deadline || from.id != job.frontend.id;
  // Slots beyond its tasks are another job's; and one whose tasks run again may want more.
  const bool other_size = claim.left < job.course.slots || claim.left > job.claim.left;
  job.frontend = from;
  job.claim = claim;
  job.heard = now;
  if (has_other_terms || other_size) {
    note(PlanCause::jobs);
  } else if (is_off_course(job, now)) {
    note(PlanCause::off_course);
  }
}

bool Planner::is_off_course(const KnownJob& job, Time now) const {
  const Course& course = job.course;
  const auto takes = time_for(job.claim, course.throughput);
  if (!takes) return false;
  if (course.ends == kNever) return true;  // By now it is known how long its tasks take.
  if (course.in_time && !ends_in_time(job, now)) return true;
  const Duration off = now + *takes - course.ends;
  return std::chrono::abs(off) > course.slop;
}

/// True if the slots of its plan end all its tasks by its deadline.
bool Planner::ends_in_time(const KnownJob& job, Time now) const {
  const Course& course = job.course;
  const PlanJob wanted = plan_job(job.claim, now - job.submitted, now - job.heard);
  if (course.slots == 0 || !wanted.time_left) return false;
  const double speed = course.throughput / course.slots;
  const double task = Seconds(wanted.task_time).count();
  const std::uint32_t held = std::min(wanted.running, course.slots);
  const double tasks = held * whole_tasks(*wanted.time_left, wanted.ran, speed, task) +
      (course.slots - held) * whole_tasks(*wanted.time_left, Duration{0}, speed, task);
  return tasks >= wanted.tasks_left;
}

void Planner::hear_all(std::size_t members) {
  if (this->members() >= members) first_ = Time{};
}

void Planner::forget_others(const std::function<bool(PeerId)>& is_member) {
  const bool others = erase_members(
      [&](PeerId node, const Member& member) { return !member.guest && !is_member(node); });
  if (others) note(PlanCause::workers);
  const auto of_other = [&](const auto& job) { return !members_.contains(job.second.frontend.id); };
  if (std::erase_if(jobs_, of_other) > 0) note(PlanCause::jobs);
}

bool Planner::erase_members(const std::function<bool(PeerId, const Member&)>& which) {
  const std::size_t before = members();
  std::erase_if(members_, [&](const auto& each) {
    const bool goes = which(each.first, each.second);
    if (goes && each.second.guest) --guests_;
    return goes;
  });
  // Both numbers count without guests.
  return members() < before;
}

void Planner::drop_lapsed(Time now) {
  const auto lapsed = [&](const auto& each) { return each.second.heard + lease_ <= now; };
  const bool members =
      erase_members([&](PeerId, const Member& member) { return member.heard + lease_ <= now; });
  if (members) note(PlanCause::workers);
  if (std::erase_if(jobs_, lapsed) > 0) note(PlanCause::jobs);
}

Time Planner::deadline() const {
  Time earliest = kNever;
  for (const auto& [id, member] : members_) earliest = std::min(earliest, member.heard + lease_);
  for (const auto& [id, job] : jobs_) earliest = std::min(earliest, job.heard + lease_);
  if (!pending_) return earliest;
  Time plan = first_;
  if (!plans_.empty()) plan = std::max(plan, plans_.back().made + params_->gap);
  return std::min(earliest, plan);
}

std::vector<Endpoint> Planner::wake(Time now) {
  drop_lapsed(now);
  if (!pending_ || now < first_) return {};
  if (!plans_.empty() && now < plans_.back().made + params_->gap) return {};
  std::map<PeerId, std::pair<std::vector<cell::Allotted>, std::vector<cell::Lack>>> before;
  for (const auto& [id, member] : members_) before[id] = {member.allotted, member.lacks};
  make_plan(now);
  std::vector<Endpoint> changed;
  for (const auto& [id, member] : members_) {
    const auto& [allotted, lacks] = before.at(id);
    if (member.allotted != allotted || member.lacks != lacks) changed.push_back(member.endpoint);
  }
  return changed;
}

std::vector<Planner::Jobs::iterator> Planner::by_submit() {
  std::vector<Jobs::iterator> order;
  for (auto at = jobs_.begin(); at != jobs_.end(); ++at) order.push_back(at);
  std::ranges::stable_sort(order, {}, [](const auto& at) { return at->second.submitted; });
  return order;
}

/// `given` has the slots and their throughput; `slowest` is the least speed among them.
void Planner::set_course(Time now, KnownJob& job, const Course& given, double slowest) const {
  Course& course = job.course;
  course = given;
  course.ends = kNever;
  const auto takes = time_for(job.claim, course.throughput);
  if (!takes) return;
  course.ends = now + *takes;
  const Seconds task(Seconds(job.claim.task_time).count() / slowest);
  const Seconds slop = std::min(task + kSlop * Seconds(*takes), Seconds(kTaskTimeMax));
  course.slop = std::max(params_->gap, std::chrono::duration_cast<Duration>(slop));
}

void Planner::make_plan(Time now) {
  PlanRecord record{.number = ++number_,
      .made = now,
      .cause = *std::exchange(pending_, {}),
      .policy = rule_->policy};
  std::vector<PlanWorker> workers;
  std::vector<Allotment> held;
  for (const auto& [id, member] : members_) {
    workers.push_back({.node = id, .slots = member.slots, .speed = member.speed});
    record.slots += member.slots;
    for (const cell::Allotted& each : member.allotted) {
      if (each.slots > 0) held.push_back({id, each.job, each.slots});
    }
  }
  const auto order = by_submit();
  std::vector<PlanJob> jobs;
  jobs.reserve(order.size());
  for (const auto at : order) {
    const KnownJob& job = at->second;
    jobs.push_back(plan_job(job.claim, now - job.submitted, now - job.heard));
  }
  record.plan = plan_slots(*rule_, workers, jobs, held);
  hand_out(record, jobs, order);
  // Only the last one is needed in full.
  if (!plans_.empty()) plans_.back().plan.allotments = {};
  plans_.push_back(std::move(record));
  if (plans_.size() > kPlansKept) plans_.pop_front();
}

}  // namespace dunlin::sched
