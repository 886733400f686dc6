#include "app/import/import_report_view.h"

#include "app/import/import_facts.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/icons.h"
#include "app/ui/kernel_colours.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/timeline/kernel_name.h"

#include <QFontMetrics>
#include <QGridLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

using engine::ImportReport;

int levelOf(const std::string& confidence)
{
    return confidence == "high" ? 3 : confidence == "medium" ? 2 : confidence == "low" ? 1 : 0;
}

bool fits(const engine::Run& run, const ImportReport::Match& match)
{
    return match.device.value_or(0) < run.schedule.shape.devices
        && match.op.value_or(0) < engine::opCount(run.schedule)
        && static_cast<std::size_t>(match.iteration.value_or(0)) < run.timeline.iterations.size();
}

ImportMatch shownMatch(const engine::Run& run, const engine::OpIndex& ops,
                       const ImportReport::Match& match)
{
    ImportMatch shown{match, {}, {}, -1, {}};
    shown.label = QString::fromStdString(run.info.import->onGpu ? engine::kernelLabel(match.name)
                                                                : match.name);
    if (match.op)
        shown.op = opName(run.info, engine::opAt(run.schedule, ops, *match.op));
    if (match.iteration) {
        const engine::Iteration& iteration
            = run.timeline.iterations[static_cast<std::size_t>(*match.iteration)];
        shown.iteration = iteration.number;
        shown.begin = match.window.begin - iteration.window.begin;
    }
    return shown;
}

const auto kIsRest = [](const CoverageRow& row) { return QVariant(!row.isClassified); };

} // namespace

CoverageModel::CoverageModel(QObject* parent)
    : TableModel(parent)
{ }

void CoverageModel::show(const ImportReport& report)
{
    std::vector<CoverageRow> rows;
    const std::vector<CoveragePart> parts = coverageParts(report);
    std::int64_t rest = report.time;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CoverageRow row{{}, parts[i].share, parts[i].isClassified};
        if (row.isClassified)
            row.rule = report.rules[i];
        else
            row.rule
                = {parts[i].name.toStdString(), tr("No rule matches").toStdString(), {}, 0, rest};
        rest -= row.rule.time;
        rows.push_back(std::move(row));
    }
    m_time = timeScale(report.time);
    reset(columns(), std::move(rows));
}

CoverageModel::Columns CoverageModel::columns() const
{
    using Column = TableColumn<CoverageRow>;
    const auto text = [](const std::string& one) { return QString::fromStdString(one); };
    return {
        Column(
            tr("Rule"), [text](const CoverageRow& row) { return text(row.rule.name); },
            Qt::AlignLeft)
            .with(kCoverageRole,
                  [this](const CoverageRow& row) {
                      return QVariant(row.isClassified ? static_cast<int>(&row - rows().data())
                                                       : -1);
                  }),
        Column(
            tr("Matches"), [text](const CoverageRow& row) { return text(row.rule.title); },
            Qt::AlignLeft)
            .with(kHintRole, kAlways)
            .with(Qt::ToolTipRole,
                  [text](const CoverageRow& row) { return QVariant(text(row.rule.title)); }),
        Column(tr("Count"),
               [](const CoverageRow& row) {
                   return row.isClassified ? number(static_cast<double>(row.rule.matches), 0)
                                           : QString();
               }),
        Column({tr("Time, %1"), m_time},
               [time = m_time](const CoverageRow& row) {
                   return time.text(static_cast<double>(row.rule.time));
               }),
        Column(tr("Share, %"), [](const CoverageRow& row) { return number(100 * row.share, 1); })
            .with(kShareRole, [](const CoverageRow& row) { return QVariant(row.share); }),
        Column(
            tr("Confidence"),
            [text](const CoverageRow& row) {
                return row.isClassified ? text(row.rule.confidence) : tr("none");
            },
            Qt::AlignLeft)
            .with(kLevelRole,
                  [](const CoverageRow& row) { return QVariant(levelOf(row.rule.confidence)); })
            .with(kHintRole, kIsRest),
    };
}

