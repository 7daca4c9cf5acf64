// SPDX-License-Identifier: MIT
#include "sorts.h"

void insertion_sort(int* numbers, int count) {
  for (int next = 1; next < count; ++next) {
    const int number = numbers[next];
    int at = next;
    for (; at > 0 && numbers[at - 1] > number; --at) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
}
