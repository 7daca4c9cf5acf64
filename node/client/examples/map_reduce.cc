// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <dunlin/client.hpp>
#include <filesystem>
#include <vector>

// Map and reduce over files: a task counts the words of each text of a folder, and a second job,
// which starts when all of them have succeeded, adds them up. The nodes must share the folder.
namespace {

constexpr const char* kMap = R"(tr -cs A-Za-z '\n' <"$0" | sort | uniq -c >"$0.counts")";
constexpr const char* kReduce =
    R"(cat "$0"/*.counts | awk '{n[$2] += $1} END {for (w in n) print n[w], w}' |
sort -rn | head -3)";

std::string map_job(const std::string& folder) {
  std::vector<std::string> texts;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".txt") texts.push_back(file.path());
  }
  // A folder has no order, and tasks are to have the same numbers each time.
  std::sort(texts.begin(), texts.end());
  std::string entries;
  for (const std::string& text : texts) {
    entries += (entries.empty() ? "" : ",") + dunlin::json_quoted(text);
  }
  // As an argument, not within the script: a name with blanks or quotes stays one word.
  const std::vector<std::string> command = {"sh", "-c", kMap, "%{ENTRY}"};
  return dunlin::command_job(command, R"("demand":{"cpu_milli":500},"entries":[)" + entries + "]");
}

std::string reduce_job(const std::string& folder, const std::string& after) {
  const std::vector<std::string> command = {"sh", "-c", kReduce, folder};
  std::string job = dunlin::command_job(command);
  job.insert(1, R"("after_jobs":[{"job":)" + dunlin::json_quoted(after) + "}],");
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: map_reduce FOLDER [SOCKET...]\n");
    return 2;
  }
  const std::string folder = argv[1];
  try {
    dunlin::Client client(std::vector<std::string>(argv + 2, argv + argc));
    const dunlin::Job map = client.submit(map_job(folder));
    // id() waits until the agent has taken the first job: before that it has no name to wait for.
    const dunlin::Job reduce = client.submit(reduce_job(folder, map.id()));
    const dunlin::JobInfo info = reduce.wait();
    if (!info.succeeded()) {
      std::fprintf(stderr, "map_reduce: job %s is %s\n", info.id.c_str(), info.state.c_str());
      return 1;
    }
    std::fputs(reduce.output().read_all().c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "map_reduce: %s\n", error.what());
    return 1;
  }
}
