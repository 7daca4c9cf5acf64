// SPDX-License-Identifier: MIT
#include "node/task/task_command.h"

#include <gmock/gmock.h>

#include "node/task/soft_limits.h"
#include "node/warden/start_script.h"

namespace dunlin::node {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

sched::Launch launch() {
  sched::Launch launch;
  launch.task.job.number = 12;
  launch.task.index = 3;
  launch.task_count = 10;
  launch.attempt = 2;
  launch.demand.cpu = 1500;
  launch.demand.memory = 256;
  launch.job_name = "fold";
  launch.entry = "a b";
  return launch;
}

TaskSpec spec() {
  TaskSpec spec;
  spec.command = {{"echo"}, {"%{TASK_INDEX}/%{TASK_COUNT}"}, {"%{CWD}"}};
  spec.submit_directory = "/home";
  return spec;
}

TaskPlace place() {
  return {.node = "kestrel",
      .slot = 4,
      .scratch = "/scratch",
      .script = {},
      .live_out = "/live/out",
      .live_err = "/live/err"};
}

TEST(TaskCommand, RunsInScratchUnlessTheSpecNamesADirectory) {
  const auto start = make_start(launch(), spec(), place(), {}).value();
  EXPECT_THAT(start.words, ElementsAre("echo", "3/10", "/scratch"));
  EXPECT_EQ(start.directory, "/scratch");
  EXPECT_EQ(start.slot, 4u);
  EXPECT_EQ(start.cpu, 1500u);
  EXPECT_EQ(start.memory, 256u);

  auto elsewhere = spec();
  elsewhere.directory = "/data/%{JOB_ID}";
  const auto moved = make_start(launch(), elsewhere, place(), {}).value();
  EXPECT_EQ(moved.directory, "/data/12");
  EXPECT_THAT(moved.words, Contains("/data/12")) << "%{CWD} is the directory, filled";
}

TEST(TaskCommand, MeasuresOnlyTheStreamsThatItKeeps) {
  const auto kept = make_start(launch(), spec(), place(), {}).value();
  EXPECT_EQ(kept.out, "/live/out");
  EXPECT_EQ(kept.err, "/live/err");
  EXPECT_TRUE(kept.measure_out);
  EXPECT_TRUE(kept.measure_err);

  auto named = spec();
  named.stdout_path = "%{CWD}/%{ATTEMPT}.txt";
  named.stderr_path = "none";
  const auto start = make_start(launch(), named, place(), {}).value();
  EXPECT_EQ(start.out, "/scratch/2.txt");
  EXPECT_EQ(start.err, "/dev/null");
  EXPECT_FALSE(start.measure_out);
  EXPECT_FALSE(start.measure_err);
}

TEST(TaskCommand, FilesOfOutputBeginEmptyIfTheSpecSaysSo) {
  auto named = spec();
  named.stdout_path = "/data/out";
  EXPECT_FALSE(make_start(launch(), named, place(), {}).value().truncates());
  named.truncate = true;
  EXPECT_TRUE(make_start(launch(), named, place(), {}).value().truncates());
}

TEST(TaskCommand, AScriptIsRunByItsLineWithItsArguments) {
  TaskSpec said{.submit_directory = "/home", .script = "#!/usr/bin/env -S python3 -u\n%{no}\n"};
  said.arguments = {{"--part"}, {"%{TASK_INDEX}"}};
  auto there = place();
  there.script = "/scratch/4.script";
  auto start = make_start(launch(), said, there, {}).value();
  EXPECT_THAT(start.words,
      ElementsAre("/usr/bin/env", "-S python3 -u", "/scratch/4.script", "--part", "3"));
  const warden::StartScript made = warden::take_script(start);
  EXPECT_EQ(made.path, "/scratch/4.script");
  EXPECT_EQ(made.text, said.script) << "no template";
  EXPECT_EQ(warden::take_script(start).path, "");

  said.script = "echo\n";
  EXPECT_EQ(make_start(launch(), said, there, {}).error().kind, ErrorKind::usage);
  auto plain = make_start(launch(), spec(), place(), {}).value();
  EXPECT_EQ(warden::take_script(plain).path, "");
  // What a worker of a build before makes of a script's task, which it takes for one without words.
  EXPECT_THAT(
      make_start(launch(), TaskSpec{}, place(), {}).error().text, HasSubstr("there is no command"));
}

TEST(TaskCommand, ATaskGetsItsSignalSoLongBeforeItsTimeLimit) {
  auto told = spec();
  told.limit_signal = 12;
  told.limit_signal_time = std::chrono::seconds(30);
  auto limited = launch();
  EXPECT_EQ(make_start(limited, told, place(), {}).value().signal(), 0) << "without a limit";
  limited.time_limit = std::chrono::seconds(30);
  EXPECT_EQ(make_start(limited, told, place(), {}).value().signal(), 0) << "as it begins";
  limited.time_limit = std::chrono::milliseconds(90'500);
  const auto start = make_start(limited, told, place(), {}).value();
  EXPECT_EQ(start.signal(), 12);
  EXPECT_EQ(start.signal_after(), std::chrono::milliseconds(60'500));
  told.limit_signal = 0;
  EXPECT_EQ(make_start(limited, told, place(), {}).value().signal(), 0);
}

TEST(TaskCommand, PutsTheSpecsVariablesOverTheBaseAndItsOwnOverBoth) {
  auto wanted = spec();
  wanted.environment = {
      {"LANG", "C"}, {"PS1", "%{NODE}"}, {"DUNLIN_NODE", "mine"}, {"", "x"}, {"A=B", "y"}};
  const auto start =
      make_start(launch(), wanted, place(), {{"LANG", "en"}, {"PATH", "/bin"}}).value();
  EXPECT_THAT(start.environment,
      ElementsAre("DUNLIN_ARRAY_INDEX=", "DUNLIN_ATTEMPT=2", "DUNLIN_CPUS=1.5", "DUNLIN_DEADLINE=",
          "DUNLIN_ENTRY=a b", "DUNLIN_GPUS=", "DUNLIN_GROUP=", "DUNLIN_GROUP_INDEX=",
          "DUNLIN_GROUP_SIZE=", "DUNLIN_JOB_ID=12", "DUNLIN_JOB_NAME=fold", "DUNLIN_MEMORY_MIB=256",
          "DUNLIN_NODE=kestrel", "DUNLIN_PREEMPTIONS=0", "DUNLIN_SLOT=4", "DUNLIN_SUBMIT_DIR=/home",
          "DUNLIN_TASK_COUNT=10", "DUNLIN_TASK_INDEX=3", "LANG=C", "PATH=/bin", "PS1=%{NODE}"));
}

// The number has the offices of its job's homes above it, which are for the nodes alone.
TEST(TaskCommand, CountsAttemptsForPeopleAlsoAfterATakeover) {
  auto moved = launch();
  moved.attempt = sched::first_after(1) + 2;
  auto wanted = spec();
  wanted.command = {{"echo"}, {"%{ATTEMPT}"}};
  const auto start = make_start(moved, wanted, place(), {}).value();
  EXPECT_THAT(start.words, ElementsAre("echo", "2"));
  EXPECT_THAT(start.environment, Contains("DUNLIN_ATTEMPT=2"));
}

TEST(TaskCommand, TellsATaskItsPlaceInItsGroup) {
  auto wanted = spec();
  wanted.command.push_back({"%{GROUP_INDEX}"});
  wanted.group_first = 1;
  wanted.group_size = 8;
  wanted.group_name = "reduce";
  const auto start = make_start(launch(), wanted, place(), {}).value();
  EXPECT_EQ(start.words.back(), "2");
  EXPECT_THAT(start.environment, Contains("DUNLIN_GROUP_INDEX=2"));
  EXPECT_THAT(start.environment, Contains("DUNLIN_GROUP_SIZE=8"));
  EXPECT_THAT(start.environment, Contains("DUNLIN_GROUP=reduce"));
}

TEST(TaskCommand, LeavesLiteralWordsAsTheyAre) {
  auto wanted = spec();
  wanted.literal = true;
  wanted.command = {{"curl"}, {"-w"}, {"%{http_code} %%{"}};
  wanted.directory = "/sp%{NODE}x";
  const auto start = make_start(launch(), wanted, place(), {}).value();
  EXPECT_THAT(start.words, ElementsAre("curl", "-w", "%{http_code} %%{"));
  EXPECT_EQ(start.directory, "/sp%{NODE}x");
}

TEST(TaskCommand, PassesUmaskAndLimitsOn) {
  auto wanted = spec();
  wanted.umask = 077 + 1;
  wanted.limits = {{.resource = limit_number("nofile").value(), .max = 123},
      {.resource = limit_number("core").value(), .max = kUnlimited}, {.resource = 255, .max = 1}};
  const auto start = make_start(launch(), wanted, place(), {}).value();
  EXPECT_EQ(start.umask, 077 + 1);
  ASSERT_EQ(start.limits.size(), 2u) << "one that only a newer frontend knows is left out";
  EXPECT_EQ(start.limits[0].resource, static_cast<int>(RLIMIT_NOFILE));
  EXPECT_EQ(start.limits[0].max, 123u);
  EXPECT_EQ(start.limits[1].max, RLIM_INFINITY);
}

TEST(TaskCommand, TellsTheDeadlineByThisNodesClock) {
  auto due = launch();
  due.due_in = std::chrono::seconds(90);
  TaskPlace now = place();
  now.now_ns = 1'700'000'000'500'000'000;
  EXPECT_THAT(
      make_start(due, spec(), now, {}).value().environment, Contains("DUNLIN_DEADLINE=1700000090"));
}

TEST(TaskCommand, WritesCpusWithoutZerosThatSayNothing) {
  const auto cpus = [](std::uint32_t milli) {
    auto of_milli = launch();
    of_milli.demand.cpu = milli;
    return make_start(of_milli, spec(), place(), {}).value().environment;
  };
  EXPECT_THAT(cpus(2000), Contains("DUNLIN_CPUS=2"));
  EXPECT_THAT(cpus(125), Contains("DUNLIN_CPUS=0.125"));
  EXPECT_THAT(cpus(1050), Contains("DUNLIN_CPUS=1.05"));
}

TEST(TaskCommand, RefusesWhatNoProcessCouldBeStartedWith) {
  auto empty = spec();
  empty.command.clear();
  EXPECT_EQ(make_start(launch(), empty, place(), {}).error().text, "there is no command");

  for (auto part : {&TaskSpec::directory, &TaskSpec::stdout_path, &TaskSpec::stderr_path}) {
    auto unknown = spec();
    unknown.*part = "%{WHAT}";
    const auto refused = make_start(launch(), unknown, place(), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text, HasSubstr("%{WHAT}"));
  }
}

TEST(TaskCommand, BoundsWordsAndVariablesTogether) {
  auto words = spec();
  words.command.push_back({std::string(3u << 20, 'x')});
  EXPECT_TRUE(make_start(launch(), words, place(), {}));

  auto both = words;
  both.environment = {{"LONG", std::string(3u << 20, 'y')}};
  const auto refused = make_start(launch(), both, place(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_THAT(refused.error().text, HasSubstr("4 MiB"));

  words.command.push_back({std::string(2u << 20, 'x')});
  EXPECT_FALSE(make_start(launch(), words, place(), {})) << "words alone";
}

TEST(TaskCommand, ATaskLearnsItsDevices) {
  auto at = place();
  at.devices = {{"fpga", {}}, {"gpu", {0, 2}}};
  at.has_gpus = true;
  auto mine = spec();
  mine.environment = {{"CUDA_VISIBLE_DEVICES", "5"}, {"DUNLIN_GPUS", "5"}};
  const auto start = make_start(launch(), mine, at, {}).value();
  EXPECT_THAT(start.environment, Contains("DUNLIN_GPUS=0,2"));
  EXPECT_THAT(start.environment, Contains("DUNLIN_FPGAS="));
  EXPECT_THAT(start.environment, Contains("CUDA_VISIBLE_DEVICES=0,2"));
  EXPECT_THAT(start.environment, Contains("CUDA_DEVICE_ORDER=PCI_BUS_ID"));
}

TEST(TaskCommand, ATaskThatAskedForNoGpuSeesNoneUnlessItSaysSo) {
  auto at = place();
  at.devices = {{"gpu", {}}};
  at.has_gpus = true;
  const auto start = make_start(launch(), spec(), at, {}).value();
  EXPECT_THAT(start.environment, Contains("DUNLIN_GPUS="));
  EXPECT_THAT(start.environment, Contains("CUDA_VISIBLE_DEVICES="));
  auto bold = spec();
  bold.environment = {{"CUDA_VISIBLE_DEVICES", "1"}};
  EXPECT_THAT(
      make_start(launch(), bold, at, {}).value().environment, Contains("CUDA_VISIBLE_DEVICES=1"));
}

TEST(TaskCommand, ANodeWithoutGpusSaysNothingToCuda) {
  const auto start = make_start(launch(), spec(), place(), {}).value();
  EXPECT_THAT(start.environment, Contains("DUNLIN_GPUS="));
  EXPECT_THAT(start.environment, Not(Contains(HasSubstr("CUDA_"))));
}

}  // namespace
}  // namespace dunlin::node
