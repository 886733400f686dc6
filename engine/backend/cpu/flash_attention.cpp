#include "engine/backend/cpu/attention_head.h"
#include "engine/backend/cpu/vectorized.h"

#include <limits>

// Tiled attention with an online softmax (Milakov and Gimelshein, 2018; Dao et al., 2022). Skipping
// tiles without visible columns halves the work of causal attention.
namespace engine::cpu {
namespace {

constexpr int kTile = AttentionShape::kTile;

template<class Real>
Matrix<Real> rowsOf(Matrix<Real> all, int first)
{
    return {all.row(first), std::min(kTile, all.rows - first), all.columns, all.stride};
}

// A tile of the scores of one head.
struct Tile
{
    int slice = 0, firstRow = 0, firstKey = 0; // firstKey is relative to the slice
    int rows = 0, columns = 0;
};

// Visits the tiles of the query rows that start at `firstRow`. Calls `visit` for every tile in
// which at least one row attends to a column.
template<class Real, class Visit>
void visitRow(const AttentionHead<const Real>& head, int firstRow, const Visit& visit)
{
    const int sequence = head.query().rows, rows = std::min(kTile, sequence - firstRow);
    for (int slice = 0; slice <= head.slice(); ++slice)
        for (int key = 0; key < sequence; key += kTile)
            if (slice * sequence + key < head.seen(firstRow + rows - 1))
                visit(Tile{slice, firstRow, key, rows, std::min(kTile, sequence - key)});
}

template<class Real>
int seenIn(const AttentionHead<const Real>& head, const Tile& tile, int r)
{
    const int first = tile.slice * head.query().rows + tile.firstKey;
    return std::clamp(head.seen(tile.firstRow + r) - first, 0, tile.columns);
}

template<class Real>
Matrix<Wide<Real>> tileScores(const AttentionHead<const Real>& head, const Tile& tile,
                              Wide<Real>* workspace)
{
    const Matrix<Wide<Real>> scores(workspace, tile.rows, tile.columns, kTile);
    matmul(Matmul<Real, Wide<Real>>{.a = rowsOf(head.query(), tile.firstRow),
                                    .b = rowsOf(head.key(tile.slice), tile.firstKey),
                                    .c = scores,
                                    .transposeB = Transpose::Yes,
                                    .alpha = head.scale()});
    return scores;
}

// If Real is narrower than Wide<Real>, the operand is a rounded copy in `place`.
template<class Real>
Matrix<const Real> narrowed(Matrix<Wide<Real>> tile, [[maybe_unused]] Wide<Real>* place)
{
    if constexpr (kPlacesOfWide<Real> == 1)
        return tile;
    else {
        const Matrix<Real> narrow(reinterpret_cast<Real*>(place), tile.rows, tile.columns, kTile);
        for (int r = 0; r < tile.rows; ++r)
            std::transform(tile.row(r), tile.row(r) + tile.columns, narrow.row(r),
                           [](Wide<Real> x) { return Real(x); });
        return narrow;
    }
}

// The output itself if Real is wide, otherwise `place`.
template<class Real>
Matrix<Wide<Real>> accumulators(Matrix<Real> out, [[maybe_unused]] Wide<Real>* place)
{
    if constexpr (kPlacesOfWide<Real> == 1)
        return out;
    else
        return {place, out.rows, out.columns};
}

template<class Real>
struct RowState
{
    Real largest = 0, sum = 0;
};

// Replaces the `seen` scores of a row by exp(score - largest) and the rest by 0. Returns the factor
// that converts earlier sums of the row to the new maximum.
template<class Real>
BS_VECTORIZED Real onlineSoftmax(Real* row, int seen, int columns, RowState<Real>& state)
{
    Real largest = state.largest, sum = 0;
#pragma omp simd reduction(max : largest)
    for (int c = 0; c < seen; ++c)
        largest = row[c] > largest ? row[c] : largest;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < seen; ++c) {
        row[c] = exponential(row[c] - largest);
        sum += row[c];
    }
    std::fill(row + seen, row + columns, Real(0));
    const Real shrink = state.sum > 0 ? exponential(state.largest - largest) : Real(0);
    state = {largest, state.sum * shrink + sum};
    return shrink;
}

template<class Real>
BS_VECTORIZED void scaleRow(Real* row, int columns, Real factor)
{
#pragma omp simd
    for (int c = 0; c < columns; ++c)
        row[c] *= factor;
}

// Replaces the `seen` scores by P = exp(score - logSum) and the rest by 0.
template<class Real>
BS_VECTORIZED void probabilitiesOf(Real* row, int seen, int columns, Real logSum)
{
#pragma omp simd
    for (int c = 0; c < seen; ++c)
        row[c] = exponential(row[c] - logSum);
    std::fill(row + seen, row + columns, Real(0));
}

// Replaces dP by dS = P (dP - product), where `product` is the row's dot product of dOut and out.
template<class Real>
BS_VECTORIZED void scoreGradients(const Real* p, Real* d, int columns, Real product)
{
#pragma omp simd
    for (int c = 0; c < columns; ++c)
        d[c] = p[c] * (d[c] - product);
}

template<class Real>
BS_VECTORIZED Wide<Real> rowProduct(const Real* a, const Real* b, int columns)
{
    using W = Wide<Real>;
    W sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < columns; ++c)
        sum += W(a[c]) * W(b[c]);
    return sum;
}

