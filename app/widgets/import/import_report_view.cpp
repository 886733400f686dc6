#include "app/widgets/import/import_report_view.h"

#include "app/models/tables/import_model.h"
#include "app/models/text.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/data_table.h"
#include "app/widgets/import/coverage_bar.h"
#include "app/widgets/import/rank_chips.h"

#include <QFontMetrics>
#include <QGridLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

constexpr int kSectionTitle = 34, kRuleRow = 26;
constexpr int kTallestTable = 260; // longer tables scroll
const QMargins kSectionPadding(14, 10, 14, 12);

QLabel* makeHint(const QString& text)
{
    return named(makeLabel(text, "hint"), "sectionHint");
}

QWidget* makeSection(const QString& title, QLabel* hint, std::initializer_list<Cell> cells)
{
    auto* section = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(section), {}, 0,
                          {makeBar(kSectionTitle, 8,
                                   {makeLabel(title, "dock"), kStretch,
                                    hint == nullptr ? makeLabel({}, "hint") : hint}),
                           makeLine(Qt::Horizontal)});
    fill(*column, cells);
    column->addStretch(1);
    return section;
}

// A text in place of a table without rows.
QLabel* makeEmptyText(const QString& text)
{
    QLabel* label = makeLabel(text, "small");
    label->setContentsMargins(kSectionPadding);
    label->setWordWrap(true);
    return label;
}

void showRows(DataTable& table, QLabel& empty)
{
    const bool hasRows = table.model()->rowCount() > 0;
    table.setVisible(hasRows);
    empty.setVisible(!hasRows);
    table.setFixedHeight(std::min(table.fittingHeight(), kTallestTable));
}

// Elides long names in the middle, because lines break only between words.
QString withShortWords(const QString& text)
{
    constexpr int kWidestWord = 120; // pixels
    const QFontMetrics metrics(uiFont(11));
    QStringList words = text.split(QLatin1Char(' '));
    for (QString& word : words)
        word = metrics.elidedText(word, Qt::ElideMiddle, kWidestWord);
    return words.join(QLatin1Char(' '));
}

void removeAll(QLayout& layout)
{
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (item->widget() != nullptr)
            item->widget()->deleteLater();
        delete item;
    }
}

QLabel* makePlainLabel(const QString& text, const char* role)
{
    QLabel* label = makeLabel(text, role);
    label->setTextFormat(Qt::PlainText); // texts come from files
    return label;
}

} // namespace

ImportReportView::ImportReportView(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_rules(new CoverageModel(this))
    , m_leftOut(new LeftOutModel(this))
    , m_clocks(new ClocksModel(this))
    , m_facts(new QWidget)
    , m_ranks(new RankChips(theme))
    , m_rankSummary(makeLabel({}, "hint"))
    , m_clocksHint(makeLabel(tr("relative to the host of the first rank"), "hint"))
    , m_coverageTitle(named(makeLabel({}, "heading"), "coverageTitle"))
    , m_coverageNumbers(makeLabel({}, "small"))
    , m_noRules(makeEmptyText(tr("No rule matches. The run shows kernels only.")))
    , m_bar(named(new CoverageBar(theme), "coverageBar"))
    , m_rulesTable(named(new DataTable(theme, kRuleRow), "rulesTable", tr("Rules")))
    , m_clocksTable(named(new DataTable(theme, kRuleRow), "clocksTable", tr("Clock alignment")))
    , m_leftOutTable(named(new DataTable(theme, kRuleRow), "leftOutTable", tr("Left out")))
    , m_noClocks(makeEmptyText(tr("One clock, nothing to align.")))
    , m_noLeftOut(makeEmptyText(tr("Nothing was left out.")))
    , m_structure(new QWidget)
    , m_replay(named(new Band(theme, Band::Shape::Verdict), "replayBand"))
    , m_warnings(makeSurface("plain"))
{
    m_rulesTable->setModel(m_rules);
    m_rulesTable->setRestColumn(1);
    m_clocksTable->setModel(m_clocks);
    m_leftOutTable->setModel(m_leftOut);
    m_leftOutTable->setRestColumn(0);
    auto* grid = new QGridLayout(m_structure);
    grid->setContentsMargins({});
    grid->setColumnStretch(1, 1);
    spaced(new QHBoxLayout(m_facts), {}, 0);
    spaced(new QVBoxLayout(m_warnings), {}, 0);
    m_thirds = spaced(new QHBoxLayout, {}, 0,
                      {{makeReplay(), 2},
                       makeLine(Qt::Vertical),
                       makeClocks(),
                       makeLine(Qt::Vertical),
                       makeLeftOut()});
    auto* content = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(content), {}, 0,
                          {makeTop(), makeLine(Qt::Horizontal), m_warnings, makeCoverage(),
                           makeLine(Qt::Horizontal)});
    column->addLayout(m_thirds, 1);
    QScrollArea* scroll = makeScroll(content);
    scroll->setHorizontalScrollBarPolicy(
        Qt::ScrollBarAsNeeded); // beside the rules in a small window
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(scroll);
    connect(m_bar, &CoverageBar::chosen, m_rulesTable, &QTableView::selectRow);
    connect(m_rulesTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) { m_bar->setCurrent(row.row()); });
}

