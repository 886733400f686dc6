#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"

// GELU (tanh form) and SwiGLU. Both are memory-bound. They use the accurate tanhf and expf (2 and 1
// ulp) instead of fast math.
namespace engine::cuda {
namespace {

// gelu(x) = x / 2 (1 + tanh(a (x + b x^3))), a = sqrt(2 / pi)
constexpr float kA = 0.79788456080286535588F, kB = 0.044715F;

__device__ inline float geluTanh(float x)
{
    return tanhf(kA * (x + kB * x * x * x));
}

__device__ inline float geluGradient(float dy, float x)
{
    const float t = geluTanh(x), slope = kA * (1.0F + 3.0F * kB * x * x);
    return dy * (0.5F * (1.0F + t + x * (1.0F - t * t) * slope));
}

__device__ inline float logistic(float x)
{
    return 1.0F / (1.0F + expf(-x));
}

template<class Real>
struct Gelu
{
    const Real* x;
    Real* y;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        auto values = load<kCount>(x + first);
        for (int i = 0; i < kCount; ++i)
            values.at[i] = 0.5F * values.at[i] * (1.0F + geluTanh(values.at[i]));
        store(y + first, values);
    }
};

template<class Real>
struct GeluBackward
{
    const Real* dy;
    Real* x;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        combineInto<kCount>(x + first, dy + first, geluGradient);
    }
};

// Work for forEach() over the elements of y, a (rows, F) matrix.
template<class Real>
struct SwiGlu
{
    Matrix<const Real> x;
    Matrix<Real> y;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const Place place = placeOf(first, y.columns);
        const Real* gateAt = at(x, place);
        const auto gate = load<kCount>(gateAt), up = load<kCount>(gateAt + y.columns);
        Pack<kCount> out;
        for (int i = 0; i < kCount; ++i)
            out.at[i] = gate.at[i] * logistic(gate.at[i]) * up.at[i];
        store(at(y, place), out);
    }
};

// With s = logistic(gate): dGate = dy up s (1 + gate (1 - s)), dUp = dy gate s.
template<class Real>
struct SwiGluBackward
{
    Matrix<const Real> dy;
    Matrix<Real> x;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const Place place = placeOf(first, dy.columns);
        Real *gateAt = at(x, place), *upAt = gateAt + dy.columns;
        auto gate = load<kCount>(gateAt), up = load<kCount>(upAt);
        const auto d = load<kCount>(at(dy, place));
        for (int i = 0; i < kCount; ++i) {
            const float g = gate.at[i], u = up.at[i], s = logistic(g);
            gate.at[i] = d.at[i] * u * s * (1.0F + g * (1.0F - s));
            up.at[i] = d.at[i] * g * s;
        }
        store(gateAt, gate);
        store(upAt, up);
    }
};

} // namespace

template<class Real>
void gelu(const OpStream& opStream, std::span<const Real> x, std::span<Real> y)
{
    CHECK(x.size() >= y.size());
    forEach<vectorOf<Real>()>(opStream.stream, y.size(), areAligned({x.data(), y.data()}),
                              Gelu<Real>{x.data(), y.data()});
}

template<class Real>
void geluBackward(const OpStream& opStream, std::span<const Real> dy, std::span<Real> x)
{
    CHECK(dy.size() >= x.size());
    forEach<vectorOf<Real>()>(opStream.stream, x.size(), areAligned({dy.data(), x.data()}),
                              GeluBackward<Real>{dy.data(), x.data()});
}

template<class Real>
void swiGlu(const OpStream& opStream, Matrix<const Real> x, Matrix<Real> y)
{
    CHECK(x.rows == y.rows && x.columns == 2 * y.columns);
    forEach<vectorOf<Real>()>(opStream.stream, countOf(y), isAligned(x) && isAligned(y),
                              SwiGlu<Real>{x, y});
}

template<class Real>
void swiGluBackward(const OpStream& opStream, Matrix<const Real> dy, Matrix<Real> x)
{
    CHECK(x.rows == dy.rows && x.columns == 2 * dy.columns);
    forEach<vectorOf<Real>()>(opStream.stream, countOf(dy), isAligned(x) && isAligned(dy),
                              SwiGluBackward<Real>{dy, x});
}

template void gelu(const OpStream&, std::span<const float>, std::span<float>);
template void geluBackward(const OpStream&, std::span<const float>, std::span<float>);
template void swiGlu(const OpStream&, Matrix<const float>, Matrix<float>);
template void swiGluBackward(const OpStream&, Matrix<const float>, Matrix<float>);
template void gelu(const OpStream&, std::span<const bfloat16>, std::span<bfloat16>);
template void geluBackward(const OpStream&, std::span<const bfloat16>, std::span<bfloat16>);
template void swiGlu(const OpStream&, Matrix<const bfloat16>, Matrix<bfloat16>);
template void swiGluBackward(const OpStream&, Matrix<const bfloat16>, Matrix<bfloat16>);

} // namespace engine::cuda
