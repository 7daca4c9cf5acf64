// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/cluster_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/toml.h"
#include "node/identity/private_file.h"
#include "tools/dunlin/json.h"

// The memory of the desk about a cluster: which hosts it has, in TOML, so that a person can mend
// it. It is no source of truth. Each step looks at the host itself, and a file that is lost costs
// no more than saying the hosts again.
namespace dunlin::cli {
namespace {

/// kLaunchHostsMax hosts with a kilobyte of settings each.
constexpr std::size_t kClusterBytesMax = 4 << 20;
/// As of a label in DNS.
constexpr std::size_t kClusterNameMax = 63;
/// Rights of others to change the file: it says where their commands go.
constexpr unsigned kForbiddenRights = 022;

/// `text` as TOML has it: what JSON escapes TOML escapes alike.
std::string toml_quoted(std::string_view text) {
  return compact(Json(text));
}

std::string list_text(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() == 1 ? "" : ", ") + toml_quoted(text);
  return out + "]";
}

/// "PATH:LINE: ", which editors and compilers make a link of.
std::string place_text(const std::string& path, const toml::node& node) {
  return path + ":" + std::to_string(node.source().begin.line) + ": ";
}

tl::unexpected<Error> bad_value(
    const std::string& path, const toml::node& node, std::string_view key, const char* must_be) {
  return failure(ErrorKind::usage,
      place_text(path, node) + std::string(key) + " must be " + must_be +
          "; `dunlin launch` writes this file");
}

/// Reads one table, key by key. The first value that is wrong is told.
class ClusterReader {
 public:
  explicit ClusterReader(const std::string& path) : path_(path) {}

  Result<void> text(std::string_view key, const toml::node& node, std::string& into) {
    const auto* const value = node.as_string();
    if (value == nullptr) return bad_value(path_, node, key, "a text");
    into = value->get();
    return {};
  }

  Result<void> settings(
      std::string_view key, const toml::node& node, std::vector<std::string>& into) {
    const auto* const list = node.as_array();
    if (list == nullptr) return bad_value(path_, node, key, "a list of KEY=VALUE");
    for (const toml::node& each : *list) {
      const auto* const value = each.as_string();
      // Settings become words of a command on other machines: what could be none is told here, with
      // its line.
      if (value == nullptr || !check_setting(value->get())) {
        return bad_value(path_, each, key, "a list of KEY=VALUE");
      }
      into.push_back(value->get());
    }
    return {};
  }

  Result<void> host(const toml::table& table, std::vector<LaunchHost>& hosts) {
    // The one key without which a table means nothing; it is read first because the others depend
    // on the host that it makes.
    const auto* const word = table.get_as<std::string>("host");
    if (word == nullptr) {
      return failure(ErrorKind::usage, place_text(path_, table) + "this host lacks the key host");
    }
    const std::string words[] = {word->get()};
    // As on the command line, so that both have one grammar; but a file names no other file.
    auto parsed = parse_hosts(words, [](const std::string& file) -> Result<std::string> {
      return failure(ErrorKind::usage, "@" + file + " may not stand here");
    });
    if (!parsed) {
      return failure(ErrorKind::usage, place_text(path_, *word) + parsed.error().text);
    }
    if (parsed->size() != 1) return bad_value(path_, *word, "host", "one host");
    LaunchHost& host = parsed->front();
    for (const auto& [key, node] : table) {
      Result<void> read;
      if (key == "directory") {
        read = text("directory", node, host.directory);
      } else if (key == "address") {
        read = text("address", node, host.address);
      } else if (key == "set") {
        read = settings("set", node, host.settings);
      } else if (key != "host") {
        read = bad_key(node, key.str(), "host, directory, address, set");
      }
      if (!read) return read;
    }
    hosts.push_back(std::move(host));
    return {};
  }

  Result<void> bad_key(const toml::node& node, std::string_view key, const char* known) {
    return failure(ErrorKind::usage,
        place_text(path_, node) + "no such key: " + std::string(key) + "; known are: " + known);
  }

 private:
  const std::string& path_;
};

}  // namespace

LaunchHost* ClusterFile::find(std::string_view text) {
  const auto found =
      std::ranges::find_if(hosts, [&](const LaunchHost& host) { return host.text() == text; });
  return found == hosts.end() ? nullptr : &*found;
}

