// SPDX-License-Identifier: MIT
#include "sorts.h"

void quick_sort(int* numbers, int count) {
  while (count > 1) {
    const int middle = numbers[count / 2];
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      while (numbers[low] < middle) ++low;
      while (numbers[high] > middle) --high;
      if (low > high) break;
      const int number = numbers[low];
      numbers[low++] = numbers[high];
      numbers[high--] = number;
    }
    quick_sort(numbers, high + 1);
    numbers += low;
    count -= low;
  }
}
