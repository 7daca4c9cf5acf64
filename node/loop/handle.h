// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <uv.h>

namespace dunlin::node {

/// Closes a libuv handle, and frees it when the loop lets go. The loop still holds a closed handle,
/// so a handle must not die with its owner.
struct CloseHandle {
  template <typename T>
  void operator()(T* handle) const {
    uv_close(reinterpret_cast<uv_handle_t*>(handle),
        [](uv_handle_t* closed) { delete reinterpret_cast<T*>(closed); });
  }
};

/// An initialised handle of the loop. Initialise it at once: an owner that dies first would close a
/// handle that the loop does not know.
template <typename T>
using Handle = std::unique_ptr<T, CloseHandle>;

template <typename T>
Handle<T> make_handle() {
  return Handle<T>(new T{});
}

}  // namespace dunlin::node
