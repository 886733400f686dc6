#include "engine/backend/cuda/blas_lt.h"

#include "engine/backend/cuda/blas_functions.h"
#include "engine/base/check.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <stdexcept>

namespace engine::cuda {
namespace {

void check(cublasStatus_t status, const char* what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(
            fmt::format("cuBLASLt: {} gave status {}", what, static_cast<int>(status)));
}

// What cuBLASLt, which counts columns first, calls a product c = a b in rows: its transpose,
// c^T = b^T a^T. A row-major matrix is its own transpose there, so nothing moves.
struct Shape
{
    std::uint64_t m = 0, n = 0, k = 0;
    cublasOperation_t first = CUBLAS_OP_N, second = CUBLAS_OP_N; // of b and of a
};

cublasOperation_t of(Transpose transpose)
{
    return transpose == Transpose::Yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}

Shape shapeOf(const Matmul<float>& op)
{
    const bool turnsA = op.transposeA == Transpose::Yes, turnsB = op.transposeB == Transpose::Yes;
    const int inner = turnsA ? op.a.rows : op.a.columns;
    CHECK(inner > 0 && inner == (turnsB ? op.b.columns : op.b.rows));
    CHECK(op.c.rows == (turnsA ? op.a.columns : op.a.rows));
    CHECK(op.c.columns == (turnsB ? op.b.rows : op.b.columns));
    return {static_cast<std::uint64_t>(op.c.columns), static_cast<std::uint64_t>(op.c.rows),
            static_cast<std::uint64_t>(inner), of(op.transposeB), of(op.transposeA)};
}

// What every product of a batch is aligned to, in bytes, up to one access; the library's own
// default is 256. Not more, so that the place of a tensor in its arena decides nothing: the bits of
// a product are the same in every schedule.
std::uint32_t alignmentOf(const float* data, std::ptrdiff_t step, int count)
{
    const auto bits = reinterpret_cast<std::uintptr_t>(data)
        | (count > 1 ? static_cast<std::uintptr_t>(step) * sizeof(float) : 0);
    std::uint32_t alignment = sizeof(float);
    constexpr std::uint32_t kAccess = 16;
    while (alignment < kAccess && bits % (2 * alignment) == 0)
        alignment *= 2;
    return alignment;
}

// A product as the library has it: descriptions and the algorithm.
class Plan
{
public:
    Plan(cublasLtHandle_t handle, const BatchedMatmul& op, int multiprocessors)
    {
        const Matmul<float>& one = op.first;
        const Shape shape = shapeOf(one);
        check(blasFunctions().createOperation(&m_operation, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              "description");
        set(CUBLASLT_MATMUL_DESC_TRANSA, shape.first);
        set(CUBLASLT_MATMUL_DESC_TRANSB, shape.second);
        if (multiprocessors > 0)
            set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, static_cast<std::int32_t>(multiprocessors));
        m_a = layout(one.b, op.strideB, op.count);
        m_b = layout(one.a, op.strideA, op.count);
        m_c = layout<float>(one.c, op.strideC, op.count);
        choose(handle, op, shape);
    }
    ~Plan()
    {
        for (cublasLtMatrixLayout_t each : {m_a, m_b, m_c})
            if (each != nullptr)
                blasFunctions().destroyLayout(each);
        if (m_operation != nullptr)
            blasFunctions().destroyOperation(m_operation);
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    void run(cublasLtHandle_t handle, const Lane& lane, const Matmul<float>& op) const
    {
        check(blasFunctions().matmul(handle, m_operation, &op.alpha, op.b.data, m_a, op.a.data, m_b,
                                     &op.beta, op.c.data, m_c, op.c.data, m_c, &m_choice.algo,
                                     lane.scratch, Lane::kScratch, lane.stream),
              "a product");
    }

private:
    template<class Value>
    void set(cublasLtMatmulDescAttributes_t attribute, Value value)
    {
        check(blasFunctions().setOperation(m_operation, attribute, &value, sizeof value),
              "an attribute");
    }

    template<class Real>
    static cublasLtMatrixLayout_t layout(const Matrix<Real>& matrix, std::ptrdiff_t step,
                                         std::int32_t count)
    {
        cublasLtMatrixLayout_t made = nullptr;
        check(blasFunctions().createLayout(&made, CUDA_R_32F,
                                           static_cast<std::uint64_t>(matrix.columns),
                                           static_cast<std::uint64_t>(matrix.rows), matrix.stride),
              "a layout");
        if (count > 1) {
            const auto offset = static_cast<std::int64_t>(step);
            check(blasFunctions().setLayout(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                            sizeof count),
                  "a batch");
            check(blasFunctions().setLayout(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                            &offset, sizeof offset),
                  "a batch");
        }
        return made;
    }

    void choose(cublasLtHandle_t handle, const BatchedMatmul& op, const Shape& shape)
    {
        const Matmul<float>& one = op.first;
        cublasLtMatmulPreference_t preference = nullptr;
        check(blasFunctions().createPreference(&preference), "a preference");
        const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
            check(blasFunctions().setPreference(preference, attribute, &value, sizeof value),
                  "a preference");
        };
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, Lane::kScratch);
        // Without CUBLASLT_REDUCTION_SCHEME_INPLACE, which adds with atomics.
        prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
               static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
                                          | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
               alignmentOf(one.b.data, op.strideB, op.count));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
               alignmentOf(one.a.data, op.strideA, op.count));
        for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                                     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
            prefer(attribute, alignmentOf(one.c.data, op.strideC, op.count));
        int found = 0;
        const cublasStatus_t status = blasFunctions().heuristic(
            handle, m_operation, m_a, m_b, m_c, m_c, preference, 1, &m_choice, &found);
        blasFunctions().destroyPreference(preference);
        if (status != CUBLAS_STATUS_SUCCESS || found == 0)
            throw std::runtime_error(
                fmt::format("cuBLASLt has no algorithm for {} products of {} x {} x {} (status {})",
                            op.count, shape.n, shape.m, shape.k, static_cast<int>(status)));
    }

    cublasLtMatmulDesc_t m_operation = nullptr;
    cublasLtMatrixLayout_t m_a = nullptr, m_b = nullptr, m_c = nullptr;
    cublasLtMatmulHeuristicResult_t m_choice{};
};

