// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>

#include "tests/client/library_world.h"

// Where the tasks of libdunlin's jobs run.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

using LibraryPlaces = LibraryWorld;

// As the first program of the guide expects: it builds what is there.
TEST_F(LibraryPlaces, AJobRunsWhereTheProgramIsAndIsNamedByItsCommand) {
  const std::string folder = home + "/sp%{NODE}x";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/build") << "#!/bin/sh\necho built \"$1\"; echo why >&2\n";
  std::filesystem::permissions(folder + "/build", std::filesystem::perms::owner_all);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  dunlin::Client client = open();
  const std::vector<std::string> build = {"./build", "all"};
  const dunlin::Job job = client.submit(dunlin::command_job(build));
  // The text is read later, by the thread of the library.
  std::filesystem::current_path(before);
  const std::vector<std::string> where = {"pwd"};
  const dunlin::Job scratch = client.submit(dunlin::command_job(where, R"("directory":"")"));
  EXPECT_TRUE(job.wait(kLong).succeeded());
  EXPECT_EQ(job.output().read_all(), "built all\n");
  EXPECT_EQ(job.output(0, 2).read_all(), "why\n");
  EXPECT_EQ(agent().client().ok(request("job", {{"job", job.id(kLong)}}))["name"], "build");
  EXPECT_TRUE(scratch.wait(kLong).succeeded());
  EXPECT_THAT(scratch.output().read_all(), HasSubstr("/tasks/")) << "it says so";
}

}  // namespace
}  // namespace dunlin::node
