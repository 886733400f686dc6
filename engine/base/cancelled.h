#pragma once

#include <stdexcept>

namespace engine {

// Thrown on cancellation by functions that cannot return a Result; the caller converts it to
// Error::Code::Cancelled.
class Cancelled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace engine
