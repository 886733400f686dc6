#pragma once

#include <cstddef>
#include <type_traits>

namespace engine {

// Parameters of the same kinds in the same places: as they are passed to a function. Enumerations
// pass as int, pointers as pointers, whatever they point to.
template<class Value>
struct Passed
{
    using Type = Value;
};
template<class Value>
requires std::is_enum_v<Value>
struct Passed<Value>
{
    using Type = int;
};
template<class Value>
struct Passed<Value*>
{
    using Type = void*;
};
template<class Value>
requires std::is_class_v<Value>
struct Passed<Value>
{
    using Type = std::integral_constant<std::size_t, sizeof(Value)>;
};
template<class Result, class... Parameters>
using CallShape = typename Passed<Result>::Type (*)(typename Passed<Parameters>::Type...);
template<class Result, class... Parameters>
CallShape<Result, Parameters...> callShapeOf(Result (*)(Parameters...));

// Whether a function that is declared by hand, of a library that is loaded when the program runs,
// can be called as the library's header says: for static_assert where that header is.
template<class Ours, class Theirs>
constexpr bool takesTheSame(Ours, Theirs)
{
    return std::is_same_v<decltype(callShapeOf(Ours())), decltype(callShapeOf(Theirs()))>;
}

} // namespace engine
