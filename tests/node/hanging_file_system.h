// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/fuse.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace dunlin::node {

/// A mount whose server has read a request and does not answer it: what a dead network disk does.
/// A process that waits for it survives SIGKILL.
class HangingFileSystem {
 public:
  explicit HangingFileSystem(std::string directory) : directory_(std::move(directory)) {
    ::mkdir(directory_.c_str(), 0755);
    device_ = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device_ < 0) return;
    const std::string options =
        "fd=" + std::to_string(device_) + ",rootmode=40000,user_id=0,group_id=0";
    mounted_ =
        ::mount("fuse", directory_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
    if (mounted_) server_ = std::thread([this] { serve(); });
  }
  ~HangingFileSystem() {
    answer();
    if (device_ >= 0) ::close(device_);
  }
  HangingFileSystem(const HangingFileSystem&) = delete;
  HangingFileSystem& operator=(const HangingFileSystem&) = delete;

  /// False where this user may not mount, or the kernel lacks FUSE.
  bool mounted() const { return mounted_; }
  /// The number of requests that are read and wait.
  int held() const { return held_; }
  /// Ends the mount: every request fails.
  void answer() {
    if (!std::exchange(mounted_, false)) return;
    ::umount2(directory_.c_str(), MNT_FORCE);  // Aborts what waits.
    ::umount2(directory_.c_str(), MNT_DETACH);
    server_.join();
  }

 private:
  void serve() {
    alignas(8) char request[64u << 10];
    for (;;) {
      const ssize_t got = ::read(device_, request, sizeof request);
      if (got < static_cast<ssize_t>(sizeof(fuse_in_header))) return;  // The mount is gone.
      const auto* const header = reinterpret_cast<const fuse_in_header*>(request);
      if (header->opcode != FUSE_INIT) {
        ++held_;
        continue;
      }
      struct {
        fuse_out_header header;
        fuse_init_out body;
      } reply{};
      reply.header.len = sizeof reply;
      reply.header.unique = header->unique;
      reply.body.major = FUSE_KERNEL_VERSION;
      reply.body.minor = FUSE_KERNEL_MINOR_VERSION;
      reply.body.max_write = 4096;
      if (::write(device_, &reply, sizeof reply) < 0) return;
    }
  }

  std::string directory_;
  int device_ = -1;
  bool mounted_ = false;
  std::atomic<int> held_ = 0;
  std::thread server_;
};

}  // namespace dunlin::node
