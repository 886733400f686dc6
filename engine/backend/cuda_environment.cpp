#include "engine/backend/cuda_environment.h"

#include <fmt/format.h>

#include <cstdlib>

namespace engine {
namespace {

struct Variable
{
    const char *name, *value;
};
constexpr Variable kVariables[]{{"CUDA_DEVICE_MAX_CONNECTIONS", "32"},
                                {"CUDA_MODULE_LOADING", "EAGER"}};

} // namespace

void setCudaEnvironment()
{
    for (const Variable& each : kVariables)
        setenv(each.name, each.value, 0);
}

std::string cudaEnvironment()
{
    std::string text;
    for (const Variable& each : kVariables) {
        const char* value = std::getenv(each.name);
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", each.name,
                            value != nullptr ? value : "");
    }
    return text;
}

} // namespace engine
