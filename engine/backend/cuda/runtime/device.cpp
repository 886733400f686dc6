#include "engine/backend/cuda/runtime/device.h"

#include "engine/backend/cuda/blas/products.h"
#include "engine/backend/cuda/runtime/allocations.h"
#include "engine/backend/cuda/runtime/kernels.h"
#include "engine/backend/cuda/runtime/queue.h"
#include "engine/backend/cuda/runtime/tensor_attention.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace engine::cuda {
namespace {

std::size_t sharedMemoryOf(int gpu)
{
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu),
          "cudaDeviceGetAttribute");
    return bytes;
}

class CudaDevice final : public Device
{
public:
    explicit CudaDevice(const DevicePart& part)
        : m_gpu(select(part.gpu))
        , m_partition(part.partition)
        , m_clock(part.clock)
        , m_name(part.number < 0 ? fmt::format("GPU {}", m_gpu)
                                 : fmt::format("device {}", part.number))
        , m_stream(m_gpu, m_partition.get(), m_name + ": compute")
        , m_queue(m_gpu, m_stream.get())
        , m_before(part.before)
        , m_scratch(m_memory.take(OpStream::kScratch, MemoryFor::Workspace))
        , m_opStream{m_stream.get(), reinterpret_cast<float*>(m_scratch.get()),
                     sharedMemoryOf(m_gpu)}
        , m_products(makeProducts(Tf32::Off))
        , m_kernels(makeKernels<float>(m_opStream, *m_products, m_memory))
        , m_bfloat16s(makeKernels<bfloat16>(m_opStream, *m_products, m_memory))
    {
        if (m_partition && m_partition->context() != nullptr)
            nameContext(m_partition->context(), m_name + ": " + partText());
    }
    ~CudaDevice() override
    {
        cudaSetDevice(m_gpu);
        cudaStreamSynchronize(m_opStream.stream);
    }

    DeviceInfo info() const override
    {
        const OnGpu on(m_gpu);
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, m_gpu), "cudaGetDeviceProperties");
        std::size_t available = 0, total = 0;
        check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
        const std::string lack = lackOfTensorCores(m_opStream.sharedMemory);
        return {fmt::format("{}, {}", properties.name, partText()),
                lack.empty() ? "cuBLASLt" : "cuBLASLt; " + lack, static_cast<Bytes>(available)};
    }
    const Kernels<float>& kernels() const override { return *m_kernels; }
    const Kernels<bfloat16>* bfloat16Kernels() const override { return m_bfloat16s.get(); }
    const Kernels<float>* tf32Kernels() const override // created on demand, because few runs use it
    {
        if (m_tf32s == nullptr) {
            const OnGpu on(m_gpu);
            m_tf32Products = makeProducts(Tf32::On);
            m_tf32s = makeKernels<float>(m_opStream, *m_tf32Products, m_memory);
        }
        return m_tf32s.get();
    }

    DeviceMemory allocate(Bytes bytes, MemoryFor purpose) const override
    {
        const OnGpu on(m_gpu);
        return m_memory.take(static_cast<std::size_t>(bytes), purpose);
    }
    void upload(std::span<const std::byte> from, std::byte* to) const override
    {
        transfer(from.data(), to, from.size(), cudaMemcpyHostToDevice);
    }
    void download(const std::byte* from, std::span<std::byte> to) const override
    {
        transfer(from, to.data(), to.size(), cudaMemcpyDeviceToHost);
    }
    void fill(std::span<std::byte> memory, std::byte value) const override
    {
        const OnGpu on(m_gpu);
        check(cudaMemsetAsync(memory.data(), static_cast<int>(value), memory.size(),
                              m_opStream.stream),
              "cudaMemsetAsync");
    }
    void synchronize() const override
    {
        check(cudaStreamSynchronize(m_opStream.stream), "cudaStreamSynchronize");
    }

    DeviceQueue* queue() const override { return &m_queue; }
    std::unique_ptr<DeviceQueue> makeQueue(const std::string& role) const override
    {
        return std::make_unique<OwnQueue>(
            m_gpu, std::make_unique<Stream>(m_gpu, m_partition.get(), m_name + ": " + role));
    }
    std::unique_ptr<DeviceEvent> makeEvent(Timed timed) const override
    {
        return std::make_unique<CudaEvent>(m_gpu, m_partition.get(), *m_clock,
                                           timed == Timed::Yes ? CudaEvent::Timed::Yes
                                                               : CudaEvent::Timed::No);
    }
    void bindThread() const override { select(m_gpu); }
    void anchor() const override { m_clock->anchor(); }
    GpuMemoryUse memoryUse() const override
    {
        const OnGpu on(m_gpu);
        GpuMemoryUse use = m_memory.use();
        use.used = usedMemory();
        use.before = m_before;
        return use;
    }
    int gpu() const override { return m_gpu; }

private:
    enum class Tf32 { Off, On };
    std::unique_ptr<Products> makeProducts(Tf32 tf32) const
    {
        return makeBlasLt({.multiprocessors = m_partition ? m_partition->multiprocessors() : 0,
                           .tf32 = tf32 == Tf32::On});
    }
    static int select(int gpu)
    {
        check(cudaSetDevice(gpu), "cudaSetDevice");
        return gpu;
    }
    std::string partText() const // "16 of 132 SMs"
    {
        int all = 0;
        check(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, m_gpu),
              "cudaDeviceGetAttribute");
        return m_partition ? fmt::format("{} of {} SMs", m_partition->multiprocessors(), all)
                           : fmt::format("{} SMs", all);
    }
    void transfer(const void* from, void* to, std::size_t bytes, cudaMemcpyKind kind) const
    {
        const OnGpu on(m_gpu);
        check(cudaMemcpyAsync(to, from, bytes, kind, m_opStream.stream), "cudaMemcpyAsync");
        synchronize();
    }

    int m_gpu;
    std::shared_ptr<const Partition> m_partition; // nullptr: the whole GPU
    std::shared_ptr<GpuClock> m_clock;
    std::string m_name; // for profilers
    Stream m_stream;
    mutable CudaQueue m_queue; // the DeviceQueue of m_stream
    Allocations m_memory;
    Bytes m_before;
    DeviceMemory m_scratch;
    OpStream m_opStream;
    std::unique_ptr<Products> m_products;
    mutable std::unique_ptr<Products> m_tf32Products;
    std::unique_ptr<Kernels<float>> m_kernels;
    mutable std::unique_ptr<Kernels<float>> m_tf32s;
    std::unique_ptr<Kernels<bfloat16>> m_bfloat16s;
};

} // namespace

std::unique_ptr<Device> makeDevice(const DevicePart& part)
{
    return std::make_unique<CudaDevice>(part);
}

} // namespace engine::cuda
