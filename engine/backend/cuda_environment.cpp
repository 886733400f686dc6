#include "engine/backend/cuda_environment.h"

#include <cstdlib>

namespace engine {
namespace {

struct Variable
{
    const char *name, *value;
};
constexpr Variable kVariables[]{{"CUDA_DEVICE_MAX_CONNECTIONS", "32"},
                                {"CUDA_MODULE_LOADING", "EAGER"},
                                {"NCCL_RUNTIME_CONNECT", "0"}};

} // namespace

void setCudaEnvironment()
{
    for (const Variable& each : kVariables)
        setenv(each.name, each.value, 0);
}

} // namespace engine