// The facts, and the ranks beside them; below them in a narrow window.
QWidget* ImportReportView::makeTop()
{
    auto* ranks = new QWidget;
    m_rankSummary->setAlignment(Qt::AlignRight | Qt::AlignTop);
    auto* title
        = spaced(new QHBoxLayout, {}, 8, {makeLabel(tr("Ranks"), "hint"), {m_rankSummary, 1}});
    auto* column = spaced(new QVBoxLayout(ranks), kSectionPadding, 6);
    column->addLayout(title);
    column->addWidget(m_ranks);
    column->addStretch(1);
    auto* top = makeSurface("plain");
    m_ranksLine = makeLine(Qt::Horizontal);
    m_top = spaced(new QBoxLayout(QBoxLayout::LeftToRight, top), {}, 0,
                   {m_facts, m_ranksLine, {ranks, 1}});
    return top;
}

QWidget* ImportReportView::makeCoverage()
{
    auto* part = makeSurface("plain");
    part->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* title = spaced(new QHBoxLayout, {}, 14,
                         {m_coverageTitle, m_coverageNumbers, kStretch,
                          makeHint(tr("click a part to select its rule"))});
    auto* top = spaced(new QVBoxLayout, kSectionPadding, 6);
    top->addLayout(title);
    top->addWidget(m_bar);
    auto* column = spaced(new QVBoxLayout(part), {}, 0);
    column->addLayout(top);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(makeSection(tr("Rules"), makeHint(tr("first match wins, top to bottom")),
                                  {m_rulesTable, m_noRules}));
    return part;
}

QWidget* ImportReportView::makeClocks()
{
    return makeSection(tr("Clock alignment"), m_clocksHint, {m_clocksTable, m_noClocks});
}

QWidget* ImportReportView::makeReplay()
{
    auto* body = new QWidget;
    spaced(new QVBoxLayout(body), kSectionPadding, 10, {m_structure, m_replay});
    return makeSection(tr("Iterations and replay"), nullptr, {body});
}

QWidget* ImportReportView::makeLeftOut()
{
    return makeSection(tr("Left out"), makeHint(tr("not in the run")),
                       {m_leftOutTable, m_noLeftOut});
}

void ImportReportView::show(const engine::Run& run)
{
    const engine::ImportReport& report = *run.info.import;
    showTables(report);
    showFacts(run);
    showReplay(run);
    m_coverageTitle->setText(coverageTitle(report));
    m_coverageNumbers->setText(coverageNumbers(report));
    m_bar->show(coverageParts(report));
    removeAll(*m_warnings->layout());
    for (const std::string& warning : report.warnings) {
        auto* band = new Band(m_theme, Band::Shape::State);
        band->setObjectName(QStringLiteral("importWarning"));
        m_warnings->layout()->addWidget(band);
        m_warnings->layout()->addWidget(makeLine(Qt::Horizontal));
        band->show(Band::Kind::Warning, {}, QString::fromStdString(warning));
    }
}

void ImportReportView::showFacts(const engine::Run& run)
{
    const engine::ImportReport& report = *run.info.import;
    auto* row = static_cast<QHBoxLayout*>(m_facts->layout());
    removeAll(*row);
    for (const ImportFact& fact : importFacts(run)) {
        auto* cell = new QWidget;
        QLabel* note = named(makePlainLabel(withShortWords(fact.note), "hint"), "factNote");
        if (note->text() != fact.note)
            note->setToolTip(fact.note.toHtmlEscaped());
        spaced(new QVBoxLayout(cell), kSectionPadding, 2,
               {makeLabel(fact.title, "hint"), makePlainLabel(fact.value, "heading"), note})
            ->addStretch(1);
        row->addWidget(cell);
        row->addWidget(makeLine(Qt::Vertical));
    }
    m_ranks->show(rankFacts(report));
    m_rankSummary->setText(rankSummary(report));
    fitParts();
}

void ImportReportView::fitParts()
{
    constexpr int kNarrow = 1000, kNarrowest = 700; // pixels
    m_top->setDirection(width() < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_ranksLine->setVisible(width() < kNarrow);
    for (QLabel* note : m_facts->findChildren<QLabel*>(QStringLiteral("factNote")))
        note->setWordWrap(width() < kNarrow);
    for (QLabel* hint : findChildren<QLabel*>(QStringLiteral("sectionHint")))
        hint->setVisible(width() >= kNarrowest);
    const bool hasClocks = m_clocks->rowCount() > 0;
    m_clocksHint->setVisible(hasClocks && width() >= kNarrowest);
    m_thirds->setStretch(2, hasClocks ? 2 : 0); // one clock needs no more than its sentence
    m_thirds->setStretch(4, hasClocks ? 2 : 3);
}

void ImportReportView::resizeEvent(QResizeEvent*)
{
    fitParts();
}

void ImportReportView::showReplay(const engine::Run& run)
{
    auto* grid = static_cast<QGridLayout*>(m_structure->layout());
    removeAll(*grid);
    int row = 0;
    for (const ImportFact& fact : structureFacts(run)) {
        grid->addWidget(makeLabel(fact.title, "hint"), row, 0);
        grid->addWidget(makePlainLabel(fact.value, ""), row++, 1);
    }
    const ReplayFact replay = replayFact(run);
    m_replay->show(replay.level == ReplayFact::Level::Good       ? Band::Kind::Ok
                       : replay.level == ReplayFact::Level::Poor ? Band::Kind::Error
                                                                 : Band::Kind::Warning,
                   replay.verdict, replay.sentence);
}

void ImportReportView::showTables(const engine::ImportReport& report)
{
    m_rules->show(report);
    m_clocks->show(report);
    m_leftOut->show(report);
    showRows(*m_rulesTable, *m_noRules);
    showRows(*m_clocksTable, *m_noClocks);
    showRows(*m_leftOutTable, *m_noLeftOut);
}

} // namespace app
