#pragma once

// For the few functions that a simulation calls a billion times: where a kind of op or value is
// known at the call, the compiler must see what follows from it.
#define BS_INLINED inline __attribute__((always_inline))
#define BS_INLINED_LAMBDA __attribute__((always_inline))
