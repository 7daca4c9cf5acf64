// SPDX-License-Identifier: MIT
#include "tools/benchmarks/process.h"

#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

// POSIX has it declared by the program itself.
extern char** environ;

// Processes and their costs, from /proc. What fails throws: a measurement that half worked is worse
// than none.
namespace dunlin::bench {

pid_t spawn(const Command& command, const std::string& stdin_file, const std::string& stdout_file) {
  std::vector<char*> words;
  // posix_spawn() takes words that are not const, and leaves them as they are.
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, stdin_file.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(
      &files, 1, stdout_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error(command[0] + ": " + std::strerror(error));
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  // A signal that this process handles ends the wait, not the child.
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // As a shell tells it.
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void run(const Command& command, const std::string& stdin_file) {
  const int status = wait_for(spawn(command, stdin_file));
  if (status == 0) return;
  std::string text;
  for (const std::string& word : command) text += word + " ";
  throw std::runtime_error(text + "ended with status " + std::to_string(status));
}

// Through a file, not a pipe: the process measured must never wait for this one to read.
std::string output_of(const Command& command) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("dunlin-bench-out-" + std::to_string(getpid()));
  const int status = wait_for(spawn(command, "/dev/null", path));
  const std::string text = read_file(path);
  std::filesystem::remove(path);
  if (status != 0) throw std::runtime_error(command[0] + " " + command[1] + " failed");
  return text;
}

double seconds_of(const Command& command, const std::string& stdin_file) {
  const auto begin = std::chrono::steady_clock::now();
  run(command, stdin_file);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

namespace {

/// The fields of /proc/PID/stat behind the name, which may hold blanks; [0] is the state.
std::vector<std::string> stat_of(pid_t process) {
  const std::string text = read_file("/proc/" + std::to_string(process) + "/stat");
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::vector<std::string> words;
  for (std::string word; fields >> word;) words.push_back(word);
  return words;
}

}  // namespace

// A process that ends while this looks has an empty stat, and is left out.
std::vector<pid_t> descendants_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto process = static_cast<pid_t>(std::stol(name));
    const auto stat = stat_of(process);
    if (stat.size() < 2 || stat[1] != std::to_string(parent)) continue;
    found.push_back(process);
    for (const pid_t below : descendants_of(process)) found.push_back(below);
  }
  return found;
}

std::chrono::duration<double> cpu_of(pid_t process) {
  // A process that has ended meanwhile has no such fields.
  const auto stat = stat_of(process);
  if (stat.size() < 13) return {};
  // utime and stime, of all its threads.
  const double ticks = std::stod(stat[11]) + std::stod(stat[12]);
  return std::chrono::duration<double>(ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

double resident_of(pid_t process) {
  // Pages: the size of the address space, then the resident ones.
  std::istringstream pages(read_file("/proc/" + std::to_string(process) + "/statm"));
  double all = 0;
  double resident = 0;
  pages >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace dunlin::bench
