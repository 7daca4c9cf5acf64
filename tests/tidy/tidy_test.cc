// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_text.h"

// The style of the house, watched by a test: tests/tidy/rules.h says which rules there are. The
// first test runs them over the repository; the others prove that each rule bites.
namespace dunlin::tidy {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool is_foreign(const fs::path& path) {
  static const std::set<std::string> names = {
      ".git", "build", ".cache", "node_modules", "corpus", "vendor"};
  return names.contains(path.filename().string());
}

/// Every file of the repository, sorted by path; those that are no text are empty.
std::vector<File> repository() {
  std::vector<File> files;
  const fs::path root = DUNLIN_SOURCE_DIR;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
      ++at) {
    if (is_foreign(at->path())) {  // A worktree's .git is a file.
      if (at->is_directory()) at.disable_recursion_pending();
      continue;
    }
    if (!at->is_regular_file()) continue;
    std::string text = read(at->path());
    if (text.find('\0') != std::string::npos) text.clear();  // A picture, to which pages lead.
    files.push_back({fs::relative(at->path(), root).generic_string(), std::move(text)});
  }
  std::ranges::sort(files, {}, &File::path);
  return files;
}

std::string report(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_string(finding) + "\n";
  return text;
}

using Check = std::vector<Finding> (*)(const std::vector<File>&);

/// The findings of `check` about one planted file.
std::string planted(Check check, const std::string& path, const std::string& text) {
  return report(check({{path, text}}));
}

TEST(Tidy, RepositoryKeepsItsRules) {
  const auto files = repository();
  ASSERT_GT(files.size(), 40u) << "the repository was not found at " << DUNLIN_SOURCE_DIR;
  const auto findings = check_all(files);
  EXPECT_TRUE(findings.empty()) << report(findings);
}

/// The paths of all sources that are compiled, in one text. A build that compiles many at once
/// lists files which include them.
std::string compiled_sources() {
  std::string commands = read(fs::path(DUNLIN_BUILD_DIR) / "compile_commands.json");
  static const std::regex together(R"re("file": "([^"]*/unity_[^"]*)")re");
  std::string included;
  for (auto at = std::sregex_iterator(commands.begin(), commands.end(), together);
      at != std::sregex_iterator(); ++at) {
    included += read((*at)[1].str());
  }
  return commands + included;
}

// A source that no target compiles is dead, and rots.
TEST(Tidy, EverySourceIsBuilt) {
  const std::string commands = compiled_sources();
  ASSERT_FALSE(commands.empty());
  std::string dead;
  for (const File& file : repository()) {
    const bool elsewhere = file.path.starts_with("tests/fuzz/") || file.path.starts_with("sim/") ||
        file.path.starts_with("tests/unit/sim/");
    if (!file.path.ends_with(".cc") || elsewhere) continue;
    if (commands.find("/" + file.path) == std::string::npos) dead += file.path + "\n";
  }
  EXPECT_EQ(dead, "") << "no target compiles these; add their folder to its CMakeLists.txt";
}

