#pragma once

#include <fmt/core.h>
#include <tl/expected.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace engine {

// `message` is one line for the user: what is wrong, then what to do. Callers distinguish errors by
// `code`.
struct Error
{
    enum class Code {
        InvalidArgument,
        NotFound,
        Corrupt,
        Unsupported,
        Io,
        Locked,
        Device,
        Cancelled
    };

    Code code = Code::InvalidArgument;
    std::string message;

    friend bool operator==(const Error&, const Error&) = default;
};

// std::expected needs C++23, but nvcc supports C++20 at most.
template<class T>
using Result = tl::expected<T, Error>;

inline auto fail(Error::Code code, std::string message)
{
    return tl::unexpected<Error>(Error{code, std::move(message)});
}

template<class First, class... Rest>
auto fail(Error::Code code, fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
{
    return fail(code, fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
}

// What the caller asked for is not possible, the most frequent error.
inline auto invalid(std::string message)
{
    return fail(Error::Code::InvalidArgument, std::move(message));
}

template<class First, class... Rest>
auto invalid(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
{
    return fail(Error::Code::InvalidArgument, text, std::forward<First>(first),
                std::forward<Rest>(rest)...);
}

// A result whose error names what it is about: a file, an option.
template<class T>
Result<T> inContext(std::string_view subject, Result<T> result)
{
    if (!result)
        result.error().message = fmt::format("{}: {}", subject, result.error().message);
    return result;
}

// A result whose error ends with what else to do.
template<class T>
Result<T> withAdvice(Result<T> result, std::string_view advice)
{
    if (!result)
        result.error().message += advice;
    return result;
}

// Thrown on cancellation by functions that cannot return a Result; the caller converts it to
// Error::Code::Cancelled.
class Cancelled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace engine
