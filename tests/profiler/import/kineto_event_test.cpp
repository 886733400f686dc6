#include "profiler/import/readers/kineto_event.h"
#include "tests/catch.h"

using namespace profiler;

// Copies of other GPUs than NVIDIA's had no direction.
TEST_CASE("the name of a copy gives its direction on any GPU")
{
    CHECK(copyKindNamed("Memcpy HtoD (Pinned -> Device)") == 1);
    CHECK(copyKindNamed("Memcpy DtoD (Device -> Device)") == 8);
    CHECK(copyKindNamed("CopyDeviceToHost") == 2);
    CHECK(copyKindNamed("Memcpy M2D") == 1);
    CHECK(copyKindNamed("Memcpy") == 0);
}

// They were ranges, so kernels of these GPUs had no launch and were not classified.
TEST_CASE("calls of the runtimes of other GPUs are calls")
{
    for (const char* name : {"cuda_runtime", "xpu_runtime", "xpu_driver", "mtia_runtime",
                             "privateuse1_runtime", "privateuse1_driver"})
        CHECK(eventCategory(name) == EventCategory::Call);
}

// Ring attention made stages of the ranks of its group. Pipelines of a DeviceMesh whose dimensions
// have no names had no messages.
TEST_CASE("a group that is described as one of another parallelism is not a pipeline's")
{
    for (const char* name : {"", "default_pg", "undefined", "mesh_default", "mesh_dim_0",
                             "PIPELINE_MODEL_PARALLEL_GROUP", "mesh_pp"})
        CHECK(mayBePipelineGroup(name));
    for (const char* name : {"CONTEXT_PARALLEL_GROUP", "EXPERT_MODEL_PARALLEL_GROUP", "mesh_cp"})
        CHECK_FALSE(mayBePipelineGroup(name));
}
