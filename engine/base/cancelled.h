#pragma once

#include <stdexcept>

namespace engine {

// Somebody has had enough of what was under way: thrown where no Result can be returned, and
// becomes Error::Code::Cancelled where one can.
class Cancelled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace engine
