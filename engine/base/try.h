#pragma once

#include "engine/base/result.h"

#include <type_traits>
#include <utility>

namespace engine {

template<class Result>
typename Result::value_type takeValue(Result&& result)
{
    if constexpr (!std::is_void_v<typename Result::value_type>)
        return *std::forward<Result>(result);
}

} // namespace engine

// The value of a Result. If the Result has an error, the enclosing function returns it. Use it only
// as a whole statement or initializer: const auto run = TRY(readRun(file));
#define TRY(...)                                                                                   \
    __extension__({                                                                                \
        auto triedResult = (__VA_ARGS__);                                                          \
        if (!triedResult)                                                                          \
            return tl::unexpected(std::move(triedResult).error());                                 \
        engine::takeValue(std::move(triedResult));                                                 \
    })
