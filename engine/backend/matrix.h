#pragma once

#include <cstddef>
#include <span>

namespace engine {

// A row-major view. `stride` is the number of elements from one row to the next.
template<class Real>
struct Matrix
{
    Real* data = nullptr;
    int rows = 0, columns = 0, stride = 0;

    Matrix() = default;
    Matrix(Real* first, int rowCount, int columnCount, int rowStride)
        : data(first)
        , rows(rowCount)
        , columns(columnCount)
        , stride(rowStride)
    { }
    Matrix(Real* first, int rowCount, int columnCount)
        : Matrix(first, rowCount, columnCount, columnCount)
    { }
    operator Matrix<const Real>() const // NOLINT(google-explicit-constructor): adding const
    {
        return {data, rows, columns, stride};
    }
    Real* row(int r) const { return data + static_cast<std::ptrdiff_t>(r) * stride; }
};

// Requires adjacent rows (stride == columns).
template<class Real>
std::span<Real> all(Matrix<Real> m)
{
    return {m.data, static_cast<std::size_t>(m.rows) * m.columns};
}

} // namespace engine
