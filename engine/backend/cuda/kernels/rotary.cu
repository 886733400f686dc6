#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"

namespace engine::cuda {
namespace {

// Work for forEach() over pairs of numbers; the two numbers of a pair are rotated together. Pairs
// are numbered by row, head and column (0 to headSize / 2 - 1). One thread reads and writes both
// numbers of a pair, so the operation works in place.
template<class Real>
struct Turn
{
    Rotary<Real> op;
    float sign;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const auto half = static_cast<std::size_t>(op.headSize / 2);
        const auto heads = static_cast<std::size_t>(op.heads);
        const std::size_t column = first % half, head = first / half % heads;
        const auto row = static_cast<int>(first / half / heads);
        const std::size_t angle = static_cast<std::size_t>(row % op.sequence) * half + column;
        Real* at = rowOf(op.x, row) + head * 2 * half + column;
        auto a = load<kCount>(at), b = load<kCount>(at + half);
        const auto cosine = load<kCount>(op.cosines + angle), sine = load<kCount>(op.sines + angle);
        for (int i = 0; i < kCount; ++i) {
            const float x = a.at[i], y = b.at[i], s = sign * sine.at[i];
            a.at[i] = x * cosine.at[i] - y * s;
            b.at[i] = y * cosine.at[i] + x * s;
        }
        store(at, a);
        store(at + half, b);
    }
};

} // namespace

template<class Real>
void rotary(const OpStream& opStream, const Rotary<Real>& op)
{
    CHECK(op.headSize % 2 == 0 && op.heads * op.headSize <= op.x.stride);
    const auto half = static_cast<std::size_t>(op.headSize / 2);
    const std::size_t pairs
        = static_cast<std::size_t>(op.x.rows) * static_cast<std::size_t>(op.heads) * half;
    const bool aligned = half % vectorOf<Real>() == 0 && op.x.stride % vectorOf<Real>() == 0
        && areAligned({op.x.data, op.cosines, op.sines});
    const float sign = op.direction == Rotary<Real>::Direction::Forward ? 1.0F : -1.0F;
    forEach<vectorOf<Real>()>(opStream.stream, pairs, aligned, Turn<Real>{op, sign});
}

template void rotary(const OpStream&, const Rotary<float>&);
template void rotary(const OpStream&, const Rotary<bfloat16>&);

} // namespace engine::cuda
