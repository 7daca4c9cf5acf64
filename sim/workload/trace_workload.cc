// SPDX-License-Identifier: MIT
#include "sim/workload/trace_workload.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/fields.h"
#include "sim/workload/block_bootstrap.h"

// A trace is read twice. The first reading finds its work and its span, from which follows how to
// stretch time for the load that is wanted; the second streams jobs one at a time, so that a trace
// of millions costs no memory. Time between arrivals is stretched, durations are not: tasks stay as
// they are in the trace, and the cluster gets more or less of them.
// A sample of consecutive jobs costs one more reading, before the others, that counts the jobs.
// Blocks drawn with replacement may stand anywhere in the trace, so then all of it is read once and
// kept. Thinning draws jobs by chance, and jobs of one family by the hash of its name, so that jobs
// which wait for each other stay or go together in both readings.
namespace dunlin::sim {
namespace {

constexpr std::size_t kComplaintsMax = 5;

std::string path_of(const TraceParams& params) {
  return (std::filesystem::path(params.data) / params.file).string();
}

Result<LineFile> open_trace(const TraceParams& params) {
  const std::string path = path_of(params);
  if (params.file.empty()) {
    return failure(ErrorKind::usage, "trace.file: the workload is a trace, but which?");
  }
  if (!std::filesystem::is_regular_file(path)) {
    return failure(ErrorKind::not_found,
        path +
            ": no such trace. Traces are not part of the source: set trace.data to the folder "
            "that holds them");
  }
  return LineFile::open(path);
}

/// Makes the tasks of a job so many times as long.
void stretch(TraceJob& job, double scale) {
  if (scale == 1) return;
  const auto scaled = [scale](Duration duration) {
    return Duration{std::llround(static_cast<double>(duration.count()) * scale)};
  };
  for (Duration& duration : job.durations) duration = scaled(duration);
  job.mean = scaled(job.mean);
}

/// Uniform in [0, 1), and the same for all jobs of a family.
double lot_of(std::uint64_t family, std::uint64_t seed) {
  return Rng{family ^ seed * 0x9e3779b97f4a7c15}.uniform();
}

}  // namespace

std::vector<std::string> TraceSurvey::warnings() const {
  std::vector<std::string> lines = complaints;
  if (malformed > complaints.size()) {
    lines.push_back(path + ": " + std::to_string(malformed) + " malformed lines in all, left out");
  }
  if (too_large > 0) {
    lines.push_back(
        path + ": " + std::to_string(too_large) + " jobs left out: no peer can run them");
  }
  return lines;
}

TraceWorkload::TraceWorkload(const TraceSetting& setting, LineFile file)
    : setting_(setting),
      file_(std::move(file)),
      batches_(setting.params.batch),
      thinning_(setting.seed),
      frontends_(thinning_.fork()),
      eligibility_(setting.machines),
      constraints_(setting.profile, setting.constrained, Rng(frontends_).fork()) {
  for (const Machine& machine : setting.machines.all()) {
    const sched::Resources& total = machine.total;
    largest_.cpu = std::max(largest_.cpu, total.cpu);
    largest_.memory = std::max(largest_.memory, total.memory);
    cpu_ += total.cpu;
    memory_ += total.memory;
  }
  format_ = trace_format(setting.kind, largest_);
}

Result<TraceWorkload> TraceWorkload::open(const TraceSetting& setting) {
  TraceSample sample;
  if (setting.params.sample < 1 || setting.params.start > 0) {
    auto all = open_trace(setting.params);
    if (!all) return tl::unexpected(all.error());
    auto drawn = TraceWorkload(setting, *std::move(all)).draw_sample();
    if (!drawn) return tl::unexpected(drawn.error());
    sample = *drawn;
  }
  auto first = open_trace(setting.params);
  // Each reading has an object of its own: its format and its streams of chance begin anew.
  if (!first) return tl::unexpected(first.error());
  TraceWorkload look(setting, *std::move(first));
  look.sample_ = sample;
  if (setting.params.resample_block > 0) {
    auto drawn = look.resample();
    if (!drawn) return tl::unexpected(drawn.error());
    look.drawn_ = std::make_shared<const std::vector<TraceJob>>(*std::move(drawn));
  }
  if (auto looked = look.look_over(); !looked) return tl::unexpected(looked.error());

  auto second = open_trace(setting.params);
  if (!second) return tl::unexpected(second.error());
  TraceWorkload workload(setting, *std::move(second));
  workload.survey_ = std::move(look.survey_);
  workload.surveyed_ = true;
  workload.sample_ = sample;
  workload.drawn_ = look.drawn_;
  if (setting.params.priority_by_user) {
    workload.priorities_ = priorities_of(workload.survey_.users);
  }
  workload.scale_ = setting.params.time_scale;
  const double span = static_cast<double>(workload.survey_.span().count()) / 1e9;
  if (setting.params.target_load > 0 && span > 0) {
    // What the trace offers as it is, as a multiple of what is wanted, is what time is stretched
    // by.
    workload.scale_ = workload.survey_.work / span / setting.params.target_load;
  }
  return workload;
}

Result<void> TraceWorkload::look_over() {
  survey_.path = path_of(setting_.params);
  while (true) {
    auto job = next_job();
    if (!job) return tl::unexpected(job.error());
    if (!*job) break;
    if (survey_.jobs++ == 0) survey_.first = (*job)->at;
    survey_.last = (*job)->at;
    survey_.tasks += (*job)->tasks;
    survey_.work += (*job)->work() * share_of(**job);
    if ((*job)->key != 0) survey_.keys.insert((*job)->key);
    if ((*job)->user) ++survey_.users[*(*job)->user];
  }
  if (survey_.jobs == 0) return nothing_in_it();
  return {};
}

tl::unexpected<Error> TraceWorkload::nothing_in_it() {
  survey_.path = path_of(setting_.params);
  std::string text = survey_.path + ": no job in it";
  for (const std::string& warning : survey_.warnings()) text += "\n" + warning;
  return failure(ErrorKind::corrupt, text);
}

Result<TraceSample> TraceWorkload::draw_sample() {
  const TraceParams& params = setting_.params;
  while (true) {
    const auto job = read_job();
    if (!job) return tl::unexpected(job.error());
    if (!*job) break;
  }
  if (seen_ == 0) return nothing_in_it();
  const auto share = static_cast<std::uint64_t>(params.sample * static_cast<double>(seen_));
  TraceSample sample{.count = std::max<std::uint64_t>(share, 1)};
  if (params.start > seen_) {
    return failure(ErrorKind::usage,
        "trace.start = " + std::to_string(params.start) + ": " + path_of(params) + " has " +
            std::to_string(seen_) + " jobs; name one of them, or 0 to draw it");
  }
  // A stream of its own: the jobs of a sample are thinned and constrained as ever.
  const std::uint64_t starts = seen_ - std::min(seen_, sample.count) + 1;
  sample.first = params.start > 0
      ? params.start - 1
      : static_cast<std::uint64_t>(
            Rng{~setting_.seed}.fork().uniform() * static_cast<double>(starts));
  return sample;
}

Result<std::vector<TraceJob>> TraceWorkload::resample() {
  std::vector<TraceJob> all;
  while (true) {
    auto job = read_job();
    if (!job) return tl::unexpected(job.error());
    if (!*job) break;
    all.push_back(**std::move(job));
  }
  seen_ = 0;
  // A stream of its own: the jobs that are drawn are thinned and constrained as ever.
  return block_bootstrap(all, setting_.params.resample_block, Rng{~setting_.seed}.fork());
}

double TraceWorkload::share_of(const TraceJob& job) const {
  const sched::Resources& demand = job.demand ? *job.demand : setting_.demand;
  return std::max(demand.cpu / cpu_, memory_ > 0 ? demand.memory / memory_ : 0);
}

double TraceWorkload::offered_load() const {
  const double span = static_cast<double>(survey_.span().count()) / 1e9 * scale_;
  return span > 0 ? survey_.work / span : 0;
}

Duration TraceWorkload::length() const {
  return Duration{std::llround(static_cast<double>(survey_.span().count()) * scale_)};
}

bool TraceWorkload::keep(const TraceJob& job) {
  const TraceParams& params = setting_.params;
  // Nothing is drawn then: a trace that is kept whole draws nothing for it.
  if (params.keep_jobs >= 1) return true;
  return job.family != 0 ? lot_of(job.family, setting_.seed) < params.keep_jobs
                         : thinning_.chance(params.keep_jobs);
}

bool TraceWorkload::constrain(const TraceJob& job) {
  demands_.demand = job.demand ? *job.demand : setting_.demand;
  if (setting_.params.rates == TraceRates::bytes) {
    for (const sched::Rate& rate : sched::kRates) {
      demands_.demand.*rate.amount = job.rates.*rate.amount;
    }
  }
  demands_.constraints = constraints_.next();
  const sched::Resources& demand = demands_.demand;
  const bool fits = demand.cpu <= largest_.cpu && demand.memory <= largest_.memory;
  return fits && eligibility_.any(demands_);
}

Result<void> TraceWorkload::read_line(std::vector<TraceJob>& jobs) {
  // A number ends at a byte that is no digit, so a line with one could be read as other jobs.
  if (const auto odd = odd_byte(line_)) return failure(ErrorKind::corrupt, *odd);
  return format_->read(line_, jobs);
}

Result<std::optional<TraceJob>> TraceWorkload::read_job() {
  if (drawn_ != nullptr) {
    if (seen_ == drawn_->size()) return std::nullopt;
    return (*drawn_)[seen_++];
  }
  std::vector<TraceJob> jobs;
  while (read_.empty()) {
    const auto more = file_.next(line_);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return std::nullopt;
    jobs.clear();
    if (const auto fine = read_line(jobs); !fine) {
      const std::string complaint = file_.place() + ": " + fine.error().text;
      if (setting_.params.strict) return failure(ErrorKind::corrupt, complaint);
      // Counted all, told a few: a trace in another format is malformed in every line.
      if (survey_.malformed++ < kComplaintsMax) survey_.complaints.push_back(complaint);
    }
    read_.assign(std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end()));
  }
  TraceJob job = std::move(read_.front());
  read_.pop_front();
  // Arrivals are streamed, so an earlier one cannot be put in its place any more.
  if (job.at < last_) {
    return failure(ErrorKind::corrupt, file_.place() + ": earlier than the job before it");
  }
  last_ = job.at;
  ++seen_;
  return job;
}

