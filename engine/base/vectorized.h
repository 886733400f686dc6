#pragma once

// A function compiled for AVX-512, AVX2 and any x86-64, chosen when the program is loaded. Not
// under the sanitizers, whose instrumentation of the chooser runs before they are set up.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BS_VECTORIZED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BS_VECTORIZED
#endif
#define BS_INLINE [[gnu::always_inline]] inline
