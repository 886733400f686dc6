// P4: how much a matrix product on one of D virtual devices is slowed down by those on the others:
// plain streams, streams with an SM target for cuBLASLt, green contexts, and both.
#include "operands.h"
#include "probe.h"

#include <cublasLt.h>

#include <atomic>
#include <memory>
#include <thread>

namespace {

using namespace probe;

struct Shape
{
    int m = 0, n = 0, k = 0;
};

// c = a^T b in bf16 with fp32 sums, with its own handle, operands and workspace: as one virtual
// device has them.
class Product
{
public:
    Product(Shape shape, int multiprocessorTarget, cudaStream_t stream)
        : m_shape(shape)
    {
        PROBE(cublasLtCreate(&m_handle));
        PROBE(cudaMalloc(&m_workspace, kWorkspace));
        allocate(&m_a, std::size_t(shape.m) * shape.k, 1, stream);
        allocate(&m_b, std::size_t(shape.k) * shape.n, 2, stream);
        allocate(&m_c, std::size_t(shape.m) * shape.n, 3, stream);
        describe(multiprocessorTarget);
        choose();
    }
    ~Product()
    {
        cublasLtMatrixLayoutDestroy(m_layoutA);
        cublasLtMatrixLayoutDestroy(m_layoutB);
        cublasLtMatrixLayoutDestroy(m_layoutC);
        cublasLtMatmulDescDestroy(m_operation);
        cublasLtDestroy(m_handle);
        for (void* memory : {m_workspace, static_cast<void*>(m_a), static_cast<void*>(m_b),
                             static_cast<void*>(m_c)})
            cudaFree(memory);
    }
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;

    void run(cudaStream_t stream)
    {
        const float one = 1, zero = 0;
        PROBE(cublasLtMatmul(m_handle, m_operation, &one, m_a, m_layoutA, m_b, m_layoutB, &zero,
                             m_c, m_layoutC, m_c, m_layoutC, &m_choice.algo, m_workspace,
                             kWorkspace, stream));
    }
    double flops() const { return 2.0 * m_shape.m * m_shape.n * m_shape.k; }

private:
    static constexpr std::size_t kWorkspace = std::size_t{32} << 20;

    static void allocate(__nv_bfloat16** memory, std::size_t count, unsigned seed,
                         cudaStream_t stream)
    {
        PROBE(cudaMalloc(memory, count * sizeof(__nv_bfloat16)));
        fillRandom<<<264, 256, 0, stream>>>(*memory, count, seed);
        PROBE(cudaGetLastError());
    }

