#pragma once

#include <cublasLt.h>

namespace engine::cuda {

// Functions of cuBLASLt, with the types of its header.
struct BlasFunctions
{
    decltype(&cublasLtCreate) create = nullptr;
    decltype(&cublasLtDestroy) destroy = nullptr;
    decltype(&cublasLtMatmul) matmul = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
    decltype(&cublasLtMatmulDescCreate) createOperation = nullptr;
    decltype(&cublasLtMatmulDescDestroy) destroyOperation = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) setOperation = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) createLayout = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) destroyLayout = nullptr;
    decltype(&cublasLtMatrixLayoutSetAttribute) setLayout = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) createPreference = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) destroyPreference = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) setPreference = nullptr;
};

// Loads the library on first use. Throws std::runtime_error if it is missing or too old.
const BlasFunctions& blasFunctions();

} // namespace engine::cuda
