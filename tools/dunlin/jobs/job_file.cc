// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_file.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "overlay/field_info.h"
#include "sched/frontend/stages/stage_names.h"
#include "sched/replica/record.h"
#include "tools/dunlin/jobs/script_file.h"
#include "tools/dunlin/jobs/toml_values.h"

// A job file in TOML. Every mistake is told with its line, and an unknown key is one: a limit that
// was misspelt and ignored would be noticed only when it is missed.
namespace dunlin::cli {
namespace {

using sched::replica::PutGroup;
using sched::replica::PutJob;

/// The keys of the job itself that no schema names.
constexpr std::string_view kJobKeys =
    "class, past_deadline, on_preempt, checkpoint_signal, checkpoint_time, after_jobs, on_end, "
    "allow_unsatisfiable, labels, rerun, [[group]]";

/// A visitor of the terms of a record: takes the value of a key into the term that has it.
class TermTaker {
 public:
  TermTaker(std::string_view key, const toml::node& node) : key_(key), node_(node) {}

  void operator()(const overlay::FieldInfo& info, auto& member) {
    if (info.toml != key_) return;
    taken_ = true;
    wrong_ = take_term(node_, member, info);
  }
  /// The key was that of a term.
  bool taken() const { return taken_; }
  const Wrong& wrong() const { return wrong_; }

 private:
  std::string_view key_;
  const toml::node& node_;
  bool taken_ = false;
  Wrong wrong_;
};

/// A visitor that lists the keys.
struct KeyList {
  std::string& keys;
  void operator()(const overlay::FieldInfo& info, const auto&) const {
    keys += (keys.empty() ? "" : ", ") + std::string(info.toml);
  }
};

/// A key of a [[group]] that no schema names, and its effect.
struct Term {
  std::string_view name;
  Wrong (*take)(const toml::node&, GroupRequest&);
};

// In a table and not in branches, so that an error can list them.
constexpr std::array kGroupKeys = {
    Term{"command", [](const toml::node& n, GroupRequest& g) { return take_command(n, g.spec); }},
    Term{"script", [](const toml::node& n, GroupRequest& g) { return take_script(n, g.spec); }},
    Term{"script_file",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.script_file); }},
    Term{"each_line",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.each_line); }},
    Term{"entries", [](const toml::node& n, GroupRequest& g) { return take_lines(n, g.entries); }},
    Term{"array", [](const toml::node& n, GroupRequest& g) { return take_text(n, g.array); }},
    Term{"resources",
        [](const toml::node& n, GroupRequest& g) { return take_resources(n, g.demand); }},
    Term{"constraints",
        [](const toml::node& n, GroupRequest& g) { return take_constraints(n, g.constraints); }},
    Term{"after", [](const toml::node& n, GroupRequest& g) { return take_names(n, g.after); }},
    Term{"input", [](const toml::node& n, GroupRequest& g) { return take_input(n, g.inputs); }},
    Term{"inputs", [](const toml::node& n, GroupRequest& g) { return take_inputs(n, g); }},
    Term{"env",
        [](const toml::node& n, GroupRequest& g) {
          return take_environment(n, g.spec.environment);
        }},
    Term{
        "cwd", [](const toml::node& n, GroupRequest& g) { return take_text(n, g.spec.directory); }},
    Term{"stdin",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.spec.stdin_path); }},
    Term{"stdout",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.spec.stdout_path); }},
    Term{"stderr",
        [](const toml::node& n, GroupRequest& g) { return take_text(n, g.spec.stderr_path); }},
    Term{"literal",
        [](const toml::node& n, GroupRequest& g) { return take_flag(n, g.spec.literal); }},
    Term{"truncate",
        [](const toml::node& n, GroupRequest& g) { return take_flag(n, g.spec.truncate); }},
    Term{"limit_signal",
        [](const toml::node& n, GroupRequest& g) { return take_limit_signal(n, g.spec); }},
    Term{"umask", [](const toml::node& n, GroupRequest& g) { return take_umask(n, g.spec.umask); }},
    Term{"rlimit", [](const toml::node& n, GroupRequest& g) { return take_limits(n, g.spec); }},
};

std::string place(const std::string& where, const toml::node& node) {
  return where + ":" + std::to_string(node.source().begin.line) + ": ";
}

tl::unexpected<Error> unknown_key(
    const std::string& where, const toml::key& key, const std::string& known) {
  return failure(ErrorKind::usage,
      where + ":" + std::to_string(key.source().begin.line) + ": unknown key '" +
          std::string(key.str()) + "'; known are: " + known);
}

