#include "profiler/capture/recent.h"
#include "tests/catch.h"

#include <algorithm>
#include <map>

using namespace profiler;

// The launches of NCCL kernels were kept for the whole run.
TEST_CASE("a Recent map keeps at least the last keys, and at most twice as many")
{
    Recent<std::map<int, int>, 4> recent;
    const auto find = [&](int key) {
        for (const auto* half : recent.halves())
            if (const auto found = half->find(key); found != half->end())
                return found->second;
        return -1;
    };
    for (int i = 0; i < 100; ++i) {
        recent.set(i, 10 * i);
        for (int last = std::max(0, i - 3); last <= i; ++last)
            CHECK(find(last) == 10 * last);
        CHECK(recent.halves()[0]->size() + recent.halves()[1]->size() <= 8);
    }
    CHECK(find(50) == -1);
    recent.set(99, 7);
    CHECK(find(99) == 7);
}
