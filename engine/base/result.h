#pragma once

#include <tl/expected.hpp>

#include <string>

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

} // namespace engine
