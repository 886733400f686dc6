#pragma once

#include "engine/base/id.h"

#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace engine {

template<class Id, class T>
class IdVector : public std::vector<T>
{
    using Base = std::vector<T>;

public:
    using Base::Base;
    IdVector() = default;
    explicit IdVector(Base values)
        : Base(std::move(values))
    { }

    decltype(auto) operator[](Id id)
    {
        return Base::operator[](static_cast<std::size_t>(id.value));
    }
    decltype(auto) operator[](Id id) const
    {
        return Base::operator[](static_cast<std::size_t>(id.value));
    }
    decltype(auto) at(Id id) const { return Base::at(static_cast<std::size_t>(id.value)); }
    // Whether the vector has an element for the id.
    bool has(Id id) const { return id.isValid() && std::cmp_less(id.value, Base::size()); }
    Ids<Id> ids() const { return Ids<Id>(Base::size()); }
};

// A std::array indexed by an enum with N enumerators, numbered from 0.
template<class Enum, class T, std::size_t N>
struct EnumArray : std::array<T, N>
{
    using Base = std::array<T, N>;

    constexpr T& operator[](Enum e) { return Base::operator[](static_cast<std::size_t>(e)); }
    constexpr const T& operator[](Enum e) const
    {
        return Base::operator[](static_cast<std::size_t>(e));
    }
    static constexpr Ids<Enum> enumerators() { return Ids<Enum>(N); }
    template<class Value, class Member = std::identity>
    constexpr std::optional<Enum> find(const Value& value, Member member = {}) const
    {
        for (const Enum e : enumerators())
            if (std::invoke(member, (*this)[e]) == value)
                return e;
        return std::nullopt;
    }
};

} // namespace engine
