#include "engine/schedule/notation.h"
#include "profiler/import/rules.h"
#include "tests/catch.h"

using namespace engine;
using namespace profiler;

namespace {

// "torch-pp: 2F0 c1 up" for a range that a rule matches.
std::string matched(const Rules& rules, std::string_view range)
{
    const auto match = rules.ofRange({range, "", "", ""});
    if (!match)
        return "";
    std::string text = rules.all()[match->rule].name + ":";
    for (const NamedOp& op : match->ops) {
        text += " ";
        text += op.stage ? std::to_string(*op.stage) : "";
        text += kindShortName(op.kind);
        text += op.usesHost ? "H" : "";
        text += op.microBatch ? std::to_string(*op.microBatch) : "";
        text += op.chunk ? "c" + std::to_string(*op.chunk) : "";
        text += op.up ? "u" : "";
        text += op.slice ? "." + std::to_string(*op.slice) : "";
    }
    return text;
}

std::string errorOfRules(const std::string& toml)
{
    const auto rules = Rules::parse(toml, "my.toml");
    return rules ? "" : rules.error().message;
}

} // namespace

TEST_CASE("the shipped rules parse the names that frameworks give to pipeline ops")
{
    const Rules rules = Rules::shipped();
    CHECK(matched(rules, "PP:12F3") == "torch-pp: 12F3");
    CHECK(matched(rules, "PP:0I2") == "torch-pp: 0I2");
    CHECK(matched(rules, "PP:3SEND_F1") == "torch-pp: 3SF1");
    CHECK(matched(rules, "PP:0RECV_B0") == "torch-pp: 0RB0");
    CHECK(matched(rules, "PP:1REDUCE_GRAD") == "torch-pp: 1AR");
    CHECK(matched(rules, "PP:1UNSHARD") == "torch-pp:");
    CHECK(matched(rules, "PP:(7F4;0B0)OVERLAP_F_B") == "torch-pp-overlap: 7F4 0B0");
    CHECK(matched(rules, "PP::fwd_send (stage 0)") == "torch-pp-batch: 0SF");
    CHECK(matched(rules, "PP::bwd_recv (stage 11)") == "torch-pp-batch: 11RB");
    CHECK(matched(rules, "PP::fwd_send_bwd_recv (stage 1)") == "torch-pp-batches:");
    CHECK(matched(rules, "5B3u") == "bubblescope: 5B3u");
    CHECK(matched(rules, "2EVICT1") == "bubblescope: 2EV1");
    CHECK(matched(rules, "2LOAD_HOST1") == "bubblescope: 2LDH1");
    CHECK(matched(rules, "gloo:barrier") == "barrier:");
    CHECK(matched(rules, "F0.1.7") == "sail-sg: F0c1.7");
    CHECK(matched(rules, "W_clear.1.2") == "sail-sg-clear: Wc1");
    CHECK(matched(rules, "F_2,3") == "pippy: 2F3");
    CHECK(matched(rules, "call_backward:up_pipe") == "chimera: Bu");
    CHECK(matched(rules, "block(F)") == "dualpipe: F");
    CHECK(matched(rules, "Backward 4") == "torch-stage: B4");
    CHECK(matched(rules, "megatron.core.pipeline_parallel.p2p_communication.send_backward")
          == "megatron-p2p: SB");
    CHECK(matched(rules,
                  "megatron.core.pipeline_parallel.p2p_communication.send_forward_recv_backward")
          == "megatron-p2p-joint:");
    CHECK(matched(rules, "megatron/core/pipeline_parallel/p2p_communication.py(372): recv_forward")
          == "megatron-p2p: RF");
    CHECK(matched(rules, "megatron/core/pipeline_parallel/p2p_communication.py(99): _communicate")
          == "megatron-p2p-joint:");
    CHECK(matched(rules, "/opt/megatron/core/pipeline_parallel/schedules.py(398): backward_step")
          == "megatron-step: B");
    CHECK(matched(rules, "pretrain_gpt.py(180): forward_step") == "");
    CHECK(matched(rules, "deepspeed/runtime/pipe/engine.py(641): _exec_forward_pass")
          == "deepspeed: F");
    CHECK(matched(rules, "deepspeed/runtime/pipe/engine.py(1030): _exec_recv_grads")
          == "deepspeed: RB");
    CHECK(matched(rules, "deepspeed/runtime/pipe/engine.py(236): _exec_reduce_grads")
          == "deepspeed:");
    CHECK(matched(rules, "deepspeed/runtime/pipe/engine.py(1395): _exec_schedule") == "");
    CHECK(matched(rules, "DeepSpeedEngine.backward") == "deepspeed-nvtx: B");
    CHECK(matched(rules, "DeepSpeedEngine.allreduce_gradients") == "");
    CHECK(matched(rules, "Optimizer.step#AdamW.step") == "optimizer: OPT");
    CHECK(matched(rules, "nccl:send 0->1") == "nccl-p2p:");
    CHECK(matched(rules, "nccl:all_reduce") == "nccl-range:");
    CHECK(matched(rules, "nccl:_all_gather_base") == "nccl-range:");
    CHECK(matched(rules, "nccl:all_to_all") == "nccl-exchange:");
    CHECK(matched(rules, "c10d::alltoall_base_") == "nccl-exchange:");
    CHECK(matched(rules, "ProfilerStep#12") == "iteration:");
    CHECK(matched(rules, "aten::mm") == "");
    CHECK(matched(rules, "PP:99999999999F0") == "torch-pp: F0"); // the stage is not a number
}

