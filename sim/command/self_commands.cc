// SPDX-License-Identifier: MIT
#include "sim/command/self_commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <unistd.h>

#include "config/manual/completion.h"
#include "config/manual/page_files.h"
#include "overlay/param_entries.h"
#include "sim/command/find_scenario.h"
#include "sim/command/grammar.h"
#include "sim/scenario/scenario.h"

namespace dunlin::sim {
namespace {

config::CommandTree whole_tree() {
  CLI::App app;
  SimInvocation unused;
  describe_program(app, unused);
  return config::command_tree(app);
}

config::PageNotes page_notes(const std::string& path) {
  config::PageNotes notes{
      {{"0", "It did what was asked"}, {"1", "It failed, or output could not be written"},
          {"2", "The words, or the scenario, are not understood"}},
      {}};
  if (path == "dunlin-sim") notes.see_also = {{"dunlin", 1}, {"dunlin", 7}, {"gnuplot", 1}};
  if (path == "dunlin-sim sweep") notes.see_also = {{"dunlin", 1}};
  notes.see_also.push_back({"dunlin-scenario", 5});
  return notes;
}

constexpr const char* kScenarioIntro = R"mdoc(.Sh DESCRIPTION
A scenario says in TOML which cluster
.Xr dunlin-sim 1
simulates, what work comes, and what is measured: a table for each section, and a line for each
parameter.
All of them may be left out.
A
.Ic title
may stand first; what a scenario is for is the comment at its top.
.Pp
.Fl \-set Ar section . Ns Ar name Ns = Ns Ar value
of
.Xr dunlin-sim-run 1
overrides a parameter.
Section
.Ic sweep
is for
.Xr dunlin-sim-sweep 1
alone.
.Sh PARAMETERS
)mdoc";

config::ManualPage scenario_page() {
  const config::PageName name{"dunlin-scenario", 5};
  Scenario scenario;
  std::vector<config::ManualParam> params;
  for (const auto& entry : entries_of(scenario)) {
    params.push_back({entry.section, entry.name, entry.type, entry.range, entry.fallback,
        entry.meaning, entry.source});
  }
  return {name,
      config::page_head(name) +
          config::name_section(name.name, "Scenario of the simulator of Dunlin") + kScenarioIntro +
          config::param_sections(params) +
          config::see_also_section({{"dunlin-sim", 1}, {"dunlin-sim-run", 1},
              {"dunlin-sim-sweep", 1}, {"dunlin-sim-params", 1}})};
}

}  // namespace

std::vector<config::ManualPage> manual_pages() {
  auto pages = config::command_pages(whole_tree(), page_notes);
  pages.push_back(scenario_page());
  return pages;
}

Result<void> completion(const CompletionOptions& options) {
  if (!options.names.empty()) {
    for (const auto& file : scenarios_in(experiments_folder())) {
      std::cout << scenario_name(file) << '\n';
    }
    return {};
  }
  const auto script = config::completion_script(whole_tree(), options.shell);
  if (!script) {
    return failure(ErrorKind::usage, "completion: SHELL is missing: there is bash, zsh and fish");
  }
  std::cout << *script;
  return {};
}

Result<void> man(const ManOptions& options) {
  const auto pages = manual_pages();
  if (!options.folder.empty()) {
    const auto wrong = config::write_pages(pages, options.folder);
    return wrong.empty() ? Result<void>{} : failure(ErrorKind::io, "--all: " + wrong);
  }
  const auto* const page = config::find_page(pages, "dunlin-sim", options.words);
  if (page == nullptr) {
    return failure(ErrorKind::usage,
        "no page for '" + options.words.back() + "' (dunlin-sim --help lists the commands)");
  }
  // Where there is no terminal, the page itself: to keep it, or for another program.
  if (isatty(STDOUT_FILENO) == 0) {
    std::cout << page->text;
    return {};
  }
  const auto wrong = config::show_page(*page);
  return wrong.empty() ? Result<void>{} : failure(ErrorKind::io, wrong);
}

}  // namespace dunlin::sim
