// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/script_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "node/task/placeholders.h"
#include "node/task/task_script.h"
#include "tools/dunlin/jobs/input_list.h"

// A script is read when its job is submitted, and its text goes along with the job: the file may
// change or vanish the moment after, and no node needs to see it.
namespace dunlin::cli {
namespace {

struct CloseScript {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

tl::unexpected<Error> unread(const std::string& path) {
  // The user named it, so a file that is not there is a wrong word.
  return failure(ErrorKind::usage, path + ": " + std::strerror(errno));
}

/// The program by the #! line. All that env runs would be called "env".
std::string program_of_script(std::string_view script) {
  const auto interpreter = node::interpreter_of(script);
  if (!interpreter) return "script";
  std::string_view rest = interpreter->argument;
  while (interpreter->program.ends_with("/env") && !rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (!word.empty() && !word.starts_with('-')) return std::string(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return interpreter->program;
}

}  // namespace

Result<std::string> read_script(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseScript> file(std::fopen(path.c_str(), "r"));
  if (!file) return unread(path);
  node::TaskSpec spec;
  char piece[65536];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, file.get())) {
    spec.script.append(piece, size);
    // While it is read: what is named may have no end.
    if (spec.script.size() > node::TaskSpec::kScriptMax) {
      return failure(ErrorKind::usage,
          path +
              ": larger than 1 MiB, which is the most of a script that travels with its job: "
              "put it where all nodes can read it, and name it as the command");
    }
  }
  if (std::ferror(file.get()) != 0) return unread(path);
  if (spec.script.empty()) return failure(ErrorKind::usage, path + ": the script is empty");
  if (auto fine = node::check_script(spec); !fine) {
    return failure(ErrorKind::usage, path + ": " + fine.error().text);
  }
  return std::move(spec.script);
}

Result<JobRequest> with_files(Result<JobRequest> request, const std::string& directory) {
  if (!request) return request;
  const auto path_of = [&](const std::string& path) {
    return path.front() == '/' ? path : directory + "/" + path;
  };
  for (GroupRequest& group : request->groups) {
    if (!group.script_file.empty()) {
      auto script = read_script(path_of(group.script_file));
      if (!script) {
        return failure(ErrorKind::usage, group.where + "script_file: " + script.error().text);
      }
      group.spec.script = std::move(*script);
    }
    if (group.input_list.empty()) continue;
    auto inputs = read_input_list(path_of(group.input_list));
    if (!inputs) {
      return failure(ErrorKind::usage, group.where + "inputs: " + inputs.error().text);
    }
    group.inputs = std::move(*inputs);
  }
  return request;
}

std::string program_of(const GroupRequest& group) {
  const node::TaskSpec& spec = group.spec;
  if (!group.script_file.empty()) return group.script_file;
  if (!spec.script.empty()) return program_of_script(spec.script);
  if (const node::Word* const shell = node::shell_script(spec.command); shell != nullptr) {
    // All shells are called "sh": the first word of what it runs says more.
    std::string_view text = shell->text;
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
    const std::string_view first = text.substr(0, text.find_first_of(" \t\n;&|()<>'\"`$="));
    if (!first.empty()) return std::string(first);
  }
  return spec.command.front().text;
}

}  // namespace dunlin::cli
