#include "app/setup/scheme_dialog.h"

#include "app/plan/fault.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <cmath>

namespace app {
namespace {

QString say(const char* text)
{
    return QCoreApplication::translate("SchemeText", text);
}

// Finds the formula in "Makespan 3N + 3(D-1), bubble ...". The description is prose, so the formula
// is shown as a closed form only if its value equals the simulated one.
std::optional<SchemeFact> makespanFact(const engine::Scheme& scheme, const FormulaNumbers& numbers,
                                       double simulated)
{
    static const QRegularExpression kMakespan(
        QStringLiteral("\\bmakespan ([^,;:\\n]*?)(?=[,;:\\n]|\\.(?:\\s|$)| for | at )"),
        QRegularExpression::CaseInsensitiveOption);
    constexpr double kSame = 1e-9;
    const QString details = fromUtf8(scheme.details);
    for (auto found = kMakespan.globalMatch(details); found.hasNext();) {
        const QString expression = found.next().captured(1);
        const ClosedForm form = closedForm(expression.toStdString(), numbers);
        if (form.value && std::abs(*form.value - simulated) < kSame)
            return SchemeFact{say("Iteration"),
                              say("%1: %2 = %3 units, as simulated")
                                  .arg(form.formula, form.filled, unitsText(*form.value))};
    }
    return std::nullopt;
}

QString paragraphHtml(const SchemeParagraph& paragraph)
{
    const QString text = paragraph.text.toHtmlEscaped();
    return paragraph.isPicture ? QStringLiteral("<pre>%1</pre>").arg(text)
                               : QStringLiteral("<p>%1</p>").arg(text);
}

QString rowHtml(const QString& name, const QString& value)
{
    return QStringLiteral("<tr><td style='padding-right:16px'>%1</td><td>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString optionText(const engine::SchemeOption& option)
{
    QStringList values;
    for (const std::string_view value : option.values)
        values.append(fromUtf8(value));
    if (option.isOpen())
        values.append(say("any other"));
    return values.join(QStringLiteral(", "));
}

} // namespace

std::vector<SchemeFact> schemeFacts(const engine::Scheme& scheme,
                                    const engine::ScheduleRequest& request,
                                    const Prediction* prediction)
{
    std::vector<SchemeFact> facts;
    if (prediction == nullptr || !prediction->isValid()) {
        if (!scheme.bubbleFormula.empty())
            facts.push_back(
                {say("Bubble"), closedForm(scheme.bubbleFormula, formulaNumbers(request)).formula});
        return facts;
    }
    const profiler::RunMetrics& metrics = prediction->metrics;
    const double units = prediction->thumbnail.duration;
    const auto makespan = prediction->closedFormsApply
        ? makespanFact(scheme, formulaNumbers(request), units)
        : std::nullopt;
    facts.push_back(makespan.value_or(SchemeFact{
        say("Iteration"), say("%1, simulated").arg(timeText(metrics.duration, prediction->info))}));
    const QString form = closedFormText(*prediction);
    facts.push_back(
        {say("Bubble"),
         form.isEmpty() ? say("%1, simulated").arg(percent(metrics.bubbleRatio)) : form});
    facts.push_back(
        {say("Peak stash"), say("%1 Mₐ at most").arg(number(largestStash(metrics), 1))});
    facts.push_back(
        {say("Weights"), say("%1 Mθ per device").arg(unitsText(largestWeights(metrics)))});
    facts.push_back({say("Messages"),
                     say("%1, and %2 copies within a device")
                         .arg(number(metrics.messages, 0), number(metrics.localCopies, 0))});
    return facts;
}

std::vector<SchemeParagraph> schemeParagraphs(std::string_view details)
{
    static const QRegularExpression kColumns(QStringLiteral("\\||\\S {2,}\\S"));
    std::vector<SchemeParagraph> paragraphs;
    for (const QString& block :
         fromUtf8(details).split(QStringLiteral("\n\n"), Qt::SkipEmptyParts)) {
        SchemeParagraph paragraph{block, block.contains(kColumns)};
        while (paragraph.text.startsWith(QLatin1Char('\n')))
            paragraph.text.remove(0, 1);
        if (!paragraph.isPicture)
            paragraph.text = paragraph.text.simplified();
        else if (paragraph.text.endsWith(QLatin1Char('\n')))
            paragraph.text.chop(1);
        if (!paragraph.text.isEmpty())
            paragraphs.push_back(std::move(paragraph));
    }
    return paragraphs;
}

QString schemeHtml(const engine::Scheme& scheme, const engine::ScheduleRequest& request,
                   const Prediction* prediction)
{
    QString html = QStringLiteral("<p>%1<br>%2</p>")
                       .arg(fromUtf8(scheme.summary).toHtmlEscaped(),
                            fromUtf8(scheme.citation).toHtmlEscaped());
    html += QStringLiteral("<p><b>%1</b></p><table>")
                .arg(say("At D = %1, N = %2").arg(request.devices).arg(request.microBatches));
    for (const SchemeFact& fact : schemeFacts(scheme, request, prediction))
        html += rowHtml(fact.name, fact.value);
    html += QStringLiteral("</table>");
    html += QStringLiteral("<p><b>%1</b></p><table>").arg(say("Rule"))
        + rowHtml(say("Accepts"), ruleText(scheme));
    for (const engine::SchemeOption& option : scheme.options)
        html += rowHtml(capitalized(fromUtf8(option.title)), optionText(option));
    html += QStringLiteral("</table>");
    for (const SchemeParagraph& paragraph : schemeParagraphs(scheme.details))
        html += paragraphHtml(paragraph);
    return html;
}

namespace {

constexpr int kPictureHeight = 110;

} // namespace

SchemeDialog::SchemeDialog(const ThemeController& theme, QWidget* parent)
    : QDialog(parent)
    , m_title(named(makeLabel({}, "heading"), "schemeTitle"))
    , m_preview(named(new SchedulePreview(theme), "schemePreview"))
    , m_text(named(new QTextBrowser, "schemeText", tr("Description of the scheme")))
{
    setObjectName(QStringLiteral("schemeDialog"));
    resize(800, 640);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(0);
    setLook(m_text, "kind", QStringLiteral("bare"));
    m_preview->setRowsHeight(kPictureHeight);
    auto* column = spaced(new QVBoxLayout(this), QMargins(20, 16, 20, 14), 10,
                          {m_title, m_preview, makeLine(Qt::Horizontal), {m_text, 1}});
    auto* row
        = spaced(new QHBoxLayout, QMargins(), 8,
                 {{makeLabel(tr("Updates with D, N and the options of the form."), "hint"), 1}});
    QPushButton* copy = makeButton(tr("Copy text"), QStringLiteral("copyScheme"));
    connect(copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_title->text() + QLatin1Char('\n')
                                              + m_text->toPlainText());
    });
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeScheme"), "primary");
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    row->addWidget(copy);
    row->addWidget(close);
    column->addLayout(row);
}

void SchemeDialog::show(const engine::ScheduleRequest& request, const Prediction* prediction)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    if (scheme == nullptr)
        return;
    setWindowTitle(fromUtf8(scheme->title));
    m_title->setText(fromUtf8(scheme->title));
    const QString html = schemeHtml(*scheme, request, prediction);
    if (html == m_html)
        return;
    const bool isSame = m_scheme == QString::fromStdString(request.scheme);
    const int place = isSame ? m_text->verticalScrollBar()->value() : 0;
    m_scheme = QString::fromStdString(request.scheme);
    m_html = html;
    m_text->document()->setDefaultStyleSheet(
        QStringLiteral("pre { font-family: \"%1\"; font-size: 12px; } td { padding-bottom: 2px; }")
            .arg(codeFont().family()));
    m_preview->setVisible(prediction != nullptr && prediction->run != nullptr);
    if (m_preview->isVisibleTo(this))
        m_preview->show(std::make_shared<RunView>(prediction->run));
    m_text->setHtml(QString(html).replace(QStringLiteral("Mθ"), QStringLiteral("M<sub>θ</sub>")));
    m_text->verticalScrollBar()->setValue(place);
}

} // namespace app
