// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/launch_terms.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gnu/libc-version.h>
#include <sodium.h>
#include <sstream>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

#include "node/program_path.h"

// The programs that travel are those that run here, so a cluster is of one build. They lie in a
// directory that is named after their hash: two builds stand side by side on a host, and an upgrade
// that is broken off leaves the old one whole.
namespace dunlin::cli {
namespace {

/// The programs that an agent needs on a host: itself, its warden, and the tool that asks it how it
/// is.
constexpr const char* kTravelling[] = {"dunlin", "dunlin-agent", "dunlin-warden"};

/// As sha256sum prints it, with which a host compares what arrived.
std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(
      hash.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  std::string hex;
  for (const unsigned char byte : hash) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    hex += two;
  }
  return hex;
}

Result<std::string> program_file(const std::string& folder, const std::string& name) {
  if (folder.empty()) {
    // The agent looks for its warden where this says; so it may be elsewhere in a build, too.
    const bool is_warden = name == "dunlin-warden" && std::getenv("DUNLIN_WARDEN") != nullptr;
    return node::find_program(name, is_warden ? "DUNLIN_WARDEN" : nullptr);
  }
  // The folder of a build, the bin of an installation, or its prefix.
  for (const char* const below : {"/", "/bin/", "/../lib/dunlin/", "/lib/dunlin/"}) {
    std::string path = folder + below + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return failure(ErrorKind::not_found, "--programs " + folder + " holds no program " + name);
}

Result<std::string> bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return failure_of(errno != 0 ? errno : EIO, path);
  return std::move(text).str();
}

}  // namespace

Result<LaunchPrograms> read_programs(const std::string& folder) {
  LaunchPrograms programs;
  utsname machine{};
  if (::uname(&machine) == 0) programs.arch = machine.machine;
  programs.libc = std::string("glibc ") + ::gnu_get_libc_version();
  std::string sums;
  for (const char* const name : kTravelling) {
    const auto path = program_file(folder, name);
    if (!path) return tl::unexpected(path.error());
    auto bytes = bytes_of_file(*path);
    if (!bytes) return tl::unexpected(bytes.error());
    programs.files.push_back({name, sha256_hex(*bytes), std::move(*bytes)});
    sums += programs.files.back().sum;
  }
  // 64 bits: enough to tell builds apart, and short in paths of sockets and in `ps`.
  constexpr std::size_t kDirectoryDigits = 16;
  programs.hash = sha256_hex(sums).substr(0, kDirectoryDigits);
  return programs;
}

}  // namespace dunlin::cli