/// Takes a key of a group, and says in `problem` what is wrong with its value. False if there is no
/// such key.
bool take_key(std::string_view key, const toml::node& node, GroupRequest& group, Wrong& problem) {
  TermTaker taker(key, node);
  // The walks take keys into members, so a term that is added to the schema is a key at once.
  PutGroup::terms(group, taker);
  sched::Resources::terms(group.demand, taker);
  problem = taker.wrong();
  if (taker.taken()) return true;
  const auto* found = std::ranges::find(kGroupKeys, key, &Term::name);
  if (found == kGroupKeys.end()) return false;
  problem = found->take(node, group);
  return true;
}

/// All keys of a group.
std::string group_keys(const GroupRequest& group) {
  std::string keys;
  PutGroup::terms(group, KeyList{keys});
  sched::Resources::terms(group.demand, KeyList{keys});
  for (const Term& each : kGroupKeys) keys += ", " + std::string(each.name);
  return keys;
}

/// Fails unless the group says once what its tasks run.
Result<void> check_run(
    const GroupRequest& group, const toml::table& table, const std::string& where) {
  const bool is_script = !group.spec.script.empty() || !group.script_file.empty();
  if (group.spec.command.empty() && !is_script) {
    return failure(ErrorKind::usage, place(where, table) + "a group needs a command, or a script");
  }
  if (!is_script) return {};
  if (table.contains("script") && table.contains("script_file")) {
    return failure(ErrorKind::usage,
        place(where, *table.get("script_file")) +
            "script_file: the group has a script already; leave out one of both");
  }
  // As a text it would be for a shell, and the script would get that shell as its arguments.
  const toml::node* const words = table.get("command");
  if (words == nullptr || !words->is_string()) return {};
  return failure(ErrorKind::usage,
      place(where, *words) +
          "command: beside a script it is the list of its arguments, such as [\"0.1\", \"out\"]");
}

Result<GroupRequest> parse_group(
    const toml::table& table, const std::string& where, const std::string& directory) {
  GroupRequest group;
  // Kept for what is found only later: errors of complete() name the line, too.
  group.where = place(where, table);
  // Tasks run where the submit was made, unless the key cwd says otherwise below.
  group.spec.directory = directory;
  group.spec.submit_directory = directory;
  for (const auto& [key, node] : table) {
    Wrong problem;
    if (!take_key(key.str(), node, group, problem)) {
      return unknown_key(where, key, group_keys(group));
    }
    if (problem) {
      return failure(
          ErrorKind::usage, place(where, node) + std::string(key.str()) + ": " + *problem);
    }
  }
  // What was not said the agent may know from earlier runs of such tasks.
  group.cpus_said = table.contains("cpus");
  group.memory_said = table.contains("memory");
  if (auto fine = check_run(group, table, where); !fine) return tl::unexpected(fine.error());
  if (table.contains("input") && table.contains("inputs")) {
    return failure(ErrorKind::usage,
        place(where, *table.get("inputs")) +
            "inputs: the group has an input for all its tasks already; leave out one of both");
  }
  return group;
}

/// Fails if the groups cannot wait for each other as they say. `tables` are the same groups.
Result<void> check_stages(
    const std::vector<GroupRequest>& groups, const toml::array& tables, const std::string& where) {
  std::vector<sched::NamedStage> stages;
  for (const GroupRequest& group : groups) stages.push_back({group.name, group.after});
  const auto resolved = sched::resolve_stages(stages);
  if (resolved) return {};
  const sched::StageMistake& mistake = resolved.error();
  // The word that is wrong has a line of its own to be told with.
  const toml::node& name =
      *tables[mistake.group].as_table()->get("after")->as_array()->get(mistake.name);
  return failure(ErrorKind::usage, place(where, name) + "after: " + mistake.text);
}

Result<void> add_groups(JobRequest& request,
    const toml::array& tables,
    const std::string& where,
    const std::string& directory) {
  for (const auto& node : tables) {
    auto group = parse_group(*node.as_table(), where, directory);
    if (!group) return tl::unexpected(group.error());
    request.groups.push_back(std::move(*group));
  }
  // After all groups: one may wait for another that stands below it.
  return check_stages(request.groups, tables, where);
}

// Cut off as soon as it is too large: stdin may be anything, also without an end.
Result<std::string> read_all(std::FILE* file, const std::string& path) {
  std::string text;
  char piece[65536];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, file)) {
    text.append(piece, size);
    if (text.size() > kJobFileBytesMax) {
      return failure(ErrorKind::usage,
          path + ": larger than 8 MiB, which no job file is; many tasks belong in each_line");
    }
  }
  if (std::ferror(file) != 0) return failure_of(errno, path);
  return text;
}

