// SPDX-License-Identifier: MIT
#include "node/control/use/enforced.h"

namespace dunlin::node {
namespace {

constexpr std::string_view kDisk = "+disk";
constexpr std::string_view kNet = "+net";

}  // namespace

std::string limits_text(std::string_view word, bool limits_disk, bool limits_net) {
  return std::string(word) + std::string(limits_disk ? kDisk : "") +
      std::string(limits_net ? kNet : "");
}

Json enforced_json(std::string_view limits) {
  const auto word = limits.substr(0, limits.find('+'));
  const bool disk = limits.find(kDisk) != std::string_view::npos;
  const bool net = limits.find(kNet) != std::string_view::npos;
  Json json = {{"cpu", nullptr}, {"memory", nullptr}, {"disk", nullptr}, {"network", nullptr}};
  if (word == "v2") {
    json["cpu"] = "cpu.weight";
    json["memory"] = "memory.max";
    if (disk) json["disk"] = "io.max";
  } else if (word == "v1") {
    json["cpu"] = "cpu.shares";
    json["memory"] = "memory.limit_in_bytes";
    if (disk) json["disk"] = "blkio.throttle";
  } else if (word == "rlimit") {
    json["memory"] = "watched";
  }
  if (net && (word == "v2" || word == "v1")) json["network"] = "cgroup_skb";
  return json;
}

}  // namespace dunlin::node
