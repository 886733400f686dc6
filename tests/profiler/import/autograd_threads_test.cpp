#include "tests/profiler/import/traces.h"

using namespace tests;

// All kernels were of forwards.
TEST_CASE("a thread that runs functions of autograd is one of the engine in old traces, too")
{
    const TemporaryFolder folder;
    std::string events;
    const auto launch = [&](const char* op, int thread, int ts) {
        events += fmt::format(
            R"({0}{{"ph":"X","cat":"Operator","name":"{1}","pid":1,"tid":"{2}","ts":{3},"dur":9}},)"
            R"({{"ph":"X","cat":"Operator","name":"aten::addmm","pid":1,"tid":"{2}","ts":{4},)"
            R"("dur":5}},{{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":1,"tid":"{2}",)"
            R"("ts":{5},"dur":1,"args":{{"correlation":{4}}}}},{{"ph":"X","cat":"Kernel",)"
            R"("name":"gemm","pid":0,"tid":"stream 7","ts":{6},"dur":2,)"
            R"("args":{{"device":0,"stream":7,"correlation":{4}}}}})",
            events.empty() ? "" : ",", op, thread, ts, ts + 1, ts + 2, ts + 4);
    };
    launch("aten::linear", 1, 10);
    launch("aten::linear", 1, 20);
    launch("AddmmBackward", 2, 30);
    launch("MulBackward0", 2, 40);
    writeText(folder / "a.json", R"({"schemaVersion":1,"traceEvents":[)" + events + "]}");
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
}