class BlasLt final : public Products
{
public:
    explicit BlasLt(int multiprocessors)
        : m_multiprocessors(multiprocessors)
    {
        check(blasFunctions().create(&m_handle), "start");
    }
    ~BlasLt() override
    {
        m_plans.clear();
        blasFunctions().destroy(m_handle);
    }

    void multiply(const Lane& lane, const BatchedMatmul& op) override
    {
        if (op.first.c.rows == 0 || op.first.c.columns == 0 || op.count == 0)
            return;
        const Key key = keyOf(op);
        auto found = m_plans.find(key);
        if (found == m_plans.end())
            found = m_plans.try_emplace(key, m_handle, op, m_multiprocessors).first;
        found->second.run(m_handle, lane, op.first);
    }

private:
    using Key = std::array<std::int64_t, 15>;

    // Everything that the choice of an algorithm depends on.
    static Key keyOf(const BatchedMatmul& op)
    {
        const Matmul<float>& one = op.first;
        return {one.c.rows,
                one.c.columns,
                one.transposeA == Transpose::Yes ? one.a.rows : one.a.columns,
                static_cast<std::int64_t>(one.transposeA),
                static_cast<std::int64_t>(one.transposeB),
                one.a.stride,
                one.b.stride,
                one.c.stride,
                op.count,
                op.strideA,
                op.strideB,
                op.strideC,
                alignmentOf(one.a.data, op.strideA, op.count),
                alignmentOf(one.b.data, op.strideB, op.count),
                alignmentOf(one.c.data, op.strideC, op.count)};
    }

    int m_multiprocessors;
    cublasLtHandle_t m_handle = nullptr;
    std::map<Key, Plan> m_plans;
};

} // namespace

std::unique_ptr<Products> makeBlasLt(int multiprocessors)
{
    return std::make_unique<BlasLt>(multiprocessors);
}

} // namespace engine::cuda
