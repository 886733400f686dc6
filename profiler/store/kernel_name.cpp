#include "profiler/store/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace profiler {

std::string demangled(const std::string& mangled)
{
    struct Free
    {
        void operator()(char* text) const { std::free(text); } // NOLINT: who allocated it says so
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
    // "void space::name<float, Pair<int>>(Parameters)": what is within <> counts for nothing.
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

} // namespace profiler