TEST_CASE("kernels of NCCL are recognised by name")
{
    const Rules rules = Rules::shipped();
    for (const char* name : {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
                             "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)"})
        CHECK(rules.ofKernel(name));
    CHECK_FALSE(rules.ofKernel("void cutlass::Kernel<nccl>"));
}

TEST_CASE("a rule that cannot work is refused by its name")
{
    CHECK(
        errorOfRules("[[rule]]\nname='a'\nrange='('\nkind='F'").find("line 3: rule \"a\": `range`")
        != std::string::npos);
    CHECK(errorOfRules("[[rule]]\nname='a'\nrange='x'\nkind='Z'").find("unknown kind \"Z\"")
          != std::string::npos);
    CHECK(errorOfRules("[[rule]]\nname='a'\nkind='F'").find("either `range` or `kernel`")
          != std::string::npos);
    CHECK(errorOfRules("[[rule]]\nname='a'\nrange='x'\nkinde='F'").find("unknown key `kinde`")
          != std::string::npos);
    CHECK(errorOfRules("[[rule]]\nrange='x'").find("has no name") != std::string::npos);
    CHECK(errorOfRules("rule = 3").find("expected [[rule]]") != std::string::npos);
    CHECK(errorOfRules("[[rule").find("my.toml: line 1") != std::string::npos);
}

// 5000 nested groups took 299 s on one trace, and could not be cancelled.
TEST_CASE("a rule has at most 100 groups")
{
    const auto rule = [](int groups) {
        return "[[rule]]\nname = \"deep\"\nkind = \"F\"\nrange = '"
            + std::string(static_cast<std::size_t>(groups), '(') + "a"
            + std::string(static_cast<std::size_t>(groups), ')') + "'\n";
    };
    CHECK(errorOfRules(rule(100)) == "");
    CHECK_THAT(errorOfRules(rule(101)), Catch::Contains("`range` has 101 groups; use at most 100"));
}

TEST_CASE("a rule can depend on category, thread and arguments")
{
    const auto rules = Rules::parse(R"([[rule]]
        name = "mine"
        range = '^step$'
        category = '^user_annotation$'
        thread = 'main'
        arguments = '"phase": "fwd"'
        kind = "F")",
                                    "my.toml");
    REQUIRE(rules);
    CHECK(rules->needsMoreThanNames());
    CHECK(rules->ofRange({"step", "user_annotation", "main", R"({"phase": "fwd"})"}));
    CHECK_FALSE(rules->ofRange({"step", "user_annotation", "other", R"({"phase": "fwd"})"}));
    CHECK_FALSE(rules->ofRange({"step", "user_annotation", "main", R"({"phase": "bwd"})"}));
}
