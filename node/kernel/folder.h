// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>
#include <vector>

#include "overlay/result.h"

namespace dunlin::node {

/// A directory, held by its descriptor. Names are below it, such as "a/b/c", and none of their
/// steps may be a symbolic link: what was prepared in a directory of this process leads nowhere
/// else. Each call that fails leaves errno; that of a link is ELOOP or ENOTDIR.
class Folder {
 public:
  /// An empty one.
  Folder() = default;
  /// Fails if `path` is no directory that can be entered, or is a symbolic link itself.
  static Result<Folder> open(const std::string& path);
  /// A directory in this one; empty if it cannot be entered. Test it.
  Folder folder(std::string_view name) const;

  explicit operator bool() const { return descriptor_ != nullptr; }
  /// -1 if it is empty. It lasts as long as this.
  int descriptor() const { return descriptor_ == nullptr ? -1 : *descriptor_; }

  /// Opens a file, which the caller closes; -1 if that fails. Never waits for the other end of a
  /// pipe.
  int open_file(std::string_view name, int flags, mode_t mode = 0600) const;
  /// True if it is a directory now.
  bool make_directory(std::string_view name) const;
  bool rename(std::string_view from, std::string_view to) const;
  bool unlink(std::string_view name) const;
  /// Only an empty one.
  bool remove_directory(std::string_view name) const;
  /// Deletes a file, or a directory with all in it, kDepthMax deep at most.
  void remove_all(std::string_view name) const;
  /// Of a link: of itself.
  bool look_at(std::string_view name, struct stat& found) const;
  /// The names in a directory of this one; "": of this one. In no order.
  std::vector<std::string> names(std::string_view name = {}) const;

  static constexpr int kDepthMax = 16;

 private:
  explicit Folder(int descriptor);

  /// Where the last step of a name is.
  struct Place;
  Place place_of(std::string_view name) const;
  void remove_all(int parent, const char* name, int depth) const;

  std::shared_ptr<const int> descriptor_;
};

}  // namespace dunlin::node
