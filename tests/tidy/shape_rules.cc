// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string_view>

#include "tests/tidy/rules.h"
#include "tests/tidy/scopes.h"
#include "tests/tidy/source_text.h"

// The bounds on what a reader must hold in mind at once: a file, a function, a class.
namespace dunlin::tidy {
namespace {

constexpr std::size_t kSourceLinesMax = 350;
constexpr std::size_t kOtherLinesMax = 400;  // Schemas and build files.
constexpr std::size_t kFunctionLinesMax = 60;
constexpr std::size_t kMethodsMax = 30;

/// A file, or a function or a class in it, that may be larger, and why.
struct Exception {
  std::string_view path;
  std::string_view name;
  std::string_view reason;
};
using Exceptions = std::vector<Exception>;

const Exceptions& long_files() {
  static const Exceptions table = {
      {"tests/unit/cli/jobs/job_file_test.cc", "", "a test for each word of a job file"},
  };
  return table;
}

/// None is left; a new one needs a reason that a reader of the function would give, too.
const Exceptions& long_functions() {
  static const Exceptions table = {};
  return table;
}

const Exceptions& large_classes() {
  static const Exceptions table = {
      {"tests/support/cell_world.h", "CellWorld",
          "a test world: each verb of the tests is a method"},
      {"tests/support/memory_store.h", "MemoryStore",
          "a record of each kind is put and asked for by a method"},
      {"tests/support/raft_world.h", "RaftWorld",
          "a test world: each verb of the tests is a method"},
      {"tests/support/world.h", "World", "a test world: each verb of the tests is a method"},
      {"tests/unit/node/control/fake_agent.h", "FakeAgent",
          "a test agent: each method of its ports, and what tests make it hear"},
  };
  return table;
}

bool is_cpp(const File& file) {
  return file.path.ends_with(".h") || file.path.ends_with(".cc");
}
bool is_other_code(const File& file) {
  return file.path.ends_with(".capnp") || file.path.ends_with(".cmake") ||
      file.path.ends_with("CMakeLists.txt");
}

/// Judges one file: finds what is too large, and notes the exceptions that it has used.
class Judge {
 public:
  Judge(const File& file, std::vector<Finding>& findings) : file_(file), findings_(findings) {}

  /// `what` names the thing: "function f: 61 lines". Nothing is said of what `table` excepts.
  void exceeds(const Exceptions& table,
      std::string_view name,
      std::size_t line,
      const std::string& what,
      const char* cure) {
    const auto excepted = std::ranges::find_if(
        table, [&](const Exception& each) { return each.path == file_.path && each.name == name; });
    if (excepted != table.end()) {
      used_.push_back(&*excepted);
    } else {
      findings_.push_back({file_.path, line, "shape", what + ": " + cure});
    }
  }
  /// An exception that nothing needs any more would let the next one in unseen.
  void check_used(const Exceptions& table) {
    for (const Exception& each : table) {
      if (each.path != file_.path || std::ranges::find(used_, &each) != used_.end()) continue;
      findings_.push_back({file_.path, 0, "shape",
          std::string(each.name) + " is small now: take its exception out of " +
              "tests/tidy/shape_rules.cc"});
    }
  }

 private:
  const File& file_;
  std::vector<Finding>& findings_;
  std::vector<const Exception*> used_;
};

void check_lines(const File& file, Judge& judge) {
  const auto count = lines_of(file.text).size();
  if (count <= (is_cpp(file) ? kSourceLinesMax : kOtherLinesMax)) return;
  judge.exceeds(
      long_files(), "", 0, std::to_string(count) + " lines", "a file holds one concept, split it");
}

void check_scopes(const File& file, Judge& judge) {
  for (const Scope& scope : scopes_of(code_of(file.text))) {
    const auto lines = scope.last - scope.first + 1;
    if (scope.kind == Scope::Kind::function && lines > kFunctionLinesMax) {
      judge.exceeds(long_functions(), scope.name, scope.first,
          "function " + scope.name + ": " + std::to_string(lines) + " lines",
          "name its steps, a function each");
    }
    if (scope.kind == Scope::Kind::type && scope.methods > kMethodsMax) {
      judge.exceeds(large_classes(), scope.name, scope.first,
          "class " + scope.name + ": " + std::to_string(scope.methods) + " methods",
          "a class has one responsibility, split it");
    }
  }
}

}  // namespace

std::vector<Finding> check_shape(const std::vector<File>& files) {
  std::vector<Finding> findings;
  for (const File& file : files) {
    if (!is_cpp(file) && !is_other_code(file)) continue;
    Judge judge(file, findings);
    check_lines(file, judge);
    if (is_cpp(file)) check_scopes(file, judge);
    for (const auto* table : {&long_files(), &long_functions(), &large_classes()}) {
      judge.check_used(*table);
    }
  }
  return findings;
}

}  // namespace dunlin::tidy
