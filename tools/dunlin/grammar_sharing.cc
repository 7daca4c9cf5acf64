// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/dunlin/grammar_parts.h"

// The commands with which operators set and see sharing, and the masters of placement.
namespace dunlin::cli {

void fill_share(CLI::App& command, Invocation& on) {
  command.require_subcommand(1);
  CLI::App& set = *command.add_subcommand("set", "Give classes weights, new ones or others");
  does(set, on, [&on] { return share_set(on.globals, on.share_set); });
  // A flat list of words: that they come in pairs is for parse_shares() to see.
  set.add_option("shares", on.share_set, "Classes with their weights: gold 5 silver 3")
      ->required()
      ->type_name("NAME WEIGHT");
  add_client_flags(set, on.globals);
  CLI::App& remove = *command.add_subcommand("remove", "Let classes share no more");
  does(remove, on, [&on] { return share_remove(on.globals, on.share_remove); });
  remove.add_option("classes", on.share_remove, "Their names")->required()->type_name("NAME");
  add_client_flags(remove, on.globals);
  CLI::App& list = *command.add_subcommand("list", "List the classes and their shares");
  does(list, on, [&on] { return share_list(on.globals); });
  add_client_flags(list, on.globals);
}

void fill_plan(CLI::App& command, Invocation& on) {
  command.require_subcommand(1);
  CLI::App& set = *command.add_subcommand("set", "Have managers plan, by this policy");
  does(set, on, [&on] { return plan_set(on.globals, on.plan); });
  set.add_option("policy", on.plan.policy, "How slots are divided")
      ->required()
      ->type_name("POLICY")
      // Here and not by the agent alone: completion and help show these words.
      ->check(CLI::IsMember({"priority", "proportion", "workload", "deadline", "edf", "assured"}));
  set.add_option(
         "--spare", on.plan.spare, "Who gets slots that no job needs first (default: deadline)")
      ->type_name("RULE")
      ->check(CLI::IsMember({"deadline", "priority"}));
  set.add_option("--reserve", on.plan.reserve,
         "priority: the part of all slots that the first job leaves to others (default 0.1)")
      ->type_name("PART");
  set.add_option("--horizon", on.plan.horizon,
         "workload: the time in which a job is to do its work (default 1m)")
      ->type_name("TIME");
  add_client_flags(set, on.globals);
  CLI::App& show = *command.add_subcommand("show", "Show what the plan gives each job");
  does(show, on, [&on] { return plan_show(on.globals); });
  add_client_flags(show, on.globals);
  CLI::App& off = *command.add_subcommand("off", "Let workers go by their discipline alone");
  does(off, on, [&on] { return plan_off(on.globals); });
  add_client_flags(off, on.globals);
}

void fill_masters(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return masters(on.globals); });
  add_client_flags(command, on.globals);
}

void fill_cells(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return cells(on.globals, on.cells); });
  command.add_flag("--members", on.cells.members, "List the nodes of each, too");
  add_columns(command, on.cells.columns);
  add_client_flags(command, on.globals);
  CLI::App& lost = *command.add_subcommand(
      "write-off", "Say that a cell is lost with all disks that kept its books");
  does(lost, on, [&on] { return write_off(on.globals, on.write_off); });
  // Not a beginning of the id, as where commands only look: what is written off does not come back.
  lost.add_option("cell", on.write_off.cell, "All 16 digits of its id")
      ->required()
      ->type_name("CELL");
  lost.add_flag("--reissue", on.write_off.reissue,
      "Give classes back what that cell had in net from others, by their shares");
  lost.add_flag("--yes", on.write_off.yes, "Do not ask");
  add_client_flags(lost, on.globals);
}

void fill_shares(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return shares(on.globals, on.shares_cell); });
  command.add_option("--cell", on.shares_cell, "Only of this cell, or of those below it")
      ->type_name("ID");
  add_client_flags(command, on.globals);
}

void fill_profile(CLI::App& command, Invocation& on) {
  command.require_subcommand(1);
  // The same places for both: only one of them is on the line.
  const auto add_common = [&on](CLI::App& sub) {
    sub.add_option(
           "--owner", on.profile.owner, "Only of this user's jobs (default: yours; root: all)")
        ->type_name("USER");
    sub.add_option("--node", on.profile.node, "Those of this node's agent (default: this one)")
        ->type_name("NODE");
    add_client_flags(sub, on.globals);
  };
  CLI::App& list = *command.add_subcommand("list", "List what an agent has learned");
  does(list, on, [&on] { return profile_list(on.globals, on.profile); });
  add_common(list);
  CLI::App& forget = *command.add_subcommand("forget", "Have it learned anew");
  does(forget, on, [&on] { return profile_forget(on.globals, on.profile); });
  forget.add_option("job", on.profile.job, "The name of a job")->type_name("NAME");
  forget.add_flag("--all", on.profile.all, "Whatever the name");
  add_common(forget);
}

void fill_audit(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return audit(on.globals, on.audit_timeout); });
  command
      .add_option(
          "--timeout", on.audit_timeout, "Ask for at most so long until it is known (default 15s)")
      ->type_name("TIME");
  add_client_flags(command, on.globals);
  CLI::App& log = *command.add_subcommand("log", "Show who did what at an agent, newest first");
  does(log, on, [&on] { return audit_log(on.globals, on.audit_log); });
  log.add_option("--user", on.audit_log.user, "Only what this user did")->type_name("USER");
  log.add_option("--node", on.audit_log.node, "The log of this node's agent (default: this one)")
      ->type_name("NODE");
  log.add_option("--limit", on.audit_log.limit, "So many at most (default 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_client_flags(log, on.globals);
}

}  // namespace dunlin::cli
