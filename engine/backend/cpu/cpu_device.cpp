#include "engine/backend/cpu/cpu_device.h"

#include "engine/backend/cpu/blas.h"
#include "engine/backend/cpu/operations.h"
#include "engine/base/available_memory.h"
#include "engine/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <string>

namespace engine {
namespace {

template<class Real>
class CpuKernels final : public Kernels<Real>
{
public:
    using Tokens = std::span<const std::int32_t>;

    void matmul(const Matmul<Real>& op) const override { cpu::matmul(op); }
    void matmulWide(const Matmul<Real, Wide<Real>>& op) const override { cpu::matmul(op); }
    void addBias(Matrix<Real> y, const Real* bias) const override { cpu::addBias(y, bias); }
    void addBiasGradient(Matrix<const Real> dy, Wide<Real>* dBias) const override
    {
        cpu::addBiasGradient(dy, dBias);
    }
    void add(std::span<const Real> x, std::span<Real> y) const override { cpu::add(x, y); }
    void layerNorm(const LayerNorm<Real>& op) const override { cpu::layerNorm(op); }
    void layerNormBackward(const LayerNormBackward<Real>& op) const override
    {
        cpu::layerNormBackward(op);
    }
    void rmsNorm(const RmsNorm<Real>& op) const override { cpu::rmsNorm(op); }
    void rmsNormBackward(const RmsNormBackward<Real>& op) const override
    {
        cpu::rmsNormBackward(op);
    }
    void rotary(const Rotary<Real>& op) const override { cpu::rotary(op); }
    void attention(const Attention<Real>& op) const override { cpu::attention(op); }
    void attentionBackward(const AttentionBackward<Real>& op) const override
    {
        cpu::attentionBackward(op);
    }
    void gelu(std::span<const Real> x, std::span<Real> y) const override { cpu::gelu(x, y); }
    void geluBackward(std::span<const Real> dy, std::span<Real> x) const override
    {
        cpu::geluBackward(dy, x);
    }
    void swiGlu(Matrix<const Real> x, Matrix<Real> y) const override { cpu::swiGlu(x, y); }
    void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x) const override
    {
        cpu::swiGluBackward(dy, x);
    }
    void embedding(Tokens tokens, const Real* tokenTable, Matrix<const Real> positionTable,
                   Matrix<Real> out) const override
    {
        cpu::embedding(tokens, tokenTable, positionTable, out);
    }
    void embeddingBackward(Tokens tokens, Matrix<const Real> dOut, Wide<Real>* dTokenTable,
                           Matrix<Wide<Real>> dPositionTable) const override
    {
        cpu::embeddingBackward(tokens, dOut, dTokenTable, dPositionTable);
    }
    void crossEntropy(const CrossEntropy<Real>& op) const override { cpu::crossEntropy(op); }
    void crossEntropyBackward(Matrix<Real> logits, Tokens targets, Wide<Real> scale) const override
    {
        cpu::crossEntropyBackward(logits, targets, scale);
    }
    void adamW(const AdamW<Real>& op, std::span<const DecayPart> parts) const override
    {
        cpu::adamW(op, parts);
    }
    void addFixedPoint(std::span<const Wide<Real>> x, std::span<std::int64_t> sums) const override
    {
        cpu::addFixedPoint(x, sums);
    }
    void fromFixedPoint(std::span<const std::int64_t> sums, std::span<Wide<Real>> x) const override
    {
        cpu::fromFixedPoint(sums, x);
    }
};

std::string processorName()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (const auto colon = line.find(": ");
            line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    return "CPU";
}

class BlasDevice final : public CpuDevice
{
public:
    BlasDevice(std::string library, int threads)
        : m_library(std::move(library))
        , m_threads(threads)
    { }
    DeviceInfo info() const override
    {
        // OPENBLAS_CORETYPE selects other kernels, which may take twice as long.
        return {fmt::format("{}, {}, {} BLAS thread{}", processorName(),
                            m_library.substr(m_library.find(", ") + 2), m_threads,
                            m_threads == 1 ? "" : "s"),
                m_library, availableMemory()};
    }
    const Kernels<float>& kernels() const override { return m_floats; }
    const Kernels<bfloat16>* bfloat16Kernels() const override { return &m_bfloat16s; }
    const Kernels<double>& doubleKernels() const override { return m_doubles; }

    DeviceMemory allocate(Bytes bytes, MemoryFor) const override
    {
        constexpr std::align_val_t kAlignment{256};
        auto* memory
            = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), kAlignment));
        return {memory, [](std::byte* taken) { ::operator delete(taken, kAlignment); }};
    }
    void upload(std::span<const std::byte> from, std::byte* to) const override
    {
        std::ranges::copy(from, to);
    }
    void download(const std::byte* from, std::span<std::byte> to) const override
    {
        std::copy_n(from, to.size(), to.begin());
    }
    void fill(std::span<std::byte> memory, std::byte value) const override
    {
        std::ranges::fill(memory, value);
    }
    void synchronize() const override { }

private:
    std::string m_library;
    int m_threads;
    CpuKernels<float> m_floats;
    CpuKernels<bfloat16> m_bfloat16s;
    CpuKernels<double> m_doubles;
};

} // namespace

Result<std::shared_ptr<const CpuDevice>> openCpuDevice(int threads, int callers)
{
    const auto blas = TRY(cpu::loadBlas());
    TRY(cpu::reserveBuffers(*blas, callers));
    blas->setThreads(threads);
    return std::make_shared<BlasDevice>(blas->name, threads);
}

} // namespace engine
