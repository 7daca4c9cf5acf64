// SPDX-License-Identifier: MIT
#include "node/warden/use/net_guard.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

// A program sees each packet on its way. It adds the size to a sum; and it keeps the time at which
// all that has passed would have, at the rate: the time moves on with each packet, and while it is
// ahead of the clock, packets are dropped. What was not used in the last tenth of a second may be
// made up for. So one packet of any size always passes, and in the long run no more than the rate.
// A sender is told of its loss as of congestion, as by a full queue, and slows down.
//
// The programs are so short that they are written here in the kernel's own instructions: that needs
// no compiler and no library.
namespace dunlin::node {
namespace {

/// The numbers of one direction, as the programs know them.
struct Bucket {
  std::uint64_t bytes = 0;
  std::uint64_t cost = 0;  ///< ns of one byte, times 2^kCostBits; 0: no limit.
  std::uint64_t due = 0;   ///< ns, by the clock of the kernel.
};
// Fractions are needed: at 100 Gbit/s a byte costs 0.08 ns. At 1 KiB/s, the lowest rate, the
// product for a packet of 64 KiB has 56 bits, so it fits.
constexpr std::int32_t kCostBits = 20;
constexpr std::int32_t kBurstNs = 100'000'000;
constexpr std::uint32_t kIn = 0;
constexpr std::uint32_t kOut = 1;

// Answers of a program. To a sender, a loss is told as congestion.
constexpr std::int32_t kPass = 1;
constexpr std::int32_t kDropIn = 0;
constexpr std::int32_t kDropOut = 2;

// Registers: the kernel keeps 6 to 9 through a call.
constexpr std::uint8_t kResult = BPF_REG_0;
constexpr std::uint8_t kFirst = BPF_REG_1;
constexpr std::uint8_t kSecond = BPF_REG_2;
constexpr std::uint8_t kPacket = BPF_REG_6;
constexpr std::uint8_t kSize = BPF_REG_7;
constexpr std::uint8_t kBucket = BPF_REG_8;
constexpr std::uint8_t kCost = BPF_REG_9;
constexpr std::uint8_t kStack = BPF_REG_10;

constexpr bpf_insn instruction(
    int code, std::uint8_t to, std::uint8_t from, std::size_t offset, std::int32_t value) {
  bpf_insn made{};
  made.code = static_cast<std::uint8_t>(code);
  made.dst_reg = to & 0xf;
  made.src_reg = from & 0xf;
  made.off = static_cast<std::int16_t>(offset);
  made.imm = value;
  return made;
}

/// A program of one direction. Jumps go forward, to places that are known once it is whole.
class Assembler {
 public:
  void add(bpf_insn made) { code_.push_back(made); }
  void copy(std::uint8_t to, std::uint8_t from) {
    add(instruction(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0));
  }
  void set(std::uint8_t to, std::int32_t value) {
    add(instruction(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value));
  }
  void compute(int operation, std::uint8_t to, std::int32_t value) {
    add(instruction(BPF_ALU64 | operation | BPF_K, to, 0, 0, value));
  }
  void compute_with(int operation, std::uint8_t to, std::uint8_t from) {
    add(instruction(BPF_ALU64 | operation | BPF_X, to, from, 0, 0));
  }
  void load(int size, std::uint8_t to, std::uint8_t from, std::size_t offset) {
    add(instruction(BPF_LDX | BPF_MEM | size, to, from, offset, 0));
  }
  void store(std::uint8_t to, std::size_t offset, std::uint8_t from) {
    add(instruction(BPF_STX | BPF_MEM | BPF_DW, to, from, offset, 0));
  }
  /// Atomic: packets of one cgroup are seen by several CPUs at once.
  void add_to(std::uint8_t to, std::size_t offset, std::uint8_t from) {
    add(instruction(BPF_STX | BPF_ATOMIC | BPF_DW, to, from, offset, BPF_ADD));
  }
  void call(std::int32_t function) { add(instruction(BPF_JMP | BPF_CALL, 0, 0, 0, function)); }
  void answer(std::int32_t value) {
    set(kResult, value);
    add(instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
  }
  /// A jump to where land() is called with the result.
  std::size_t jump_if(int comparison, std::uint8_t left, std::int32_t right) {
    add(instruction(BPF_JMP | comparison | BPF_K, left, 0, 0, right));
    return code_.size() - 1;
  }
  std::size_t jump_if_with(int comparison, std::uint8_t left, std::uint8_t right) {
    add(instruction(BPF_JMP | comparison | BPF_X, left, right, 0, 0));
    return code_.size() - 1;
  }
  void land(std::size_t jump) {
    code_[jump].off = static_cast<std::int16_t>(code_.size() - jump - 1);
  }
  const std::vector<bpf_insn>& code() const { return code_; }

 private:
  std::vector<bpf_insn> code_;
};

/// One of the two programs.
struct Side {
  std::uint32_t direction;
  std::int32_t drop;
  bpf_attach_type place;
};
constexpr Side kInSide{kIn, kDropIn, BPF_CGROUP_INET_INGRESS};
constexpr Side kOutSide{kOut, kDropOut, BPF_CGROUP_INET_EGRESS};

std::vector<bpf_insn> program_of(int map, const Side& side, std::uint32_t local) {
  Assembler code;
  // A call overwrites the registers 1 to 5, and the packet comes in 1.
  code.copy(kPacket, kFirst);
  code.load(BPF_W, kFirst, kPacket, offsetof(__sk_buff, ifindex));
  // What stays on this machine (`local` is the loopback interface) is neither limited nor counted.
  const auto stays_here = code.jump_if(BPF_JEQ, kFirst, static_cast<std::int32_t>(local));
  code.load(BPF_W, kSize, kPacket, offsetof(__sk_buff, len));

  // The bucket of this direction.
  code.add(instruction(BPF_ST | BPF_MEM | BPF_W, kStack, 0, static_cast<std::size_t>(-4),
      static_cast<std::int32_t>(side.direction)));
  // A number of 64 bits takes two instructions, of which the second holds its upper half.
  code.add(instruction(BPF_LD | BPF_DW | BPF_IMM, kFirst, BPF_PSEUDO_MAP_FD, 0, map));
  code.add(instruction(0, 0, 0, 0, 0));
  code.copy(kSecond, kStack);
  code.compute(BPF_ADD, kSecond, -4);
  code.call(BPF_FUNC_map_lookup_elem);
  // An array has all its entries, but the kernel takes no program that does not ask.
  const auto nowhere = code.jump_if(BPF_JEQ, kResult, 0);
  code.copy(kBucket, kResult);

  code.load(BPF_DW, kCost, kBucket, offsetof(Bucket, cost));
  const auto free = code.jump_if(BPF_JEQ, kCost, 0);
  code.call(BPF_FUNC_ktime_get_ns);
  code.compute_with(BPF_MUL, kCost, kSize);
  code.compute(BPF_RSH, kCost, kCostBits);
  code.load(BPF_DW, kFirst, kBucket, offsetof(Bucket, due));
  // Dropped before it is counted: bytes are those that went through.
  const auto early = code.jump_if_with(BPF_JGT, kFirst, kResult);
  code.compute(BPF_SUB, kResult, kBurstNs);
  const auto recent = code.jump_if_with(BPF_JGT, kFirst, kResult);
  code.copy(kFirst, kResult);
  code.land(recent);
  code.compute_with(BPF_ADD, kFirst, kCost);
  code.store(kBucket, offsetof(Bucket, due), kFirst);

  code.land(free);
  code.add_to(kBucket, offsetof(Bucket, bytes), kSize);
  code.land(stays_here);
  code.land(nowhere);
  code.answer(kPass);
  code.land(early);
  code.answer(side.drop);
  return code.code();
}

int call_bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

std::uint64_t address(const void* object) {
  return reinterpret_cast<std::uintptr_t>(object);
}

/// A descriptor, closed when it goes.
struct KernelObject {
  explicit KernelObject(int opened) : number(opened) {}
  ~KernelObject() {
    if (number >= 0) ::close(number);
  }
  KernelObject(const KernelObject&) = delete;
  KernelObject& operator=(const KernelObject&) = delete;
  int number;
};

Result<void> attach_program(int cgroup, int map, const Side& side, std::uint32_t local) {
  const std::vector<bpf_insn> code = program_of(map, side, local);
  bpf_attr load{};
  load.prog_type = BPF_PROG_TYPE_CGROUP_SKB;
  load.expected_attach_type = side.place;
  load.insns = address(code.data());
  load.insn_cnt = static_cast<std::uint32_t>(code.size());
  load.license = address("MIT");
  // The cgroup holds the program once it is attached; our descriptor may go.
  const KernelObject program(call_bpf(BPF_PROG_LOAD, load));
  if (program.number < 0) return failure_of(errno, "the kernel takes no program");
  bpf_attr attach{};
  attach.target_fd = static_cast<std::uint32_t>(cgroup);
  attach.attach_bpf_fd = static_cast<std::uint32_t>(program.number);
  attach.attach_type = side.place;
  // Programs of a container manager above it go on.
  attach.attach_flags = BPF_F_ALLOW_MULTI;
  if (call_bpf(BPF_PROG_ATTACH, attach) != 0) {
    return failure_of(errno, "the kernel lets no program watch a cgroup");
  }
  return {};
}

bool look_up(int map, std::uint32_t direction, Bucket& bucket) {
  bpf_attr look{};
  look.map_fd = static_cast<std::uint32_t>(map);
  look.key = address(&direction);
  look.value = address(&bucket);
  return call_bpf(BPF_MAP_LOOKUP_ELEM, look) == 0;
}

/// ns of a byte, as the programs want it.
std::uint64_t cost_of(std::uint32_t rate) {
  constexpr std::uint64_t second = 1'000'000'000;
  return rate == 0 ? 0 : (second << kCostBits) / (std::uint64_t{rate} << 10);
}

}  // namespace

Result<NetGuard> NetGuard::attach(const std::string& directory, std::uint32_t local) {
  const KernelObject cgroup(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (cgroup.number < 0) return failure_of(errno, "cannot open " + directory);
  bpf_attr create{};
  create.map_type = BPF_MAP_TYPE_ARRAY;
  create.key_size = sizeof(std::uint32_t);
  create.value_size = sizeof(Bucket);
  create.max_entries = 2;
  const int map = call_bpf(BPF_MAP_CREATE, create);
  if (map < 0) return failure_of(errno, "the kernel makes no map for a program");
  NetGuard guard(map);
  auto done = attach_program(cgroup.number, map, kInSide, local);
  if (done) done = attach_program(cgroup.number, map, kOutSide, local);
  if (!done) return tl::unexpected(done.error());
  return guard;
}

NetGuard::NetGuard(NetGuard&& from) noexcept : map_(std::exchange(from.map_, -1)) {}

NetGuard& NetGuard::operator=(NetGuard&& from) noexcept {
  std::swap(map_, from.map_);
  return *this;
}

NetGuard::~NetGuard() {
  if (map_ >= 0) ::close(map_);
}

// Reads and writes the whole bucket, so what passes in between is not counted: to be called while
// no task runs in the slot.
Result<void> NetGuard::limit(const NetRates& rates) {
  for (const auto& [direction, rate] : {std::pair{kIn, rates.in}, std::pair{kOut, rates.out}}) {
    Bucket bucket;
    if (!look_up(map_, direction, bucket)) return failure_of(errno, "a limit of the network");
    bucket.cost = cost_of(rate);
    bucket.due = 0;
    bpf_attr update{};
    update.map_fd = static_cast<std::uint32_t>(map_);
    update.key = address(&direction);
    update.value = address(&bucket);
    if (call_bpf(BPF_MAP_UPDATE_ELEM, update) != 0) {
      return failure_of(errno, "a limit of the network");
    }
  }
  return {};
}

NetBytes NetGuard::bytes() const {
  Bucket in;
  Bucket out;
  if (!look_up(map_, kIn, in) || !look_up(map_, kOut, out)) return {};
  return {.received = in.bytes, .sent = out.bytes};
}

}  // namespace dunlin::node
