#pragma once

#include "engine/base/result.h"
#include "engine/model/random.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine {

// A context-free grammar in text form (resources/data/language.txt has the syntax).
class Grammar
{
public:
    // The first rule is the start symbol. Fails with Error::Code::Corrupt; the message has the line
    // of the error.
    static Result<Grammar> parse(std::string_view text);

    // Appends one random sentence; returns -log of its probability, in nats.
    double appendSentence(Random& random, std::string& text) const;

private:
    struct Part // literal text if `rule` is -1, otherwise a rule
    {
        std::string text;
        int rule = -1;
    };
    using Choice = std::vector<Part>;
    struct Rule
    {
        std::string name;
        std::vector<Choice> choices;
    };

    // Returns the index of the rule; adds an empty rule if the name is new.
    int ruleNamed(std::string_view name);
    Result<void> addRule(std::string_view line);
    Result<Choice> parseChoice(std::string_view text);

    std::vector<Rule> m_rules;
};

} // namespace engine
