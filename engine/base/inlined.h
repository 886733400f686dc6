#pragma once

// Inlines a function that a simulation calls up to a billion times, so that the compiler can
// specialize it where the kind of an op or value is known at the call.
#define BS_INLINED inline __attribute__((always_inline))
#define BS_INLINED_LAMBDA __attribute__((always_inline))