void ClusterFile::merge(const std::vector<LaunchHost>& launched) {
  for (const LaunchHost& host : launched) {
    // By the text that people say: an agent may have another address after each start.
    LaunchHost* const known = find(host.text());
    if (known == nullptr) {
      hosts.push_back(host);
      continue;
    }
    // Said again without terms, a host keeps those that it has.
    if (host.cpus != 0) known->cpus = host.cpus;
    if (!host.settings.empty()) known->settings = host.settings;
  }
}

Result<void> check_cluster_name(const std::string& name) {
  const bool is_name = !name.empty() && name.size() <= kClusterNameMax && name.front() != '-' &&
      std::ranges::all_of(name, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            c == '_' || c == '-';
      });
  if (is_name) return {};
  return failure(ErrorKind::usage,
      "--cluster: '" + name + "' is no name of a cluster: 1 to 63 of a-z A-Z 0-9 _ -");
}

std::string cluster_path(const std::string& name, std::string_view ending) {
  // A relative path counts as none: so the XDG specification has it.
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  const std::string folder = config != nullptr && *config == '/'
      ? config
      : std::string(home != nullptr && *home == '/' ? home : "/tmp") + "/.config";
  return folder + "/dunlin/clusters/" + name + std::string(ending);
}

// Only what was said, no defaults: those of a later version hold for a cluster that never chose.
std::string format_cluster(const ClusterFile& cluster) {
  std::string out =
      "# Written by `dunlin launch`: which hosts this cluster has. It holds no key.\n";
  if (!cluster.ssh_config.empty()) out += "ssh_config = " + toml_quoted(cluster.ssh_config) + "\n";
  if (!cluster.directory.empty()) out += "directory = " + toml_quoted(cluster.directory) + "\n";
  if (!cluster.settings.empty()) out += "set = " + list_text(cluster.settings) + "\n";
  for (const LaunchHost& host : cluster.hosts) {
    // In the grammar of the command line, so that a line can be copied from here to there.
    const std::string cpus = host.cpus == 0 ? "" : std::to_string(host.cpus) + "/";
    out += "\n[[host]]\nhost = " + toml_quoted(cpus + host.text()) + "\n";
    if (!host.directory.empty()) out += "directory = " + toml_quoted(host.directory) + "\n";
    if (!host.address.empty()) out += "address = " + toml_quoted(host.address) + "\n";
    if (!host.settings.empty()) out += "set = " + list_text(host.settings) + "\n";
  }
  return out;
}

// Strict, unlike a reader of messages: a key with a slip in it would be dropped by the next write.
Result<ClusterFile> parse_cluster(const std::string& text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return failure(ErrorKind::usage,
        path + ":" + std::to_string(parsed.error().source().begin.line) + ": " +
            std::string(parsed.error().description()));
  }
  ClusterFile cluster;
  ClusterReader reader(path);
  for (const auto& [key, node] : parsed.table()) {
    Result<void> read;
    if (key == "ssh_config") {
      read = reader.text("ssh_config", node, cluster.ssh_config);
    } else if (key == "directory") {
      read = reader.text("directory", node, cluster.directory);
    } else if (key == "set") {
      read = reader.settings("set", node, cluster.settings);
    } else if (key == "host" && node.is_array_of_tables()) {
      for (const toml::node& each : *node.as_array()) {
        read = reader.host(*each.as_table(), cluster.hosts);
        if (!read) break;
      }
    } else {
      read = reader.bad_key(node, key.str(), "ssh_config, directory, set, [[host]]");
    }
    if (!read) return tl::unexpected(read.error());
    // While it is read: the file may have grown by a mistake of a script.
    if (cluster.hosts.size() > kLaunchHostsMax) {
      return failure(
          ErrorKind::usage, path + ": more than " + std::to_string(kLaunchHostsMax) + " hosts");
    }
  }
  return cluster;
}

Result<ClusterFile> load_cluster(const std::string& name) {
  const std::string path = cluster_path(name, ".toml");
  const auto text = node::read_private_file(path, kForbiddenRights, kClusterBytesMax);
  if (!text) return tl::unexpected(text.error());
  return parse_cluster(*text, path);
}

Result<void> save_cluster(const std::string& name, const ClusterFile& cluster) {
  const std::string path = cluster_path(name, ".toml");
  std::error_code ignored;  // The write tells better what is wrong with the folder.
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  // At once whole: a desk that loses power has the old list or the new one.
  return node::write_private_file(path, format_cluster(cluster), true);
}

}  // namespace dunlin::cli
