#pragma once

#include "engine/base/id.h"

#include <cstddef>
#include <cstdint>

namespace engine {

template<class Tag>
constexpr std::size_t indexOf(Id<Tag> id)
{
    return static_cast<std::size_t>(id.value);
}

constexpr std::uint32_t kNoIndex = 0xFFFFFFFF; // no message, buffer or transfer

} // namespace engine
