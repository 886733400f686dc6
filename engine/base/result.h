#pragma once

#include <tl/expected.hpp>

#include <string>

namespace engine {

// What went wrong, for a person to read, and the class of failure, for code to test. The message is
// one line: what is wrong, and what to do.
struct Error
{
    enum class Code { InvalidArgument, NotFound, Corrupt, Unsupported, Io, Device, Cancelled };

    Code code = Code::InvalidArgument;
    std::string message;

    friend bool operator==(const Error&, const Error&) = default;
};

// std::expected is C++23 and nvcc stops at C++20; the day that changes, only this line does.
template<class T>
using Result = tl::expected<T, Error>;

inline auto fail(Error::Code code, std::string message)
{
    return tl::unexpected<Error>(Error{code, std::move(message)});
}

} // namespace engine
