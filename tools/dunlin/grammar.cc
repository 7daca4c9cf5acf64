// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "node/agent_options.h"
#include "tools/dunlin/completion.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/grammar_parts.h"
#include "tools/dunlin/program.h"
#include "tools/dunlin/screen/report.h"

namespace dunlin::cli {

void does(CLI::App& command, Invocation& on, CommandAction action) {
  command.callback([&on, action = std::move(action)] {
    // With a command inside a command, the inner one comes first, and it is the one to run.
    if (!on.action) on.action = action;
  });
}

void add_json(CLI::App& command, Globals& globals) {
  command.add_flag("--json", globals.json, "One JSON value instead of text")->group("Agent");
}

void add_client_flags(CLI::App& command, Globals& globals, bool json) {
  command
      .add_option("--address", globals.agent.address,
          "The agent to ask: a socket's path, or HOST[:PORT] (default: $DUNLIN_ADDRESS, else the "
          "one of this machine)")
      ->type_name("WHERE")
      ->group("Agent");
  command
      .add_option("--key", globals.agent.key,
          "The cluster key, to ask a remote agent (default: $DUNLIN_KEY)")
      ->type_name("FILE")
      ->group("Agent");
  command.add_flag("--no-color", globals.no_colour, "No colours")->group("Agent");
  if (json) add_json(command, globals);
}

namespace {

void fill_run(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return run_job(on.globals, on.run); });
  add_job_flags(command, on.run.job);
  command.add_flag("-q,--quiet", on.run.quiet, "Only what the tasks print");
  auto* const label = command.add_flag("--label", on.run.label,
      "Begin each line with the number of its task (default with --count)");
  command.add_flag("--no-label", on.run.no_label, "Print output as it was written")
      ->excludes(label);
  command.add_flag("--pty", on.run.pty, "Give the task a terminal: this one")
      ->excludes("--file")
      ->excludes("--stdin")
      ->excludes("--stdout")
      ->excludes("--stderr");
  add_client_flags(command, on.globals);
}

void fill_submit(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return submit_job(on.globals, on.submit); });
  add_job_flags(command, on.submit.job);
  command.add_flag("-q,--quiet", on.submit.quiet, "Print the job's number and nothing else");
  add_client_flags(command, on.globals);
}

void fill_wait(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return wait(on.globals, on.wait); });
  command
      .add_option("jobs", on.wait.jobs, "12, NODE.12, last, all, 3-7 or 1,3,5-8 (default: last)")
      ->type_name("JOB");
  command.add_flag("--ignore-failures", on.wait.ignore_failures, "Succeed whatever the tasks did");
  command.add_option("--timeout", on.wait.timeout, "Give up after so long, with status 124")
      ->type_name("TIME");
  command.add_flag("-q,--quiet", on.wait.quiet, "Print nothing");
  add_client_flags(command, on.globals);
}

void fill_cancel(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return cancel(on.globals, on.cancel); });
  command
      .add_option("jobs", on.cancel, "Jobs (12, NODE.12, last, all, 3-7) or tasks (11.57, 11.0-9)")
      ->required()
      ->type_name("JOB");
  add_client_flags(command, on.globals);
}

void fill_explain(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return explain(on.globals, on.explain); });
  command.add_option("job", on.explain, "A job: 12, NODE.12 or last (default: last)")
      ->type_name("JOB");
  add_client_flags(command, on.globals);
}

void fill_top(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return top(on.globals, on.top); });
  command.add_option("-d,--interval", on.top.interval, "Time between two looks (default 1s)")
      ->type_name("TIME");
  command.add_flag("--once", on.top.once, "Print once and leave");
  add_client_flags(command, on.globals);
}

void fill_nodes(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return nodes(on.globals, on.nodes_quiet); });
  command.add_flag("-q,--quiet", on.nodes_quiet, "Names only");
  add_client_flags(command, on.globals);
}

