#pragma once

#include "app/plan/prediction.h"

#include <QString>
#include <QStringList>

namespace app {

// A number of a scheme at the current D and N: "Bubble", "(D−1)/(N+D−1): (4−1)/(8+4−1) = 27.3 %, as
// simulated".
struct SchemeFact
{
    QString name, value;

    friend bool operator==(const SchemeFact&, const SchemeFact&) = default;
};

// Returns closed forms with the numbers filled in, then simulated values. Without a prediction
// (nullptr), returns only the facts of the scheme itself.
std::vector<SchemeFact> schemeFacts(const engine::Scheme& scheme,
                                    const engine::ScheduleRequest& request,
                                    const Prediction* prediction);

// A paragraph of a scheme's description. A picture is shown with fixed pitch.
struct SchemeParagraph
{
    QString text;
    bool isPicture = false;

    friend bool operator==(const SchemeParagraph&, const SchemeParagraph&) = default;
};
std::vector<SchemeParagraph> schemeParagraphs(std::string_view details);

// Returns the description of a scheme as rich text: summary, citation, facts at the requested D and
// N, the rule for D and N, options, and the method with pictures of its order.
QString schemeHtml(const engine::Scheme& scheme, const engine::ScheduleRequest& request,
                   const Prediction* prediction);

} // namespace app
