// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::sched {

/// What a worker keeps of classes: filled in next.
class ServiceShares {};

}  // namespace dunlin::sched
