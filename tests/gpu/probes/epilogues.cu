// P4: which of the products of a transformer cuBLASLt has with which epilogue, as the backend asks
// for them (engine/backend/cuda/blas/blas_lt.cpp: row-major matrices are their own transposes),
// how fast the algorithm is that its heuristics put first, and how fast the best of eight. The last
// shapes are an untied head's with rows padded as logits are, and one whose vocabulary is padded:
// what of a head's time that would save.
#include "operands.h"
#include "probe.h"

#include <cublasLt.h>

#include <cstdint>
#include <string>

namespace {

using namespace probe;

constexpr std::size_t kWorkspace = std::size_t{32} << 20;
constexpr int kRows = 8192; // 8 samples of 1024 tokens

enum class Pass { Forward, Input, Weight };

struct Case
{
    const char* name;
    Pass pass;
    cublasLtEpilogue_t epilogue;
    float beta;
};
constexpr Case kCases[] = {
    {"forward", Pass::Forward, CUBLASLT_EPILOGUE_DEFAULT, 0},
    {"forward, bias", Pass::Forward, CUBLASLT_EPILOGUE_BIAS, 0},
    {"forward, bias, residual", Pass::Forward, CUBLASLT_EPILOGUE_BIAS, 1},
    {"forward, bias, GELU", Pass::Forward, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, 0},
    {"input gradient", Pass::Input, CUBLASLT_EPILOGUE_DEFAULT, 0},
    {"input gradient, GELU'", Pass::Input, CUBLASLT_EPILOGUE_DGELU, 0},
    {"weight gradient", Pass::Weight, CUBLASLT_EPILOGUE_DEFAULT, 1},
    {"weight gradient, bias", Pass::Weight, CUBLASLT_EPILOGUE_BGRADA, 1},
};

// Room for the largest matrix each, of which a product takes what it needs.
struct Memory
{
    __nv_bfloat16 *a = nullptr, *b = nullptr, *auxiliary = nullptr, *bias = nullptr;
    float *c = nullptr, *d = nullptr;
    void* workspace = nullptr;

    Memory(std::size_t numbers, cudaStream_t stream)
    {
        for (__nv_bfloat16** each : {&a, &b, &auxiliary, &bias}) {
            PROBE(cudaMalloc(each, numbers * sizeof(__nv_bfloat16)));
            fillRandom<<<264, 256, 0, stream>>>(*each, numbers, 7);
            PROBE(cudaGetLastError());
        }
        PROBE(cudaMalloc(&c, numbers * sizeof(float)));
        PROBE(cudaMalloc(&d, numbers * sizeof(float)));
        PROBE(cudaMemsetAsync(c, 0, numbers * sizeof(float), stream));
        PROBE(cudaMalloc(&workspace, kWorkspace));
    }
};

struct Layout
{
    cublasLtMatrixLayout_t layout = nullptr;

    Layout(cudaDataType type, int rows, int columns, int stride)
    {
        PROBE(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                                         static_cast<std::uint64_t>(columns), stride));
    }
    ~Layout() { cublasLtMatrixLayoutDestroy(layout); }
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
};

template<class Value>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, Value value)
{
    PROBE(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value));
}

struct Speed
{
    int found = 0;
    double first = 0, best = 0; // TFLOP/s
};