void fill_node(CLI::App& command, Invocation& on) {
  command.require_subcommand(1);
  CLI::App& drain =
      *command.add_subcommand("drain", "Let a node take no more tasks; running ones go on");
  does(drain, on, [&on] { return cli::drain(on.globals, on.drain); });
  drain.add_option("node", on.drain.node, "Its name or id")->required()->type_name("NAME");
  drain.add_flag("--off", on.drain.off, "Let it take tasks again");
  drain
      .add_option("--deadline", on.drain.deadline,
          "Wait at most so long until its last task has ended; status 124 if one still runs")
      ->type_name("TIME");
  add_client_flags(drain, on.globals);
  CLI::App& take_over = *command.add_subcommand("take-over",
      "Let this node go on with a job whose home is lost with all standbys that had all of it");
  does(take_over, on, [&on] { return cli::take_over(on.globals, on.take_over); });
  take_over.add_option("job", on.take_over.job, "The job: NODE.12")->required()->type_name("JOB");
  take_over.add_flag("--yes", on.take_over.yes, "Do not ask");
  add_client_flags(take_over, on.globals);
}

void add_setting(Invocation& on, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) {
    throw CLI::ValidationError("--set", "'" + text + "' is not KEY=VALUE");
  }
  on.dev.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

void fill_dev(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return Result<int>(node::run_dev(on.dev)); });
  command.add_option("-n,--nodes", on.dev.nodes, "Number of agents (default 5)")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  command
      .add_option("--cpus", on.dev.cpus, "CPUs of each agent (default: this machine's, divided)")
      ->type_name("CPUS");
  command
      .add_option("--memory", on.dev.memory, "Memory of each (default: this machine's, divided)")
      ->type_name("SIZE");
  command
      .add_option("--data", on.dev.data, "Where they keep their data (default: nowhere for long)")
      ->type_name("DIR");
  command.add_flag("--keep", on.dev.keep, "Leave the temporary data behind");
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&on](const std::vector<std::string>& settings) {
            for (const std::string& text : settings) add_setting(on, text);
          },
          "A setting for every agent, such as cyclon.period=250ms (see dunlin params)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

/// --SECTION.KEY=VALUE for every parameter, and the agent's own by their short names.
void add_settings(CLI::App& command, node::Settings& settings) {
  node::Configuration configuration;
  for (const overlay::ParamEntry& entry : node::all_entries(configuration)) {
    const bool agent = entry.section == "agent";
    std::string dashed = entry.name;
    std::ranges::replace(dashed, '_', '-');
    const std::string flags = agent ? "--" + dashed : "--" + entry.key();
    auto* const option = command.add_option_function<std::string>(
        flags,
        [&settings, key = entry.key()](
            const std::string& text) { settings.emplace_back(key, text); },
        entry.meaning + (entry.fallback.empty() ? "" : " (default " + entry.fallback + ")"));
    option->type_name(entry.type == "text" ? "TEXT" : entry.type)
        ->group(agent ? "Agent" : "Parameters");
  }
}

void fill_agent(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return Result<int>(node::run_agent(on.agent)); });
  command.add_option("--config", on.agent.config, "Its settings (default /etc/dunlin/agent.toml)")
      ->type_name("FILE");
  command.add_flag(
      "--die-with-parent", on.agent.die_with_parent, "Stop when the parent process dies");
  add_settings(command, on.agent.settings);
}

void fill_params(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return params(on.globals, on.params); });
  command.add_option("section", on.params.section, "Only those that begin so: cyclon, agent.bind")
      ->type_name("PREFIX");
  command.add_flag("--markdown", on.params.markdown, "As Markdown");
  command.add_flag("--agent", on.params.agent, "The values of the running agent, not the defaults");
  add_client_flags(command, on.globals);
}

void fill_keygen(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return keygen(on.globals, on.keygen); });
  command.add_option("--cluster", on.keygen.cluster, "The cluster's name (default dunlin)")
      ->type_name("NAME");
  command.add_option("-o,--output", on.keygen.output, "Where to (default: where agents look)")
      ->type_name("FILE");
  command.add_flag("--add", on.keygen.add, "Add a second key to the file, to rotate keys");
  add_json(command, on.globals);
}

