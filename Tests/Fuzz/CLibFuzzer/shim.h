#pragma once
#include <stddef.h>
#include <stdint.h>

// What libFuzzer offers to a mutator. Source: LLVM, compiler-rt/include/fuzzer/FuzzerInterface.h.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
