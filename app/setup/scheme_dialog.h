#pragma once

#include "app/plan/prediction.h"
#include "app/ui/theme.h"

#include <QDialog>
#include <QString>
#include <QStringList>

class QLabel;
class QTextBrowser;

namespace app {

class SchedulePreview;

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

// The description of a scheme: a diagram of the order with the current numbers, the formulas, the
// rule and the citation. The dialog stays open next to the page and follows its edits.
class SchemeDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SchemeDialog(const ThemeController& theme, QWidget* parent = nullptr);

    // `prediction` is nullptr if the scheme is not possible with these numbers.
    void show(const engine::ScheduleRequest& request, const Prediction* prediction);

private:
    QLabel* m_title;
    SchedulePreview* m_preview;
    QTextBrowser* m_text;
    QString m_scheme, m_html;
};

} // namespace app
