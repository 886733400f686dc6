// Which calls are recorded so that what they start can be linked to its op.
#include "tests/catch.h"
#include "tests/profiler/capture/fake_cupti.h"
#include "tests/support/paths.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

using namespace profiler;
using namespace tests;

namespace {

// Of the runtime, as the plug-in calls them; cudaLaunchKernelEx is a template over ...ExC.
const std::map<std::string, cupti::CallId> kCalls{
    {"cudaGraphLaunch", cupti::runtime_call::cudaGraphLaunch_v10000},
    {"cudaLaunchKernelEx", cupti::runtime_call::cudaLaunchKernelExC_v11060},
    {"cudaMemcpy2DAsync", cupti::runtime_call::cudaMemcpy2DAsync_v3020},
    {"cudaMemcpyAsync", cupti::runtime_call::cudaMemcpyAsync_v3020},
    {"cudaMemcpyPeerAsync", cupti::runtime_call::cudaMemcpyPeerAsync_v4000},
    {"cudaMemset2DAsync", cupti::runtime_call::cudaMemset2DAsync_v3020},
    {"cudaMemsetAsync", cupti::runtime_call::cudaMemsetAsync_v3020},
};

std::set<std::string> startedByThePlugin()
{
    static const std::regex kCall(R"(\bcuda(Graph|Memcpy|Memset|)(Launch|)[A-Za-z0-9]*(?=\())");
    std::set<std::string> found;
    for (const auto& each :
         std::filesystem::recursive_directory_iterator(tests::sourcePath("engine/backend/cuda"))) {
        if (!each.is_regular_file())
            continue;
        std::ifstream file(each.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        for (std::sregex_iterator call(text.begin(), text.end(), kCall), end; call != end; ++call)
            if ((*call)[1] == "Memcpy" || (*call)[1] == "Memset" || (*call)[2] == "Launch")
                found.insert(call->str());
    }
    return found;
}

} // namespace

TEST_CASE("every call by which the plug-in starts work on a GPU is recorded with kernels")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    const std::set<std::string> calls = startedByThePlugin();
    CHECK(calls.size() == kCalls.size());
    for (const std::string& call : calls) {
        INFO(call);
        REQUIRE(kCalls.contains(call));
        CHECK(cupti.runtimeCalls.contains(kCalls.at(call)));
    }
}

TEST_CASE("what libraries of CUDA 13 launch by <<<>>> is recorded, too")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    CHECK(cupti.runtimeCalls.contains(cupti::runtime_call::cudaLaunchKernel_v13000));
    CHECK(cupti.runtimeCalls.contains(cupti::runtime_call::cudaLaunchKernel_v7000));
}

TEST_CASE("a CUPTI that does not know the newest calls records the others")
{
    FakeCupti cupti;
    cupti.knownRuntimeCalls = cupti::runtime_call::cudaLaunchKernel_v13000;
    auto capture = started(cupti);
    CHECK(cupti.runtimeCalls.contains(cupti::runtime_call::cudaLaunchKernelExC_v11060));
    CHECK_FALSE(cupti.runtimeCalls.contains(cupti::runtime_call::cudaLaunchKernel_v13000));
    capture->finish();
    CHECK(cupti.calls == 0);
}
