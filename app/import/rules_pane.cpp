#include "app/import/rules_pane.h"

#include "app/import/import_facts.h"
#include "app/import/rules_preview_model.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "resources/resources.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kPreviewRow = 26;

const char* const kInitialRules = "# Rules that precede the built-in ones, for example:\n"
                                  "#\n"
                                  "# [[rule]]\n"
                                  "# name = \"my-forward\"\n"
                                  "# range = '^step (?P<microbatch>\\d+) forward$'\n"
                                  "# kind = \"F\"\n";

QPlainTextEdit* makeText(const char* name, const QString& title)
{
    auto* text = named(new QPlainTextEdit, name, title);
    text->setFont(codeFont(12));
    text->setLineWrapMode(QPlainTextEdit::NoWrap);
    text->setTabChangesFocus(true);
    return text;
}

} // namespace

RulesPane::RulesPane(const ThemeController& theme, const QStringList& sources, int of,
                     QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new RulesPreviewModel(this))
    , m_choice(
          named(new SegmentControl(theme, {tr("Your rules"), tr("Built-in rules")}), "rulesChoice"))
    , m_texts(new QStackedWidget)
    , m_own(makeText("ownRules", tr("Your rules")))
    , m_shipped(makeText("shippedRules", tr("Built-in rules")))
    , m_band(named(new Band(theme, Band::Shape::State), "rulesBand"))
    , m_sample(named(makeLabel({}, "hint"), "rulesSample"))
    , m_state(named(makeLabel({}, "hint"), "rulesState"))
    , m_table(named(new DataTable(theme, kPreviewRow), "rulesPreview", tr("Coverage per rule")))
    , m_save(makeButton(tr("Save rules…"), QStringLiteral("saveRules")))
    , m_import(makeButton(tr("Import again with these rules"), QStringLiteral("importAgain")))
{
    setObjectName(QStringLiteral("rulesPane"));
    setMinimumWidth(360);
    m_table->setModel(m_model);
    m_own->setPlainText(QString::fromUtf8(kInitialRules));
    m_shipped->setPlainText(fromUtf8(resources::find("import/rules.toml")));
    m_shipped->setReadOnly(true);
    auto* close = makeIconButton("closeRules", Icon::Close, tr("Close the rules"), theme);
    connect(close, &QToolButton::clicked, this, &RulesPane::closeRequested);
    auto* buttons = makeSurface("plain");
    spaced(new QHBoxLayout(buttons), {12, 10, 12, 10}, 8, {kStretch, m_save, m_import});
    auto* rows = makeSplitter(Qt::Vertical);
    rows->addWidget(makeEditors());
    rows->addWidget(makeCoverage());
    rows->setSizes({440, 360});
    spaced(new QVBoxLayout(this), {}, 0,
           {makeBar(40, 8, {makeLabel(tr("Rules"), "dock"), m_choice, kStretch, close}),
            makeLine(Qt::Horizontal),
            {rows, 1},
            makeLine(Qt::Horizontal),
            buttons});
    setFocusProxy(m_own);
    connect(m_choice, &SegmentControl::currentChanged, m_texts, &QStackedWidget::setCurrentIndex);
    connect(m_save, &QPushButton::clicked, this, [this] { Q_EMIT saveRequested(rules()); });
    connect(m_import, &QPushButton::clicked, this, [this] { Q_EMIT importRequested(rules()); });
    m_band->hide();
    const bool areGone = sources.isEmpty();
    m_import->setEnabled(!areGone && sources.size() == of);
    if (!areGone)
        m_preview = std::make_unique<RulesPreview>(sources, nullptr);
    if (areGone)
        m_band->show(Band::Kind::Warning, tr("The traces of this run no longer exist,"),
                     tr("so rules cannot be tried. Import the traces again from their new "
                        "folder."));
    else if (sources.size() < of)
        m_band->show(Band::Kind::Warning,
                     tr("Only %1 of the %2 traces still exist.").arg(sources.size()).arg(of),
                     tr("The coverage refers to these."));
    connectPreview();
}

QWidget* RulesPane::makeEditors()
{
    m_choice->setName(tr("Rules"));
    m_choice->setCompact();
    m_texts->addWidget(m_own);
    m_texts->addWidget(m_shipped);
    auto* body = makeSurface("plain");
    spaced(new QVBoxLayout(body), {12, 10, 12, 10}, 8, {{m_texts, 1}});
    auto* part = makeSurface("plain");
    part->setMinimumHeight(120);
    spaced(new QVBoxLayout(part), {}, 0, {{body, 1}, m_band});
    return part;
}

QWidget* RulesPane::makeCoverage()
{
    auto* part = makeSurface("plain");
    part->setMinimumHeight(100);
    m_sample->setContentsMargins(12, 6, 12, 6);
    m_sample->setWordWrap(true);
    spaced(new QVBoxLayout(part), {}, 0,
           {makeBar(32, 8, {makeLabel(tr("Coverage"), "dock"), kStretch, m_state}),
            makeLine(Qt::Horizontal),
            m_sample,
            {m_table, 1}});
    return part;
}

void RulesPane::connectPreview()
{
    if (m_preview == nullptr)
        return;
    connect(m_own, &QPlainTextEdit::textChanged, this, [this] { m_preview->ask(rules()); });
    connect(m_preview.get(), &RulesPreview::started, this,
            [this] { m_state->setText(tr("reading the traces")); });
    connect(m_preview.get(), &RulesPreview::sampled, this,
            [this](const QString& what) { m_sample->setText(tr("From %1").arg(what)); });
    connect(m_preview.get(), &RulesPreview::failed, this, &RulesPane::showFailure);
    connect(m_preview.get(), &RulesPreview::baseline, this,
            [this](const engine::ImportReport& report) {
                m_before = report;
                showCoverage();
            });
    connect(m_preview.get(), &RulesPreview::previewed, this,
            [this](const engine::ImportReport& report) {
                m_after = report;
                m_band->hide();
                markLine(0);
                showCoverage();
                m_state->setText(
                    tr("%1 before, %2 after")
                        .arg(percent(m_before->classified()), percent(report.classified())));
            });
    m_preview->ask(rules());
}

void RulesPane::showCoverage()
{
    m_model->show(*m_before, m_after);
}

void RulesPane::showFailure(const QString& reason, int line)
{
    m_band->show(Band::Kind::Error,
                 line > 0 ? tr("Line %1:").arg(line) : tr("The rules are not applied:"),
                 reason + QLatin1Char('.'));
    markLine(line);
    m_state->setText(tr("for the last valid rules"));
}

void RulesPane::markLine(int line)
{
    auto marks = m_own->extraSelections();
    marks.clear();
    const QTextBlock block = m_own->document()->findBlockByNumber(line - 1);
    if (line > 0 && block.isValid()) {
        auto& mark = marks.emplaceBack();
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(m_theme.theme().chrome.errorTint);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    }
    m_own->setExtraSelections(marks);
}

QString RulesPane::rules() const
{
    return m_own->toPlainText();
}

void RulesPane::setRules(const QString& toml)
{
    m_own->setPlainText(toml);
}

} // namespace app
