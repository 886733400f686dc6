#pragma once

#include <cstdio>
#include <cstdlib>

// A broken invariant: the program itself is wrong, so it says where and stops. Never for input.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) [[unlikely]] {                                                           \
            std::fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition);     \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)