    void describe(int multiprocessorTarget)
    {
        const cublasOperation_t transposed = CUBLAS_OP_T;
        const auto target = static_cast<std::int32_t>(multiprocessorTarget);
        PROBE(cublasLtMatmulDescCreate(&m_operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        PROBE(cublasLtMatmulDescSetAttribute(m_operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                             sizeof transposed));
        if (target > 0)
            PROBE(cublasLtMatmulDescSetAttribute(m_operation, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET,
                                                 &target, sizeof target));
        const auto [m, n, k] = m_shape;
        PROBE(cublasLtMatrixLayoutCreate(&m_layoutA, CUDA_R_16BF, k, m, k));
        PROBE(cublasLtMatrixLayoutCreate(&m_layoutB, CUDA_R_16BF, k, n, k));
        PROBE(cublasLtMatrixLayoutCreate(&m_layoutC, CUDA_R_16BF, m, n, m));
    }

    void choose()
    {
        cublasLtMatmulPreference_t preference = nullptr;
        std::size_t most = kWorkspace;
        int found = 0;
        PROBE(cublasLtMatmulPreferenceCreate(&preference));
        PROBE(cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
        PROBE(cublasLtMatmulAlgoGetHeuristic(m_handle, m_operation, m_layoutA, m_layoutB, m_layoutC,
                                             m_layoutC, preference, 1, &m_choice, &found));
        PROBE(cublasLtMatmulPreferenceDestroy(preference));
        PROBE(found > 0 ? 0 : 1);
    }

    Shape m_shape;
    cublasLtHandle_t m_handle = nullptr;
    cublasLtMatmulDesc_t m_operation = nullptr;
    cublasLtMatrixLayout_t m_layoutA = nullptr, m_layoutB = nullptr, m_layoutC = nullptr;
    cublasLtMatmulHeuristicResult_t m_choice{};
    void* m_workspace = nullptr;
    __nv_bfloat16 *m_a = nullptr, *m_b = nullptr, *m_c = nullptr;
};

struct Interference
{
    double alone = 0, beside = 0; // ms of one product

    double ratio() const { return beside / alone; }
};

// One host thread per stream, as the executor has them; each queues `repeats` products.
Interference measure(const char* name, const std::vector<cudaStream_t>& streams, Shape shape,
                     int target, int repeats)
{
    std::vector<std::unique_ptr<Product>> products;
    for (cudaStream_t stream : streams)
        products.push_back(std::make_unique<Product>(shape, target, stream));
    PROBE(cudaDeviceSynchronize());
    for (std::size_t i = 0; i < streams.size(); ++i)
        for (int k = 0; k < 3; ++k)
            products[i]->run(streams[i]);
    PROBE(cudaDeviceSynchronize());

    Stopwatch watch;
    std::vector<double> alone, beside(streams.size());
    for (int k = 0; k < repeats; ++k)
        alone.push_back(watch.milliseconds(streams[0], [&] { products[0]->run(streams[0]); }));
    std::atomic<std::size_t> ready{0};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < streams.size(); ++i)
        threads.emplace_back([&, i] {
            PROBE(cudaSetDevice(0));
            Stopwatch own;
            ++ready;
            while (ready.load() < streams.size()) { }
            beside[i] = own.milliseconds(streams[i], [&] {
                for (int k = 0; k < repeats; ++k)
                    products[i]->run(streams[i]);
            }) / repeats;
        });
    for (std::thread& thread : threads)
        thread.join();
    const Interference result{median(alone), median(beside)};
    const double flops = products[0]->flops();
    std::printf("  %-24s D=%zu  alone %8.4f ms %6.1f TFLOP/s, beside %8.4f ms, ratio %.2f, all "
                "%6.1f TFLOP/s\n",
                name, streams.size(), result.alone, flops / result.alone / 1e9, result.beside,
                result.ratio(), flops * static_cast<double>(streams.size()) / result.beside / 1e9);
    return result;
}

std::vector<cudaStream_t> plainStreams(int count)
{
    std::vector<cudaStream_t> streams;
    for (int i = 0; i < count; ++i)
        streams.push_back(makeStream());
    return streams;
}

// The worst ratio on partitions with a target, which is how runs are made.
double measureAll(Shape shape, const Driver& driver)
{
    const int repeats = shape.m > 4096 ? 20 : 100;
    double worst = 0;
    std::printf("%d x %d x %d, bf16\n", shape.m, shape.n, shape.k);
    measure("whole GPU", plainStreams(1), shape, 0, repeats);
    for (const int devices : {2, 4, 8}) {
        const int each = 128 / devices;
        for (const int target : {0, each}) {
            const auto streams = plainStreams(devices);
            measure(target > 0 ? "streams + SM target" : "streams", streams, shape, target,
                    repeats);
            for (cudaStream_t stream : streams)
                PROBE(cudaStreamDestroy(stream));
            if (!driver)
                continue;
            std::vector<Partition> partitions = makePartitions(
                driver, static_cast<unsigned>(devices), static_cast<unsigned>(each));
            std::vector<cudaStream_t> green;
            for (const Partition& partition : partitions)
                green.push_back(partition.stream);
            if (green.size() == static_cast<std::size_t>(devices)) {
                const Interference found
                    = measure(target > 0 ? "partitions + SM target" : "partitions", green, shape,
                              target, repeats);
                if (target > 0)
                    worst = std::max(worst, found.ratio());
            }
            destroy(driver, partitions);
        }
    }
    return worst;
}

} // namespace

int main()
{
    if (!hasDevice({"P4 interference"}))
        return kSkipped;
    const char* connections = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    std::printf("CUDA_DEVICE_MAX_CONNECTIONS %s\n", connections != nullptr ? connections : "unset");
    const Driver driver = probe::driver();
    double worst = 0;
    for (const Shape shape : {Shape{4096, 3072, 768}, Shape{4096, 4096, 1024},
                              Shape{8192, 8192, 2048}, Shape{512, 3072, 768}})
        worst = std::max(worst, measureAll(shape, driver));
    char text[256];
    std::snprintf(text, sizeof text,
                  "connections %s: beside others a product on a partition takes up to %.2f times "
                  "its time alone",
                  connections != nullptr ? connections : "unset", worst);
    row("P4 interference", "INFO", text);
    return 0;
}
