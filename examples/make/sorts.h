// SPDX-License-Identifier: MIT
#pragma once

// Each sorts `count` numbers, the smallest first.
void heap_sort(int* numbers, int count);
void insertion_sort(int* numbers, int count);
void merge_sort(int* numbers, int count);
void quick_sort(int* numbers, int count);
void selection_sort(int* numbers, int count);
void shell_sort(int* numbers, int count);
