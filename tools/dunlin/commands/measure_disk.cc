// SPDX-License-Identifier: MIT
#include <cstdio>

#include "node/agent_options.h"
#include "sched/resources.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/disk/disk_speed.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/text.h"

// The speed of a disk is declared by the operator; agents do not measure it. So this prints a piece
// of an agent's configuration, ready to be put there, and how it was found in comments above it.
namespace dunlin::cli {
namespace {

/// One line that is painted over, on a terminal alone.
class SpeedLine {
 public:
  // No terminal, no line: a log of it would be full of half rates.
  explicit SpeedLine(const Terminal& terminal) : shown_(terminal.interactive) {}
  ~SpeedLine() {
    if (painted_) std::fprintf(stderr, "\r\033[K");
  }
  SpeedLine(const SpeedLine&) = delete;
  SpeedLine& operator=(const SpeedLine&) = delete;

  void show(const char* what, const DiskSpeed& speed) {
    if (!shown_) return;
    painted_ = true;
    std::fprintf(stderr, "\r\033[K%s  %s  %s", what, bytes_text(speed.bytes).c_str(),
        sched::rate_text(speed.rate()).c_str());
    std::fflush(stderr);
  }

 private:
  bool shown_;
  bool painted_ = false;
};

Json to_json(const DiskSpeed& speed) {
  return {{"rate_kib", speed.rate()}, {"bytes", speed.bytes}, {"seconds", speed.time.count()}};
}

void show(const char* what, const DiskSpeed& speed) {
  std::printf("# %-5s  %s in %s: %s\n", what, bytes_text(speed.bytes).c_str(),
      span_text(speed.time.count()).c_str(), sched::rate_text(speed.rate()).c_str());
}

}  // namespace

Result<int> measure_disk(const Globals& globals, const MeasureDiskOptions& options) {
  const std::string directory =
      options.directory.empty() ? node::default_data_dir() : options.directory;
  // In a scope of its own: the painted line must be gone before anything else is printed.
  const auto speeds = [&] {
    SpeedLine line(globals.err());
    return measure_disk(directory,
        DiskTrial{
            .progress = [&](const char* what, const DiskSpeed& speed) { line.show(what, speed); }});
  }();
  if (!speeds) return tl::unexpected(speeds.error());
  const std::string read = rate_to_declare(speeds->read.rate());
  const std::string write = rate_to_declare(speeds->write.rate());
  if (globals.json) {
    print_json("dunlin.measure-disk/1",
        {{"directory", directory}, {"read", to_json(speeds->read)},
            {"write", to_json(speeds->write)}, {"disk_read", read}, {"disk_write", write}});
    return kSuccess;
  }
  // How it was measured: a rate from the page cache, or of several processes, would be another.
  std::printf("# %s, by one process, past the caches\n", printable(directory).c_str());
  show("read", speeds->read);
  show("write", speeds->write);
  // As it goes into the agent's file: the lines before it are comments there.
  std::printf("[agent]\ndisk_read = \"%s\"\ndisk_write = \"%s\"\n", read.c_str(), write.c_str());
  return kSuccess;
}

}  // namespace dunlin::cli