TEST(TidyRules, LayersPointDownwards) {
  const auto overlay = [](const std::string& target) {
    return planted(check_layers, "overlay/a.cc", "#include " + target + "\n");
  };
  EXPECT_EQ(overlay("<vector>"), "");
  EXPECT_EQ(overlay("<tl/expected.hpp>"), "");
  EXPECT_EQ(overlay("\"overlay/time.h\""), "");
  EXPECT_THAT(overlay("\"sched/job.h\""), HasSubstr("overlay/a.cc:1: [layers]"));
  EXPECT_THAT(overlay("\"time.h\""), HasSubstr("[layers]"));
  EXPECT_THAT(overlay("<uv.h>"), HasSubstr("[layers]"));
  EXPECT_THAT(overlay("<spdlog/spdlog.h>"), HasSubstr("[layers]"));
  EXPECT_THAT(overlay("<capnp/message.h>"), HasSubstr("[layers]"));
  EXPECT_EQ(planted(check_layers, "overlay/codec.cc", "#include <capnp/message.h>\n"), "");
  EXPECT_THAT(overlay("<coin/ClpSimplex.hpp>"), HasSubstr("[layers]"));
  EXPECT_EQ(
      planted(check_layers, "sched/sharing/solver.cc", "#include <coin/ClpSimplex.hpp>\n"), "");
  EXPECT_EQ(planted(check_layers, "sched/a.h", "#include \"overlay/time.h\"\n"), "");
  EXPECT_NE(planted(check_layers, "sched/a.h", "#include \"node/agent.h\"\n"), "");
  EXPECT_NE(planted(check_layers, "node/a.h", "#include \"sim/fabric.h\"\n"), "");
  EXPECT_NE(planted(check_layers, "sim/a.h", "#include \"node/agent.h\"\n"), "");
  EXPECT_EQ(planted(check_layers, "web/a.h", "#include \"node/utf8.h\"\n"), "");
  EXPECT_NE(planted(check_layers, "web/a.h", "#include \"sched/job.h\"\n"), "");
  EXPECT_NE(planted(check_layers, "node/a.h", "#include \"web/a.h\"\n"), "");
  EXPECT_NE(planted(check_layers, "node/a.h", "#include \"tests/support/world.h\"\n"), "");
  EXPECT_EQ(planted(check_layers, "tests/a.cc", "#include \"node/agent.h\"\n"), "");
  EXPECT_EQ(planted(check_layers, "sched/raft/raft_library.h", "#include <raft.h>\n"), "");
  EXPECT_NE(planted(check_layers, "sched/raft/raft_group.h", "#include <raft.h>\n"), "");
  const std::string library = "#include \"sched/raft/raft_library.h\"\n";
  EXPECT_EQ(planted(check_layers, "sched/raft/raft_engine.h", library), "");
  EXPECT_NE(planted(check_layers, "sched/raft/raft_group.h", library), "");
}

TEST(TidyRules, ProtocolCodeUsesNoBannedWord) {
  const char* const lines[] = {"auto t = std::chrono::system_clock::now();",
      "auto t = std::chrono::steady_clock::now();", "int i = std::rand();", "#include <random>",
      "#include <thread>", "#include <mutex>", "#include <iostream>", "std::getenv(name);",
      "throw 1;", "std::printf(text);", "assert(x);"};
  for (const std::string line : lines) {
    EXPECT_THAT(planted(check_banned_words, "sched/a.cc", line), HasSubstr("[words]")) << line;
  }
  EXPECT_THAT(planted(check_banned_words, "node/a.cc", "assert(x);"), HasSubstr("ensure("));
  EXPECT_EQ(planted(check_banned_words, "node/a.cc", "#include <thread>"), "");
  EXPECT_EQ(planted(check_banned_words, "sched/a.cc", "static_assert(true);"), "");
  EXPECT_EQ(planted(check_banned_words, "sched/a.cc", "// Never throw. \n\"system_clock\""), "");
  EXPECT_EQ(planted(check_banned_words, "overlay/ensure.h", "std::fprintf(stderr, what);"), "");
}

TEST(TidyRules, RoomsKnowOnlyTheRoomsOfTheirTable) {
  const auto include = [](const char* target) {
    return "#include \"" + std::string(target) + "\"";
  };
  const std::pair<const char*, const char*> wrong[] = {
      {"sched/raft/log.cc", "sched/ledger/ledger.h"},
      {"sched/raft/log.cc", "sched/peer.h"},
      {"sched/worker/worker.h", "sched/cell/cell_node.h"},
      {"sched/cell/manager/membership.h", "sched/cell/replica_host.h"},
      {"sched/worker/share/stride.cc", "sched/worker/worker.h"},
      {"sched/worker/discipline/fifo.h", "sched/worker/slots.h"},
      {"sched/frontend/frontend.cc", "sched/worker/queue.h"},
      {"sched/frontend/placement/random.h", "sched/frontend/frontend.h"},
      {"node/net/stream.cc", "node/control/json.h"},
      {"node/control/json.cc", "node/agent/agent.h"},
      {"sim/scenario/scenario.cc", "sim/study/plan.h"},
      {"sim/measure/trace.cc", "sim/engine/cluster.h"},
      {"sim/transport/udp.cc", "sim/engine/cluster.h"},
      {"web/http/server.cc", "web/agent/upstream.h"},
      {"web/agent/upstream.cc", "web/stream/topic.h"},
      {"tools/dunlin/screen/table.cc", "tools/dunlin/connection/connection.h"},
      {"tools/dunlin/connection/channel.cc", "tools/dunlin/globals.h"},
  };
  for (const auto& [path, target] : wrong) {
    EXPECT_THAT(planted(check_rooms, path, include(target)), HasSubstr("[rooms]"))
        << path << " includes " << target;
  }
  const std::pair<const char*, const char*> fine[] = {
      {"sched/cell/cell_node.cc", "sched/raft/raft_group.h"},
      {"sched/cell/hosted_replica.h", "sched/cell/manager/cell_manager.h"},
      {"sched/worker/worker.cc", "sched/worker/share/stride.h"},
      {"sched/worker/worker.cc", "sched/worker/discipline/discipline.h"},
      {"sched/worker/discipline/fifo.h", "sched/worker/queued_reservation.h"},
      {"sched/frontend/frontend.cc", "sched/frontend/placement/placement.h"},
      {"sched/frontend/placement/random.h", "sched/frontend/probe.h"},
      {"sched/raft/log.cc", "sched/kernel.h"},
      {"sched/peer.cc", "sched/cell/cell_node.h"},
      {"sim/engine/cluster.cc", "sim/transport/udp.h"},
      {"web/gateway/gateway.cc", "web/stream/stream_hub.h"},
      {"sim/workload/swf.cc", "sim/fields.h"},
      {"tools/dunlin/jobs/dry_run.h", "tools/dunlin/globals.h"},
      {"sched/raft/log.cc", "overlay/time.h"},
  };
  for (const auto& [path, target] : fine) {
    EXPECT_EQ(planted(check_rooms, path, include(target)), "");
  }
}

