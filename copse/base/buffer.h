// Large arrays: aligned for vector instructions, and not filled with zeros before they are written.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

inline constexpr std::size_t buffer_alignment = 64;

// Large buffers ask for huge pages: sparse products read factors at random, and a small page for every read costs
// much of their time.
void* allocate_buffer(std::size_t bytes);
void free_buffer(void* pointer, std::size_t bytes) noexcept;

template <class T>
struct BufferAllocator {
  static_assert(std::is_trivially_copyable_v<T>);
  using value_type = T;

  BufferAllocator() = default;
  template <class U>
  BufferAllocator(const BufferAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_buffer(count * sizeof(T)));
  }
  void deallocate(T* pointer, std::size_t count) noexcept { free_buffer(pointer, count * sizeof(T)); }

  // resize() leaves new elements unwritten; Buffer<T>(n, value) writes them.
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const BufferAllocator&, const BufferAllocator&) { return true; }
};

template <class T>
using Buffer = std::vector<T, BufferAllocator<T>>;

}  // namespace copse
