// SPDX-License-Identifier: MIT
#include "node/identity/place_mark.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sys/stat.h>

#include "node/identity/identity.h"
#include "node/identity/private_file.h"

// An agent that starts in a copy of another one's directory has the same identity, and would take
// its tasks, its name and its room on this machine before any peer could tell it. So each directory
// says where it is; one that says another place, where the same identity still lies, is the copy,
// whether or not an agent runs there. It does not count that a directory was moved, mounted
// elsewhere or brought back from a backup: then the place that it names holds nothing else.
namespace dunlin::node {
namespace {

constexpr const char* kFile = "place";

std::string real_path(const std::filesystem::path& path) {
  const std::unique_ptr<char, void (*)(void*)> found(
      ::realpath(path.c_str(), nullptr), [](void* text) { std::free(text); });
  return found ? found.get() : "";
}

std::string read_mark(const std::filesystem::path& directory) {
  auto text = read_private_file(directory / kFile, 0, PATH_MAX);
  if (!text) return "";
  if (text->ends_with('\n')) text->pop_back();
  return *text;
}

bool is_same(const std::string& a, const std::string& b) {
  struct stat one{};
  struct stat other{};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 &&
      one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

std::optional<std::string> find_original(const std::filesystem::path& directory) {
  const std::string marked = read_mark(directory);
  const std::string here = real_path(directory);
  if (!marked.starts_with('/') || here.empty() || marked == here) return std::nullopt;
  if (is_same(marked, here)) return std::nullopt;
  const auto original = Identity::load(marked);
  const auto own = Identity::load(directory);
  if (!original || !own || original->id() != own->id()) return std::nullopt;
  return marked;
}

Result<void> mark_place(const std::filesystem::path& directory) {
  const std::string here = real_path(directory);
  if (here.empty() || read_mark(directory) == here) return {};
  return write_private_file(directory / kFile, here + "\n", true);
}

std::string directory_mark(const std::filesystem::path& directory) {
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%llx-%llx", static_cast<unsigned long long>(found.st_dev),
      static_cast<unsigned long long>(found.st_ino));
  return text;
}

}  // namespace dunlin::node
