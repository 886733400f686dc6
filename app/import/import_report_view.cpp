#include "app/import/import_report_view.h"

#include "app/import/coverage_bar.h"
#include "app/import/import_model.h"
#include "app/import/matches_view.h"
#include "app/import/rank_chips.h"
#include "app/import/report_section.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"

#include <QFontMetrics>
#include <QGridLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

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

// The matches that touch the iteration and whose device is known.
std::vector<SchedulePreview::Mark> marksOf(const MatchesModel& matches, engine::Window iteration)
{
    std::vector<SchedulePreview::Mark> marks;
    for (int row = 0; row < matches.rowCount(); ++row)
        if (const engine::ImportReport::Match& match = matches.at(row).match;
            match.device && match.window.intersects(iteration))
            marks.push_back({*match.device, match.window});
    return marks;
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
    , m_rulesTable(named(new DataTable(theme, kReportRow), "rulesTable", tr("Rules")))
    , m_matches(named(new MatchesView(theme), "matches"))
    , m_clocksTable(named(new DataTable(theme, kReportRow), "clocksTable", tr("Clock alignment")))
    , m_leftOutTable(named(new DataTable(theme, kReportRow), "leftOutTable", tr("Left out")))
    , m_noClocks(makeEmptyText(tr("One clock, nothing to align.")))
    , m_noLeftOut(makeEmptyText(tr("Nothing was left out.")))
    , m_structure(new QWidget)
    , m_replay(named(new Band(theme, Band::Shape::Verdict), "replayBand"))
    , m_warnings(makeSurface("plain"))
    , m_preview(named(new SchedulePreview(theme), "importPreview", tr("Preview")))
    , m_previewHint(named(makePlainLabel({}, "hint"), "previewHint"))
{
    m_preview->setPlaceholder(tr("Preparing the iteration"));
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
    column->addLayout(m_thirds);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(makePreview(), 1);
    QScrollArea* scroll = makeScroll(content);
    scroll->setHorizontalScrollBarPolicy(
        Qt::ScrollBarAsNeeded); // a small window may be too narrow for the report beside the rules
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(scroll);
    connect(m_bar, &CoverageBar::chosen, m_rulesTable, &QTableView::selectRow);
    connect(m_rulesTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ImportReportView::showMatches);
    connect(m_matches, &MatchesView::currentChanged, this, &ImportReportView::showMarks);
    connect(m_matches, &MatchesView::openRequested, this, [this] {
        if (const engine::ImportReport::Match* match = m_matches->current())
            Q_EMIT openRequested(*match);
    });
    connect(&m_views, &ViewPreparation::ready, this,
            [this](const std::vector<RunViewPointer>& views) { m_preview->show(views.front()); });
}

// Makes the facts, with the ranks beside them or, in a narrow window, below them.
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
                          makeSectionHint(tr("click a part to select its rule"))});
    auto* top = spaced(new QVBoxLayout, kSectionPadding, 6);
    top->addLayout(title);
    top->addWidget(m_bar);
    auto* column = spaced(new QVBoxLayout(part), {}, 0);
    column->addLayout(top);
    column->addWidget(makeLine(Qt::Horizontal));
    QWidget* rules = makeSection(makeLabel(tr("Rules"), "dock"),
                                 makeSectionHint(tr("first match wins, top to bottom")),
                                 {m_rulesTable, m_noRules});
    m_matchesLine = makeLine(Qt::Vertical);
    m_matchesTop = makeLine(Qt::Horizontal);
    m_rulesRow = spaced(new QBoxLayout(QBoxLayout::LeftToRight), {}, 0,
                        {{rules, 5}, m_matchesLine, m_matchesTop, {m_matches, 4}});
    column->addLayout(m_rulesRow);
    return part;
}

QWidget* ImportReportView::makeClocks()
{
    return makeSection(makeLabel(tr("Clock alignment"), "dock"), m_clocksHint,
                       {m_clocksTable, m_noClocks});
}

QWidget* ImportReportView::makeReplay()
{
    auto* body = new QWidget;
    spaced(new QVBoxLayout(body), kSectionPadding, 10, {m_structure, m_replay});
    return makeSection(makeLabel(tr("Iterations and replay"), "dock"), makeLabel({}, "hint"),
                       {body});
}

