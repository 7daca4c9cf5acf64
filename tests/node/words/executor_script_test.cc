// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/node/executor_world.h"

// Scripts that travel with their job, where they run: a file for each task, made and removed with
// it.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ExecutorScript : public ExecutorWorld {
 protected:
  /// Those that are there.
  std::size_t scripts() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path() + "/scratch")) {
      if (entry.path().extension() == ".script") ++count;
    }
    return count;
  }
  static TaskSpec script(const std::string& text, std::vector<std::string> arguments = {}) {
    TaskSpec spec;
    spec.script = text;
    for (std::string& word : arguments) spec.arguments.push_back({std::move(word)});
    return spec;
  }
};

TEST_F(ExecutorScript, ATaskRunsItsScriptWithItsArguments) {
  open();
  const TaskSpec spec = script(
      "#!/bin/sh -e\nstat -c %a \"$0\"\nfor each in \"$@\"; do echo \"<$each>\"; done\n"
      "echo '%{NODE}'; umask; exit 3\n",
      {"a b", "%{TASK_INDEX}", ""});
  EXPECT_EQ(run(launch(spec, 4)).status, 3);
  // Its owner's alone, whatever the umask is.
  EXPECT_THAT(kept(OutputStream::out, 4), HasSubstr("500\n<a b>\n<4>\n<>\n%{NODE}\n"));
  EXPECT_EQ(scripts(), 0u) << "it went with its task";

  TaskSpec strict = script("#!/bin/sh\necho ran\n");
  strict.umask = 0777 + 1;
  strict.stdout_path = "none";
  EXPECT_EQ(run(launch(strict, 5)).status, 0);
}

// A word of a command ends at 128 KiB.
TEST_F(ExecutorScript, AScriptMayBeLargerThanAWord) {
  open();
  std::string text = "#!/bin/sh\n";
  while (text.size() < 300u << 10) text += "# a line that says nothing, in many words indeed\n";
  const std::string whole = text + "wc -c < \"$0\"\necho end\n";
  run(script(whole));
  EXPECT_EQ(kept(), std::to_string(whole.size()) + "\nend\n");
  for (std::uint32_t i = 1; i < 9; ++i)
    executor_->start(launch(script(text + "echo $1\n", {std::to_string(i)}), i));
  run_until([&] { return reports_.size() == 9; });
  for (std::uint32_t i = 1; i < 9; ++i) {
    EXPECT_EQ(kept(OutputStream::out, i), std::to_string(i) + "\n");
  }
  EXPECT_EQ(scripts(), 0u);
}

TEST_F(ExecutorScript, AScriptWithoutItsInterpreterSaysWhichIsMissing) {
  open();
  const sched::Report report = run(script("#!/no/such/program -x\n"));
  EXPECT_THAT(report.detail, HasSubstr("'/no/such/program' not found"));
  EXPECT_EQ(scripts(), 0u);
  EXPECT_TRUE(file(directory_.path() + "/scratch/0.script").empty());
}

TEST_F(ExecutorScript, AScriptIsThereAsLongAsItsTaskAlsoForTheNextAgent) {
  ExecutorOptions options;
  options.incarnation = 5;
  options.reattach_within = 30s;
  open(options);
  const std::string go = directory_.path() + "/go";
  const TaskSpec spec = script("#!/bin/sh\necho up; while ! test -e " + go +
      "; do sleep 0.02; done; tail -n 1 \"$0\"\n# the last line\n");
  executor_->start(launch(spec));
  run_until([&] { return kept() == "up\n"; });
  EXPECT_EQ(scripts(), 1u);
  executor_->leave();
  executor_.reset();
  output_.reset();
  // What a crash left is not a task's, and goes.
  std::ofstream(directory_.path() + "/scratch/7.script") << "#!/bin/sh\n";
  options.incarnation = 6;
  open(options);
  EXPECT_EQ(scripts(), 1u);
  std::ofstream(go) << "";
  run_until([&] { return reports_.size() == 1; });
  EXPECT_EQ(kept(), "up\n# the last line\n");
  EXPECT_EQ(scripts(), 0u);
}

TEST_F(ExecutorScript, AScriptThatCannotBeWrittenIsTheNodesFault) {
  open();
  // A directory in its place cannot be unlinked.
  std::filesystem::create_directory(directory_.path() + "/scratch/0.script");
  const sched::Report report = run(script("#!/bin/sh\n"));
  EXPECT_EQ(report.cause, sched::Cause::start);
  EXPECT_THAT(report.detail, HasSubstr("cannot write its script '"));
}

}  // namespace
}  // namespace dunlin::node
