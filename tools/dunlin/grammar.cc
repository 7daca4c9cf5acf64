// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/grammar_agent.h"
#include "tools/dunlin/grammar_parts.h"
#include "tools/dunlin/grammar_web.h"
#include "tools/dunlin/help.h"
#include "tools/dunlin/program.h"
#include "tools/dunlin/screen/report.h"

// The commands, one function each, and the table of them. A function describes its command: it
// binds places of the Invocation, which outlives the parse, and does nothing else, because help and
// completion call all of them.
namespace dunlin::cli {
namespace {

void fill_run(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return run_job(on.globals, on.run); });
  add_job_flags(command, on.run.job);
  command.add_flag("-q,--quiet", on.run.quiet, "Only what the tasks print");
  auto* const label = command.add_flag("--label,--tag", on.run.label,
      "Begin each line with the number of its task (default with --count)");
  command.add_flag("--line-buffer", on.run.line_buffer,
      "Print output of all tasks while they run, by whole lines (default: a task's when it ends)");
  command.add_flag("--no-label", on.run.no_label, "Print output as it was written")
      ->excludes(label);
  // A terminal has one screen and one keyboard: nothing else may come between.
  command.add_flag("--pty", on.run.pty, "Give the task a terminal: this one")
      ->excludes("--file")
      ->excludes("--line-buffer")
      ->excludes("--stdin")
      ->excludes("--stdout")
      ->excludes("--stderr");
  command.add_flag("--keep", on.run.keep,
      "Ctrl-C, SIGTERM or SIGHUP lets the job run on (default: it is cancelled)");
  add_reconnect(command, on.globals);
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
  // Read by parse_jobs(), not by CLI11, which knows neither ranges nor the names of nodes.
  command
      .add_option("jobs", on.wait.jobs, "12, NODE.12, last, all, 3-7 or 1,3,5-8 (default: last)")
      ->type_name("JOB");
  command.add_flag("--ignore-failures", on.wait.ignore_failures, "Succeed whatever the tasks did");
  command.add_option("--timeout", on.wait.timeout, "Give up after so long, with status 124")
      ->type_name("TIME");
  command.add_flag("-q,--quiet", on.wait.quiet, "Print nothing");
  add_reconnect(command, on.globals);
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
  add_reconnect(command, on.globals);
  add_client_flags(command, on.globals);
}

void fill_nodes(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return nodes(on.globals, on.nodes); });
  command.add_flag("-q,--quiet", on.nodes.quiet, "Names only");
  command.add_flag("--all", on.nodes.all, "Those, too, that left without a good-bye long ago");
  add_columns(command, on.nodes.columns);
  add_client_flags(command, on.globals);
}

void fill_node(CLI::App& command, Invocation& on) {
  // `dunlin node` alone would do nothing; with this it is an error that lists what there is.
  command.require_subcommand(1);
  CLI::App& show = *command.add_subcommand(
      "show", "Show all about a node: state, offer, health, and who runs what there");
  does(show, on, [&on] { return show_node(on.globals, on.node_show); });
  show.add_option("node", on.node_show.node, "Its name or id")->required()->type_name("NAME");
  show.add_flag("--tasks", on.node_show.tasks, "List all of its tasks (default: the first 20)");
  add_client_flags(show, on.globals);
  CLI::App& overlay = *command.add_subcommand(
      "overlay", "Show which nodes a node knows, by chance and by rank, and how far they are");
  does(overlay, on, [&on] { return show_overlay(on.globals, on.node_overlay); });
  overlay.add_option("node", on.node_overlay.node, "Its name or id (default: that of the agent)")
      ->type_name("NODE");
  add_columns(overlay, on.node_overlay.columns);
  add_client_flags(overlay, on.globals);
  CLI::App& drain =
      *command.add_subcommand("drain", "Let a node take no more tasks; running ones go on");
  does(drain, on, [&on] { return cli::drain(on.globals, on.drain); });
  drain.add_option("node", on.drain.node, "Its name or id")->required()->type_name("NAME");
  drain.add_flag("--off", on.drain.off, "Let it take tasks again");
  drain.add_option("--reason", on.drain.reason, "Why, for whoever looks at the node")
      ->type_name("TEXT");
  drain
      .add_option(
          "--until", on.drain.until, "Let it take tasks again then (default: when --off says so)")
      ->type_name("TIME");
  drain
      .add_option("--deadline", on.drain.deadline,
          "Wait at most so long until its last task has ended; status 124 if one still runs")
      ->type_name("TIME");
  add_client_flags(drain, on.globals);
  CLI::App& forget = *command.add_subcommand(
      "forget", "List a node no more that left without a good-bye, and does not come back");
  does(forget, on, [&on] { return forget_node(on.globals, on.forget_node); });
  forget.add_option("node", on.forget_node, "Its name or id")->required()->type_name("NAME");
  add_client_flags(forget, on.globals);
  CLI::App& take_over = *command.add_subcommand("take-over",
      "Let this node go on with a job whose home is lost with all standbys that had all of it");
  does(take_over, on, [&on] { return cli::take_over(on.globals, on.take_over); });
  take_over.add_option("job", on.take_over.job, "The job: NODE.12")->required()->type_name("JOB");
  take_over.add_flag("--yes", on.take_over.yes, "Do not ask");
  add_client_flags(take_over, on.globals);
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
  // No agent is asked, so there is none of the flags that say which.
  add_json(command, on.globals);
}

