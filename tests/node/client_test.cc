// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "tests/node/agent_world.h"

// The words and the exit status with which the command line answers a wish that cannot be met.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Answer {
  int status = -1;
  std::string text;  ///< Both streams, as a terminal shows them.
};

class ClientTest : public AgentWorld {
 protected:
  ClientTest() { add("a").wait_until_up(); }

  /// Runs a line of shell in which `dunlin` is the program.
  Answer shell(const std::string& line) {
    const std::string command = "export DUNLIN_ADDRESS='" + agents.front()->socket() +
        "'; dunlin() { " DUNLIN_PROGRAM " \"$@\"; }; { " + line + "; } 2>&1";
    Answer answer;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> piece;
    for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
      answer.text.append(piece.data(), size);
    }
    const int status = ::pclose(pipe);
    answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return answer;
  }
};

TEST_F(ClientTest, LogsSaysThatATaskIsNotThereOrWroteNothing) {
  finish(*agents.front(), submit(*agents.front(), "true", 2));
  const Answer absent = shell("dunlin logs 1.99");
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.text, HasSubstr("job 1 has no such task"));
  const Answer silent = shell("dunlin logs 1.1");
  EXPECT_EQ(silent.status, 0);
  EXPECT_THAT(silent.text, HasSubstr("nothing was written"));
  const Answer never = shell("dunlin logs 1.1 --attempt 4");
  EXPECT_EQ(never.status, 1);
  EXPECT_THAT(never.text, HasSubstr("has had an attempt 4"));
  EXPECT_THAT(never.text, HasSubstr(".1 --attempts")) << "a name for pasting";
}

TEST_F(ClientTest, RunSaysThatTasksDoNotReadItsInput) {
  EXPECT_THAT(shell("echo x > in; dunlin run --count 2 -- true < in; rm in").text,
      HasSubstr("only a single task without retries reads this standard input"));
  EXPECT_THAT(shell("dunlin run -- true < /dev/null").text, Not(HasSubstr("standard input")));
  const Answer lines = shell("printf 'a\\nb\\n' | dunlin run --each-line - -- echo");
  EXPECT_EQ(lines.status, 0);
  EXPECT_THAT(lines.text, Not(HasSubstr("standard input")));
  // A job file that takes the lines says so as well.
  const Answer file = shell("cd " + home +
      "; printf '[[group]]\\ncommand = [\"echo\"]\\neach_line = \"-\"\\n' > lines.toml; "
      "printf 'a\\nb\\n' > in; dunlin run -f lines.toml < in");
  EXPECT_EQ(file.status, 0);
  EXPECT_THAT(file.text, HasSubstr("a\n"));
  EXPECT_THAT(file.text, Not(HasSubstr("standard input")));
}

TEST_F(ClientTest, RunGivesItsInputToASingleTask) {
  EXPECT_EQ(shell("printf 'b\\na\\n' | dunlin run -q -- sort").text, "a\nb\n");
  EXPECT_EQ(shell("cd " + home +
                "; seq 1 200000 > in; dunlin run -q -- cksum < in; cksum < in; "
                "dunlin run -q --stdin none -- wc -c < in")
                .text,
      shell("seq 1 200000 | { x=$(cksum); echo \"$x\"; echo \"$x\"; echo 0; }").text);
  const Answer deaf = shell("yes | dunlin run -q -- sh -c 'echo deaf; exit 3' 2> /dev/null");
  EXPECT_EQ(deaf.text, "deaf\n") << "it reads nothing, and ends";
  EXPECT_EQ(deaf.status, 3);
}

// The line that the task writes is the answer to the line that it read.
TEST_F(ClientTest, InputIsGivenWhileTheTaskRuns) {
  EXPECT_EQ(shell("cd " + home +
                "; mkfifo to from; dunlin run -q -- sh -c 'read a; echo $a $a; cat' < to > from & "
                "exec 3> to 4< from; echo one >&3; read answer <&4; echo \"$answer\"; "
                "exec 3>&-; cat <&4; wait $!")
                .text,
      "one one\n");
}

TEST_F(ClientTest, ATaskReadsAFileOfItsNode) {
  EXPECT_EQ(shell("cd " + home +
                "; echo of zero > in.0; echo of one > in.1; "
                "dunlin run -q --count 2 --stdin in.%{TASK_INDEX} -- cat | sort")
                .text,
      "0: of zero\n1: of one\n");
  EXPECT_THAT(shell("dunlin submit --stdin - -- cat").text, HasSubstr("has nothing to give"));
}

TEST_F(ClientTest, CtrlCCancelsATaskThatWaitsForInput) {
  const Answer answer = shell("cd " + home +
      "; mkfifo to; sleep 1000 > to & held=$!; env --default-signal=INT sh -c 'exec " DUNLIN_PROGRAM
      " run -- sh -c \"echo up; cat\"' < to > out & run=$!; "
      "while ! grep -q up out; do sleep 0.05; done; kill -INT $run; wait $run; status=$?; "
      "kill $held; exit $status");
  EXPECT_EQ(answer.status, 130) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("cancelling job"));
}