TEST(TidyRules, RoomsHaveOneSubject) {
  std::vector<File> files;
  files.reserve(49);
  for (int i = 0; i < 48; ++i) files.push_back({"sched/raft/a" + std::to_string(i) + ".h", ""});
  EXPECT_EQ(report(check_rooms(files)), "");
  files.push_back({"sched/raft/b.cc", ""});
  EXPECT_THAT(report(check_rooms(files)), HasSubstr("sched/raft/: [rooms] 49 headers and sources"));
}

TEST(TidyRules, ProtocolCodeHasNoGlobals) {
  const char* const bad[] = {"static int counter = 0;", "  static Rng rng{1};", "int counter = 0;",
      "inline std::vector<int> seen;", "thread_local int depth;", "extern int depth;",
      "std::map<int, int> table{};"};
  for (const std::string line : bad) {
    EXPECT_THAT(planted(check_globals, "overlay/a.cc", line), HasSubstr("[globals]")) << line;
  }
  const char* const good[] = {"static constexpr int kMax = 3;", "  static bool better(int a);",
      "inline constexpr std::string_view kName = {};", "  int member_ = 0;",
      "static const std::regex pattern;", "using A = int;", "namespace dunlin::sched {",
      "struct A {", "constexpr Address v4(int ip) {", "Duration Rng::next() {",
      "enum class Kind : int { a };", "  static Address v4(std::uint32_t ip,"};
  for (const std::string line : good) {
    EXPECT_EQ(planted(check_globals, "overlay/a.cc", line), "") << line;
  }
  EXPECT_EQ(planted(check_globals, "node/a.cc", "static int counter = 0;"), "");
}

TEST(TidyRules, HashTablesAreNotWalked) {
  const std::string declared = "std::unordered_map<int, int> seen_;\n";
  const char* const bad[] = {"for (auto& [a, b] : seen_) {}", "auto i = seen_.begin();",
      "for (int a : other.seen_) {}", "std::ranges::sort(seen_);"};
  for (const std::string line : bad) {
    EXPECT_THAT(planted(check_hash_order, "sched/a.h", declared + line), HasSubstr(":2: [hash"))
        << line;
  }
  EXPECT_EQ(planted(check_hash_order, "sched/a.h", declared + "seen_.find(3);"), "");
  // Declared in a header, walked in its source.
  const auto findings =
      check_hash_order({{"sched/a.h", declared}, {"sched/a.cc", "for (auto a : seen_) {}\n"}});
  EXPECT_EQ(findings.size(), 1u);
}

