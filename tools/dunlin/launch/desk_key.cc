// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/desk_key.h"

#include <filesystem>
#include <system_error>

#include "node/net/keyring.h"
#include "tools/dunlin/launch/cluster_file.h"

// The key is made once, where the first launch is said, and kept there for its user alone. It is
// never made in place of one that is there but cannot be read: that may still be the key of agents
// that run.
namespace dunlin::cli {

Result<DeskKey> desk_key(const std::string& flag, const std::string& cluster, bool may_make) {
  DeskKey key{.path = flag.empty() ? cluster_path(cluster, ".key") : flag, .text = {}};
  const auto found = node::Keyring::load(key.path);
  if (found) {
    key.text = found->format();
    return key;
  }
  std::error_code ignored;
  const bool is_missing = !std::filesystem::exists(key.path, ignored);
  if (!is_missing || !flag.empty()) return tl::unexpected(found.error());
  // A cluster that was launched has its key on its hosts: another one would divide it.
  if (!may_make) return key;
  const auto made = node::Keyring::generate(cluster);
  if (!made) return tl::unexpected(made.error());
  std::filesystem::create_directories(std::filesystem::path(key.path).parent_path(), ignored);
  if (auto saved = made->save(key.path); !saved) return tl::unexpected(saved.error());
  key.text = made->format();
  key.fresh = true;
  return key;
}

}  // namespace dunlin::cli
