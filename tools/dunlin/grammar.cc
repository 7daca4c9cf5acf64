// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>

#include "node/agent_options.h"
#include "tools/dunlin/completion.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/report.h"

namespace dunlin::cli {
namespace {

constexpr const char* kUse = "Use";
constexpr const char* kWatch = "Watch";
constexpr const char* kOperate = "Operate";
constexpr const char* kJobWords = "Jobs: 12, last, all, 3-7, 1,3,5-8";

/// Adds a command that does `action` when it is named.
CLI::App& add(CLI::App& parent,
    Invocation& invocation,
    const char* name,
    const char* help,
    const char* group,
    std::function<Result<int>()> action) {
  CLI::App* const command = parent.add_subcommand(name, help);
  command->group(group);
  command->callback([&invocation, action = std::move(action)] { invocation.action = action; });
  return *command;
}

void add_json(CLI::App& command, Globals& globals) {
  command.add_flag("--json", globals.json, "One JSON value instead of text");
}

/// What every command that talks to an agent takes.
void add_client_flags(CLI::App& command, Globals& globals, bool json = true) {
  command
      .add_option("--address", globals.agent.address,
          "The agent to ask: a socket's path, or HOST[:PORT] (default: $DUNLIN_ADDRESS, else the "
          "one of this machine)")
      ->type_name("WHERE");
  command
      .add_option("--key", globals.agent.key,
          "The cluster key, to ask a remote agent (default: $DUNLIN_KEY)")
      ->type_name("FILE");
  command.add_flag("--no-color", globals.no_colour, "No colours");
  if (json) add_json(command, globals);
}

void add_work(CLI::App& app, Invocation& on) {
  auto& run = add(app, on, "run", "Run a command and stay with it: output, progress, exit status",
      kUse, [&on] { return run_job(on.globals, on.run); });
  add_job_flags(run, on.run.job);
  run.add_flag("-q,--quiet", on.run.quiet, "Only what the tasks print");
  add_client_flags(run, on.globals);

  auto& submit = add(app, on, "submit", "Submit a job and leave", kUse,
      [&on] { return submit_job(on.globals, on.submit); });
  add_job_flags(submit, on.submit.job);
  submit.add_flag("-q,--quiet", on.submit.quiet, "Print the job's number and nothing else");
  add_client_flags(submit, on.globals);

  auto& wait = add(app, on, "wait", "Wait until jobs have ended; fails if a task did", kUse,
      [&on] { return cli::wait(on.globals, on.wait); });
  wait.add_option("jobs", on.wait.jobs, kJobWords)->type_name("JOB...");
  wait.add_flag("--ignore-failures", on.wait.ignore_failures, "Succeed whatever the tasks did");
  wait.add_option("--timeout", on.wait.timeout, "Give up after so long, with status 124")
      ->type_name("TIME");
  wait.add_flag("-q,--quiet", on.wait.quiet, "Print nothing");
  add_client_flags(wait, on.globals);

  auto& logs = add(app, on, "logs", "Print what tasks wrote", kUse,
      [&on] { return cli::logs(on.globals, on.logs); });
  logs.add_option("tasks", on.logs.tasks, "Tasks of one job: 11, last, 11.57, 11.0-9,20")
      ->type_name("TASKS");
  logs.add_flag("-f,--follow", on.logs.follow, "Go on until the job has ended");
  auto* const out = logs.add_flag("--stdout", on.logs.out, "Only standard output");
  logs.add_flag("--stderr", on.logs.err, "Only standard error")->excludes(out);
  add_client_flags(logs, on.globals, false);

  auto& cancel = add(app, on, "cancel", "Stop jobs, or some of their tasks", kUse,
      [&on] { return cli::cancel(on.globals, on.cancel); });
  cancel.add_option("jobs", on.cancel, "Jobs (12, last, all, 3-7) or tasks (11.57, 11.0-9)")
      ->required()
      ->type_name("JOB...");
  add_client_flags(cancel, on.globals);
}

void add_views(CLI::App& app, Invocation& on) {
  auto& jobs = add(
      app, on, "jobs", "List the jobs", kWatch, [&on] { return cli::jobs(on.globals, on.jobs); });
  jobs.add_flag("-a,--all", on.jobs.all, "Those that have ended, too");
  jobs.add_flag("-q,--quiet", on.jobs.quiet, "Numbers only");
  add_client_flags(jobs, on.globals);

  auto& job = add(app, on, "job", "All about one job, or its tasks", kWatch,
      [&on] { return cli::job(on.globals, on.job); });
  job.add_option("job", on.job.job, "A job (12, last), or tasks of it (12.0-9)")->type_name("JOB");
  job.add_flag("--tasks", on.job.tasks, "List its tasks");
  job.add_option("--state", on.job.state, "Only its tasks in this state")
      ->check(CLI::IsMember({"waiting", "running", "cancelling", "done", "failed", "cancelled"}))
      ->type_name("STATE");
  add_client_flags(job, on.globals);

  auto& explain = add(app, on, "explain", "Say why a job does not run", kWatch,
      [&on] { return cli::explain(on.globals, on.explain); });
  explain.add_option("job", on.explain, "A job: 12 or last")->type_name("JOB");
  add_client_flags(explain, on.globals);

  auto& top = add(app, on, "top", "Watch the cluster live", kWatch,
      [&on] { return cli::top(on.globals, on.top); });
  top.add_option("-d,--interval", on.top.interval, "How often to look (default 1s)")
      ->type_name("TIME");
  top.add_flag("--once", on.top.once, "Print once and leave");
  add_client_flags(top, on.globals);
}

void add_node_commands(CLI::App& app, Invocation& on) {
  auto& nodes = add(app, on, "nodes", "List the nodes of the cluster", kWatch,
      [&on] { return cli::nodes(on.globals, on.nodes_quiet); });
  nodes.add_flag("-q,--quiet", on.nodes_quiet, "Names only");
  add_client_flags(nodes, on.globals);

  CLI::App& node = *app.add_subcommand("node", "Operate one node");
  node.group(kOperate);
  node.require_subcommand(1);
  auto& drain = add(node, on, "drain", "Let a node take no more tasks; running ones go on", "",
      [&on] { return cli::drain(on.globals, on.drain); });
  drain.group("Commands");
  drain.add_option("node", on.drain.node, "Its name or id")->required()->type_name("NAME");
  drain.add_flag("--off", on.drain.off, "Let it take tasks again");
  drain
      .add_option("--deadline", on.drain.deadline,
          "Wait at most so long until its last task has ended; status 124 if one still runs")
      ->type_name("TIME");
  add_client_flags(drain, on.globals);
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

void add_operations(CLI::App& app, Invocation& on) {
  auto& dev = add(app, on, "dev", "Start a small cluster here, to try things out", kUse,
      [&on] { return Result<int>(node::run_dev(on.dev)); });
  dev.add_option("-n,--nodes", on.dev.nodes, "How many agents (default 5)")
      ->check(CLI::Range(1, 100));
  dev.add_option("--cpus", on.dev.cpus, "CPUs of each agent (default: this machine's, divided)")
      ->type_name("CPUS");
  dev.add_option("--memory", on.dev.memory, "Memory of each (default: this machine's, divided)")
      ->type_name("SIZE");
  dev.add_option("--data", on.dev.data, "Where they keep their data (default: a temporary place)")
      ->type_name("DIR");
  dev.add_flag("--keep", on.dev.keep, "Leave the temporary data behind");
  dev.add_option_function<std::vector<std::string>>(
         "--set",
         [&on](const std::vector<std::string>& settings) {
           for (const std::string& text : settings) {
             const auto equals = text.find('=');
             if (equals == std::string::npos) throw CLI::ValidationError("--set", "KEY=VALUE");
             on.dev.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
           }
         },
         "A setting for every agent: cyclon.period=250ms (see dunlin params)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);

  auto& agent = add(app, on, "agent", "Run the agent of this machine", kOperate,
      [&on] { return Result<int>(node::run_agent(on.agent)); });
  agent.add_option("--config", on.agent.config, "Its settings (default /etc/dunlin/agent.toml)")
      ->type_name("FILE");
  agent.add_flag(
      "--die-with-parent", on.agent.die_with_parent, "Stop when the parent process dies");
  add_settings(agent, on.agent.settings);

  auto& params = add(app, on, "params", "List every parameter of an agent", kOperate,
      [&on] { return cli::params(on.globals, on.params); });
  params.add_option("section", on.params.section, "Only those that begin so: cyclon, agent.bind")
      ->type_name("PREFIX");
  params.add_flag("--markdown", on.params.markdown, "As Markdown");
  params.add_flag("--agent", on.params.agent, "The values of the running agent, not the defaults");
  add_client_flags(params, on.globals);

  auto& keygen = add(app, on, "keygen", "Make the key of a new cluster", kOperate,
      [&on] { return cli::keygen(on.globals, on.keygen); });
  keygen.add_option("--cluster", on.keygen.cluster, "The cluster's name (default dunlin)")
      ->type_name("NAME");
  keygen.add_option("-o,--output", on.keygen.output, "Where to (default: where agents look)")
      ->type_name("FILE");
  keygen.add_flag("--add", on.keygen.add, "Add a second key to the file, to rotate keys");
  add_json(keygen, on.globals);

  auto& completion = add(app, on, "completion", "Print a completion script for a shell", kOperate,
      [&app, &on]() -> Result<int> {
        const auto script = completion_script(completion_tree(app), on.shell);
        if (!script) return tl::unexpected(script.error());
        print(*script);
        return kSuccess;
      });
  completion.add_option("shell", on.shell, "bash, zsh or fish")->required()->type_name("SHELL");

  auto& version = add(app, on, "version", "Print the version", kOperate,
      [&on] { return cli::version(on.globals); });
  add_json(version, on.globals);
}

}  // namespace

void add_commands(CLI::App& app, Invocation& invocation) {
  add_work(app, invocation);
  add_views(app, invocation);
  add_node_commands(app, invocation);
  add_operations(app, invocation);
}

}  // namespace dunlin::cli