// y = x W of (kRows x in) and (in x out), and its gradients; x, W and y lie in rows of `in`, `ld`
// and `ld` numbers.
Speed measure(cublasLtHandle_t handle, const Case& of, const Memory& memory, int in, int out,
              int ld, cudaStream_t stream)
{
    const bool weight = of.pass == Pass::Weight, input = of.pass == Pass::Input;
    const int rows = input ? in : out, columns = weight ? in : kRows;
    const int inner = weight ? kRows : input ? out : in, stride = input ? in : ld;
    const cudaDataType type = weight ? CUDA_R_32F : CUDA_R_16BF;
    cublasLtMatmulDesc_t operation = nullptr;
    PROBE(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(operation, CUBLASLT_MATMUL_DESC_TRANSA, input ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(operation, CUBLASLT_MATMUL_DESC_TRANSB, weight ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, of.epilogue);
    if (of.epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
        set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(memory.bias));
        set(operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<std::int32_t>(type));
    }
    if (of.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS || of.epilogue == CUBLASLT_EPILOGUE_DGELU) {
        set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
            static_cast<void*>(memory.auxiliary));
        set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<std::int64_t>(stride));
        set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE,
            static_cast<std::int32_t>(type));
    }
    const Layout a(CUDA_R_16BF, out, weight ? kRows : in, ld); // W, or y's gradient
    const Layout b(CUDA_R_16BF, input ? out : in, kRows, input ? ld : in);
    const Layout c(type, rows, columns, stride);

    cublasLtMatmulPreference_t preference = nullptr;
    const std::size_t most = kWorkspace;
    const auto mask = static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
    PROBE(cublasLtMatmulPreferenceCreate(&preference));
    PROBE(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &most, sizeof most));
    PROBE(cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &mask, sizeof mask));
    cublasLtMatmulHeuristicResult_t choices[8] = {};
    Speed speed;
    if (cublasLtMatmulAlgoGetHeuristic(handle, operation, a.layout, b.layout, c.layout, c.layout,
                                       preference, 8, choices, &speed.found)
        != CUBLAS_STATUS_SUCCESS)
        speed.found = 0;
    PROBE(cublasLtMatmulPreferenceDestroy(preference));
    const float one = 1;
    Stopwatch watch;
    for (int i = 0; i < speed.found; ++i) {
        const auto run = [&] {
            return cublasLtMatmul(handle, operation, &one, memory.a, a.layout, memory.b, b.layout,
                                  &of.beta, memory.c, c.layout, memory.d, c.layout,
                                  &choices[i].algo, memory.workspace, kWorkspace, stream);
        };
        if (choices[i].state != CUBLAS_STATUS_SUCCESS || run() != CUBLAS_STATUS_SUCCESS)
            continue;
        std::vector<double> times;
        for (int k = 0; k < 10; ++k)
            times.push_back(watch.milliseconds(stream, run));
        const double rate = 2.0 * rows * columns * inner / median(times) / 1e9;
        speed.first = i == 0 ? rate : speed.first;
        speed.best = std::max(speed.best, rate);
    }
    PROBE(cublasLtMatmulDescDestroy(operation));
    return speed;
}

} // namespace

int main()
{
    if (!hasDevice({"P4 epilogues"}))
        return kSkipped;
    struct Shape
    {
        int in, out, ld; // ld: numbers of a row of what has `out` columns
    };
    constexpr Shape kShapes[] = {{768, 2304, 2304},  {768, 3072, 3072},   {3072, 768, 768},
                                 {768, 768, 768},    {1024, 4096, 4096},  {4096, 1024, 1024},
                                 {2048, 8192, 8192}, {768, 50257, 50304}, {768, 50304, 50304}};
    cudaStream_t stream = makeStream();
    const Memory memory(std::size_t{kRows} * 50304, stream);
    cublasLtHandle_t handle = nullptr;
    PROBE(cublasLtCreate(&handle));
    std::string missing;
    double worst = 1;
    for (const auto [in, out, ld] : kShapes) {
        std::printf("%d rows, %d to %d numbers\n", kRows, in, out);
        for (const Case& each : kCases) {
            const Speed speed = measure(handle, each, memory, in, out, ld, stream);
            std::printf("  %-24s %d algorithms, the first %6.1f TFLOP/s, the best %6.1f\n",
                        each.name, speed.found, speed.first, speed.best);
            if (speed.first == 0 && missing.find(each.name) == std::string::npos)
                missing += (missing.empty() ? "" : "; ") + std::string(each.name);
            if (speed.first > 0)
                worst = std::min(worst, speed.first / speed.best);
        }
    }
    const std::string text = (missing.empty() ? "cuBLASLt has all of them" : "none for: " + missing)
        + "; at worst its first algorithm has " + std::to_string(static_cast<int>(100 * worst))
        + " % of the best one's rate";
    row("P4 epilogues", "INFO", text.c_str());
    return 0;
}
