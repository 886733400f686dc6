#include "engine/backend/cuda/kernels/column_sums.h"
#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"

namespace engine::cuda {
namespace {

template<class Real>
struct Lookup
{
    const std::int32_t* tokens;
    const Real* table;
    Matrix<const Real> positions;
    Matrix<Real> out;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const auto [row, column] = placeOf(first, out.columns);
        const auto token = static_cast<std::size_t>(tokens[row]);
        auto values = load<kCount>(table + token * static_cast<std::size_t>(out.columns) + column);
        if (positions.data != nullptr) {
            const auto position = load<kCount>(rowOf(positions, row % positions.rows) + column);
            for (int i = 0; i < kCount; ++i)
                values.at[i] += position.at[i];
        }
        store(rowOf(out, row) + column, values);
    }
};

template<class Real>
struct TokenGradient
{
    const std::int32_t* tokens;
    Matrix<const Real> dOut;
    float* dTable;
};

// There is a block for each row of dOut. If no earlier row has the same token, the block computes
// the token's gradient: it adds all rows with the token in order, so the result equals the CPU's
// bit for bit. Otherwise the block returns. Every block reads all tokens: rows^2 x 4 bytes from the
// L2 cache, 0.3 GB for 8192 rows. A thread computes kCount columns; blockIdx.y selects the kThreads
// x kCount columns of the block.
template<int kCount, class Real>
__global__ void __launch_bounds__(kThreads) addTokenGradients(TokenGradient<Real> op)
{
    // One bit for each row of the chunk, set if the row has `token`.
    __shared__ unsigned same[kThreads / kWarp];
    const int own = static_cast<int>(blockIdx.x), rows = op.dOut.rows;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const std::int32_t token = op.tokens[own];
    const int columns = op.dOut.columns;
    const int column
        = (static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x)) * kCount;
    float* to = op.dTable + static_cast<std::ptrdiff_t>(token) * columns + column;
    Pack<kCount> sums{};
    if (column < columns)
        sums = load<kCount>(to);
    for (int chunk = 0; chunk < rows; chunk += kThreads) {
        const int row = chunk + static_cast<int>(threadIdx.x);
        const unsigned bits
            = __ballot_sync(0xffffffffU, row < rows && op.tokens[row] == token ? 1 : 0);
        __syncthreads(); // all threads have read the previous chunk
        if (threadIdx.x % kWarp == 0)
            same[warp] = bits;
        __syncthreads();
        for (int word = 0; word < kThreads / kWarp; ++word)
            for (unsigned left = same[word]; left != 0; left &= left - 1) {
                const int found = chunk + word * kWarp + __ffs(static_cast<int>(left)) - 1;
                if (found < own)
                    // The whole block returns. The block of row `found` computes the gradient of
                    // the token.
                    return;
                if (column < columns) {
                    const auto d = load<kCount>(rowOf(op.dOut, found) + column);
                    for (int i = 0; i < kCount; ++i)
                        sums.at[i] += d.at[i];
                }
            }
    }
    if (column < columns)
        store(to, sums);
}

template<class Real>
struct PositionGradient // indexed by position: adds the gradients of all samples
{
    Matrix<const Real> dOut;
    Matrix<float> dPositions;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const auto [position, column] = placeOf(first, dOut.columns);
        float* to = rowOf(dPositions, position) + column;
        auto sums = load<kCount>(to);
        for (int row = position; row < dOut.rows; row += dPositions.rows) {
            const auto d = load<kCount>(rowOf(dOut, row) + column);
            for (int i = 0; i < kCount; ++i)
                sums.at[i] += d.at[i];
        }
        store(to, sums);
    }
};

} // namespace

template<class Real>
void embedding(const OpStream& opStream, std::span<const std::int32_t> tokens,
               const Real* tokenTable, Matrix<const Real> positionTable, Matrix<Real> out)
{
    CHECK(tokens.size() >= static_cast<std::size_t>(out.rows));
    const bool aligned = isAligned(out) && isAligned(positionTable) && areAligned({tokenTable});
    forEach<vectorOf<Real>()>(opStream.stream, countOf(out), aligned,
                              Lookup<Real>{tokens.data(), tokenTable, positionTable, out});
}

template<class Real>
void embeddingBackward(const OpStream& opStream, std::span<const std::int32_t> tokens,
                       Matrix<const Real> dOut, float* dTokenTable, Matrix<float> dPositionTable)
{
    constexpr int kPack = vectorOf<float>();
    CHECK(tokens.size() >= static_cast<std::size_t>(dOut.rows));
    const bool aligned = isAligned(dOut) && areAligned({dTokenTable});
    const TokenGradient<Real> op{tokens.data(), dOut, dTokenTable};
    const std::size_t ofBlock = std::size_t{kThreads} * (aligned ? kPack : 1);
    const dim3 grid(static_cast<unsigned>(dOut.rows),
                    blocksFor(static_cast<std::size_t>(dOut.columns), ofBlock));
    launch(opStream.stream, grid,
           aligned ? addTokenGradients<kPack, Real> : addTokenGradients<1, Real>, op);
    if (dPositionTable.data == nullptr)
        return;
    Matrix<float> seen = dPositionTable; // only the positions that occur in dOut
    seen.rows = seen.rows < dOut.rows ? seen.rows : dOut.rows;
    forEach<kPack>(opStream.stream, countOf(seen), isAligned(dOut) && isAligned(dPositionTable),
                   PositionGradient<Real>{dOut, dPositionTable});
}

template void embedding(const OpStream&, std::span<const std::int32_t>, const float*,
                        Matrix<const float>, Matrix<float>);
template void embedding(const OpStream&, std::span<const std::int32_t>, const bfloat16*,
                        Matrix<const bfloat16>, Matrix<bfloat16>);
template void embeddingBackward(const OpStream&, std::span<const std::int32_t>, Matrix<const float>,
                                float*, Matrix<float>);
template void embeddingBackward(const OpStream&, std::span<const std::int32_t>,
                                Matrix<const bfloat16>, float*, Matrix<float>);

} // namespace engine::cuda
