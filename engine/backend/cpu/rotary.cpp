#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {

template<class Real>
BS_VECTORIZED void rotary(const Rotary<Real>& op)
{
    const int half = op.headSize / 2;
    const Real sign = op.direction == Rotary<Real>::Direction::Forward ? Real(1) : Real(-1);
    for (int r = 0; r < op.x.rows; ++r) {
        const std::ptrdiff_t position = r % op.sequence;
        const Real* cosines = op.cosines + position * half;
        const Real* sines = op.sines + position * half;
        for (int head = 0; head < op.heads; ++head) {
            Real* a = op.x.row(r) + static_cast<std::ptrdiff_t>(head) * op.headSize;
            Real* b = a + half;
#pragma omp simd
            for (int c = 0; c < half; ++c) {
                const Real x = a[c], y = b[c], sine = sign * sines[c];
                a[c] = x * cosines[c] - y * sine;
                b[c] = y * cosines[c] + x * sine;
            }
        }
    }
}

template void rotary(const Rotary<float>&);
template void rotary(const Rotary<double>&);

} // namespace engine::cpu
