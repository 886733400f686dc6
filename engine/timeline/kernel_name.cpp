#include "engine/timeline/kernel_name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace engine {
namespace {

// Whether the kernel only runs a functor or another kernel that is its template argument.
bool isWrapper(std::string_view name)
{
    return name == "eachPack" || name == "Kernel" || name == "Kernel2" || name == "device_kernel"
        || name.ends_with("elementwise_kernel");
}

bool isBuiltIn(std::string_view type)
{
    constexpr std::string_view kTypes[]
        = {"bool",  "char",   "short", "int",   "long",   "unsigned",     "signed",
           "float", "double", "true",  "false", "__half", "__nv_bfloat16"};
    const std::string_view word = type.substr(0, type.find(' '));
    return std::ranges::find(kTypes, word) != std::end(kTypes);
}

// The template arguments of the function, split at the commas of the outermost level.
std::vector<std::string> templateArguments(const std::string& name, const std::string& function)
{
    const std::size_t open = name.find(function + '<');
    std::vector<std::string> arguments;
    if (open == std::string::npos)
        return arguments;
    int depth = 0;
    std::string argument;
    for (std::size_t i = open + function.size(); i < name.size(); ++i) {
        const char c = name[i];
        depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
        const bool ends = depth == 0 || (depth == 1 && c == ',');
        if (ends)
            arguments.push_back(std::exchange(argument, {}));
        else if (depth > 1 || c != '<')
            argument += c;
        if (depth == 0)
            break;
    }
    return arguments;
}

// "(anonymous namespace)::Gelu" -> "Gelu"; "" for a number or a built-in type.
std::string className(std::string type)
{
    type.erase(0, type.find_first_not_of(' '));
    type.erase(type.find_last_not_of(' ') + 1);
    const bool isClass = !type.empty() && type.front() != '-'
        && std::isdigit(static_cast<unsigned char>(type.front())) == 0 && type.find(')') != 0
        && !isBuiltIn(type) && type.find("(bool)") == std::string::npos
        && type.find("(int)") == std::string::npos;
    return isClass ? shortName(type) : std::string();
}

} // namespace

std::string demangled(const std::string& mangled)
{
    struct Free
    {
        void operator()(char* text) const { std::free(text); } // NOLINT: from malloc()
    };
    int status = 0;
    const std::unique_ptr<char, Free> text(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
    return status == 0 && text ? std::string(text.get()) : mangled;
}

std::string shortName(const std::string& demangledName)
{
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    std::string name = demangledName;
    for (std::size_t at = name.find(kAnonymous); at != std::string::npos;
         at = name.find(kAnonymous))
        name.replace(at, kAnonymous.size(), "_");
    // Finds the name in "void space::name<float, Pair<int>>(Parameters)". Skips the text within <>.
    int depth = 0;
    std::size_t begin = 0, end = name.size(), arguments = std::string::npos;
    for (std::size_t i = 0; i < name.size() && end == name.size(); ++i) {
        const char c = name[i];
        if (c == '<' && depth++ == 0)
            arguments = i;
        else if (c == '>')
            --depth;
        else if (depth == 0 && c == '(')
            end = i;
        else if (depth == 0 && (c == ' ' || c == ':'))
            begin = i + 1;
    }
    if (arguments != std::string::npos && arguments > begin)
        end = std::min(end, arguments);
    return end > begin ? name.substr(begin, end - begin) : demangledName;
}

std::string kernelLabel(const std::string& demangledName)
{
    std::string function = shortName(demangledName);
    for (const std::string& argument : templateArguments(demangledName, function)) {
        const std::string made = className(argument);
        if (!made.empty())
            return isWrapper(function) ? made : fmt::format("{}<{}>", function, made);
    }
    return function;
}

bool communicates(std::string_view kernel)
{
    // NCCL 2.18, 2.19, 2.27 and 2.28, RCCL, MSCCL, NVSHMEM, DeepEP, the user buffers of Transformer
    // Engine, and the collectives of vLLM, TensorRT-LLM, FlashInfer and PyTorch's symmetric memory.
    constexpr std::string_view kParts[]
        = {"ncclkernel",   "nccldevkernel", "ncclsymdevkernel", "ncclsymkdevkernel",
           "rccl",         "msccl",         "nvshmem",          "deep_ep::",
           "userbuffers_", "allreduce",     "all_reduce",       "allgather",
           "all_gather",   "reducescatter", "reduce_scatter",   "alltoall",
           "all_to_all",   "sendrecv",      "multimem_",        "cross_device_reduce",
           "put_signal",   "wait_signal",   "spin_kernel",      "symm_mem::"};
    std::string name(kernel);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name.find("gemm") == std::string::npos // a product that also communicates computes
        && std::ranges::any_of(
               kParts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

} // namespace engine