TEST(TidyRules, TextIsInOrder) {
  const std::string licence = "// SPDX-License-Identifier: MIT\n";
  EXPECT_EQ(planted(check_text, "sched/a.cc", licence), "");
  EXPECT_THAT(planted(check_text, "sched/a.cc", "int a;\n"), HasSubstr("SPDX"));
  EXPECT_THAT(planted(check_text, "sched/a.h", licence), HasSubstr("#pragma once"));
  EXPECT_THAT(planted(check_text, "sched/a.cc", licence + "\tint a;\n"), HasSubstr("tab"));
  EXPECT_THAT(planted(check_text, "sched/a.cc", licence + "int a; \n"), HasSubstr("blanks"));
  EXPECT_THAT(planted(check_text, "sched/a.cc", licence + "int a;"), HasSubstr("newline"));
  EXPECT_THAT(planted(check_text, "cmake/a.cmake", std::string(101, 'x') + "\n"),
      HasSubstr("cmake/a.cmake:1: [text] over 100 columns"));
  const std::string bits = licence + "if (now == ((b >> i & 1) != 0)) continue;\n";
  EXPECT_THAT(planted(check_text, "sched/a.cc", bits), HasSubstr(":2: [text] g++ 12"));
  EXPECT_EQ(planted(check_text, "tests/unit/a.cc", bits), "");
  EXPECT_EQ(planted(check_text, "sched/a.cc", licence + "if (((a ^ b) >> i & 1) == 0) f();\n"), "");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ä";
  EXPECT_EQ(planted(check_text, "cmake/a.cmake", umlauts + "\n"), "");
}

TEST(TidyRules, SourcesStandInKnownFolders) {
  EXPECT_EQ(planted(check_folders, "sched/frontend/job_table.cc", ""), "");
  EXPECT_NE(planted(check_folders, "base/util.cc", ""), "");
  EXPECT_NE(planted(check_folders, "main.cc", ""), "");
  EXPECT_NE(planted(check_folders, "sched/JobTable.cc", ""), "");
  EXPECT_NE(planted(check_folders, "sched/job.cpp", ""), "");
}

TEST(TidyRules, ProseNamesNoMachineAndGivesReasons) {
  const std::string todo =
      "// TO"
      "DO";
  EXPECT_THAT(planted(check_prose, "README.md",
                  "see /ho"
                  "me/ada/dunlin"),
      HasSubstr("relative"));
  EXPECT_THAT(planted(check_prose, "tools/x",
                  "cd /ro"
                  "ot/x"),
      HasSubstr("[prose]"));
  EXPECT_EQ(planted(check_prose, "README.md",
                "see docs/ho"
                "me/page"),
      "");
  EXPECT_THAT(planted(check_prose, "sched/a.cc", todo), HasSubstr("[prose]"));
  EXPECT_THAT(planted(check_prose, "sched/a.cc", todo + ": later"), HasSubstr("[prose]"));
  EXPECT_EQ(planted(check_prose, "sched/a.cc", todo + ": needs libuv 1.45 for pidfd"), "");
}

// Two classes `Recorder` once met in one test program, and half of the tests saw the wrong one.
TEST(TidyRules, TypesAreDefinedOnce) {
  const auto header = [](const std::string& space, const std::string& type) {
    return "namespace dunlin::" + space + " {\n" + type + "\n}\n";
  };
  const auto findings = [](const std::string& first, const std::string& second) {
    return report(check_definitions({{"sched/a.h", first}, {"tests/b.h", second}}));
  };
  EXPECT_THAT(findings(header("x", "class A {"), header("x", "struct A final : B {")),
      HasSubstr("tests/b.h:2: [definitions] dunlin::x::A is defined in sched/a.h too"));
  EXPECT_EQ(findings(header("x", "class A {"), header("y", "class A {")), "");
  EXPECT_EQ(findings(header("x", "class A {"), header("x", "class A;")), "");
  EXPECT_EQ(findings(header("x", "class A {"), header("x", "// class A {")), "");
}

TEST(SourceText, BlanksCommentsAndLiterals) {
  EXPECT_EQ(code_of("a // b\nc"), "a     \nc");
  EXPECT_EQ(code_of("a /* b\nc */ d"), "a     \n     d");
  EXPECT_EQ(code_of("f(\"x\\\"y\")"), "f(\"    \")");
  EXPECT_EQ(code_of("1'000'000 + 'a'"), "1'000'000 + ' '");
  EXPECT_EQ(code_of("#include \"a/b.h\" x"), "#include \"a/b.h\" x");
  EXPECT_EQ(code_of("x = R\"(throw)\" + y"), "x =            + y");
}

}  // namespace
}  // namespace dunlin::tidy
