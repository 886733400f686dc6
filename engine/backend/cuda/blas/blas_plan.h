#pragma once

#include "engine/backend/cuda/blas/blas_functions.h"
#include "engine/backend/cuda/blas/blas_lt.h"

#include <array>

namespace engine::cuda {

// The descriptors of a product for cuBLASLt, and the algorithm that the heuristics chose for it.
class BlasPlan
{
public:
    // Everything on which the choice of the algorithm depends. Products with the same key share a
    // plan.
    using Key = std::array<std::int64_t, 22>;
    static Key keyOf(const Product& op);

    // Throws std::runtime_error if the library fails.
    BlasPlan(cublasLtHandle_t handle, const Product& op, const BlasOptions& options);
    ~BlasPlan();
    BlasPlan(const BlasPlan&) = delete;
    BlasPlan& operator=(const BlasPlan&) = delete;

    // Returns false and queues nothing if the library does not support the epilogue. Support is
    // known from the heuristics or after the first call. Throws if the library does not support a
    // product without an epilogue.
    bool run(cublasLtHandle_t handle, const OpStream& opStream, const Product& op);

private:
    template<class Value>
    void set(cublasLtMatmulDescAttributes_t attribute, Value value);
    void describe(const Product& op, const BlasOptions& options);
    void setEpilogue(const Product& op);
    void setPointers(const Product& op);
    void choose(cublasLtHandle_t handle, const Product& op);

    cublasLtMatmulDesc_t m_operation = nullptr;
    cublasLtMatrixLayout_t m_a = nullptr, m_b = nullptr, m_c = nullptr;
    cublasLtMatmulHeuristicResult_t m_choice{};
    bool m_exists = false, m_hasRun = false;
};

void checkBlas(cublasStatus_t status, const char* what); // throws std::runtime_error

} // namespace engine::cuda
