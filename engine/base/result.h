#pragma once

#include <tl/expected.hpp>

#include <stdexcept>
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

// Thrown on cancellation by functions that cannot return a Result; the caller converts it to
// Error::Code::Cancelled.
class Cancelled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace engine
