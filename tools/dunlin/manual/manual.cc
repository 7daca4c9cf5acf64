// SPDX-License-Identifier: MIT
#include "tools/dunlin/manual/manual.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/dunlin/exit_status.h"

// Manual pages come from the program's own grammar, so no flag can be missing. This file has what
// the grammar does not know: what a status means with one command, and which pages belong together.
// Tests hold the pages to mandoc's rules.
namespace dunlin::cli {
namespace {

/// An exit status that means more with one command than with others.
struct NotedStatus {
  std::string_view path;
  int status;
  const char* meaning;
};

constexpr NotedStatus kNotedStatuses[] = {
    {"dunlin run", kSuccess, "Every task ended with 0"},
    {"dunlin run", kFailure,
        "The job was cancelled by somebody else, the agent is gone, or output could not be "
        "written"},
    {"dunlin run", kUsage,
        "The command line or the job file is wrong, or no node could ever run the job"},
    {"dunlin submit", kUsage,
        "The command line or the job file is wrong, or no node could ever run the job"},
    {"dunlin wait", kSuccess, "All tasks are done"},
    {"dunlin wait", kFailure, "A task failed or was cancelled, or no agent answers"},
    {"dunlin wait", kTimeout, "The time of `--timeout` ran out"},
    {"dunlin logs", kSuccess, "All was printed"},
    {"dunlin logs", kFailure, "Some output is missing, or no agent answers"},
    {"dunlin launch", kSuccess, "All went well; with `--status`: all agents are up"},
    {"dunlin launch", kFailure, "One host failed, or its agent is not up"},
    {"dunlin node drain", kSuccess, "It is done; with `--deadline`, no task runs there any more"},
    {"dunlin node drain", kTimeout, "After the time of `--deadline` tasks still ran there"},
    {"dunlin audit", kSuccess, "The books agree"},
    {"dunlin audit", kFailure, "They do not, or a cell did not answer"},
    {"dunlin cells", kSuccess, "All cells answered"},
    {"dunlin cells", kFailure, "A cell did not answer"},
    {"dunlin shares", kSuccess, "All cells answered"},
    {"dunlin shares", kFailure, "A cell did not answer"},
    {"dunlin cells write-off", kSuccess, "The cell is written off, and all cells answered"},
    {"dunlin cells write-off", kFailure, "It is not, or a cell did not answer"},
};

/// A page that goes with a command, besides those of its neighbours.
constexpr std::pair<std::string_view, std::string_view> kOtherPages[] = {{"dunlin", "dunlin-job.5"},
    {"dunlin", "dunlin.toml.5"}, {"dunlin", "dunlin-sim.1"}, {"dunlin", "libdunlin.3"},
    {"dunlin run", "dunlin-job.5"}, {"dunlin submit", "dunlin-job.5"},
    {"dunlin job", "dunlin-job.5"}, {"dunlin agent", "dunlin.toml.5"},
    {"dunlin dev", "dunlin.toml.5"}, {"dunlin params", "dunlin.toml.5"},
    {"dunlin run", "dunlin-submit.1"}, {"dunlin run", "dunlin-logs.1"},
    {"dunlin submit", "dunlin-wait.1"}, {"dunlin submit", "dunlin-logs.1"},
    {"dunlin jobs", "dunlin-job.1"}, {"dunlin job", "dunlin-explain.1"},
    {"dunlin nodes", "dunlin-node.1"}};

const char* general_meaning(int status) {
  if (status == kSuccess) return "It did what was asked";
  if (status == kUsage) return "The words are not understood, or ask for what cannot be";
  return "It failed: no agent answers, it refused, or output could not be written";
}

}  // namespace

config::PageNotes page_notes(const std::string& path) {
  config::PageNotes notes;
  for (const int status : {kSuccess, kFailure, kUsage, kTimeout}) {
    const auto* const noted = std::ranges::find_if(kNotedStatuses,
        [&](const NotedStatus& each) { return each.path == path && each.status == status; });
    const bool found = noted != std::end(kNotedStatuses);
    // Only commands with a bound of time end so.
    if (!found && status == kTimeout) continue;
    notes.statuses.emplace_back(
        std::to_string(status), found ? noted->meaning : general_meaning(status));
  }
  if (path == "dunlin run") {
    notes.statuses.emplace_back("128 + N",
        "You left by signal N, 130 for Ctrl-C; the job is cancelled, or goes on with `--keep`");
    notes.statuses.emplace_back("other",
        "That of the failed task with the lowest number: its own, 124 if it reached its time "
        "limit, 125 if it could not be started, 126 or 127 if the command could not be executed "
        "or found, 128 + N if signal N ended it");
  }
  // The overview, from which all others are found.
  notes.see_also.push_back({"dunlin", 7});
  for (const auto& [of, page] : kOtherPages) {
    if (of != path) continue;
    notes.see_also.push_back({std::string(page.substr(0, page.size() - 2)), page.back() - '0'});
  }
  return notes;
}

std::vector<config::ManualPage> manual_pages(const config::CommandTree& program) {
  auto pages = config::command_pages(program, page_notes);
  // Those that no command has: a file's, and the overview.
  pages.push_back(settings_page());
  pages.push_back(job_page());
  pages.push_back(overview_page());
  return pages;
}

}  // namespace dunlin::cli
