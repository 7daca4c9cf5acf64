// SPDX-License-Identifier: MIT
#include "sorts.h"

void shell_sort(int* numbers, int count) {
  int gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (int next = gap; next < count; ++next) {
      const int number = numbers[next];
      int at = next;
      for (; at >= gap && numbers[at - gap] > number; at -= gap) numbers[at] = numbers[at - gap];
      numbers[at] = number;
    }
  }
}
