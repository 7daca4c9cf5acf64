// SPDX-License-Identifier: MIT
#include "sched/raft/snapshot_pieces.h"

#include <utility>

#include "sched/raft/raft_check.h"

// A snapshot of megabytes does not fit a message, and libraft would send it in one. So it is cut
// into pieces of equal size, each with the head of the whole; the receiver may get them in any
// order, twice, or from two tries, and fills a buffer of the full size. One checksum over the whole
// decides at the end, because pieces of two snapshots with equal heads could mix.
// Source: Ongaro 2014, chapter 5 (InstallSnapshot sends a snapshot in chunks).
namespace dunlin::sched {

std::optional<RaftSnapshot> SnapshotPieces::add(GroupId group, const raft::InstallSnapshot& piece) {
  const bool same = missing_ > 0 && whole_.index == piece.index && whole_.term == piece.term &&
      whole_.checksum == piece.checksum && whole_.data.size() == piece.size;
  if (!same) {
    whole_ = {.index = piece.index,
        .term = piece.term,
        .configuration_index = piece.configuration_index,
        .members = piece.members,
        .data = std::string(piece.size, '\0'),
        .checksum = piece.checksum};
    missing_ = (piece.size + kRpcDataMax - 1) / kRpcDataMax;
    here_.assign(missing_, false);
  }
  const std::size_t number = piece.offset / kRpcDataMax;
  if (here_[number]) return std::nullopt;
  here_[number] = true;
  whole_.data.replace(piece.offset, piece.data.size(), piece.data);
  if (--missing_ > 0) return std::nullopt;
  RaftSnapshot whole = std::exchange(whole_, {});
  if (whole.checksum != checksum_of(group, whole)) return std::nullopt;
  return whole;
}

std::vector<raft::Rpc> pieces_of(const RaftSnapshot& snapshot, const raft::Header& header) {
  std::vector<raft::Rpc> pieces;
  for (std::size_t offset = 0; offset < snapshot.data.size(); offset += kRpcDataMax) {
    pieces.push_back(raft::InstallSnapshot{.header = header,
        .index = snapshot.index,
        .term = snapshot.term,
        .configuration_index = snapshot.configuration_index,
        .members = snapshot.members,
        .checksum = snapshot.checksum,
        .size = static_cast<std::uint32_t>(snapshot.data.size()),
        .offset = static_cast<std::uint32_t>(offset),
        .data = snapshot.data.substr(offset, kRpcDataMax)});
  }
  return pieces;
}

}  // namespace dunlin::sched