template<class Real>
void rowTiles(const AttentionHead<const Real>& head, int firstRow, Matrix<Real> out,
              Wide<Real>* logSums, Wide<Real>* workspace)
{
    using W = Wide<Real>;
    W* narrowTile = workspace + kTile * kTile;
    const Matrix<W> sums = accumulators(out, narrowTile + inWide<Real>(kTile * kTile));
    RowState<W> states[kTile];
    for (RowState<W>& state : states)
        state.largest = std::numeric_limits<W>::lowest();
    visitRow(head, firstRow, [&](const Tile& tile) {
        const Matrix<W> scores = tileScores(head, tile, workspace);
        const bool isFirst = tile.slice == 0 && tile.firstKey == 0;
        for (int r = 0; r < tile.rows; ++r) {
            const W shrink
                = onlineSoftmax(scores.row(r), seenIn(head, tile, r), tile.columns, states[r]);
            if (!isFirst)
                scaleRow(sums.row(r), sums.columns, shrink);
        }
        matmul(Matmul<Real, W>{.a = narrowed<Real>(scores, narrowTile),
                               .b = rowsOf(head.value(tile.slice), tile.firstKey),
                               .c = sums,
                               .beta = isFirst ? W(0) : W(1)});
    });
    for (int r = 0; r < out.rows; ++r) {
        scaleRow(sums.row(r), sums.columns, W(1) / states[r].sum);
        logSums[r] = states[r].largest + std::log(states[r].sum);
        if constexpr (kPlacesOfWide<Real> != 1)
            std::transform(sums.row(r), sums.row(r) + sums.columns, out.row(r),
                           [](W x) { return Real(x); });
    }
}

template<class Real>
void tileBackward(const AttentionHead<const Real>& head, const FlashHeadBackward<Real>& op,
                  const Tile& tile, Wide<Real>* products)
{
    using W = Wide<Real>;
    using IntoGradients = Matmul<Real, W>;
    W* narrowTiles = products + op.out.rows;
    const Matrix<W> p = tileScores(head, tile, op.workspace);
    const Matrix<W> d(op.workspace + kTile * kTile, tile.rows, tile.columns, kTile);
    const bool own = tile.slice == head.slice();
    const auto dOut = rowsOf(op.dOut, tile.firstRow);
    for (int r = 0; r < tile.rows; ++r)
        probabilitiesOf(p.row(r), seenIn(head, tile, r), tile.columns,
                        op.logSums[tile.firstRow + r]);
    matmul(IntoGradients{.a = dOut,
                         .b = rowsOf(head.value(tile.slice), tile.firstKey),
                         .c = d,
                         .transposeB = Transpose::Yes});
    matmul(
        IntoGradients{.a = narrowed<Real>(p, narrowTiles),
                      .b = dOut,
                      .c = rowsOf(own ? op.d.value : head.valueGradient(tile.slice), tile.firstKey),
                      .transposeA = Transpose::Yes,
                      .beta = 1});
    for (int r = 0; r < tile.rows; ++r)
        scoreGradients(p.row(r), d.row(r), tile.columns, products[tile.firstRow + r]);
    const Matrix<const Real> dScores = narrowed<Real>(d, narrowTiles + inWide<Real>(kTile * kTile));
    matmul(IntoGradients{.a = dScores,
                         .b = rowsOf(head.key(tile.slice), tile.firstKey),
                         .c = rowsOf(op.d.query, tile.firstRow),
                         .alpha = head.scale(),
                         .beta = 1});
    matmul(IntoGradients{.a = dScores,
                         .b = rowsOf(head.query(), tile.firstRow),
                         .c = rowsOf(own ? op.d.key : head.keyGradient(tile.slice), tile.firstKey),
                         .transposeA = Transpose::Yes,
                         .alpha = head.scale(),
                         .beta = 1});
}

} // namespace

template<class Real>
void flashHead(const AttentionHead<const Real>& head, Matrix<Real> out, Wide<Real>* logSums,
               Wide<Real>* workspace)
{
    for (int r = 0; r < out.rows; r += kTile)
        rowTiles(head, r, rowsOf(out, r), logSums + r, workspace);
}

// The softmax backward needs the sum over columns of dP P for each row. This sum equals the dot
// product of dOut and out in the row, which does not need the scores.
template<class Real>
void flashHeadBackward(const AttentionHead<const Real>& head, const FlashHeadBackward<Real>& op)
{
    Wide<Real>* products = op.workspace + std::ptrdiff_t{2} * kTile * kTile;
    for (int r = 0; r < op.out.rows; ++r) {
        products[r] = rowProduct(op.dOut.row(r), op.out.row(r), op.out.columns);
        std::fill_n(op.d.query.row(r), op.d.query.columns, Wide<Real>(0));
    }
    for (int r = 0; r < op.out.rows; r += kTile)
        visitRow(head, r, [&](const Tile& tile) { tileBackward(head, op, tile, products); });
}

template void flashHead(const AttentionHead<const float>&, Matrix<float>, float*, float*);
template void flashHead(const AttentionHead<const double>&, Matrix<double>, double*, double*);
template void flashHead(const AttentionHead<const bfloat16>&, Matrix<bfloat16>, float*, float*);
template void flashHeadBackward(const AttentionHead<const float>&, const FlashHeadBackward<float>&);
template void flashHeadBackward(const AttentionHead<const double>&,
                                const FlashHeadBackward<double>&);
template void flashHeadBackward(const AttentionHead<const bfloat16>&,
                                const FlashHeadBackward<bfloat16>&);

} // namespace engine::cpu
