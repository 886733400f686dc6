#include "engine/backend/cuda/blas/blas_functions.h"

#include "engine/base/toolkit_library.h"

#include <stdexcept>

namespace engine::cuda {
namespace {

BlasFunctions load()
{
    const ToolkitLibrary library("cuBLASLt",
                                 {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"});
    if (!library)
        throw std::runtime_error("libcublasLt.so was not found: install it with the CUDA toolkit, "
                                 "or set CUDA_HOME");
    BlasFunctions all;
    ToolkitFunctions functions(library);
    functions.take(all.create, "cublasLtCreate");
    functions.take(all.destroy, "cublasLtDestroy");
    functions.take(all.matmul, "cublasLtMatmul");
    functions.take(all.heuristic, "cublasLtMatmulAlgoGetHeuristic");
    functions.take(all.createOperation, "cublasLtMatmulDescCreate");
    functions.take(all.destroyOperation, "cublasLtMatmulDescDestroy");
    functions.take(all.setOperation, "cublasLtMatmulDescSetAttribute");
    functions.take(all.createLayout, "cublasLtMatrixLayoutCreate");
    functions.take(all.destroyLayout, "cublasLtMatrixLayoutDestroy");
    functions.take(all.setLayout, "cublasLtMatrixLayoutSetAttribute");
    functions.take(all.createPreference, "cublasLtMatmulPreferenceCreate");
    functions.take(all.destroyPreference, "cublasLtMatmulPreferenceDestroy");
    functions.take(all.setPreference, "cublasLtMatmulPreferenceSetAttribute");
    if (functions.missing() != nullptr)
        throw std::runtime_error(library.file() + " lacks functions of CUDA 12.4: update it");
    return all;
}

} // namespace

const BlasFunctions& blasFunctions()
{
    static const BlasFunctions kFunctions = load();
    return kFunctions;
}

} // namespace engine::cuda
