#include "engine/backend/cuda/blas/blas_functions.h"
#include "engine/backend/cuda/blas/products.h"
#include "engine/base/check.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <stdexcept>

namespace engine::cuda {
namespace {

void checkBlas(cublasStatus_t status, const char* what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(
            fmt::format("cuBLASLt: {} returned status {}", what, static_cast<int>(status)));
}

constexpr std::uint32_t kAccess = 16; // bytes
// cuBLASLt requires the stride of GELU's auxiliary matrix to be a multiple of this many numbers.
constexpr int kAuxiliaryStride = 8;

cublasOperation_t of(Transpose transpose)
{
    return transpose == Transpose::Yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}

cudaDataType typeOf(Element element)
{
    return element == Element::Float ? CUDA_R_32F : CUDA_R_16BF;
}

bool hasBias(Epilogue epilogue)
{
    return epilogue == Epilogue::Bias || epilogue == Epilogue::GeluBias
        || epilogue == Epilogue::BiasGradient;
}

bool hasAuxiliary(Epilogue epilogue)
{
    return epilogue == Epilogue::GeluBias || epilogue == Epilogue::GeluGradient;
}

int innerOf(const Product& op)
{
    return op.transposeA == Transpose::Yes ? op.a.rows : op.a.columns;
}

void checkShape(const Product& op)
{
    const bool turnsA = op.transposeA == Transpose::Yes, turnsB = op.transposeB == Transpose::Yes;
    const int inner = innerOf(op);
    CHECK(inner > 0 && inner == (turnsB ? op.b.columns : op.b.rows));
    CHECK(op.c.rows == (turnsA ? op.a.columns : op.a.rows));
    CHECK(op.c.columns == (turnsB ? op.b.rows : op.b.columns));
    CHECK(op.epilogue == Epilogue::None || op.count == 1);
    CHECK(op.epilogue != Epilogue::BiasGradient || !turnsB);
    CHECK(hasBias(op.epilogue) == (op.bias != nullptr));
    CHECK(hasAuxiliary(op.epilogue) == (op.auxiliary != nullptr));
}

// Returns the alignment in bytes that an operand has in all products of a batch, but at most 16.
// The algorithm is chosen for this alignment instead of the library's default of 256 bytes.
// Therefore the choice, and with it the bits of the result, do not depend on where in the arena a
// tensor is.
std::uint32_t alignmentOf(const void* data, std::size_t size, std::ptrdiff_t step = 0)
{
    const auto bits
        = reinterpret_cast<std::uintptr_t>(data) | (static_cast<std::uintptr_t>(step) * size);
    std::uint32_t alignment = size;
    while (alignment < kAccess && bits % (2 * alignment) == 0)
        alignment *= 2;
    return alignment;
}

std::uint32_t alignmentOf(const Operand& operand, int count)
{
    return alignmentOf(operand.data, bytesOf(operand.element), count > 1 ? operand.step : 0);
}

const void* addedTo(const Product& op)
{
    return op.added != nullptr ? op.added : op.c.data;
}

std::uint32_t alignmentOfAdded(const Product& op)
{
    return alignmentOf(addedTo(op), bytesOf(op.c.element), op.count > 1 ? op.c.step : 0);
}

cublasLtMatrixLayout_t layoutOf(const Operand& operand, std::int32_t count)
{
    cublasLtMatrixLayout_t made = nullptr;
    checkBlas(blasFunctions().createLayout(
                  &made, typeOf(operand.element), static_cast<std::uint64_t>(operand.columns),
                  static_cast<std::uint64_t>(operand.rows), operand.stride),
              "cublasLtMatrixLayoutCreate");
    if (count > 1) {
        const std::int64_t offset = operand.step;
        checkBlas(blasFunctions().setLayout(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                            sizeof count),
                  "cublasLtMatrixLayoutSetAttribute");
        checkBlas(blasFunctions().setLayout(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                            &offset, sizeof offset),
                  "cublasLtMatrixLayoutSetAttribute");
    }
    return made;
}

cublasLtEpilogue_t nameOf(Epilogue epilogue)
{
    switch (epilogue) {
    case Epilogue::None:
        return CUBLASLT_EPILOGUE_DEFAULT;
    case Epilogue::Bias:
        return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::GeluBias:
        return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case Epilogue::GeluGradient:
        return CUBLASLT_EPILOGUE_DGELU;
    case Epilogue::BiasGradient: // the gradient sums b, which is cuBLASLt's A
        return CUBLASLT_EPILOGUE_BGRADA;
    }
    return CUBLASLT_EPILOGUE_DEFAULT;
}

// Whether the operands meet the library's requirements for an auxiliary matrix. The library may
// still have no algorithm.
bool fits(const Product& op)
{
    return !hasAuxiliary(op.epilogue)
        || (op.c.stride % kAuxiliaryStride == 0
            && alignmentOf(op.auxiliary, bytesOf(op.c.element)) == kAccess);
}

// The descriptors of a product for cuBLASLt, and the algorithm that the heuristics chose for it.
class BlasPlan
{
public:
    // Everything on which the choice of the algorithm depends. Products with the same key share a
    // plan.
    using Key = std::array<std::int64_t, 22>;
    static Key keyOf(const Product& op)
    {
        const std::size_t size = bytesOf(op.c.element);
        return {op.c.rows,
                op.c.columns,
                innerOf(op),
                static_cast<std::int64_t>(op.transposeA),
                static_cast<std::int64_t>(op.transposeB),
                static_cast<std::int64_t>(op.a.element),
                static_cast<std::int64_t>(op.b.element),
                static_cast<std::int64_t>(op.c.element),
                op.a.stride,
                op.b.stride,
                op.c.stride,
                op.count,
                op.a.step,
                op.b.step,
                op.c.step,
                alignmentOf(op.a, op.count),
                alignmentOf(op.b, op.count),
                alignmentOf(op.c, op.count),
                alignmentOfAdded(op),
                static_cast<std::int64_t>(op.epilogue),
                op.bias != nullptr ? alignmentOf(op.bias, size) : 0,
                op.auxiliary != nullptr ? alignmentOf(op.auxiliary, size) : 0};
    }

