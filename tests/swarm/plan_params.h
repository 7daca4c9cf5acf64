// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sched/peer_params.h"

namespace dunlin::test {

// The parameters of a plan, drawn. Each returns those that are not at their defaults, in words.

/// Those of all sections that hang together with nothing else.
std::string draw_params(sched::PeerParams& params, overlay::Rng& rng);
/// Cells fast enough to form while a run lasts, in either mode.
std::string draw_sharing(sched::SharingParams& params, overlay::Rng& rng);
/// Frontends launch by their view of the cluster. Views soon grow old here, and news are soon told.
std::string draw_federation(sched::PeerParams& params, overlay::Rng& rng);

}  // namespace dunlin::test