MatchesModel::MatchesModel(QObject* parent)
    : TableModel(parent)
{ }

void MatchesModel::show(const engine::Run& run, const std::string& rule)
{
    const engine::OpIndex ops(run.schedule);
    std::vector<ImportMatch> rows;
    std::int64_t longest = 0, last = 0;
    for (const ImportReport::Match& match : run.info.import->matches) {
        if (match.rule != rule || !fits(run, match))
            continue;
        rows.push_back(shownMatch(run, ops, match));
        longest = std::max(longest, match.window.duration());
        last = std::max(last, rows.back().begin.value_or(0));
    }
    reset(columns(run.info, longest, last), std::move(rows));
}

MatchesModel::Columns MatchesModel::columns(const engine::RunInfo& info, std::int64_t longest,
                                            std::int64_t last)
{
    using Column = TableColumn<ImportMatch>;
    using Row = ImportMatch;
    const Scale at = timeScale(info, last), time = timeScale(info, longest).finer(1);
    const QString none = QStringLiteral("–");
    return {
        Column(
            info.import->onGpu ? tr("Kernel") : tr("Range"),
            [](const Row& row) { return row.label; }, Qt::AlignLeft)
            .with(Qt::ToolTipRole,
                  [](const Row& row) { return QVariant(QString::fromStdString(row.match.name)); }),
        Column(
            tr("Device"),
            [](const Row& row) {
                return row.match.device ? tr("device %1").arg(*row.match.device)
                                        : tr("another copy");
            },
            Qt::AlignLeft),
        Column(
            tr("Op"), [none](const Row& row) { return row.match.op ? row.op : none; },
            Qt::AlignLeft)
            .with(kCodeRole, kAlways),
        Column(tr("Iteration"),
               [none](const Row& row) {
                   return row.iteration < 0 ? none : QString::number(row.iteration);
               }),
        Column({tr("At, %1"), at},
               [at, none](const Row& row) {
                   return row.begin ? at.text(static_cast<double>(*row.begin)) : none;
               }),
        Column({tr("Time, %1"), time},
               [time](const Row& row) {
                   return time.text(static_cast<double>(row.match.window.duration()));
               }),
    };
}

LeftOutModel::LeftOutModel(QObject* parent)
    : TableModel(parent)
{ }

void LeftOutModel::show(const ImportReport& report)
{
    using Column = TableColumn<ImportReport::LeftOut>;
    using Row = ImportReport::LeftOut;
    const Scale time = scaleIn(Unit::Millisecond);
    reset({Column(
               tr("What and why"), [](const Row& row) { return QString::fromStdString(row.what); },
               Qt::AlignLeft)
               .with(Qt::ToolTipRole,
                     [](const Row& row) { return QVariant(QString::fromStdString(row.what)); }),
           Column(tr("Count"),
                  [](const Row& row) { return number(static_cast<double>(row.count), 0); }),
           Column(time.unit(),
                  [time](const Row& row) {
                      return row.time == 0 ? QStringLiteral("–")
                                           : time.text(static_cast<double>(row.time));
                  })},
          report.leftOut);
}

ClocksModel::ClocksModel(QObject* parent)
    : TableModel(parent)
{ }

void ClocksModel::show(const ImportReport& report)
{
    using Column = TableColumn<ImportReport::Clock>;
    using Row = ImportReport::Clock;
    const Scale offset = scaleIn(Unit::Millisecond, 3), spread = scaleIn(Unit::Microsecond);
    reset(
        {Column(
             tr("Host"), [](const Row& row) { return QString::fromStdString(row.host); },
             Qt::AlignLeft),
         Column(tr("Offset, %1").arg(offset.unit()),
                [offset](const Row& row) {
                    return offset.difference(static_cast<double>(row.offset));
                }),
         Column(tr("Drift, ppm"), [](const Row& row) { return signedNumber(row.drift, 1); }),
         Column(tr("Spread, %1").arg(spread.unit()),
                [spread](const Row& row) { return spread.text(static_cast<double>(row.spread)); }),
         Column(tr("Pairs"), [](const Row& row) { return QString::number(row.pairs); })},
        report.clocks);
}

