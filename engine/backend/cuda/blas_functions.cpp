#include "engine/backend/cuda/blas_functions.h"

#include "engine/base/toolkit_library.h"

#include <stdexcept>
#include <type_traits>

namespace engine::cuda {
namespace {

BlasFunctions load()
{
    const ToolkitLibrary library("cuBLASLt",
                                 {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"});
    if (!library)
        throw std::runtime_error("libcublasLt.so was not found: install it with the CUDA toolkit, "
                                 "or set CUDA_HOME");
    bool whole = true;
    const auto take = [&](auto& function, const char* name) {
        function = library.symbol<std::remove_reference_t<decltype(function)>>(name);
        whole = whole && function != nullptr;
    };
    BlasFunctions all;
    take(all.create, "cublasLtCreate");
    take(all.destroy, "cublasLtDestroy");
    take(all.matmul, "cublasLtMatmul");
    take(all.heuristic, "cublasLtMatmulAlgoGetHeuristic");
    take(all.createOperation, "cublasLtMatmulDescCreate");
    take(all.destroyOperation, "cublasLtMatmulDescDestroy");
    take(all.setOperation, "cublasLtMatmulDescSetAttribute");
    take(all.createLayout, "cublasLtMatrixLayoutCreate");
    take(all.destroyLayout, "cublasLtMatrixLayoutDestroy");
    take(all.setLayout, "cublasLtMatrixLayoutSetAttribute");
    take(all.createPreference, "cublasLtMatmulPreferenceCreate");
    take(all.destroyPreference, "cublasLtMatmulPreferenceDestroy");
    take(all.setPreference, "cublasLtMatmulPreferenceSetAttribute");
    if (!whole)
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
