// SPDX-License-Identifier: MIT
#include "sched/frontend/submit_check.h"

#include <algorithm>

#include "sched/directory/directory.h"
#include "sched/frontend/stages/stage_names.h"
#include "sched/inputs/input_text.h"
#include "sched/labels.h"
#include "sched/ledger/class_name.h"

// A job is checked before it gets a number, so that a refused one leaves no trace. These checks
// need no knowledge of nodes: if any node could ever run the job, the directory decides. The text
// of a failure says where the mistake is, because a person reads it.
namespace dunlin::sched {
namespace {

std::string names_of(const books::Classes& classes) {
  std::string names;
  for (const auto& each : classes.classes) names += (names.empty() ? "" : ", ") + each.name;
  return names;
}

bool waits_for_begin(const Job& job) {
  return std::ranges::any_of(
      job.after_jobs, [](const AfterJob& after) { return after.begun_for.has_value(); });
}

/// What the job says that standbys without such capabilities lose: "comment, labels".
std::string new_words(const Job& job, std::uint64_t capabilities) {
  std::string words;
  const auto add = [&](bool said, const char* word, std::uint64_t needed = kJobWords) {
    if (said && (capabilities & needed) == 0)
      words += (words.empty() ? "" : ", ") + std::string(word);
  };
  add(!job.comment.empty(), "comment");
  add(!job.labels.empty(), "labels");
  add(job.begin.has_value(), "begin");
  add(job.rerun != Rerun::always, "rerun");
  add(std::ranges::any_of(job.after_jobs, &AfterJob::failed), "after a job that failed");
  add(waits_for_begin(job), "after a job that started", kBegunWaits);
  return words;
}

tl::unexpected<Error> malformed(const std::string& why) {
  return failure(ErrorKind::usage, why);
}

/// What the job says of itself as a whole.
Result<void> check_terms(const Job& job) {
  if (job.after_jobs.size() > kAfterJobsMax) {
    return malformed("it waits for more than " + std::to_string(kAfterJobsMax) + " jobs");
  }
  const auto says_both = [](const AfterJob& after) { return after.any && after.failed; };
  if (std::ranges::any_of(job.after_jobs, says_both)) {
    return malformed("it waits for a job that must fail, and may end in any way");
  }
  for (const AfterJob& after : job.after_jobs) {
    if (!after.begun_for) continue;
    if (after.any || after.failed) {
      return malformed("it waits for a job that must begin, and also for how it ends");
    }
    if (*after.begun_for < Duration{0} || *after.begun_for > kTaskTimeMax) {
      return malformed("it waits for more than ten years after another job has begun");
    }
  }
  if (job.end_command.size() > kEndCommandMax) {
    return malformed("the command for its end has " + std::to_string(job.end_command.size()) +
        " bytes, and may have " + std::to_string(kEndCommandMax));
  }
  if (job.comment.size() > kCommentMax) {
    return malformed("a comment of " + std::to_string(job.comment.size()) + " bytes; it may have " +
        std::to_string(kCommentMax));
  }
  if (auto fine = check_labels(job.labels); !fine) return fine;
  if (job.begin && (*job.begin <= Duration{0} || *job.begin > kTaskTimeMax)) {
    return malformed("it begins at once, or in more than ten years: see begin");
  }
  if (job.begin && job.deadline && *job.begin >= *job.deadline) {
    return malformed(
        "it would begin when its deadline has passed: an earlier begin, or a later "
        "deadline");
  }
  if (!has_sound_stages(job.groups)) {
    return malformed("a group may only wait for others of its job, and they not for it");
  }
  if (job.rerun == Rerun::never && job.on_preempt != OnPreempt::never) {
    return malformed(
        "tasks that never run twice (rerun) cannot make room for others and run again: "
        "on_preempt must be never");
  }
  return {};
}

Result<void> check_group(const TaskGroup& group, bool runs_once) {
  const std::string where = group.name.empty() ? "" : "group " + group.name + ": ";
  if (group.count == 0) return malformed(where + "no tasks (count is 0)");
  if (group.entries.size() != 0 && group.entries.size() != group.count) {
    return malformed(where + std::to_string(group.entries.size()) + " lines for " +
        std::to_string(group.count) + " tasks");
  }
  if (group.priority < kPriorityMin || group.priority > kPriorityMax) {
    return malformed(where + "priority must be 0 to 100");
  }
  if (group.constraints.size() > Reserve::kConstraintsMax) {
    return malformed(
        where + "more than " + std::to_string(Reserve::kConstraintsMax) + " constraints");
  }
  if (group.time_limit < Duration{0}) return malformed(where + "a negative time limit");
  if (runs_once && group.retries > 0) {
    return malformed(where + "retries run a task again, and rerun says never");
  }
  if (group.duration != sane_task_time(group.duration)) {
    return malformed(where + "a duration that is negative, or over ten years");
  }
  if (group.gang && !group.inputs.empty()) {
    return malformed(where + "tasks that start together cannot have inputs in places of their own");
  }
  if (group.inputs.tasks.size() > 1 && group.inputs.tasks.size() != group.count) {
    return malformed(where + std::to_string(group.inputs.tasks.size()) + " inputs for " +
        std::to_string(group.count) + " tasks: give each task one, or all of them the same");
  }
  if (!has_sound_inputs(group)) return malformed(where + "its inputs make no sense");
  return {};
}

}  // namespace

Result<void> check_job(const Job& job) {
  if (job.groups.empty()) return malformed("the job has no tasks");
  if (job.groups.size() > kJobGroupsMax) {
    return malformed("more than " + std::to_string(kJobGroupsMax) + " task groups");
  }
  if (auto fine = check_terms(job); !fine) return fine;
  std::uint64_t tasks = 0;
  for (const TaskGroup& group : job.groups) {
    if (auto fine = check_group(group, job.rerun == Rerun::never); !fine) return fine;
    tasks += group.count;
  }
  if (tasks > kJobTasksMax) {
    return malformed(
        std::to_string(tasks) + " tasks; a job holds at most " + std::to_string(kJobTasksMax));
  }
  return {};
}

Result<void> check_class(const std::string& name, const books::Classes& known) {
  if (name.empty()) return {};
  if (auto sound = check_class_name(name); !sound) return sound;
  const auto& classes = known.classes;
  const bool there =
      name == kDefaultClass || std::ranges::count(classes, name, &books::Class::name) > 0;
  if (there) return {};
  return failure(ErrorKind::refused,
      "no class is named \"" + name + "\"" +
          (classes.empty() ? "; there are none: `dunlin share set " + name + " 1` makes it one"
                           : "; there are: " + names_of(known)));
}

void raise_replicas(Job& job, std::uint8_t replicas, std::uint8_t required) {
  if (std::ranges::any_of(job.groups, &TaskGroup::gang)) return;
  job.replicas = std::max(job.replicas, replicas);
  job.replicas_required = std::max(job.replicas_required, std::min(required, job.replicas));
}

Result<void> check_gangs(const Job& job, bool launches) {
  for (const TaskGroup& group : job.groups) {
    if (!group.gang) continue;
    const std::string where = group.name.empty() ? "gang: " : "group " + group.name + ": gang: ";
    if (group.count > kGangTasksMax) {
      return failure(ErrorKind::usage,
          where + "at most " + std::to_string(kGangTasksMax) + " tasks can start together");
    }
    if (group.entries.text.size() > kGangLinesMax) {
      return failure(ErrorKind::usage, where + "its lines are larger than 256 KiB");
    }
    if (group.at_once != 0 && group.at_once < group.count) {
      return failure(ErrorKind::usage, where + "fewer of its tasks may run at once");
    }
    // Their home asks cells for room through a master of its own, which the homes of logs lack.
    if (job.replicas > 0) {
      return failure(ErrorKind::usage, where + "a job with replicas cannot have one");
    }
    if (!launches) {
      return failure(ErrorKind::refused,
          where + "tasks start together only where frontend.placement is \"federated\"");
    }
  }
  return {};
}

Result<void> check_needs(const Job& job, bool launches, bool keeps_logs) {
  if (auto fine = check_gangs(job, launches); !fine) return fine;
  return check_replicas(job, keeps_logs);
}

Result<void> check_words(const Job& job, const Directory& directory, Time now) {
  if (job.replicas == 0 || new_words(job, 0).empty()) return {};
  for (const auto& [id, node] : directory.nodes()) {
    if (!node.facts || node.state(now) == NodeState::down) continue;
    const std::string words = new_words(job, node.facts->capabilities);
    if (node.facts->replica == 0 || words.empty()) continue;
    return failure(ErrorKind::refused,
        "node " + directory.name_of(id) +
            " is of an earlier build, and as a standby of the job it "
            "would lose its words (" +
            words + "): upgrade that node, or leave them out");
  }
  return {};
}

Result<void> check_replicas(const Job& job, bool keeps_logs) {
  if (job.replicas > kReplicasMax) {
    return failure(
        ErrorKind::usage, "replicas: at most " + std::to_string(kReplicasMax) + " are possible");
  }
  if (job.replicas_required > job.replicas) {
    return failure(ErrorKind::usage,
        "replicas_required: " + std::to_string(job.replicas_required) + " of " +
            std::to_string(job.replicas) + " replicas cannot be had; ask for more replicas");
  }
  if (job.replicas == 0 || keeps_logs) return {};
  return failure(
      ErrorKind::refused, "this node keeps no logs of jobs, so no job can have replicas");
}

}  // namespace dunlin::sched
