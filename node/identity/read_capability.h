// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::node {

/// CAP_DAC_READ_SEARCH, which a service may give to an agent that is not root: it reads the cluster
/// key with it, and its warden enters directories with it. It is in effect only while one of these
/// lives, because tasks run as the same user and could lead the agent's other reads astray, say by
/// a link. Nothing happens to a process that has no such capability, or is root.
class ReadCapability {
 public:
  ReadCapability();
  ~ReadCapability();
  ReadCapability(const ReadCapability&) = delete;
  ReadCapability& operator=(const ReadCapability&) = delete;

  /// Takes it out of effect, and keeps it for later and for the warden. Before threads begin.
  static void rest();
};

}  // namespace dunlin::node
