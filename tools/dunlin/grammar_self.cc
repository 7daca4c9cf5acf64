// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "config/manual/completion.h"
#include "config/manual/page_files.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/grammar_parts.h"
#include "tools/dunlin/help.h"
#include "tools/dunlin/manual/manual.h"
#include "tools/dunlin/program.h"
#include "tools/dunlin/screen/report.h"

// The commands that tell of the command line itself. What they print is made from the description
// of all commands, so it cannot forget a flag.
namespace dunlin::cli {
namespace {

config::CommandTree whole_tree() {
  CLI::App whole;
  Invocation unused;
  describe_program(whole, unused);
  add_commands(whole, unused, all_commands());
  return config::command_tree(whole);
}

Result<int> print_completion(const Invocation& on) {
  if (!on.completion_names.empty()) return completion_names(on.globals, on.completion_names);
  const auto script = config::completion_script(whole_tree(), on.shell);
  if (!script) {
    return failure(ErrorKind::usage,
        (on.shell.empty() ? "completion: SHELL is missing"
                          : "no completion for '" + on.shell + "'") +
            ": there is bash, zsh and fish");
  }
  print(*script);
  return kSuccess;
}

Result<int> print_manual(const Invocation& on) {
  const auto pages = manual_pages(whole_tree());
  if (!on.man_folder.empty()) {
    const auto wrong = config::write_pages(pages, on.man_folder);
    if (!wrong.empty()) return failure(ErrorKind::io, "--all: " + wrong);
    return kSuccess;
  }
  const auto* const page = config::find_page(pages, "dunlin", on.man);
  if (page == nullptr) {
    std::string words;
    for (const std::string& word : on.man) words += (words.empty() ? "" : " ") + word;
    return failure(
        ErrorKind::usage, "no page for '" + words + "' (dunlin help lists the commands)");
  }
  // Where there is no terminal, the page itself: to keep it, or for another program.
  if (!on.globals.out().interactive) {
    print(page->text);
    return kSuccess;
  }
  const auto wrong = config::show_page(*page);
  if (wrong.empty()) return kSuccess;
  return failure(ErrorKind::io, wrong + "; `dunlin help` has the flags, too");
}

}  // namespace

void fill_completion(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return print_completion(on); });
  auto* const shell = command.add_option("shell", on.shell, "The shell")->type_name("SHELL");
  shell->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command
      .add_option("--names", on.completion_names,
          "Print names for a script to offer, in place of a script: a line for each, and what it "
          "is behind a tab. Nothing, where no agent tells them within a second")
      ->check(CLI::IsMember({"jobs", "nodes", "classes"}))
      ->type_name("WHAT")
      ->excludes(shell);
  add_client_flags(command, on.globals, false);
}

void fill_man(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return print_manual(on); });
  auto* const name = command
                         .add_option("name", on.man,
                             "A command, run or node drain; or a page: dunlin.toml, dunlin-job "
                             "(default: dunlin)")
                         ->type_name("COMMAND");
  command
      .add_option("--all", on.man_folder,
          "Write all pages into man1, man5 and man7 of this folder, and print none")
      ->type_name("DIR")
      ->excludes(name);
}

}  // namespace dunlin::cli
