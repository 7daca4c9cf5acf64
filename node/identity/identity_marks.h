// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "overlay/result.h"

namespace dunlin::node {

/// The numbers that an identity has used up and must never use again, whatever becomes of the
/// database: its highest incarnation and its highest job number. They stand in
/// `<directory>/identity.marks`, beside the identity, so they stay when a user moves the database
/// away or brings an old one back.
class IdentityMarks {
 public:
  /// Zeros, if there is no such file yet. A damaged one counts as none, and damage() names it.
  /// Fails, naming the file, if it cannot be read.
  static Result<IdentityMarks> open(const std::filesystem::path& directory);
  ~IdentityMarks();
  IdentityMarks(IdentityMarks&& other) noexcept;
  IdentityMarks& operator=(IdentityMarks&&) = delete;

  std::uint32_t incarnation() const { return incarnation_; }
  std::uint32_t job_last() const { return job_last_; }
  /// The damage in the file, and its meaning; empty if there is none.
  const std::string& damage() const { return damage_; }

  /// Durable when it returns: peers must not hear of an incarnation that a power cut can undo.
  Result<void> raise_incarnation(std::uint32_t incarnation);
  /// A job of this number was accepted. The agent's death does not undo it, a power cut may: it
  /// costs too much to wait for the disk, and jobs differ by their lineage, too.
  void use_job(std::uint32_t number);

 private:
  explicit IdentityMarks(std::filesystem::path path) : path_(std::move(path)) {}
  std::string text() const;

  std::filesystem::path path_;
  std::uint32_t incarnation_ = 0;
  std::uint32_t job_last_ = 0;
  std::string damage_;
  int file_ = -1;  ///< Used by use_job(), once the file is there.
};

/// The incarnation that follows `used`, the highest used as far as is known. It is not below the
/// UNIX time: a node that forgot what it used is still later than it was. Fails (`corrupt`) if
/// there is none left.
Result<std::uint32_t> incarnation_after(std::uint32_t used, std::int64_t unix_seconds);

}  // namespace dunlin::node