QWidget* ImportReportView::makeLeftOut()
{
    return makeSection(makeLabel(tr("Left out"), "dock"), makeSectionHint(tr("not in the run")),
                       {m_leftOutTable, m_noLeftOut});
}

QWidget* ImportReportView::makePreview()
{
    auto* body = new QWidget;
    spaced(new QVBoxLayout(body), kSectionPadding, 0, {m_preview});
    return makeSection(makeLabel(tr("Preview"), "dock"), m_previewHint, {body});
}

void ImportReportView::show(const RunPointer& shown)
{
    // The same run is shown again when units change.
    const bool isNew = std::exchange(m_run, shown) != shown;
    const int selected = m_rulesTable->currentIndex().row();
    const engine::Run& run = *shown;
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
    showPreview();
    selectRule(isNew ? firstRule() : selected);
}

void ImportReportView::showPreview()
{
    constexpr int kFew = 4, kMost = 16, kTall = 40, kLow = 24; // rows; pixels
    const int rows = std::clamp(m_run->schedule.shape.devices, kFew, kMost);
    m_preview->setRowsHeight(rows * (rows > kFew ? kLow : kTall));
    m_views.ask({m_run});
}

// Returns the first rule or, if the coverage is low, the last row: the unclassified time, which is
// then of most interest.
int ImportReportView::firstRule() const
{
    const int last = m_rules->rowCount() - 1;
    const bool isLow = m_run->info.import->classified() < kGoodCoverage;
    return last < 0 || (isLow && !m_rules->at(last).isClassified) ? last : 0;
}

void ImportReportView::selectRule(int row)
{
    if (row >= 0)
        m_rulesTable->selectRow(row);
    else
        showMatches();
}

void ImportReportView::showMatches()
{
    const int row = m_rulesTable->currentIndex().row();
    m_bar->setCurrent(row);
    m_matches->show(*m_run, row < 0 ? nullptr : &m_rules->at(row));
    showMarks();
}

// Previews the iteration of the current match, or the reported iteration if there is none.
void ImportReportView::showMarks()
{
    const engine::ImportReport::Match* current = m_matches->current();
    const auto& iterations = m_run->timeline.iterations;
    const int reported = engine::reportedIteration(m_run->timeline);
    SchedulePreview::Marks marks;
    marks.iteration = current != nullptr ? current->iteration.value_or(reported) : reported;
    if (marks.iteration < 0) // the run has no iteration
        return m_preview->setMarks({});
    const engine::Iteration& iteration = iterations[static_cast<std::size_t>(marks.iteration)];
    marks.parts = marksOf(m_matches->model(), iteration.window);
    if (current != nullptr && current->device)
        marks.current = {*current->device, current->window};
    const int rule = m_rulesTable->currentIndex().row();
    marks.areUncertain = rule >= 0 && !m_rules->at(rule).isClassified;
    m_previewHint->setText(marks.parts.empty()
                               ? tr("iteration %1, from its start").arg(iteration.number)
                               : tr("iteration %1, matches outlined").arg(iteration.number));
    m_preview->setMarks(std::move(marks));
}

void ImportReportView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_rulesTable->currentIndex().isValid())
        m_rulesTable->selectionModel()->clear();
    else
        QWidget::keyPressEvent(event);
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
            note->setToolTip(fact.note);
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
    m_rulesRow->setDirection(m_top->direction());
    m_matchesTop->setVisible(width() < kNarrow);
    m_matchesLine->setVisible(width() >= kNarrow);
    for (QLabel* note : m_facts->findChildren<QLabel*>(QStringLiteral("factNote")))
        note->setWordWrap(width() < kNarrow);
    for (QLabel* hint : findChildren<QLabel*>(QStringLiteral("sectionHint")))
        hint->setVisible(width() >= kNarrowest);
    const bool hasClocks = m_clocks->rowCount() > 0;
    m_clocksHint->setVisible(hasClocks && width() >= kNarrowest);
    m_thirds->setStretch(2, hasClocks ? 2 : 0); // a single clock has only a sentence
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
