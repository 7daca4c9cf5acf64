// SPDX-License-Identifier: MIT
#pragma once

#include "sim/workload/trace_format.h"

namespace dunlin::sim {

/// Jobs of MapReduce, with a header:
/// `submit_s,duration_s,maps,map_task_s,reduces,reduce_task_s,input_B,shuffle_B,output_B`.
/// A line becomes a job of maps and, if it reduces, one of reduces that waits for it; tasks of a
/// stage take equally long.
class ClouderaFormat final : public TraceFormat {
 public:
  Result<void> read(std::string_view line, std::vector<TraceJob>& jobs) override;

 private:
  std::uint64_t lines_ = 0;
};

}  // namespace dunlin::sim