    // Throws std::runtime_error if the library fails.
    BlasPlan(cublasLtHandle_t handle, const Product& op, const BlasOptions& options)
    {
        checkShape(op);
        if (!fits(op))
            return;
        describe(op, options);
        choose(handle, op);
    }
    ~BlasPlan()
    {
        for (cublasLtMatrixLayout_t each : {m_a, m_b, m_c})
            if (each != nullptr)
                blasFunctions().destroyLayout(each);
        if (m_operation != nullptr)
            blasFunctions().destroyOperation(m_operation);
    }
    BlasPlan(const BlasPlan&) = delete;
    BlasPlan& operator=(const BlasPlan&) = delete;

    // Returns false and queues nothing if the library does not support the epilogue. Support is
    // known from the heuristics or after the first call. Throws if the library does not support a
    // product without an epilogue.
    bool run(cublasLtHandle_t handle, const OpStream& opStream, const Product& op)
    {
        if (!m_exists)
            return false;
        setPointers(op);
        const cublasStatus_t status
            = blasFunctions().matmul(handle, m_operation, &op.alpha, op.b.data, m_a, op.a.data, m_b,
                                     &op.beta, addedTo(op), m_c, op.c.data, m_c, &m_choice.algo,
                                     opStream.scratch, OpStream::kWorkspace, opStream.stream);
        m_exists = m_hasRun || op.epilogue == Epilogue::None
            || (status != CUBLAS_STATUS_NOT_SUPPORTED && status != CUBLAS_STATUS_INVALID_VALUE);
        if (m_exists)
            checkBlas(status, "cublasLtMatmul");
        m_hasRun = true;
        return m_exists;
    }

private:
    template<class Value>
    void set(cublasLtMatmulDescAttributes_t attribute, Value value)
    {
        checkBlas(blasFunctions().setOperation(m_operation, attribute, &value, sizeof value),
                  "cublasLtMatmulDescSetAttribute");
    }
    // cuBLASLt is column-major, so a row-major product c = a b is passed as c^T = b^T a^T, without
    // copies.
    void describe(const Product& op, const BlasOptions& options)
    {
        checkBlas(blasFunctions().createOperation(
                      &m_operation,
                      options.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
                  "cublasLtMatmulDescCreate");
        set(CUBLASLT_MATMUL_DESC_TRANSA, of(op.transposeB));
        set(CUBLASLT_MATMUL_DESC_TRANSB, of(op.transposeA));
        if (options.multiprocessors > 0)
            set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET,
                static_cast<std::int32_t>(options.multiprocessors));
        setEpilogue(op);
        m_a = layoutOf(op.b, op.count);
        m_b = layoutOf(op.a, op.count);
        m_c = layoutOf(op.c, op.count);
    }
    // Sets the pointers, too, because the heuristics check their alignment.
    void setEpilogue(const Product& op)
    {
        if (op.epilogue == Epilogue::None)
            return;
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, nameOf(op.epilogue));
        if (hasBias(op.epilogue))
            set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                static_cast<std::int32_t>(typeOf(op.c.element)));
        if (hasAuxiliary(op.epilogue)) {
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<std::int64_t>(op.c.stride));
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE,
                static_cast<std::int32_t>(typeOf(op.c.element)));
        }
        setPointers(op);
    }
    void setPointers(const Product& op)
    {
        if (hasBias(op.epilogue))
            set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, op.bias);
        if (hasAuxiliary(op.epilogue))
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, op.auxiliary);
    }
    void choose(cublasLtHandle_t handle, const Product& op)
    {
        cublasLtMatmulPreference_t preference = nullptr;
        checkBlas(blasFunctions().createPreference(&preference), "cublasLtMatmulPreferenceCreate");
        const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
            checkBlas(blasFunctions().setPreference(preference, attribute, &value, sizeof value),
                      "cublasLtMatmulPreferenceSetAttribute");
        };
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, OpStream::kWorkspace);
        // Allows only this reduction scheme. Others add partial sums in the output type, which
        // rounds them.
        prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
               static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignmentOf(op.b, op.count));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignmentOf(op.a, op.count));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignmentOfAdded(op));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignmentOf(op.c, op.count));
        int found = 0;
        const cublasStatus_t status = blasFunctions().heuristic(
            handle, m_operation, m_a, m_b, m_c, m_c, preference, 1, &m_choice, &found);
        blasFunctions().destroyPreference(preference);
        m_exists = status == CUBLAS_STATUS_SUCCESS && found > 0
            && m_choice.state == CUBLAS_STATUS_SUCCESS;
        if (!m_exists && op.epilogue == Epilogue::None)
            throw std::runtime_error(fmt::format(
                "cuBLASLt has no algorithm for a product of {} x {} x {}, batch {} (status {})",
                op.c.rows, op.c.columns, innerOf(op), op.count, static_cast<int>(status)));
    }

    cublasLtMatmulDesc_t m_operation = nullptr;
    cublasLtMatrixLayout_t m_a = nullptr, m_b = nullptr, m_c = nullptr;
    cublasLtMatmulHeuristicResult_t m_choice{};
    bool m_exists = false, m_hasRun = false;
};

