// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace dunlin::node {

/// Tells the service manager ("READY=1", "STOPPING=1"), if one started us (Type=notify). Otherwise
/// it does nothing. It never fails, because the notice is only a courtesy.
void notify_service_manager(std::string_view state);

}  // namespace dunlin::node
