#pragma once

// Compiles a function for AVX-512, AVX2 and baseline x86-64; the loader selects one. Disabled with
// sanitizers, because the selector would run before the sanitizer is initialized.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BS_VECTORIZED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BS_VECTORIZED
#endif
#define BS_INLINE [[gnu::always_inline]] inline

// Inlines a function that a simulation calls up to a billion times, so that the compiler can
// specialize it where the kind of an op or value is known at the call.
#define BS_INLINED inline __attribute__((always_inline))
#define BS_INLINED_LAMBDA __attribute__((always_inline))
