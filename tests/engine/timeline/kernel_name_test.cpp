#include "engine/timeline/kernel_name.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("the short name of a kernel is its function alone")
{
    CHECK(shortName("void engine::cuda::(anonymous namespace)::norm<float, 4>(float const*)")
          == "norm");
    CHECK(shortName("void cutlass::Kernel2<cutlass_80_tensorop>(cutlass_80_tensorop::Params)")
          == "Kernel2");
    CHECK(shortName("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)")
          == "ncclDevKernel_SendRecv");
    CHECK(shortName("plain") == "plain");
    CHECK(shortName("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n")
          == "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n");
    CHECK(demangled("not mangled") == "not mangled");
}

TEST_CASE("a kernel that only runs a class is labelled with the class")
{
    CHECK(kernelLabel("void engine::cuda::eachPack<4, engine::cuda::(anonymous namespace)::Gelu>"
                      "(unsigned long, engine::cuda::(anonymous namespace)::Gelu)")
          == "Gelu");
    CHECK(kernelLabel("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_256x128>"
                      "(cutlass_80_tensorop_bf16_s16816gemm_256x128::Params)")
          == "cutlass_80_tensorop_bf16_s16816gemm_256x128");
    CHECK(kernelLabel("void engine::cuda::sumChunks<engine::cuda::Both<float, 2> >(int)")
          == "sumChunks<Both>");
    // Numbers and built-in types tell kernels of one function apart by nothing a reader asks for.
    CHECK(kernelLabel("void (anonymous namespace)::forwardRows<true, float, 32>(int)")
          == "forwardRows");
    CHECK(kernelLabel("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT")
          == "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT");
}

// A device that waited in a kernel of NCCL 2.27 or of another library had no bubble.
TEST_CASE("kernels that communicate are recognized by the names of their libraries")
{
    for (const char* name :
         {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
          "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "ncclSymDevKernel_AllGather_LL(Args)",
          "ncclSymkDevKernel_AllReduce_AGxLL_R_sum_f32", "rcclGenericKernel(ncclDevComm*)",
          "mscclKernel_Sum_half_LL", "void deep_ep::intranode::dispatch<8, 768>(int)",
          "nvshmemi_barrier_kernel", "userbuffers_fp16_sum_inplace_gpu_rw",
          "void vllm::cross_device_reduce_1stage<__half, 8>(int)", "oneShotAllReduceKernel",
          "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16>(int)",
          "(anonymous namespace)::wait_signal_kernel(unsigned int**)"})
        CHECK(communicates(name));
    for (const char* name : {"sm90_xmma_gemm", "gemm_allreduce_fused", "reduce_kernel<512, 1>",
                             "void at::native::_scatter_gather_elementwise_kernel<128>(int)"})
        CHECK_FALSE(communicates(name));
}