class BlasLt final : public Products
{
public:
    explicit BlasLt(const BlasOptions& options)
        : m_options(options)
    {
        checkBlas(blasFunctions().create(&m_handle), "cublasLtCreate");
    }
    ~BlasLt() override
    {
        m_plans.clear();
        blasFunctions().destroy(m_handle);
    }

    bool multiply(const OpStream& opStream, const Product& op) override
    {
        if (op.c.rows == 0 || op.c.columns == 0 || op.count == 0)
            // The product is empty, so there is nothing to queue. A bias gradient still needs
            // separate kernels; the caller queues them if the result is false.
            return op.epilogue != Epilogue::BiasGradient;
        const BlasPlan::Key key = BlasPlan::keyOf(op);
        auto found = m_plans.find(key);
        if (found == m_plans.end())
            found = m_plans.try_emplace(key, m_handle, op, m_options).first;
        return found->second.run(m_handle, opStream, op);
    }

private:
    BlasOptions m_options;
    cublasLtHandle_t m_handle = nullptr;
    std::map<BlasPlan::Key, BlasPlan> m_plans;
};

} // namespace

std::unique_ptr<Products> makeBlasLt(const BlasOptions& options)
{
    return std::make_unique<BlasLt>(options);
}

} // namespace engine::cuda