Result<std::optional<TraceJob>> TraceWorkload::next_job() {
  const TraceParams& params = setting_.params;
  while (params.jobs_max == 0 || jobs_ < params.jobs_max) {
    auto read = read_job();
    if (!read || !*read) return read;
    if (seen_ <= sample_.first) continue;
    if (seen_ - sample_.first > sample_.count) return std::nullopt;
    TraceJob job = **std::move(read);
    if (!keep(job)) continue;
    if (!constrain(job)) {
      // Counted in one of the two readings only.
      if (!surveyed_) ++survey_.too_large;
      continue;
    }
    if (params.keep_tasks < 1) {
      const double wanted = job.tasks * params.keep_tasks;
      const double whole = std::floor(wanted);
      // The fraction decides by chance, so that the mean over all jobs is the share that is
      // wanted.
      const auto left =
          static_cast<std::uint32_t>(whole) + (thinning_.chance(wanted - whole) ? 1u : 0u);
      job.tasks = std::clamp(left, 1u, job.tasks);
      if (job.durations.size() > 1) job.durations.resize(job.tasks);
    }
    stretch(job, params.run_scale);
    ++jobs_;
    return job;
  }
  return std::nullopt;
}

Submission TraceWorkload::submission_of(TraceJob job) {
  const double since = static_cast<double>((job.at - survey_.first).count()) * scale_;
  Submission submission{.at = batches_.arrival(setting_.first_job + Duration{std::llround(since)})};
  submission.frontend =
      frontends_.below(frontends_of({.frontends = setting_.frontends}, setting_.machines.size()));
  // A duration of 0 becomes 1 ns, because a task must take some time.
  for (Duration& duration : job.durations) duration = std::max(duration, Duration{1});
  submission.job.service_class = job.service_class;
  sched::TaskGroup& group = submission.job.groups.emplace_back();
  group.count = job.tasks;
  group.demand = demands_.demand;
  group.constraints = demands_.constraints;
  const auto priority = priorities_.find(job.user.value_or(0));
  if (job.user && priority != priorities_.end()) group.priority = priority->second;
  submission.job.deadline = deadline_of(setting_.params, job);
  if (job.durations.size() == 1) {
    group.spec = duration_bytes(job.durations.front());
  } else {
    for (const Duration duration : job.durations) group.entries.push_back(duration_bytes(duration));
  }
  JobFacts& facts = submission.facts;
  facts.constrained = group.constraints.size() > 0;
  facts.key = job.key != 0 ? job.key : jobs_;
  facts.family = job.family;
  facts.longest = *std::ranges::max_element(job.durations);
  facts.mean =
      job.mean > Duration{0} ? job.mean : Duration{std::llround(job.work() / job.tasks * 1e9)};
  // A parent that was left out, by thinning or because it is too large, would never end, and its
  // children wait for ever.
  std::erase_if(job.parents, [&](std::uint64_t key) { return !survey_.keys.contains(key); });
  submission.parents = std::move(job.parents);
  return submission;
}

std::optional<Submission> TraceWorkload::next() {
  auto job = next_job();
  // The survey has read all of it, so an error now is one of the disk. The workload ends there.
  if (!job || !*job) return std::nullopt;
  Submission submission = submission_of(*std::move(*job));
  if (submission.at >= setting_.end) return std::nullopt;
  return submission;
}

}  // namespace dunlin::sim
