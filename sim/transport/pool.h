// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dunlin::sim {

/// Objects of a class derived from Pooled<that class> come from a free list: the next object takes
/// memory that is still warm. The list never shrinks. It is for one thread only, as a simulation
/// has.
template <typename T>
class Pooled {
 public:
  static void* operator new(std::size_t size) {
    auto& free = blocks();
    // A class derived from T may be larger: its objects are not for this list.
    if (size != sizeof(T) || free.empty()) return ::operator new(size);
    void* block = free.back();
    free.pop_back();
    return block;
  }
  static void operator delete(void* block, std::size_t size) {
    if (size != sizeof(T))
      ::operator delete(block);
    else
      blocks().push_back(block);
  }

 protected:
  ~Pooled() = default;

 private:
  static std::vector<void*>& blocks() {
    // Outlives all users: events still queued when the process exits may be deleted last of all.
    static auto* list = new std::vector<void*>();
    return *list;
  }
};

}  // namespace dunlin::sim