/// True of the keys that say what becomes of tasks in the way of others.
bool is_about_yielding(std::string_view key) {
  return key == "on_preempt" || key == "checkpoint_signal" || key == "checkpoint_time";
}

Wrong take_yielding(std::string_view key, const toml::node& node, JobRequest& request) {
  if (key == "on_preempt") return take_on_preempt(node, request.on_preempt);
  if (key == "checkpoint_signal") return take_signal(node, request.checkpoint_signal);
  return take_time(node, request.checkpoint_time, node::TaskSpec::Terms::checkpoint_time);
}

/// Takes a key of the job itself, and says in `problem` what is wrong with its value. False if
/// there is no such key. Groups are only looked at: they are taken when all keys are.
bool take_job_key(
    std::string_view key, const toml::node& node, JobRequest& request, Wrong& problem) {
  TermTaker taker(key, node);
  PutJob::terms(request, taker);
  if (taker.taken()) {
    problem = taker.wrong();
  } else if (key == "class") {
    problem = take_class(node, request.service_class);
  } else if (key == "past_deadline") {
    problem = take_past_deadline(node, request.past_deadline);
  } else if (is_about_yielding(key)) {
    problem = take_yielding(key, node, request);
  } else if (key == "allow_unsatisfiable") {
    problem = take_flag(node, request.allow_unsatisfiable);
  } else if (key == "rerun") {
    problem = take_rerun(node, request.rerun);
  } else if (key == "labels") {
    problem = take_labels(node, request.labels);
  } else if (key == "after_jobs") {
    problem = take_after(node, request.after);
  } else if (key == "on_end") {
    problem = take_command(node, request.on_end);
  } else if (key == "group") {
    if (!node.is_array_of_tables()) problem = wrong("groups are written [[group]]");
  } else {
    return false;
  }
  return true;
}

/// Takes the groups of a job file; nullptr: it has none.
Result<void> take_groups(const toml::array* groups,
    JobRequest& request,
    const std::string& where,
    const std::string& directory) {
  if (groups == nullptr || groups->empty()) {
    return failure(ErrorKind::usage, where + ": no [[group]]: what shall run?");
  }
  if (groups->size() > sched::kJobGroupsMax) {
    return failure(ErrorKind::usage,
        where + ": more than " + std::to_string(sched::kJobGroupsMax) +
            " groups; use count or each_line");
  }
  return add_groups(request, *groups, where, directory);
}

}  // namespace

Result<JobRequest> parse_job_file(
    std::string_view text, const std::string& where, const std::string& directory) {
  // Built without exceptions: what is wrong is in the result.
  const toml::parse_result parsed = toml::parse(text, where);
  if (!parsed) {
    const auto& error = parsed.error();
    return failure(ErrorKind::usage,
        where + ":" + std::to_string(error.source().begin.line) + ": " +
            std::string(error.description()));
  }
  const toml::table& table = parsed.table();
  JobRequest request;
  for (const auto& [key, node] : table) {
    Wrong problem;
    if (!take_job_key(key.str(), node, request, problem)) {
      std::string known;
      PutJob::terms(request, KeyList{known});
      return unknown_key(where, key, known + ", " + std::string(kJobKeys));
    }
    if (problem) {
      return failure(
          ErrorKind::usage, place(where, node) + std::string(key.str()) + ": " + *problem);
    }
  }
  // After all keys of the job: their mistakes are told first, wherever they stand.
  if (auto fine = take_groups(table["group"].as_array(), request, where, directory); !fine) {
    return tl::unexpected(fine.error());
  }
  return request;
}

Result<JobRequest> read_job_file(const std::string& path, const std::string& directory) {
  if (path == "-") {
    const auto text = read_all(stdin, "stdin");
    if (!text) return tl::unexpected(text.error());
    return with_files(parse_job_file(*text, "stdin", directory), directory);
  }
  std::FILE* const file = std::fopen(path.c_str(), "r");
  // The user named it, as --each-line does its file: a file that is not there is a wrong word.
  if (file == nullptr) {
    return failure(ErrorKind::usage, "--file: " + path + ": " + std::strerror(errno));
  }
  const auto text = read_all(file, path);
  std::fclose(file);
  if (!text) return tl::unexpected(text.error());
  // Relative to the job file, which is often submitted from elsewhere; paths of tasks are relative
  // to the directory of the submit, as with flags.
  const auto slash = path.rfind('/');
  return with_files(
      parse_job_file(*text, path, directory), slash == path.npos ? "." : path.substr(0, slash));
}

}  // namespace dunlin::cli