void fill_identity(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return identity(on.globals, on.identity); });
  command.add_option("--data-dir", on.identity.data_dir, "Of which agent (default: as the agent)")
      ->type_name("DIR");
  command.add_option("--machine-id", on.identity.machine_id, "As agent.machine_id")
      ->type_name("FILE");
  command.add_flag("--new", on.identity.renew,
      "The directory is a copy: give its agent a new identity, and set aside the jobs of the old");
  command.add_flag("--adopt", on.identity.adopt,
      "The machine was replaced: its identity belongs to this machine from now on");
  add_json(command, on.globals);
}

Result<int> print_completion(const std::string& shell) {
  CLI::App whole;
  Invocation unused;
  describe_program(whole, unused);
  add_commands(whole, unused);
  const auto script = completion_script(completion_tree(whole), shell);
  if (!script) return tl::unexpected(script.error());
  print(*script);
  return kSuccess;
}

void fill_completion(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return print_completion(on.shell); });
  command.add_option("shell", on.shell, "bash, zsh or fish")->required()->type_name("SHELL");
}

void fill_version(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return version(on.globals); });
  add_json(command, on.globals);
}

struct Command {
  const char* name;
  const char* help;
  const char* group;
  void (*fill)(CLI::App&, Invocation&);
};

constexpr const char* kUse = "Use";
constexpr const char* kWatch = "Watch";
constexpr const char* kOperate = "Operate";

constexpr Command kCommands[] = {
    {"dev", "Start a small cluster here, to try things out", kUse, fill_dev},
    {"run", "Run a command and stay with it: output, progress, exit status", kUse, fill_run},
    {"submit", "Submit a job and leave", kUse, fill_submit},
    {"wait", "Wait until jobs have ended; fails if a task did", kUse, fill_wait},
    {"logs", "Print what tasks wrote", kUse, fill_logs},
    {"cancel", "Stop jobs, or some of their tasks", kUse, fill_cancel},
    {"hold", "Let jobs start no more tasks; running ones go on", kUse, fill_hold},
    {"release", "Let jobs that are held go on", kUse, fill_release},
    {"retry", "Run tasks again that failed, or any that ended", kUse, fill_retry},
    {"set", "Set the priority or the deadline of a job", kUse, fill_set},
    {"jobs", "List the jobs of the cluster", kWatch, fill_jobs},
    {"job", "All about one job, or its tasks", kWatch, fill_job},
    {"explain", "Say why a job does not run", kWatch, fill_explain},
    {"nodes", "List the nodes of the cluster", kWatch, fill_nodes},
    {"top", "Watch the cluster live", kWatch, fill_top},
    {"events", "Print what happens at an agent", kWatch, fill_events},
    {"cells", "Show the cells of a cluster that is shared", kWatch, fill_cells},
    {"shares", "Show what each class has", kWatch, fill_shares},
    {"agent", "Run the agent of this machine", kOperate, fill_agent},
    {"node", "Operate one node", kOperate, fill_node},
    {"share", "Say which classes share the cluster, and how", kOperate, fill_share},
    {"audit", "Add up every ticket of the cluster", kOperate, fill_audit},
    {"keygen", "Make the key of a new cluster", kOperate, fill_keygen},
    {"identity", "Say which node a data directory is, or make it another", kOperate, fill_identity},
    {"params", "List every parameter of an agent", kOperate, fill_params},
    {"completion", "Print a completion script for a shell", kOperate, fill_completion},
    {"version", "Print the version", kOperate, fill_version},
    {"help", "Print the help of a command, or this", kOperate, fill_help},
};

}  // namespace

void add_commands(CLI::App& app, Invocation& invocation, std::string_view only) {
  for (const Command& each : kCommands) {
    CLI::App* const command = app.add_subcommand(each.name, each.help);
    command->group(each.group);
    if (only.empty() || only == each.name) each.fill(*command, invocation);
  }
}

}  // namespace dunlin::cli
