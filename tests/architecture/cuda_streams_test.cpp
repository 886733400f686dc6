#include "tests/support/source_tree.h"

#include <regex>

using namespace tests;

// The default stream waits for all others, so that one launch, copy or memset on it would put the
// devices of a live run in a row; atomics on floats add in no particular order. In the backend
// kernels are started by launch() alone (engine/backend/cuda/kernels/launch.h), which takes a
// stream.
namespace {

using Complaints = std::vector<std::string>;

struct Forbidden
{
    const char* pattern;
    const char* why;
};

const std::vector<Forbidden>& forbidden()
{
    static const std::vector<Forbidden> kAll{
        {R"(\bcudaMem(cpy|set)(2D|3D|Peer|3DPeer|ToSymbol|FromSymbol|ToArray)?\s*\()",
         "uses the default stream"},
        {R"(Async\s*\([^;]*,\s*(0|nullptr|NULL)\s*\))", "uses the default stream"},
        {R"(\bcudaStream(Legacy|PerThread)\b)", "is the default stream"},
        {R"(\bcudaMallocManaged\b|\bcudaMallocAsync\b)", "is not of the arena"},
        {R"(\batomic(Add|Sub|Exch|Max|Min|And|Or|Xor|Inc|Dec|CAS)(_block|_system)?\s*\()",
         "has no order"},
        {R"(\b(atom|red|multimem\.red)\.(global|shared|relaxed|release|acq_rel|add)\b)",
         "has no order"},
        {R"(\b(cuda|std)::atomic_ref\b)", "has no order"},
        {R"(<<<[^;]*?,\s*(0|nullptr)\s*>>>)", "launches on the default stream"},
    };
    return kAll;
}

// Launches whose <<<...>>> has fewer than four arguments: the stream is the fourth.
Complaints launchesWithoutStream(const SourceFile& file)
{
    Complaints all;
    for (std::size_t at = 0; (at = file.text.find("<<<", at)) != std::string::npos; at += 3) {
        const std::size_t end = file.text.find(">>>", at);
        const std::string inside = file.text.substr(at, end - at);
        int depth = 0, commas = 0;
        for (const char c : inside) {
            depth += c == '(' || c == '{' ? 1 : (c == ')' || c == '}' ? -1 : 0);
            commas += c == ',' && depth == 0 ? 1 : 0;
        }
        if (commas < 3)
            all.push_back(file.path + ": " + inside + ">>> names no stream");
    }
    return all;
}

Complaints streamComplaints(const SourceFile& file)
{
    Complaints all = launchesWithoutStream(file);
    for (const Forbidden& each : forbidden())
        if (std::smatch found; std::regex_search(file.text, found, std::regex(each.pattern)))
            all.push_back(file.path + ": " + found.str() + " " + each.why);
    return all;
}

Complaints streamComplaints(const std::string& text)
{
    return streamComplaints(SourceFile{"x.cu", text});
}

// Kernels of the backend, which launch() alone starts.
bool startsKernel(const SourceFile& file)
{
    static const std::regex kStart(
        R"(<<<|\bcudaLaunch(Kernel|KernelEx|CooperativeKernel)\w*\s*\()");
    return file.path.starts_with("engine/") && std::regex_search(file.text, kStart);
}

bool isCuda(const SourceFile& file)
{
    return file.path.starts_with("engine/backend/cuda/")
        || file.path.starts_with("tests/gpu/probes/");
}

} // namespace

TEST_CASE("nothing of CUDA uses the default stream, managed memory or atomics")
{
    Complaints complaints;
    std::size_t files = 0;
    for (const SourceFile& file : sourcesBelow({"engine", "tests"}))
        if (isCuda(file)) {
            ++files;
            for (const std::string& complaint : streamComplaints(file))
                complaints.push_back(complaint);
            if (startsKernel(file) && file.path != "engine/backend/cuda/kernels/launch.h")
                complaints.push_back(file.path + ": starts a kernel without launch()");
        }
    CHECK(files > 20);
    CHECK(complaints == Complaints{});
}

TEST_CASE("code that would use the default stream is found")
{
    CHECK(streamComplaints("k<<<1, 32>>>();").size() == 1);
    CHECK(streamComplaints("k<<<f(1, 2, 3), 32>>>();").size() == 1);
    CHECK(streamComplaints("k<<<1, 32, 0, 0>>>();").size() == 1);
    CHECK(streamComplaints("k<<<1, 32, 0, stream>>>();").empty());
    CHECK(streamComplaints("k<<<f(1, 2), 32, 0, streams[0]>>>();").empty());
    CHECK(streamComplaints("cudaMemcpy(to, from, n, kind);").size() == 1);
    CHECK(streamComplaints("cudaMemset(to, 0, n);").size() == 1);
    CHECK(streamComplaints("cudaMemcpyAsync(to, from, n, kind, stream);").empty());
    CHECK(streamComplaints("cudaMemsetAsync(to, 0, n, cudaStreamPerThread);").size() == 1);
    CHECK(streamComplaints("cudaMemcpyAsync(to, from, n, kind, 0);").size() == 1);
    CHECK(streamComplaints("cudaMemset2DAsync(to, p, 0, w, h, nullptr);").size() == 1);
    CHECK(streamComplaints("cudaMemsetAsync(to, 0, n, stream);").empty());
    CHECK(streamComplaints("atomicAdd(&sum, x);").size() == 1);
    CHECK(streamComplaints("atomicCAS(&lock, 0, 1);").size() == 1);
    CHECK(streamComplaints("asm(\"red.global.add.f32 [%0], %1;\");").size() == 1);
    CHECK(streamComplaints("asm(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\");").empty());
    CHECK(streamComplaints("cudaMallocManaged(&p, n);").size() == 1);
    CHECK(startsKernel({"engine/backend/cuda/x.cu", "cudaLaunchKernelEx(&config, kernel, 1);"}));
    CHECK(startsKernel({"engine/backend/cuda/x.cu", "cudaLaunchCooperativeKernel(k, g, b, a);"}));
    CHECK_FALSE(startsKernel({"engine/backend/cuda/x.cu", "launch(stream, 1, kernel);"}));
}