QLabel* makePlainLabel(const QString& text, const char* role)
{
    QLabel* label = makeLabel(text, role);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel* makeSectionHint(const QString& text)
{
    return named(makeLabel(text, "hint"), "sectionHint");
}

QWidget* makeSection(QLabel* title, QLabel* hint, std::initializer_list<Cell> cells)
{
    constexpr int kTitle = 34;
    auto* section = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(section), {}, 0,
                          {makeBar(kTitle, 8, {title, kStretch, hint}), makeLine(Qt::Horizontal)});
    fill(*column, cells);
    column->addStretch(1);
    return section;
}

QLabel* makeEmptyText(const QString& text)
{
    QLabel* label = makeLabel(text, "small");
    label->setContentsMargins(kSectionPadding);
    label->setWordWrap(true);
    return label;
}

void showRows(DataTable& table, QLabel& empty, int tallest)
{
    const bool hasRows = table.model()->rowCount() > 0;
    table.setVisible(hasRows);
    empty.setVisible(!hasRows);
    table.setFixedHeight(std::min(table.fittingHeight(), tallest));
}

namespace {

constexpr int kBarHeight = 26, kBarTop = 2, kPartPadding = 8;

QColor inkOn(const QColor& fill)
{
    constexpr int kHalf = 140;
    return qGray(fill.rgb()) < kHalf ? QColor(Qt::white) : QColor(0x0E, 0x11, 0x16);
}

} // namespace

CoverageBar::CoverageBar(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(kBarHeight + 2 * kBarTop);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Share of time by rule"));
}

void CoverageBar::show(std::vector<CoveragePart> parts)
{
    m_parts = std::move(parts);
    m_current = -1;
    update();
}

void CoverageBar::setCurrent(int part)
{
    m_current = part;
    if (part >= 0 && part < static_cast<int>(m_parts.size()))
        setAccessibleDescription(textOf(m_parts[static_cast<std::size_t>(part)]));
    update();
}

void CoverageBar::choose(int part)
{
    if (part < 0 || part >= static_cast<int>(m_parts.size()))
        return;
    setCurrent(part);
    Q_EMIT chosen(part);
}

QRect CoverageBar::box(int part) const
{
    double before = 0;
    for (int i = 0; i < part; ++i)
        before += m_parts[static_cast<std::size_t>(i)].share;
    const int left = qRound(before * width());
    const int right = qRound((before + m_parts[static_cast<std::size_t>(part)].share) * width());
    return {left, kBarTop, std::max(1, right - left - 1), kBarHeight};
}

int CoverageBar::partAt(int x) const
{
    for (int part = 0; part < static_cast<int>(m_parts.size()); ++part)
        if (x <= box(part).right() + 1)
            return part;
    return -1;
}

QString CoverageBar::textOf(const CoveragePart& part) const
{
    return tr("%1: %2").arg(part.name, percent(part.share));
}

void CoverageBar::paintPart(QPainter& painter, int part) const
{
    const Theme& theme = this->theme();
    const CoveragePart& shown = m_parts[static_cast<std::size_t>(part)];
    const QRect area = box(part);
    const QColor fill = coverageColour(theme, shown.isClassified ? part : -1);
    painter.fillRect(area, fill);
    if (!shown.isClassified) {
        painter.setPen(theme.chrome.error);
        painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setPen(shown.isClassified ? inkOn(fill) : theme.chrome.error);
    const QFontMetrics metrics(painter.font());
    const QString share = percent(shown.share);
    const int names = metrics.horizontalAdvance(shown.name),
              shares = metrics.horizontalAdvance(share);
    const QRect inside = area.adjusted(kPartPadding, 0, -kPartPadding, 0);
    if (names + shares + kPartPadding <= inside.width()) {
        painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, shown.name);
        painter.drawText(inside, Qt::AlignRight | Qt::AlignVCenter, share);
    } else if (shares <= inside.width()) {
        painter.drawText(inside, Qt::AlignCenter, share);
    }
}

void CoverageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    if (m_parts.empty())
        painter.fillRect(rect().adjusted(0, kBarTop, 0, -kBarTop), chrome.hover);
    for (int part = 0; part < static_cast<int>(m_parts.size()); ++part)
        paintPart(painter, part);
    if (m_current >= 0) {
        painter.setPen(QPen(hasFocus() ? chrome.text : chrome.text2, 2));
        painter.drawRect(box(m_current).adjusted(1, -1, 0, 1));
    } else if (hasFocus()) {
        painter.setPen(QPen(chrome.text, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void CoverageBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(partAt(event->position().toPoint().x()));
}

void CoverageBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
        choose(event->key() == Qt::Key_Left ? m_current - 1 : m_current + 1);
    else
        QWidget::keyPressEvent(event);
}

QString CoverageBar::toolTipAt(QPoint at) const
{
    const int part = partAt(at.x());
    return part < 0 ? QString() : textOf(m_parts[static_cast<std::size_t>(part)]);
}

namespace {

QString whyNoMatches(const engine::ImportReport& report, const CoverageRow* rule)
{
    if (report.matches.empty())
        return MatchesView::tr("This file has no list of matches, because an older version wrote "
                               "it. Import the traces again.");
    return rule == nullptr ? MatchesView::tr("Select a rule to list what it matches.")
                           : MatchesView::tr("No match of this rule is in this file.");
}

// Returns "1 000 of 5 420 shown" or, for the unclassified time, whose total is unknown, "All 12
// shown" or "The 1 000 longest shown".
QString shownText(int shown, const CoverageRow& rule)
{
    constexpr auto kMost = static_cast<int>(engine::ImportReport::kMostMatches);
    const QString count = number(shown, 0);
    if (rule.isClassified)
        return MatchesView::tr("%1 of %2 shown")
            .arg(count,
                 number(static_cast<double>(std::max<std::int64_t>(rule.rule.matches, shown)), 0));
    return shown < kMost ? MatchesView::tr("All %1 shown").arg(count)
                         : MatchesView::tr("The %1 longest shown").arg(count);
}

} // namespace

MatchesView::MatchesView(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(new MatchesModel(this))
    , m_title(named(new ElidedLabel("dock"), "matchesTitle"))
    , m_table(named(new DataTable(theme, kReportRow), "matchesTable", tr("Matches of the rule")))
    , m_empty(named(makeEmptyText({}), "noMatches"))
    , m_count(named(makeLabel({}, "hint"), "matchesCount"))
{
    m_table->setModel(m_model);
    m_table->setRestColumn(0);
    m_table->setDispensable({MatchesModel::kIteration, MatchesModel::kAt});
    m_count->setContentsMargins({kSectionPadding.left(), 6, kSectionPadding.right(), 6});
    QWidget* section
        = makeSection(m_title, makeSectionHint(tr("longest first, Enter opens it in the run")),
                      {m_table, m_empty, m_count});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(section);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &MatchesView::currentChanged);
    connect(m_table, &QTableView::activated, this, &MatchesView::openRequested);
}

void MatchesView::show(const engine::Run& run, const CoverageRow* rule)
{
    constexpr int kTallest = 212; // pixels: seven rows
    const std::string name = rule == nullptr || !rule->isClassified ? "" : rule->rule.name;
    if (rule == nullptr)
        m_model->clear();
    else
        m_model->show(run, name);
    m_title->setText(rule == nullptr
                         ? tr("Matches")
                         : tr("Matches: %1").arg(QString::fromStdString(rule->rule.name)));
    m_empty->setText(whyNoMatches(*run.info.import, rule));
    showRows(*m_table, *m_empty, kTallest);
    m_count->setVisible(m_model->rowCount() > 0);
    if (rule != nullptr)
        m_count->setText(shownText(m_model->rowCount(), *rule));
    m_table->scrollToTop();
}

const engine::ImportReport::Match* MatchesView::current() const
{
    const int row = m_table->currentIndex().row();
    return row < 0 || row >= m_model->rowCount() ? nullptr : &m_model->at(row).match;
}

namespace {

constexpr int kChipHeight = 36, kChipGap = 6, kChipRows = 2, kMark = 14, kChipPadding = 6;
constexpr int kNarrowestChip = 84, kWidestChip = 168;

} // namespace

RankChips::RankChips(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void RankChips::show(std::vector<RankFact> ranks)
{
    m_ranks = std::move(ranks);
    int widest = kNarrowestChip;
    for (const RankFact& rank : m_ranks)
        widest = std::max(widest,
                          QFontMetrics(uiFont(11)).horizontalAdvance(rank.note) + kMark
                              + 3 * kChipPadding);
    m_fullWidth = std::min(widest, kWidestChip);
    QStringList missing;
    for (const RankFact& rank : m_ranks)
        if (rank.isMissing)
            missing.append(rank.title);
    setAccessibleName(missing.isEmpty()
                          ? tr("All ranks are present")
                          : tr("Missing: %1").arg(missing.join(QStringLiteral(", "))));
    fit();
    update();
}

void RankChips::fit()
{
    m_chipWidth = std::min(m_fullWidth, std::max(kNarrowestChip, width()));
    if (fitting() < static_cast<int>(m_ranks.size()))
        m_chipWidth = kNarrowestChip; // with shorter notes
    const int rows = static_cast<int>(m_ranks.size()) > columns() ? kChipRows : 1;
    setFixedHeight(rows * (kChipHeight + kChipGap) - kChipGap);
}

void RankChips::resizeEvent(QResizeEvent*)
{
    fit();
}

int RankChips::columns() const
{
    return std::max(1, (width() + kChipGap) / (m_chipWidth + kChipGap));
}

int RankChips::fitting() const
{
    const int all = static_cast<int>(m_ranks.size()), most = columns() * kChipRows;
    return all <= most ? all : most - 1;
}

QSize RankChips::sizeHint() const
{
    constexpr int kUsual = 4; // chips beside each other
    return {std::min(static_cast<int>(m_ranks.size()), kUsual) * (m_fullWidth + kChipGap),
            height()};
}

QRect RankChips::box(int rank) const
{
    return {rank % columns() * (m_chipWidth + kChipGap),
            rank / columns() * (kChipHeight + kChipGap), m_chipWidth, kChipHeight};
}

void RankChips::paintChip(QPainter& painter, const QRect& area, const RankFact& rank) const
{
    const Chrome& chrome = theme().chrome;
    painter.setPen(QPen(chrome.lineStrong, 1, rank.isMissing ? Qt::DashLine : Qt::SolidLine));
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QRect mark(area.left() + kChipPadding, area.top() + 3, kMark, kMark);
    if (!rank.isMissing)
        paintIcon(painter, Icon::Check, mark, chrome.ok);
    const QRect text = area.adjusted(kMark + kChipPadding + 3, 2, -kChipPadding, -2);
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(rank.isMissing ? chrome.text3 : chrome.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, rank.title);
    painter.setFont(uiFont(11));
    painter.setPen(rank.isMissing ? chrome.text3 : chrome.text2);
    painter.drawText(
        text, Qt::AlignLeft | Qt::AlignBottom,
        QFontMetrics(painter.font()).elidedText(rank.note, Qt::ElideMiddle, text.width()));
}

void RankChips::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int shown = fitting(), all = static_cast<int>(m_ranks.size());
    for (int i = 0; i < shown; ++i)
        paintChip(painter, box(i), m_ranks[static_cast<std::size_t>(i)]);
    if (shown == all)
        return;
    painter.setFont(uiFont(12));
    painter.setPen(theme().chrome.text2);
    painter.drawText(box(shown), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("and %1 more").arg(all - shown));
}

QString RankChips::toolTipAt(QPoint at) const
{
    for (int i = 0; i < fitting(); ++i)
        if (box(i).contains(at))
            return m_ranks[static_cast<std::size_t>(i)].toolTip;
    return {};
}

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
