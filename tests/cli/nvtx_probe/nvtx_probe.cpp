// An independent NVTX tool: prints the ranges of a program to $NVTX_PROBE_FILE.
#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

std::FILE* output()
{
    static std::FILE* const file = std::fopen(std::getenv("NVTX_PROBE_FILE"), "w");
    return file;
}

std::mutex g_mutex; // guards the file
int g_domains = 0;

long thread()
{
    return syscall(SYS_gettid);
}

nvtxDomainHandle_t NVTX_API createDomain(const char* name)
{
    const std::lock_guard lock(g_mutex);
    std::fprintf(output(), "domain %d %s\n", ++g_domains, name);
    std::fflush(output());
    return reinterpret_cast<nvtxDomainHandle_t>(static_cast<std::intptr_t>(g_domains));
}

void NVTX_API nameCategory(nvtxDomainHandle_t, std::uint32_t category, const char* name)
{
    const std::lock_guard lock(g_mutex);
    std::fprintf(output(), "category %u %s\n", category, name);
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range)
{
    const std::lock_guard lock(g_mutex);
    std::fprintf(output(), "push %ld %d %u %08X %lld %s\n", thread(),
                 static_cast<int>(reinterpret_cast<std::intptr_t>(domain)), range->category,
                 range->color, static_cast<long long>(range->payload.llValue),
                 range->message.ascii);
    return 0;
}

int NVTX_API pop(nvtxDomainHandle_t)
{
    const std::lock_guard lock(g_mutex);
    std::fprintf(output(), "pop %ld\n", thread());
    std::fflush(output());
    return 0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getExportTable)
{
    const auto* callbacks
        = static_cast<const NvtxExportTableCallbacks*>(getExportTable(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (callbacks == nullptr || output() == nullptr
        || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0)
        return 0;
    *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(createDomain);
    *table[NVTX_CBID_CORE2_DomainNameCategoryA]
        = reinterpret_cast<NvtxFunctionPointer>(nameCategory);
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
    *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
    return 1;
}
