#pragma once

#include "engine/base/field.h"
#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The number of layers of every stage, in the order of the model. The first stage also has the
// embedding, the last one the output layer. By default, stage s of S has the layers floor(s L / S)
// to floor((s + 1) L / S) - 1.
//
// The text is that of Megatron-LM's --pipeline-model-parallel-layout: one part per stage, separated
// by '|'; E is the embedding, t a layer, L the output layer with the loss. "x*n" and "(...)*n"
// repeat; commas and blanks have no meaning; a part may be empty. The default has the text "".
class LayerLayout
{
public:
    LayerLayout() = default;
    explicit LayerLayout(const std::vector<int>& layers); // layers of every stage

    // Fails with Error::Code::InvalidArgument; the message quotes what is wrong. Refuses m, because
    // no model has multi-token prediction heads.
    static Result<LayerLayout> parse(std::string_view text);
    std::string text() const; // parse() is the inverse

    bool isDefault() const { return m_first.empty(); }
    // Of a layout that is not the default.
    int layers() const { return m_first.back(); }
    int stages() const { return static_cast<int>(m_first.size()) - 1; }
    // The layers before the stage; stage S: all. The layout must be one of `layers` layers in
    // `stages` stages.
    int first(int layers, int stages, int stage) const;
    int count(int layers, int stages, int stage) const;
    std::vector<int> counts(int layers, int stages) const; // of every stage
    // Fails if the layout has other numbers of layers or stages or, for the default, if there are
    // fewer layers than stages. `model` names the model in messages.
    Result<void> check(std::string_view model, int layers, int stages) const;

    friend bool operator==(const LayerLayout&, const LayerLayout&) = default;

private:
    std::vector<int> m_first; // the layers before every stage, then all; empty: the default
};

// The option --layout.
template<class Object>
Field<Object> layoutField(FieldFacts facts, LayerLayout Object::*member)
{
    facts.value = "STRING";
    if (facts.defaultText.empty())
        facts.defaultText = "even";
    return {std::move(facts), [member](const Object& object) { return (object.*member).text(); },
            [member](Object& object, std::string_view text) {
                return LayerLayout::parse(text).map(
                    [&](LayerLayout&& layout) { object.*member = std::move(layout); });
            }};
}
inline constexpr std::string_view kLayoutHelp
    = "Layers of every stage in Megatron-LM's form, as in 'Et*3|(t*4|)*2t*3L'";

} // namespace engine
