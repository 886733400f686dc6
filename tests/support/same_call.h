#pragma once

#include <cstddef>
#include <type_traits>

namespace engine {

// Maps a parameter type to a type that represents how the ABI passes it: int for enumerations,
// void* for pointers, the size for classes.
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

// Whether two function pointer types are compatible. The functions of a library that is loaded at
// run time are declared by hand; static_asserts use this function to compare the declarations with
// the library's header.
template<class Ours, class Theirs>
constexpr bool takesTheSame(Ours, Theirs)
{
    return std::is_same_v<decltype(callShapeOf(Ours())), decltype(callShapeOf(Theirs()))>;
}

} // namespace engine
