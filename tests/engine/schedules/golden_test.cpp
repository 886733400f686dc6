#include "tests/support/golden.h"
#include "tests/support/pipelines.h"

using namespace tests;

namespace {

using Options = std::map<std::string, std::string, std::less<>>;

std::vector<std::string> chunked(const std::string& scheme, int microBatches, int chunks,
                                 const Options& options = {})
{
    engine::ScheduleRequest request = requestOf(scheme, 4, microBatches);
    request.chunks = chunks;
    request.options = options;
    const auto schedule = engine::buildSchedule(request);
    REQUIRE(schedule);
    return programOf(*schedule);
}

} // namespace

TEST_CASE("the schemes give the golden orders, op for op")
{
    const std::map<std::string, std::vector<std::string>> cases{
        {"gpipe/gpipe_d4_n4.csv", programOf(scheduleOf("gpipe", 4, 4))},
        {"gpipe/gpipe_d4_n8.csv", programOf(scheduleOf("gpipe", 4, 8))},
        {"gpipe_lifo/gpipe_lifo_d4_n4.csv",
         programOf(scheduleOf("gpipe", 4, 4, {{"backward", "lifo"}}))},
        {"gpipe_lifo/gpipe_lifo_d4_n8.csv",
         programOf(scheduleOf("gpipe", 4, 8, {{"backward", "lifo"}}))},
        {"1f1b/1f1b_d4_n4.csv", programOf(scheduleOf("1f1b", 4, 4))},
        {"1f1b/1f1b_d4_n8.csv", programOf(scheduleOf("1f1b", 4, 8))},
        {"eager_1f1b/eager_1f1b_d4_n4.csv", programOf(scheduleOf("eager-1f1b", 4, 4))},
        {"eager_1f1b/eager_1f1b_d4_n8.csv", programOf(scheduleOf("eager-1f1b", 4, 8))},
        {"1f1b_overlap/1f1b_overlap_d4_n8.csv", programOf(scheduleOf("1f1b-overlap", 4, 8))},
        {"zb_h1/zb_h1_d4_n4.csv", programOf(scheduleOf("zb-h1", 4, 4))},
        {"zb_h1/zb_h1_d4_n8.csv", programOf(scheduleOf("zb-h1", 4, 8))},
        {"zb_h2/zb_h2_d4_n8.csv", programOf(scheduleOf("zb-h2", 4, 8))},
        {"zb_v_torch/zb_v_torch_d4_n4_v2.csv", programOf(scheduleOf("zb-v", 4, 4))},
        {"zb_v_torch/zb_v_torch_d4_n8_v2.csv", programOf(scheduleOf("zb-v", 4, 8))},
        {"mixpipe/mixpipe_d4_n4.csv", programOf(scheduleOf("mixpipe", 4, 4))},
        {"mixpipe/mixpipe_d4_n8.csv", programOf(scheduleOf("mixpipe", 4, 8))},
        {"mixpipe/mixpipe_d4_n8_k6.csv",
         programOf(scheduleOf("mixpipe", 4, 8, {{"inject", "6"}, {"cap", "0"}}))},
        {"bitpipe/bitpipe_D4_N4.csv", programOf(scheduleOf("bitpipe", 4, 4))},
        {"bitpipe/bitpipe_D4_N8.csv", programOf(scheduleOf("bitpipe", 4, 8))},
        {"bitpipe/bitpipe_D8_N8.csv", programOf(scheduleOf("bitpipe", 8, 8))},
        {"bitpipe/figure_D4_N4.csv", programOf(scheduleOf("bitpipe", 4, 4))},
    };
    for (const auto& [file, program] : cases) {
        INFO(file);
        CHECK(program == goldenProgram(file));
    }
}

// The orders come from an independent implementation of the algorithm.
TEST_CASE("BPipe gives the golden orders of both policies")
{
    for (const auto& [devices, microBatches] : {std::pair{4, 4}, {4, 8}, {8, 12}})
        for (const std::string policy : {"lazy", "steady"}) {
            const std::string file = "bpipe/bpipe_d" + std::to_string(devices) + "_n"
                + std::to_string(microBatches) + "_" + policy + ".csv";
            INFO(file);
            CHECK(programOf(scheduleOf("bpipe", devices, microBatches, {{"policy", policy}}))
                  == goldenProgram(file));
        }
}

TEST_CASE("the schemes of looping chunks give the golden orders for two and four chunks")
{
    struct Looping
    {
        std::string golden, scheme;
        Options options;
    };
    for (const auto& [golden, scheme, options] :
         std::vector<Looping>{{"interleaved_1f1b", "interleaved-1f1b", {}},
                              {"grouped_interleaved", "grouped-interleaved", {}},
                              {"interleaved_zb", "interleaved-zb", {}},
                              {"looped_bfs", "looped-bfs", {}},
                              {"looped_bfs_fifo", "looped-bfs", {{"backward", "fifo"}}}})
        for (const int microBatches : {4, 8})
            for (const int chunks : {2, 4}) {
                const std::string file = golden + "/" + golden + "_d4_n"
                    + std::to_string(microBatches) + "_v" + std::to_string(chunks) + ".csv";
                INFO(file);
                CHECK(chunked(scheme, microBatches, chunks, options) == goldenProgram(file));
            }
}

TEST_CASE("interleaved 1F1B gives the golden orders of groups larger than D")
{
    for (const std::string group : {"6", "8"})
        CHECK(chunked("interleaved-1f1b", 8, 2, {{"group", group}})
              == goldenProgram("interleaved_1f1b_group/interleaved_1f1b_group_d4_n8_v2_g" + group
                               + ".csv"));
}

TEST_CASE("Seq1F1B gives the golden orders of two and four slices")
{
    for (const int microBatches : {4, 8})
        for (const int slices : {2, 4}) {
            const std::string file = "seq1f1b/seq1f1b_d4_n" + std::to_string(microBatches) + "_s"
                + std::to_string(slices) + ".csv";
            INFO(file);
            const Options options{{"slices", std::to_string(slices)}};
            CHECK(programOf(scheduleOf("seq1f1b", 4, microBatches, options))
                  == goldenProgram(file, slices));
        }
}

TEST_CASE("PipeDream and PipeDream-2BW give the golden orders and weight versions")
{
    for (const std::string scheme : {"pipedream", "pipedream-2bw"})
        for (const int microBatches : {4, 8}) {
            const std::string name = scheme == "pipedream" ? "pipedream" : "pipedream_2bw";
            const std::string stem = name + "/" + name + "_d4_n" + std::to_string(microBatches);
            INFO(stem);
            const engine::Schedule schedule = scheduleOf(scheme, 4, microBatches);
            CHECK(programOf(schedule) == goldenProgram(stem + ".csv"));
            std::vector<std::string> versions; // device, op, micro-batch, version
            for (const engine::DeviceId d : schedule.program.ids())
                for (const engine::Op& op : schedule.program[d])
                    versions.push_back(
                        std::to_string(d.value) + "," + std::string(engine::kindName(op.kind)) + ","
                        + std::to_string(op.microBatch.value) + "," + std::to_string(op.version));
            CHECK(versions == goldenRows(stem + ".versions.csv"));
        }
}
