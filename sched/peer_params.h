// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/params/cyclon_params.h"
#include "overlay/params/gradient_params.h"
#include "overlay/params/liveness_params.h"
#include "overlay/shared.h"
#include "sched/cell/sharing_params.h"
#include "sched/directory/params.h"
#include "sched/federation/params.h"
#include "sched/frontend/params.h"
#include "sched/worker/params.h"
#include "sched/worker/tracker/params.h"

namespace dunlin::sched {

/// Everything that can be tuned about a peer, one member per section of the configuration.
struct PeerParams {
  overlay::CyclonParams cyclon;
  overlay::GradientParams gradient;
  overlay::LivenessParams liveness;
  FrontendParams frontend;
  WorkerParams worker;
  TrackerParams tracker;
  DirectoryParams directory;
  federation::FederationParams federation;
  SharingParams sharing;
};

/// Calls `visit(section)` for each parameter struct, in the order of the members; sharing has
/// several.
void for_each_section(auto& params, auto&& visit) {
  visit(params.cyclon);
  visit(params.gradient);
  visit(params.liveness);
  visit(params.frontend);
  visit(params.worker);
  visit(params.tracker);
  visit(params.directory);
  visit(params.federation);
  for_each_sharing_section(params.sharing, visit);
}

/// The parameters of many peers, held once in memory. Converts from plain parameters.
struct SharedParams {
  SharedParams(const PeerParams& params)
      : all(params),
        cyclon(params.cyclon),
        gradient(params.gradient),
        liveness(params.liveness) {}

  overlay::Shared<PeerParams> all;
  overlay::Shared<overlay::CyclonParams> cyclon;
  overlay::Shared<overlay::GradientParams> gradient;
  overlay::Shared<overlay::LivenessParams> liveness;
};

}  // namespace dunlin::sched
