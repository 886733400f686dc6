#pragma once

#include "engine/base/inlined.h"
#include "engine/schedule/dataflow.h"

#include <cstdint>
#include <vector>

namespace engine::sim {

// Identifies a value of a schedule by kind and index within the kind.
struct ValueKey
{
    Value::Kind kind = Value::Kind::Stash;
    std::uint32_t index = 0xFFFFFFFF;

    friend bool operator==(ValueKey, ValueKey) = default;
};

BS_INLINED ValueKey keyOf(const Value& value, const Shape& shape)
{
    if (value.kind == Value::Kind::ReducedGradient)
        return {value.kind, shape.row(value.replica, value.stage)};
    return {value.kind, cellIndex(value, shape)};
}

// The state of every value while an iteration is placed. Activations, gradients and reduced
// gradients use 64 bits each: not produced, produced on its own device, or the arrival time. A
// stash uses one bit, because only evicts move it to another device.
class ValueTable
{
public:
    explicit ValueTable(const Shape& shape)
        : m_activations(cellCount(shape))
        , m_gradients(cellCount(shape))
        , m_reduced(shape.rows())
        , m_stashes(cellCount(shape))
    { }

    BS_INLINED static bool isTimed(Value::Kind kind)
    {
        return kind == Value::Kind::Activation || kind == Value::Kind::Gradient
            || kind == Value::Kind::ReducedGradient;
    }

    BS_INLINED void setMade(ValueKey key)
    {
        if (!isTimed(key.kind))
            m_stashes[key.index] |= bitOf(key.kind);
        else if (std::int64_t& word = wordOf(key); word == kNotMade)
            word = kMade;
    }
    BS_INLINED void setArrival(ValueKey key, std::int64_t tick) { wordOf(key) = kFirstTick + tick; }
    void clear(ValueKey timed) { wordOf(timed) = kNotMade; }
    void setGone(ValueKey key) { m_stashes[key.index] &= ~bitOf(key.kind); }

    BS_INLINED bool isMade(ValueKey key) const
    {
        return isTimed(key.kind) ? wordOf(key) != kNotMade
                                 : (m_stashes[key.index] & bitOf(key.kind)) != 0;
    }
    // hasArrived() and arrival() require a kind for which isTimed() is true.
    BS_INLINED bool hasArrived(ValueKey key) const { return wordOf(key) >= kFirstTick; }
    BS_INLINED std::int64_t arrival(ValueKey key) const { return wordOf(key) - kFirstTick; }

private:
    // 0 means "not produced", so that zero-initialized memory needs no writes.
    static constexpr std::int64_t kNotMade = 0, kMade = 1, kFirstTick = 2;

    BS_INLINED static std::uint8_t bitOf(Value::Kind kind)
    {
        return 1u << static_cast<unsigned>(kind);
    }
    BS_INLINED std::int64_t& wordOf(ValueKey key)
    {
        return key.kind == Value::Kind::Activation ? m_activations[key.index]
            : key.kind == Value::Kind::Gradient    ? m_gradients[key.index]
                                                   : m_reduced[key.index];
    }
    BS_INLINED const std::int64_t& wordOf(ValueKey key) const
    {
        return const_cast<ValueTable*>(this)->wordOf(key);
    }

    std::vector<std::int64_t> m_activations, m_gradients, m_reduced;
    std::vector<std::uint8_t> m_stashes;
};

} // namespace engine::sim
