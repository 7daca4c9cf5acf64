// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tidy/rules.h"
#include "tests/tidy/scopes.h"
#include "tests/tidy/source_text.h"

// Planted files that are too large, and names that came back: each rule bites.
namespace dunlin::tidy {
namespace {

using ::testing::HasSubstr;

std::string planted(const std::string& path, const std::string& text) {
  std::string report;
  for (const Finding& each : check_shape({{path, text}})) report += to_string(each) + "\n";
  return report;
}

std::string repeated(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

TEST(TidyShape, FilesStaySmall) {
  EXPECT_EQ(planted("sched/a.cc", repeated(350, "//")), "");
  EXPECT_THAT(planted("sched/a.cc", repeated(351, "//")), HasSubstr("[shape] 351 lines"));
  EXPECT_EQ(planted("sched/a.capnp", repeated(400, "#")), "");
  EXPECT_THAT(planted("sched/a.capnp", repeated(401, "#")), HasSubstr("[shape] 401 lines"));
  EXPECT_EQ(planted("README.md", repeated(500, "-")), "");
}

TEST(TidyShape, FunctionsStayShort) {
  const auto function = [](const std::string& head, int lines) {
    return "namespace a {\n" + head + " {\n" + repeated(lines - 2, "  if (x) { y(); }") + "}\n}\n";
  };
  for (const std::string head : {"void run()", "int A::run(int a = {}) const", "TEST(A, B)",
           "template <typename T>\nauto f(T a) -> std::vector<T>", "A::A(int b) : b_{b}, c_(b)"}) {
    const int extra = static_cast<int>(std::ranges::count(head, '\n'));
    EXPECT_EQ(planted("sched/a.cc", function(head, 60 - extra)), "") << head;
    EXPECT_THAT(planted("sched/a.cc", function(head, 61 - extra)), HasSubstr("61 lines")) << head;
  }
  EXPECT_THAT(planted("sched/a.cc", function("int A::run()", 61)),
      HasSubstr("sched/a.cc:2: [shape] function A::run"));
  // Neither a table nor a class is a function.
  EXPECT_EQ(planted("sched/a.cc", function("constexpr Row kRows[] =", 90)), "");
  EXPECT_EQ(planted("sched/a.cc", "class A {\n" + repeated(90, "int a_;") + "};\n"), "");
}

TEST(TidyShape, ClassesHaveFewMethods) {
  const auto type = [](int methods) {
    return "class Wide final : public B<int> {\n public:\n  Wide(const Wide&) = delete;\n"
           "  using F = std::function<void(int)>;\n  friend bool operator==(A, B) = default;\n" +
        repeated(methods - 1, "  int f(int a) const { return a; }") +
        " private:\n  void g();\n  int a_ = h(3);\n  F f_{[](int) {}};\n};\n";
  };
  EXPECT_EQ(planted("sched/a.h", type(30)), "");
  EXPECT_THAT(planted("sched/a.h", type(31)), HasSubstr("a.h:1: [shape] class Wide: 31 methods"));
}

TEST(TidyShape, ScopesAreWhatTheyAre) {
  const auto scopes =
      scopes_of(code_of("namespace a {\n#define B {\nstruct alignas(64) C final : a::D {\n"
                        "  C() : d_{1} {}\n  bool operator<(C) const;\n};\n"
                        "enum class E { f };\n}\n"));
  std::string text;
  for (const Scope& each : scopes) {
    text += std::to_string(static_cast<int>(each.kind)) + " " + each.name + " " +
        std::to_string(each.first) + "-" + std::to_string(each.last) + " " +
        std::to_string(each.methods) + "\n";
  }
  EXPECT_EQ(text, "3  4-4 0\n2 C 4-4 0\n1 C 3-6 2\n3  7-7 0\n0  1-8 0\n");
}

TEST(TidyNames, OldWordsDoNotComeBack) {
  const auto findings = [](const std::string& path, const std::string& text) {
    std::string report;
    for (const Finding& each : check_names({{path, text}})) report += to_string(each) + "\n";
    return report;
  };
  EXPECT_THAT(findings("overlay/a.cc", "\nGraveyard graves_;\n"),
      HasSubstr("overlay/a.cc:2: [names] Graveyard: the word is Tombstones"));
  EXPECT_THAT(findings("sched/a.capnp", "struct Seat {\n"), HasSubstr("HostedReplica"));
  // Prose may say what it likes, and another word is another word.
  EXPECT_EQ(findings("overlay/a.cc", "// A Graveyard.\nf(\"Seat\");\nSeating s;\n"), "");
  EXPECT_EQ(findings("sched/a.capnp", "# A Seat.\n"), "");
  EXPECT_EQ(findings("CHANGELOG.md", "Seat\n"), "");
}

}  // namespace
}  // namespace dunlin::tidy
