// SPDX-License-Identifier: MIT
#include "tools/dunlin/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "node/base64.h"
#include "node/codec.h"
#include "node/control/command_json.h"
#include "node/control/job_json.h"
#include "node/task/placeholders.h"
#include "tools/dunlin/program.h"
#include "tools/dunlin/screen/published.h"

// Any argv in, the same argv out: of the command line, of the request, of `job --json`.
namespace dunlin::cli {
namespace {

using ::testing::ElementsAre;

using Argv = std::vector<std::string>;

/// A word as users type them, a word of what command lines are made of, or any bytes.
rc::Gen<std::string> any_word() {
  const auto typed = rc::gen::element<std::string>("[0-9]", "[a,b]", "[]", "[", "", "-x", "--",
      "--json", "--cpus", "--name=", "-n5", "-", "++", "a b", "{}", "%", "run", "caf\xe9", "größe",
      "%{TASK_INDEX}", R"({"base64": "AA=="})");
  const auto byte =
      rc::gen::map(rc::gen::inRange(1, 256), [](int value) { return static_cast<char>(value); });
  const std::string marks = "[],-=+ '\"\\%{}\n\r\xe9\xc3\xa4";
  return rc::gen::suchThat(rc::gen::oneOf(typed, rc::gen::container<std::string>(byte),
                               rc::gen::container<std::string>(rc::gen::elementOf(marks))),
      [](const std::string& word) { return node::check_placeholders(word).has_value(); });
}

/// Flags that a user may put before a command.
rc::Gen<Argv> any_flags() {
  const std::vector<Argv> flags = {{}, {"-q"}, {"-c", "2"}, {"-qn5"}, {"-n", "5", "--json"},
      {"--name="}, {"--name", "[a,b]"}, {"--env", "A=[1,2]", "--cwd=[dir]"},
      {"--priority=7", "--no-color"}, {"--stdout", "--"}, {"-q", "--constraint", "arch=x"}};
  return rc::gen::elementOf(flags);
}

/// A program's name, which is not empty and must not look like a flag if no "--" is before it.
rc::Gen<std::string> any_program(bool dashed) {
  return rc::gen::suchThat(any_word(), [dashed](const std::string& word) {
    return !word.empty() && (dashed || word.size() == 1 || word.front() != '-');
  });
}

Argv joined(Argv line, const Argv& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

/// One line, read as the program does; `verb` is `run` or `submit`.
JobFlags read(const std::string& verb, const Argv& words) {
  CLI::App app;
  Invocation invocation;
  const auto read = read_line(app, invocation, joined({verb}, words), all_commands());
  if (!read) RC_FAIL(read.error().text);
  return verb == "run" ? invocation.run.job : invocation.submit.job;
}

/// A word as a program reads it from --json, by the rule that docs/guide/commands.md gives.
std::string word_of_json(const Json& word) {
  if (word.is_string()) return word.get<std::string>();
  return node::from_base64(word.at("base64").get<std::string>()).value();
}

RC_GTEST_PROP(CommandLine, WordsAfterTwoDashesAreTheUsers, ()) {
  const auto verb = *rc::gen::element<std::string>("run", "submit");
  const Argv argv = *rc::gen::container<Argv>(any_word());
  const Argv flags = *any_flags();
  RC_ASSERT(read(verb, joined(joined(flags, {"--"}), argv)).command == argv);
}

RC_GTEST_PROP(CommandLine, WordsAfterTheProgramAreTheUsers, ()) {
  const auto verb = *rc::gen::element<std::string>("run", "submit");
  const Argv argv = joined({*any_program(false)}, *rc::gen::container<Argv>(any_word()));
  const Argv flags = *any_flags();
  RC_ASSERT(read(verb, joined(flags, argv)).command == argv);
}

// The request that the agent reads, the task that it makes of it, and what `job --json` prints.
RC_GTEST_PROP(CommandLine, TheSameWordsReachTheTaskAndComeBack, ()) {
  const Argv argv = joined({*any_program(true)}, *rc::gen::container<Argv>(any_word()));
  const auto request = job_request(read("submit", joined({"--"}, argv)), "/caf\xe9");
  if (!request) RC_FAIL(request.error().text);
  const auto job = node::parse_job(Json::parse(compact(to_json(*request))));
  if (!job) RC_FAIL(job.error().text);
  const auto spec = node::decode_task_spec(std::as_bytes(std::span(job->groups.at(0).spec)));
  RC_ASSERT(spec.has_value());
  Argv words;
  for (const auto& word : spec->command) words.push_back(word.text);
  RC_ASSERT(words == argv);
  RC_ASSERT(spec->directory == "/caf\xe9");

  const Json shown = Json::parse(compact(published({{"command", node::command_json(*spec)}})));
  words.clear();
  for (const Json& word : shown.at("command")) words.push_back(word_of_json(word));
  RC_ASSERT(words == argv);
}

TEST(CommandLine, AnEmptyValueStaysEmpty) {
  const JobFlags flags = read("run", {"--name=", "--cwd=", "echo", "--name="});
  EXPECT_EQ(flags.name, "");
  EXPECT_THAT(flags.command, ElementsAre("echo", "--name="));
}

TEST(CommandLine, AJobIsNamedAfterAnyProgram) {
  const auto name_of = [](const std::string& program) {
    const auto request = job_request(read("run", {"--", program}), "/here");
    return request ? request->name : request.error().text;
  };
  EXPECT_EQ(name_of("/bin/[a,b]"), "[a,b]");
  EXPECT_EQ(name_of("/bin/caf\xe9"), "caf?");
  EXPECT_EQ(name_of(std::string(126, 'a') + "ß"), std::string(126, 'a'));
}

}  // namespace
}  // namespace dunlin::cli
