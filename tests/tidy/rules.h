// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dunlin::tidy {

/// A file of the repository: its path from the root, with '/', and all it holds.
struct File {
  std::string path;
  std::string text;
};

/// A place where a rule is broken, and what to do instead.
struct Finding {
  std::string path;
  std::size_t line = 0;  ///< From 1; 0 means the file as a whole.
  std::string rule;      ///< Its short name, e.g. "layers".
  std::string advice;
};

/// "sched/job.cc:12: [layers] ...", as compilers write it.
std::string to_string(const Finding& finding);

// The rules, each on the whole set of files: some need more than one. All are pure.

/// An #include must point down the layers (design: overlay <- sched <- node | sim <- tools, tests).
std::vector<Finding> check_layers(const std::vector<File>& files);
/// Protocol code reads no clock, no chance, no environment, makes no threads and does not throw.
std::vector<Finding> check_banned_words(const std::vector<File>& files);
/// Protocol code has no variable that outlives a call but in an object.
std::vector<Finding> check_globals(const std::vector<File>& files);
/// Protocol code never walks a hash table: its order differs between machines.
std::vector<Finding> check_hash_order(const std::vector<File>& files);
/// Licence line, #pragma once, 100 columns, no tabs, no blanks at line ends, a newline at the end.
std::vector<Finding> check_text(const std::vector<File>& files);
/// A source has 320 lines at most, a function 60, a class 30 methods; but for tables of exceptions
/// with reasons, which must not outlive their need.
std::vector<Finding> check_shape(const std::vector<File>& files);
/// No identifier that was renamed comes back: a table says which word took its place.
std::vector<Finding> check_names(const std::vector<File>& files);
/// Sources stand in a known folder, under snake_case names.
std::vector<Finding> check_folders(const std::vector<File>& files);
/// No path of somebody's machine; nothing left to do without its reason.
std::vector<Finding> check_prose(const std::vector<File>& files);

/// No two headers define a type of one name: linked into one program, one of them would win.
std::vector<Finding> check_definitions(const std::vector<File>& files);

/// A file includes, directly or not, the header of each type of ours that it names. A build of many
/// files at once hides it when one does not.
std::vector<Finding> check_includes(const std::vector<File>& files);

/// A folder inside a layer knows only the folders that a table names, and has at most 45 sources.
std::vector<Finding> check_rooms(const std::vector<File>& files);

/// The targets of links and the files that pages name exist; so do the pages that comments name.
/// Pages have 110 columns, and those of docs/ are in the table of contents of the site.
std::vector<Finding> check_links(const std::vector<File>& files);

/// All of the above.
std::vector<Finding> check_all(const std::vector<File>& files);

}  // namespace dunlin::tidy
