// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "node/reach/own_choice.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The address that the agent of a data directory tells others, for the process that comes after
/// it: an address that was found out stays, and a process that begins anew to tell another one must
/// not choose the old one again. In `address` of that directory.

/// Empty if there is none, if another port is bound by now, or if others had to say what it is and
/// that was a while ago: the machine may be elsewhere. Of what is damaged nothing is remembered.
std::optional<OwnAddressChoice> remembered_address(
    const std::string& directory, std::uint16_t port);

Result<void> remember_address(
    const std::string& directory, const OwnAddressChoice& choice, std::uint16_t port);

}  // namespace dunlin::node
