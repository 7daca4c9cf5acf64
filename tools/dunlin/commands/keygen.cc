// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "node/agent_options.h"
#include "node/net/keyring.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"

// A key is rotated in three steps, because nodes get their files one by one: the new key is added
// as the second, which every node then accepts and none uses; when all have it, it is moved to the
// first place. A key file is never overwritten: a cluster whose key is lost takes no member any
// more.
namespace dunlin::cli {
namespace {

Result<node::Keyring> add_key(const std::string& path) {
  const auto keyring = node::Keyring::load(path);
  if (!keyring) return tl::unexpected(keyring.error());
  // Second, not first: as long as some nodes lack it, what it sealed would not open there.
  return keyring->with_new_key(false);
}

}  // namespace

Result<int> keygen(const Globals& globals, const KeygenOptions& options) {
  const std::string path = options.output.empty() ? node::default_key_file() : options.output;
  if (!options.add) {
    std::error_code ignored;  // save() reports better what is wrong with the directory.
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  }
  // A name before the command is one for any command, but means the same here.
  const std::string& cluster =
      globals.agent.cluster.empty() ? options.cluster : globals.agent.cluster;
  const auto keyring = options.add ? add_key(path) : node::Keyring::generate(cluster);
  if (!keyring) return tl::unexpected(keyring.error());
  // Without --add an existing file is refused: a key that is lost parts its cluster for good.
  if (auto saved = keyring->save(path, options.add); !saved) {
    if (saved.error().kind == ErrorKind::refused) {
      saved.error().text += "; to rotate keys, add one to it with --add";
    }
    return tl::unexpected(saved.error());
  }
  if (globals.json) {
    print_json("dunlin.keygen/1",
        {{"path", path}, {"cluster", keyring->cluster()}, {"keys", keyring->keys().size()}});
  } else if (options.add) {
    // The order is the user's to keep, as no command sees the files of the other nodes.
    std::printf(
        "%s now holds %zu keys. Copy it to every node; when all have it, move the new key "
        "(the last line) to the first place and copy it again.\n",
        path.c_str(), keyring->keys().size());
  } else {
    std::printf(
        "wrote %s, the key of cluster \"%s\". Copy it to every node; whoever has it is a "
        "member.\n",
        path.c_str(), keyring->cluster().c_str());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