void fill_measure_disk(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return measure_disk(on.globals, on.measure_disk); });
  command
      .add_option("directory", on.measure_disk.directory,
          "On which disk (default: where agents keep their data)")
      ->type_name("DIR");
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

Result<int> print_help(const std::vector<std::string>& names) {
  CLI::App app;
  // Nothing of it is run: only the description is of use here.
  Invocation unused;
  describe_program(app, unused);
  add_commands(app, unused, all_commands());
  const CLI::App* command = &app;
  std::string before;
  // One level at a time, so that what is unknown is told along with the command below which it was
  // looked for.
  for (const std::string& name : names) {
    const CLI::App* const below = command_below(*command, name);
    if (below == nullptr) return failure(ErrorKind::usage, unknown_word(*command, name));
    before += (before.empty() ? "" : " ") + command->get_name();
    command = below;
  }
  print(command->help(before));
  return kSuccess;
}

void fill_help(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return print_help(on.help); });
  command.add_option("name", on.help, "A command: run, or node drain (default: all)")
      ->type_name("COMMAND");
}

void fill_version(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return version(on.globals); });
  add_json(command, on.globals);
}

// In the order of the help: what is used daily first, then looking, then operating.
constexpr Command kCommands[] = {
    kDevCommand,
    {"run", "Run a command and stay with it: output, progress, exit status", kUse, fill_run},
    {"submit", "Submit a job and leave", kUse, fill_submit},
    {"wait", "Wait until jobs have ended; fails if a task did", kUse, fill_wait},
    {"logs", "Print what tasks wrote", kUse, fill_logs},
    {"cancel", "Stop jobs, or some of their tasks", kUse, fill_cancel},
    {"hold", "Let jobs start no more tasks; running ones go on", kUse, fill_hold},
    {"release", "Let jobs that are held go on", kUse, fill_release},
    {"requeue", "Stop tasks that run, and run them again", kUse, fill_requeue},
    {"retry", "Run tasks again that failed, or any that ended", kUse, fill_retry},
    {"set", "Set the priority or the deadline of a job", kUse, fill_set},
    {"jobs", "List the jobs of the cluster", kWatch, fill_jobs},
    {"job", "All about one job, or its tasks", kWatch, fill_job},
    {"explain", "Say why a job does not run", kWatch, fill_explain},
    {"nodes", "List the nodes of the cluster", kWatch, fill_nodes},
    {"top", "Watch the cluster live", kWatch, fill_top},
    kWebCommand,
    {"events", "Print what happens at an agent", kWatch, fill_events},
    {"usage", "Say who used how much", kWatch, fill_usage},
    {"status", "Say what an agent is, and what its users cost it", kWatch, fill_status},
    {"metrics", "Print what an agent counts, as Prometheus reads it", kWatch, fill_metrics},
    {"cells", "Show the cells of a cluster that is shared", kWatch, fill_cells},
    {"masters", "Show which nodes launch tasks by a view of the cluster", kWatch, fill_masters},
    {"shares", "Show what each class has", kWatch, fill_shares},
    kAgentCommand,
    {"launch", "Start agents on many machines by ssh, and look after them", kOperate, fill_launch},
    {"node", "Look at one node, or operate it", kOperate, fill_node},
    {"share", "Say which classes share the cluster, and how", kOperate, fill_share},
    {"plan", "Divide slots among jobs, to meet deadlines", kOperate, fill_plan},
    {"profile", "Show what tasks of recurring jobs take, as learned", kOperate, fill_profile},
    {"audit", "Add up every ticket of the cluster", kOperate, fill_audit},
    {"keygen", "Make the key of a new cluster", kOperate, fill_keygen},
    {"identity", "Say which node a data directory is, or make it another", kOperate, fill_identity},
    {"measure-disk", "Measure what a disk reads and writes, to declare it", kOperate,
        fill_measure_disk},
    {"params", "List every parameter of an agent", kOperate, fill_params},
    {"completion", "Print a completion script for a shell", kOperate, fill_completion},
    {"man", "Print the manual page of a command, or write all of them", kOperate, fill_man},
    {"version", "Print the version", kOperate, fill_version},
    {"help", "Print the help of a command, or this", kOperate, fill_help},
};

}  // namespace

std::span<const Command> all_commands() {
  return kCommands;
}

}  // namespace dunlin::cli
