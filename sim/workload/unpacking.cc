// SPDX-License-Identifier: MIT
#include "sim/workload/unpacking.h"

#include <algorithm>
#include <bzlib.h>
#include <cstdint>
#include <limits>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "overlay/ensure.h"

// Four libraries with one form: bytes in, bytes out, and a word for the end of a stream. Each is
// begun anew after a stream has ended.
namespace dunlin::sim {
namespace {

using State = Unpacking::State;

/// The size of a piece, as libraries count that have 32 bits for it.
unsigned piece_of(std::size_t bytes) {
  return static_cast<unsigned>(std::min<std::size_t>(bytes, std::numeric_limits<int>::max()));
}

class Gzip final : public Unpacking {
 public:
  Gzip() { overlay::ensure(inflateInit2(&stream_, kGzipOnly) == Z_OK, "zlib has no memory"); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() override { inflateEnd(&stream_); }

  std::string_view name() const override { return "gzip"; }

  State unpack(std::span<const char>& packed, std::span<char>& plain) override {
    const unsigned in = piece_of(packed.size());
    const unsigned out = piece_of(plain.size());
    // zlib only reads it, but says so only if it is compiled to.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(plain.data());
    stream_.avail_out = out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    packed = packed.subspan(in - stream_.avail_in);
    plain = plain.subspan(out - stream_.avail_out);
    if (code == Z_STREAM_END)
      return inflateReset(&stream_) == Z_OK ? State::between : State::damaged;
    // Z_BUF_ERROR: it had nothing to read, or no room.
    return code == Z_OK || code == Z_BUF_ERROR ? State::within : State::damaged;
  }

 private:
  static constexpr int kGzipOnly = 15 + 16;  // The largest window, and no other header.
  z_stream stream_{};
};

class Bzip2 final : public Unpacking {
 public:
  Bzip2() { begin(); }
  Bzip2(const Bzip2&) = delete;
  Bzip2& operator=(const Bzip2&) = delete;
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }

  std::string_view name() const override { return "bzip2"; }

  State unpack(std::span<const char>& packed, std::span<char>& plain) override {
    const unsigned in = piece_of(packed.size());
    const unsigned out = piece_of(plain.size());
    stream_.next_in = const_cast<char*>(packed.data());  // It is read only.
    stream_.avail_in = in;
    stream_.next_out = plain.data();
    stream_.avail_out = out;
    const int code = BZ2_bzDecompress(&stream_);
    packed = packed.subspan(in - stream_.avail_in);
    plain = plain.subspan(out - stream_.avail_out);
    if (code == BZ_STREAM_END) {
      BZ2_bzDecompressEnd(&stream_);
      begin();
      return State::between;
    }
    return code == BZ_OK ? State::within : State::damaged;
  }

 private:
  void begin() {
    stream_ = {};
    overlay::ensure(BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK, "libbz2 has no memory");
  }

  bz_stream stream_{};
};

class Xz final : public Unpacking {
 public:
  Xz() { begin(); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;
  ~Xz() override { lzma_end(&stream_); }

  std::string_view name() const override { return "xz"; }

  State unpack(std::span<const char>& packed, std::span<char>& plain) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(plain.data());
    stream_.avail_out = plain.size();
    // LZMA_RUN, as the end of the file is not known here; a stream says its own.
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    packed = packed.last(stream_.avail_in);
    plain = plain.last(stream_.avail_out);
    if (code == LZMA_STREAM_END) {
      begin();
      return State::between;
    }
    return code == LZMA_OK || code == LZMA_BUF_ERROR ? State::within : State::damaged;
  }

 private:
  void begin() {
    constexpr std::uint64_t kAnyMemory = std::numeric_limits<std::uint64_t>::max();
    overlay::ensure(
        lzma_stream_decoder(&stream_, kAnyMemory, 0) == LZMA_OK, "liblzma has no memory");
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Zstd final : public Unpacking {
 public:
  Zstd() : context_(ZSTD_createDCtx()) {
    overlay::ensure(context_ != nullptr, "libzstd has no memory");
    // What `zstd --long=31` packs can be read, too.
    ZSTD_DCtx_setParameter(
        context_.get(), ZSTD_d_windowLogMax, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  }

  std::string_view name() const override { return "zstd"; }

  State unpack(std::span<const char>& packed, std::span<char>& plain) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    // zstd begins the next frame by itself: it needs no reset.
    ZSTD_outBuffer out{plain.data(), plain.size(), 0};
    const std::size_t code = ZSTD_decompressStream(context_.get(), &out, &in);
    packed = packed.subspan(in.pos);
    plain = plain.subspan(out.pos);
    if (ZSTD_isError(code) != 0) return State::damaged;
    return code == 0 ? State::between : State::within;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

}  // namespace

std::unique_ptr<Unpacking> unpacking_of(std::string_view head) {
  // A text may begin with the three letters of bzip2, but not with a block's number, which is π.
  const bool is_block =
      head.size() >= kPackedHead && head.substr(4, 6) == "\x31\x41\x59\x26\x53\x59";
  if (head.starts_with("\x1f\x8b")) return std::make_unique<Gzip>();
  if (head.starts_with("BZh") && is_block) return std::make_unique<Bzip2>();
  if (head.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
          6)))
    return std::make_unique<Xz>();
  if (head.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<Zstd>();
  // Parallel packers put a frame before it that is skipped; it may begin with any of 16 bytes.
  const bool skipped = head.size() >= 4 && (head[0] & 0xf0) == 0x50 &&
      head.substr(1, 3) == std::string_view("\x2a\x4d\x18");
  if (skipped) return std::make_unique<Zstd>();
  return nullptr;
}

}  // namespace dunlin::sim
