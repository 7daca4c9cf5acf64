// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/result.h"

namespace dunlin::node {

/// A node's name is part of its jobs' names, NODE.NUMBER, so it must not read as something else: it
/// is a host name, of letters, digits, '-', '_' and '.', with at least one letter, beginning with a
/// letter or a digit; not "last" or "all", which stand for jobs, nor 16 hexadecimal digits, which
/// are an id; at most sched::Facts::kNameMax bytes. Fails with `usage`, naming the rule. Nodes of
/// earlier builds have other names, which go on being understood.
Result<void> check_node_name(std::string_view name);

/// The name of a machine as that of a node: as it is, if it may be; else what it may be.
std::string node_name_of(std::string_view hostname);

}  // namespace dunlin::node
