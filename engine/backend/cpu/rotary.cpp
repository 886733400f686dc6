#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {

template<class Real>
BS_VECTORIZED void rotary(const Rotary<Real>& op)
{
    using W = Wide<Real>;
    const int half = op.headSize / 2;
    const W sign = op.direction == Rotary<Real>::Direction::Forward ? W(1) : W(-1);
    for (int r = 0; r < op.x.rows; ++r) {
        const std::ptrdiff_t position = r % op.sequence;
        const W* cosines = op.cosines + position * half;
        const W* sines = op.sines + position * half;
        for (int head = 0; head < op.heads; ++head) {
            Real* a = op.x.row(r) + static_cast<std::ptrdiff_t>(head) * op.headSize;
            Real* b = a + half;
#pragma omp simd
            for (int c = 0; c < half; ++c) {
                const auto x = W(a[c]), y = W(b[c]), sine = sign * sines[c];
                a[c] = Real(x * cosines[c] - y * sine);
                b[c] = Real(y * cosines[c] + x * sine);
            }
        }
    }
}

template void rotary(const Rotary<float>&);
template void rotary(const Rotary<double>&);
template void rotary(const Rotary<bfloat16>&);

} // namespace engine::cpu
