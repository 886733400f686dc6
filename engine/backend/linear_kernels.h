#pragma once

#include "engine/backend/matrix.h"

#include <cstdint>
#include <span>

namespace engine {

enum class Transpose : std::uint8_t { No, Yes };

// c = alpha a b + beta c; a and b are optionally transposed.
template<class Real, class Out = Real>
struct Matmul
{
    Matrix<const Real> a, b;
    Matrix<Out> c;
    Transpose transposeA = Transpose::No, transposeB = Transpose::No;
    Wide<Real> alpha = 1, beta = 0;
};

// y = x weight + bias + residual. The weight is (in, out); bias and residual are optional. If
// `activated` is set, also activated = gelu(y).
template<class Real>
struct Linear
{
    Matrix<const Real> x, weight;
    const Real* bias = nullptr;
    Matrix<const Real> residual = {}; // contiguous, like y and activated
    Matrix<Real> y;
    Matrix<Real> activated = {};
};

// dx = dy weight^T; dx is overwritten. If beforeGelu (the input of the GELU that produced x) is
// set, its gradient overwrites it, and dx is undefined afterwards.
template<class Real>
struct LinearBackwardInput
{
    Matrix<const Real> dy, weight;
    Matrix<Real> dx;
    Matrix<Real> beforeGelu = {}; // contiguous, like dx
};

// dWeight += x^T dy, dBias += sum of dy over its rows; the bias is optional.
template<class Real>
struct LinearBackwardWeight
{
    Matrix<const Real> x, dy;
    Matrix<Wide<Real>> dWeight;
    Wide<Real>* dBias = nullptr;
};

// Matrix products and the linear layers made of them.
template<class Real>
class LinearKernels
{
public:
    virtual void matmul(const Matmul<Real>& op) const = 0;
    // matmul() with a wide result, for weight gradients.
    virtual void matmulWide(const Matmul<Real, Wide<Real>>& op) const = 0;
    virtual void addBias(Matrix<Real> y, const Real* bias) const = 0;
    virtual void addBiasGradient(Matrix<const Real> dy, Wide<Real>* dBias) const = 0;
    virtual void add(std::span<const Real> x, std::span<Real> y) const = 0; // y += x
    // The tanh form of GELU (Hendrycks and Gimpel, 2016).
    virtual void gelu(std::span<const Real> x, std::span<Real> y) const = 0;
    // dx overwrites x.
    virtual void geluBackward(std::span<const Real> dy, std::span<Real> x) const = 0;

    // Layers composed of other operations. A device may fuse them.
    virtual void linear(const Linear<Real>& op) const
    {
        matmul({.a = op.x, .b = op.weight, .c = op.y});
        if (op.bias != nullptr)
            addBias(op.y, op.bias);
        if (op.residual.data != nullptr)
            add(all(op.residual), all(op.y));
        if (op.activated.data != nullptr)
            gelu(all<const Real>(op.y), all(op.activated));
    }
    virtual void linearBackwardInput(const LinearBackwardInput<Real>& op) const
    {
        matmul({.a = op.dy, .b = op.weight, .c = op.dx, .transposeB = Transpose::Yes});
        if (op.beforeGelu.data != nullptr)
            geluBackward(all<const Real>(op.dx), all(op.beforeGelu));
    }
    virtual void linearBackwardWeight(const LinearBackwardWeight<Real>& op) const
    {
        matmulWide(
            {.a = op.x, .b = op.dy, .c = op.dWeight, .transposeA = Transpose::Yes, .beta = 1});
        if (op.dBias != nullptr)
            addBiasGradient(op.dy, op.dBias);
    }

protected:
    ~LinearKernels() = default;
};

} // namespace engine
