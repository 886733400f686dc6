#pragma once

#include "engine/backend/cuda/blas/blas_functions.h"
#include "engine/backend/cuda/blas/blas_lt.h"

#include <array>

namespace engine::cuda {

// A product as cuBLASLt has it: descriptions, and the algorithm, which the heuristics choose once.
class BlasPlan
{
public:
    // Everything that the choice depends on: products of one key have one plan.
    using Key = std::array<std::int64_t, 22>;
    static Key keyOf(const Product& op);

    // Throws std::runtime_error where the library refuses.
    BlasPlan(cublasLtHandle_t handle, const Product& op, const BlasOptions& options);
    ~BlasPlan();
    BlasPlan(const BlasPlan&) = delete;
    BlasPlan& operator=(const BlasPlan&) = delete;

    // False, and nothing is queued, where the library has no such product: its heuristics say so,
    // or it refuses the first one all the same. One without an epilogue it has, or this throws.
    bool run(cublasLtHandle_t handle, const Lane& lane, const Product& op);

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
