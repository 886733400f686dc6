// Imports of generated traces, and in the same run the least that any reader does with the same
// bytes: decompressing and counting lines, and SELECT count(*). IMPORT_BENCH_STEPS sets the size of
// the JSON (40 steps are 50 MB), IMPORT_BENCH_ROWS that of the SQLite file.
#include "profiler/import/import.h"
#include "profiler/store/sqlite.h"
#include "tests/profiler/import/nsight_traces.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace {

namespace fs = std::filesystem;

fs::path benchFolder()
{
    const fs::path folder = fs::temp_directory_path() / "bubblescope-bench-import";
    fs::create_directories(folder);
    return folder;
}

// A count from the environment, for files of other sizes.
int envCount(const char* name, int otherwise)
{
    const char* text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
}

// The events of one launch by PyTorch's profiler: the op, the call and the kernel.
// 0: number, 1: thread, 2: begin of the op, 3: of the call, 4: of the kernel; us
constexpr const char* kLaunch
    = R"json({{"ph":"X","cat":"cpu_op","name":"aten::addmm","pid":7,"tid":{1},"ts":{2:.3f},"dur":3.100,"args":{{"External id":{0},"Record function id":0,"Sequence number":{0},"Fwd thread id":0,"Ev Idx":{0}}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":{1},"ts":{3:.3f},"dur":1.100,"args":{{"External id":{0},"cbid":211,"correlation":{0}}}}},
{{"ph":"X","cat":"kernel","name":"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)","pid":0,"tid":7,"ts":{4:.3f},"dur":2.500,"args":{{"External id":{0},"queued":0,"device":0,"context":1,"stream":7,"correlation":{0},"registers per thread":32,"shared memory":0,"grid":[512,1,1],"block":[128,1,1],"est. achieved occupancy %":75}}}},
)json";
// 0: name, 1: begin, 2: duration, us; 3: what follows
constexpr const char* kAnnotation
    = R"json({{"ph":"X","cat":"user_annotation","name":"{}","pid":7,"tid":7,"ts":{:.3f},"dur":{:.3f}}}{}
)json";

// One rank, a kernel per launch, 110 launches per op; 690 bytes per launch.
void writeJsonTrace(const fs::path& path, int steps)
{
    constexpr int kMicroBatches = 8, kLaunches = 110;
    std::ofstream out(path);
    out << R"({"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":1},"traceEvents":[)";
    double time = 1000;
    int launch = 0;
    for (int step = 0; step < steps; ++step) {
        const double begin = time;
        for (int op = 0; op < 2 * kMicroBatches; ++op) {
            const bool forward = op % 2 == 0;
            const double first = time;
            for (int i = 0; i < kLaunches; ++i, time += 4)
                out << fmt::format(fmt::runtime(kLaunch), ++launch, forward ? 7 : 8, time,
                                   time + 0.5, time + 20);
            out << fmt::format(fmt::runtime(kAnnotation),
                               fmt::format("PP:0{}{}", forward ? 'F' : 'B', op / 2), first - 0.5,
                               time - first, ",");
        }
        out << fmt::format(fmt::runtime(kAnnotation), fmt::format("ProfilerStep#{}", step),
                           begin - 1, time - begin, step + 1 < steps ? "," : "]}");
        time += 50;
    }
}

const fs::path& jsonTrace()
{
    static const fs::path file = [] {
        const fs::path path = benchFolder() / "rank0.json";
        writeJsonTrace(path, envCount("IMPORT_BENCH_STEPS", 40));
        return path;
    }();
    return file;
}

// The tables of nsight_traces.h with IMPORT_BENCH_ROWS (100,000) kernels, calls and ranges each.
const fs::path& nsightTrace()
{
    static const fs::path file = [] {
        const fs::path path = benchFolder() / "export.sqlite";
        fs::remove(path);
        tests::writeNsightExport(path);
        tests::executeSql(path,
                          fmt::format(R"(
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {1})
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 10000 + 100 * i, 10090 + 100 * i, 0, 1, 7,
                100 + i, {0}, 1 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {1})
            INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 9000 + 100 * i, 9010 + 100 * i, {0} + 5081,
                100 + i, 2 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {1})
            INSERT INTO NVTX_EVENTS SELECT 9000 + 100 * i, 9050 + 100 * i, 59, 'aten::mm, op_id = ' || i,
                {0} + 5081, NULL FROM n;)",
                                      tests::kProcess, envCount("IMPORT_BENCH_ROWS", 100000)));
        return path;
    }();
    return file;
}

void rate(benchmark::State& state, const fs::path& file)
{
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations())
                            * static_cast<std::int64_t>(fs::file_size(file)));
}

void import(benchmark::State& state, const fs::path& file)
{
    const profiler::Rules rules = profiler::Rules::shipped();
    for (auto _ : state)
        if (const auto run = profiler::importTraces({file}, rules); !run)
            state.SkipWithError(run.error().message.c_str());
    rate(state, file);
}

void importJson(benchmark::State& state)
{
    import(state, jsonTrace());
}
BENCHMARK(importJson)->Unit(benchmark::kMillisecond);

void countLines(benchmark::State& state)
{
    std::string buffer(4 << 20, ' ');
    for (auto _ : state) {
        std::int64_t lines = 0;
        const auto count = [&](const std::string&, const profiler::ByteSource& bytes) {
            for (;;) {
                const auto read = bytes({buffer.data(), buffer.size()});
                if (!read || *read == 0)
                    return engine::Result<void>();
                const auto used = std::string_view(buffer).substr(0, *read);
                lines += std::ranges::count(used, '\n');
            }
        };
        if (!profiler::readTraceFile(jsonTrace(), count, {}, {}))
            state.SkipWithError("cannot read");
        benchmark::DoNotOptimize(lines);
    }
    rate(state, jsonTrace());
}
BENCHMARK(countLines)->Unit(benchmark::kMillisecond);

void importNsight(benchmark::State& state)
{
    import(state, nsightTrace());
}
BENCHMARK(importNsight)->Unit(benchmark::kMillisecond);

void countRows(benchmark::State& state)
{
    for (auto _ : state) {
        auto database
            = profiler::Database::open(nsightTrace(), profiler::Database::Access::ReadOnly);
        for (const char* table :
             {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"})
            if (!database || !database->integer(fmt::format("SELECT count(*) FROM {}", table)))
                state.SkipWithError("cannot count");
    }
    rate(state, nsightTrace());
}
BENCHMARK(countRows)->Unit(benchmark::kMillisecond);

} // namespace
