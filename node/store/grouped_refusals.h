// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "node/store/results.h"

namespace dunlin::node {

/// Makes one record of what a user is refused again and again: a hundred thousand refusals a second
/// are no more news than one. The first of equal ones is recorded at once, the number of the others
/// when their minute is over.
class GroupedRefusals {
 public:
  static constexpr std::int64_t kWithin = 60'000'000'000;  ///< ns
  /// Groups of one user at a time that are told apart by what they are about, ...
  static constexpr std::size_t kGroupsPerUser = 32;
  /// ... and of all users; beyond, by the verb alone.
  static constexpr std::size_t kGroupsMax = 4096;

  /// Adds to `out` what is to be recorded by now; `refusal` itself, unless it is one more of a
  /// group.
  void put(ActionRow refusal, std::vector<ActionRow>& out);
  /// Adds the records of groups whose minute is over.
  void close(std::int64_t now, std::vector<ActionRow>& out);
  /// Adds the records of all groups, which are forgotten: nothing more comes.
  void close_all(std::vector<ActionRow>& out);

 private:
  /// By user, whether it came on a stream, verb and object.
  using Key = std::tuple<std::string, bool, std::string, std::string>;
  struct Group {
    std::int64_t begun = 0;
    std::int64_t last = 0;
    std::uint64_t more = 0;  ///< After the first.
  };
  static void record(const Key& key, const Group& group, std::vector<ActionRow>& out);
  std::size_t groups_of(const std::string& user) const;

  /// Groups are looked at so often, which costs more than to count a refusal.
  static constexpr std::int64_t kLook = 1'000'000'000;

  std::map<Key, Group> groups_;
  std::int64_t looked_ = 0;
};

}  // namespace dunlin::node
