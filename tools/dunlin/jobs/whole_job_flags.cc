// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/whole_job_flags.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "sched/job.h"
#include "sched/replica/record.h"

// Flags that concern a job and not one of its groups, so they go with a job file, too. Bounds and
// names come from the schema of the record (PutJob::Terms) where it has them: the file, the flag
// and the agent then agree. Most values stay texts here, and are read where those of a file are.
namespace dunlin::cli {
namespace {

using JobTerms = sched::replica::PutJob::Terms;

/// Adds the flags about when a job should have ended.
void add_deadline_flags(CLI::App& app, JobFlags& flags, const char* group) {
  app.add_option("--deadline", flags.deadline,
         "When it should have ended: 10m (from now), 18:00, 'tomorrow 8:00' or "
         "2026-11-22T18:00+01:00. Workers whose "
         "discipline is edf serve the earliest first; a job that misses it goes on")
      ->type_name("WHEN")
      ->group(group);
  app.add_option("--past-deadline", flags.past_deadline,
         "What becomes of a job that misses its deadline: run (it goes on, the default) or cancel")
      ->type_name("run|cancel")
      ->group(group);
}

/// Adds the flags about tasks that are in the way of others.
void add_yielding_flags(CLI::App& app, JobFlags& flags, const char* group) {
  // The others exclude it: a task that is never stopped needs no word on how.
  auto* const spared = app.add_flag("--no-preempt", flags.no_preempt,
                              "Its tasks are not stopped so that others have room")
                           ->group(group);
  app.add_option("--on-preempt", flags.on_preempt,
         "What becomes of tasks that are stopped so that others have room: requeue (they run "
         "again, the default), checkpoint (the same, but a signal comes before SIGTERM), or "
         "suspend "
         "(they stand still, keep their memory, and go on later); never: they are not stopped")
      ->type_name("never|requeue|checkpoint|suspend")
      ->check(CLI::IsMember(std::vector<std::string>(
          std::begin(sched::kOnPreemptWords), std::end(sched::kOnPreemptWords))))
      ->excludes(spared)
      ->group(group);
  app.add_option("--checkpoint-signal", flags.checkpoint_signal,
         "The signal that tells a task's main process to save what it needs (default: USR1)")
      ->type_name("SIGNAL")
      ->excludes(spared)
      ->group(group);
  app.add_option("--checkpoint-time", flags.checkpoint_time,
         "The time that it has for that; it may end sooner (default: 30s)")
      ->type_name("DURATION")
      ->excludes(spared)
      ->group(group);
}

/// Adds the flags about what outlives a node that is lost.
void add_loss_flags(CLI::App& app, JobFlags& flags, const char* group) {
  app.add_option("--rerun", flags.rerun,
         "Whether a task runs again whose attempt was lost with its node: always (the default), or "
         "never (no task runs twice: it ends as lost; no retries, and it is not stopped for "
         "others)")
      ->type_name("always|never")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(sched::kRerunWords), std::end(sched::kRerunWords))))
      ->group(group);
  app.add_option(std::string(JobTerms::replicas.flag), flags.replicas,
         "Standbys on other machines that keep its records: one goes on with the job when its home "
         "is gone for good, disk and all (default: frontend.replicas of the agent)")
      ->type_name("0..4")
      // The bounds of the schema, so that a larger number is told by its flag.
      ->check(CLI::Range(JobTerms::replicas.min, JobTerms::replicas.max))
      ->group(group);
  app.add_option(std::string(JobTerms::replicas_required.flag), flags.replicas_required,
         "Standbys that must have a record before anything is promised of it; with fewer it waits "
         "(default: 0, those that are there)")
      ->type_name("0..4")
      ->check(CLI::Range(JobTerms::replicas_required.min, JobTerms::replicas_required.max))
      ->group(group);
}

/// Adds the flags about what a job waits for before it starts.
void add_start_flags(CLI::App& app, JobFlags& flags, const char* group) {
  app.add_flag("--hold", flags.hold, "It starts no task before `dunlin release`")->group(group);
  app.add_option(std::string(JobTerms::begin.flag), flags.begin,
         "It starts no task before: 10m (from now), 18:00, 'tomorrow 8:00' or "
         "2026-11-22T18:00+01:00")
      ->type_name("WHEN")
      ->group(group);
  app.add_option("--after", flags.after,
         "A job that it waits for, of any node: 12, last, NODE.12. It is cancelled if that one "
         "does not succeed; with JOB:any (or :ended) it starts however that one ends, with "
         "JOB:failed only if that one does not succeed, with JOB:started or JOB:started+10m once "
         "that "
         "one has begun, so long ago")
      ->type_name("JOB")
      ->allow_extra_args(false)
      ->group(group);
}

}  // namespace

void add_whole_job_flags(CLI::App& app, JobFlags& flags) {
  // The heading of the help below which they stand; these go with --file, too. Help shows flags in
  // the order in which they are added.
  const char* group = "Job";
  app.add_option("--name", flags.name, "The job's name (default: the command's)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--class", flags.service_class,
         "Its class, one of those that `dunlin share list` shows (default: default)")
      ->type_name("NAME")
      ->group(group);
  add_deadline_flags(app, flags, group);
  add_yielding_flags(app, flags, group);
  add_loss_flags(app, flags, group);
  add_start_flags(app, flags, group);
  app.add_option("--on-end", flags.on_end,
         "A command for /bin/sh -c that the job's home runs when the job has ended, at most once; "
         "see $DUNLIN_JOB and $DUNLIN_STATE")
      ->type_name("COMMAND")
      ->group(group);
  app.add_option(std::string(JobTerms::comment.flag), flags.comment,
         "What you say of the job, for people; `dunlin job` shows it")
      ->type_name("TEXT")
      ->group(group);
  app.add_option("--job-label", flags.labels,
         "A label of the job, at most 16: team=lab3. `dunlin jobs --label team=lab3` finds it")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  // The last two are about the submit itself, and not about what the job is.
  app.add_flag("--allow-unsatisfiable", flags.allow_unsatisfiable,
         "Accept a job that no node known could ever run")
      ->group(group);
  app.add_flag("--dry-run", flags.dry_run, "Print what would be submitted, and stop")->group(group);
}

}  // namespace dunlin::cli