// `timeout 60 dunlin run`, and a terminal that is closed: the job ran on without a word.
TEST_F(ClientTest, OtherSignalsCancelTheJobUnlessItIsToBeKept) {
  const auto ended_by = [&](const std::string& signal, const std::string& words) {
    return shell("cd " + home +
        "; rm -f out; (exec env --default-signal=HUP,TERM " DUNLIN_PROGRAM " run " + words +
        " -- sh -c 'echo up; sleep 1000') < /dev/null > out & run=$!; "
        "while ! grep -q up out; do sleep 0.05; done; kill -" +
        signal + " $run; wait $run");
  };
  auto state = [&, number = 0]() mutable {
    return agents.front()->client().ok(request("job", {{"number", ++number}}))["state"];
  };
  for (const auto& [signal, status] : {std::pair{"HUP", 129}, std::pair{"TERM", 143}}) {
    const Answer answer = ended_by(signal, "");
    EXPECT_EQ(answer.status, status) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr("cancelling job"));
    EXPECT_EQ(state(), "cancelled");
  }
  const Answer kept = ended_by("TERM", "--keep");
  EXPECT_EQ(kept.status, 143) << kept.text;
  EXPECT_THAT(kept.text, HasSubstr("goes on"));
  EXPECT_THAT(kept.text, HasSubstr("dunlin wait ")) << "how to come back";
  EXPECT_EQ(state(), "running");
}

// Each task waits for a file that is made when the first line of any of them has been read: so this
// ends only if lines come while tasks run.
TEST_F(ClientTest, LogsFollowsManyTasksWhileTheyRun) {
  const Answer answer = shell("cd " + home +
      " && dunlin submit -q --count 3 --cpus 0.1 -- sh -c 'echo first; "
      "while [ ! -e go ]; do sleep 0.05; done; printf half; sleep 0.3; echo $DUNLIN_TASK_INDEX; "
      "echo fault >&2' && { dunlin logs -f 2> faults | { read line; touch go; cat; } > lines; "
      "sort lines | grep half; wc -l < lines; sort faults; }");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.text, HasSubstr("0: half0\n1: half1\n2: half2\n5\n"));
  EXPECT_THAT(answer.text, HasSubstr("0: fault\n1: fault\n2: fault\n"));
}

TEST_F(ClientTest, RunOfManyTasksLabelsLinesAndKeepsStreamsApart) {
  const std::string tasks =
      "-q --count 2 %s -- sh -c 'echo out$DUNLIN_TASK_INDEX; echo err$DUNLIN_TASK_INDEX >&2'";
  const auto run = [&](const std::string& option) {
    std::string words = tasks;
    return words.replace(words.find("%s"), 2, option);
  };
  EXPECT_EQ(shell("dunlin run " + run("") + " 2> /dev/null | sort").text, "0: out0\n1: out1\n");
  EXPECT_EQ(shell("dunlin run " + run("") + " 2>&1 > /dev/null | sort").text, "0: err0\n1: err1\n");
  EXPECT_EQ(shell("dunlin run " + run("--no-label") + " 2> /dev/null | sort").text, "out0\nout1\n");
  EXPECT_EQ(shell("printf 'a\\nb\\n' | dunlin run -q --each-line - -- echo | sort").text, "a\nb\n")
      << "what they print is read by programs";
}

// "deadline 2h2s560ms after its submit" was said.
TEST_F(ClientTest, ADeadlineThatIsSetIsToldAsATimeOfDay) {
  const Answer set = shell("dunlin submit -q --hold -- true; dunlin set last --deadline 2h");
  EXPECT_EQ(set.status, 0);
  EXPECT_THAT(set.text, ::testing::ContainsRegex("deadline 20[0-9-]+T[0-9:]+Z\n"));
}

// Each wait of more than two seconds says what it waits for.
TEST_F(ClientTest, WaitsSayWhatTheyWaitFor) {
  const auto said_by = [&](const std::string& words, const std::string& text) {
    return shell("cd " + home + "; : > said; (exec " DUNLIN_PROGRAM " " + words +
        ") > said 2>&1 & waits=$!; n=0; until grep -q '" + text +
        "' said || [ $n = 300 ]; do sleep 0.1; n=$((n + 1)); done; kill $waits; cat said")
        .text;
  };
  ASSERT_EQ(shell("dunlin submit -q --hold --count 2 -- true").status, 0);
  EXPECT_THAT(said_by("wait 1", "on hold"), HasSubstr("on hold"));
  EXPECT_THAT(said_by("logs -f 1", "on hold"), HasSubstr("job 1 waits: on hold"));
  EXPECT_THAT(said_by("logs -f 1.0", "on hold"), HasSubstr("job 1 waits: on hold"));
  ASSERT_EQ(shell("dunlin submit -q -- sleep 1000").status, 0);
  ASSERT_TRUE(
      eventually([&] { return agents.front()->client().ok(request("status"))["running"] == 1; }));
  EXPECT_THAT(said_by("node drain a --deadline 1h", "waiting until"),
      HasSubstr("waiting until 1 task has ended on a"));
}

TEST_F(ClientTest, WrongWishesAreUsageErrors) {
  const Answer nothing = shell("dunlin submit --cpus 0 -- true");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.text, HasSubstr("say at least 0.001"));
  const Answer missing = shell("dunlin submit --each-line /nowhere/list -- echo");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.text, HasSubstr("--each-line: /nowhere/list"));
}

}  // namespace
}  // namespace dunlin::node
