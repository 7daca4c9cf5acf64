// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tidy/rules.h"

namespace dunlin::tidy {
namespace {

using ::testing::HasSubstr;

/// What check_includes() says of sched/a.h, which defines sched::Job, and of `others`.
std::string findings(std::vector<File> others) {
  others.push_back({"sched/a.h", "namespace dunlin::sched {\nstruct Job {\n};\n}\n"});
  std::string text;
  for (const auto& finding : check_includes(others)) text += to_string(finding) + "\n";
  return text;
}

// A header once named a type that only the files compiled before it in the same unit included.
TEST(IncludeRules, AFileIncludesTheTypesThatItNames) {
  EXPECT_THAT(findings({{"node/b.h", "\nint f(const sched::Job& job);\n"}}),
      HasSubstr("node/b.h:2: [includes] Job is defined in sched/a.h: include that"));
  EXPECT_EQ(findings({{"node/b.h", "#include \"sched/a.h\"\nint f(sched::Job);\n"}}), "");
  EXPECT_EQ(findings({{"node/b.h", "#include \"sched/a.h\"\n"},
                {"node/b.cc", "#include \"node/b.h\"\nint f(sched::Job);\n"}}),
      "");
}

TEST(IncludeRules, AForwardDeclarationOrATypeOfItsOwnWillDo) {
  EXPECT_EQ(findings({{"sched/b.h", "struct Job;\nint f(Job&);\n"}}), "");
  EXPECT_EQ(
      findings({{"sched/b.h", "class B {\n  struct alignas(64) Job {};\n  Job job_;\n};\n"}}), "");
  EXPECT_EQ(findings({{"sched/b.h", "template <typename Job>\nint f(Job&);\n"}}), "");
}

TEST(IncludeRules, OtherTypesOfThatNameAreNotMeant) {
  EXPECT_EQ(findings({{"node/b.h", "int f(library::Job&);\n"}}), "");
  EXPECT_EQ(findings({{"node/b.h", "int a = b.Job + c->Job;\n"}}), "");
  EXPECT_EQ(findings({{"overlay/b.h", "int f(Job&);\n"}}), "");
  EXPECT_EQ(findings({{"tests/b.cc", "TEST(Job, Ends) {\n}\n"}}), "");
}

TEST(IncludeRules, SchemasDefineTypesAndNameWhatTheirHeadersInclude) {
  const File schema = {"sched/message.capnp",
      "$Plain.namespace(\"dunlin::sched\");\n$Plain.include(\"sched/a.h\");\nstruct Done {\n"};
  EXPECT_EQ(findings({schema,
                {"node/b.h", "#include \"sched/message.h\"\nint f(sched::Job, sched::Done);\n"}}),
      "");
  EXPECT_EQ(
      findings({schema, {"node/b.h", "#include \"sched/message_fwd.h\"\nint f(sched::Done&);\n"}}),
      "");
  EXPECT_THAT(findings({schema, {"node/b.h", "int f(sched::Done);\n"}}),
      HasSubstr("Done is defined in sched/message.h"));
}

}  // namespace
}  // namespace dunlin::tidy
