#include "app/setup/setup_page.h"

#include "app/documents/run_library.h"
#include "app/mapping/mapping_view.h"
#include "app/plan/cost_form.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/ui/thumbnail.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/cancel.h"
#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "engine/base/process.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/memory_fit.h"
#include "engine/plan/token_batches.h"
#include "profiler/analysis/device_memory.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QTextBrowser>
#include <QThread>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace app {
namespace {

using Column = SchemeTableModel::Column;

// Thumbnails of at most this many cost units are never cut.
constexpr double kThumbnailUnits = 21;
// Longer thumbnails are cut at this multiple of the median duration, so that one slow scheme does
// not compress the others.
constexpr double kOutlier = 1.25;

// A number of a prediction, and its name in the CSV.
struct SchemeNumber
{
    Column column;
    const char* csv;
    double (*of)(const Prediction& prediction);
};
using P = const Prediction&;
constexpr SchemeNumber kNumbers[]{
    {Column::Iteration, "iteration", [](P p) { return p.thumbnail.duration; }},
    {Column::Bubble, "bubble_percent", [](P p) { return 100 * p.metrics.bubbleRatio; }},
    {Column::Stash, "peak_stash_ma", [](P p) { return p.metrics.peakStash(); }},
    {Column::Weights, "weights_mtheta", [](P p) { return p.metrics.weights(); }},
    {Column::Messages, "messages", [](P p) { return double(p.metrics.messages); }},
    {Column::Local, "local_copies", [](P p) { return double(p.metrics.localCopies); }},
    {Column::Memory, "peak_memory_bytes",
     [](P p) { return static_cast<double>(p.metrics.peakBytes().value_or(0)); }},
};

double valueOf(const Prediction& prediction, Column column)
{
    return std::ranges::find(kNumbers, column, &SchemeNumber::column)->of(prediction);
}

profiler::DeviceFit fitOf(const Prediction& prediction)
{
    return {prediction.info.memory, prediction.metrics.peakBytes()};
}

double thumbnailScale(std::vector<double> durations)
{
    if (durations.empty())
        return 1;
    const double typical = engine::medianOf(durations) * kOutlier;
    return std::min(*std::ranges::max_element(durations), std::max(kThumbnailUnits, typical));
}

} // namespace

QString SchemeRow::reason() const
{
    if (!condition.isEmpty() || answer == nullptr)
        return condition;
    if (!answer->has_value())
        return fromUtf8(answer->error().message);
    return (*answer)->violations.empty() ? QString()
                                         : fromUtf8((*answer)->violations.front().message);
}

SchemeTableModel::SchemeTableModel(QObject* parent)
    : TableModel(parent)
{
    show({});
}

void SchemeTableModel::setRows(std::vector<Row> rows)
{
    for (Row& row : rows)
        if (const int shown = rowOf(row.scheme);
            shown >= 0 && row.answer == nullptr && row.condition.isEmpty()) {
            row.answer = at(shown).answer;
            row.isOutdated = row.answer != nullptr;
        }
    m_mutesOutdated = false;
    show(std::move(rows));
}

void SchemeTableModel::answer(std::vector<std::pair<QString, Answer>> answers)
{
    std::vector<Row> changed = rows();
    for (auto& one : answers)
        if (const auto row = std::ranges::find(changed, one.first, &Row::scheme);
            row != changed.end()) {
            row->answer = std::move(one.second);
            row->isOutdated = false;
        }
    m_mutesOutdated = m_mutesOutdated || !answers.empty();
    show(std::move(changed));
}

void SchemeTableModel::show(std::vector<Row> changed)
{
    std::vector<double> durations;
    m_largestStash = 1;
    m_largestMemory = 0;
    m_usableMemory = 0;
    const bool isAnyCurrent = std::ranges::any_of(
        changed, [](const Row& row) { return row.prediction() != nullptr && !row.isOutdated; });
    engine::RunInfo info;
    std::int64_t longest = 0, ofChosen = 0;
    for (const Row& row : changed) {
        if (const Prediction* prediction = row.prediction()) {
            durations.push_back(prediction->thumbnail.duration);
            m_largestStash = std::max(m_largestStash, prediction->metrics.peakStash());
            m_largestMemory
                = std::max(m_largestMemory, prediction->metrics.peakBytes().value_or(0));
            m_usableMemory = std::max(m_usableMemory, prediction->info.memory.usable());
            longest = std::max(longest, prediction->metrics.duration);
            if (row.scheme == m_chosen)
                ofChosen = prediction->metrics.duration;
            if (row.isOutdated != isAnyCurrent)
                info.ticksPerUnit = prediction->info.ticksPerUnit;
        }
    }
    m_isInUnits = durations.empty() || info.inUnits();
    // Times have the unit of the chosen scheme, because its iteration is shown above the table.
    m_time = m_isInUnits ? Scale{1, 2, tr("units")}
                         : timeScale(info, ofChosen > 0 ? ofChosen : longest);
    m_bytes = byteScale(m_largestMemory);
    m_thumbnailUnits = thumbnailScale(std::move(durations));
    if (!std::ranges::equal(changed, rows(), {}, &Row::scheme, &Row::scheme)
        || columnCount() == 0) {
        reset(columns(), std::move(changed));
        return;
    }
    describe(columns());
    update(0, std::move(changed));
    sortAgain();
}

bool SchemeTableModel::isComplete() const
{
    return std::ranges::none_of(
        rows(), [this](const Row& row) { return row.isOutdated || rank(row) == 1; });
}

void SchemeTableModel::setChosen(const QString& scheme)
{
    m_chosen = scheme;
    show(std::vector<Row>(rows()));
}

QString SchemeTableModel::text(const Row& row, Column column) const
{
    const Prediction* prediction = row.prediction();
    if (prediction == nullptr)
        return column == Column::Iteration ? row.reason() : QString();
    const profiler::DeviceFit fit = fitOf(*prediction);
    if (column == Column::Fits)
        return !fit.isKnown() ? QString() : fit.fits() ? tr("fits") : tr("over");
    const double value = valueOf(*prediction, column);
    switch (column) {
    case Column::Iteration:
        return m_isInUnits ? unitsText(value) : m_time.text(value);
    case Column::Weights:
        return unitsText(value);
    case Column::Memory:
        return fit.peak ? m_bytes.text(value) : QString();
    case Column::Bubble:
    case Column::Stash:
        return number(value, 1);
    default:
        return number(value, 0);
    }
}

QString SchemeTableModel::csv() const
{
    QStringList heads{QStringLiteral("scheme")}, lines;
    const auto numbers = std::span(kNumbers);
    const std::size_t before = numbers.size() - 1; // the memory follows the reason
    for (const SchemeNumber& one : numbers.first(before))
        heads.append(fromUtf8(one.csv));
    heads[1] += m_isInUnits ? QStringLiteral("_units") : QStringLiteral("_ns");
    heads.append(QStringLiteral("refused"));
    if (hasMemory())
        heads.append(fromUtf8(numbers.back().csv));
    lines.append(heads.join(QLatin1Char(',')));
    for (int i = 0; i < rowCount(); ++i) {
        Row row = at(i);
        if (row.isOutdated)
            row.answer = nullptr;
        const auto cell = [prediction = row.prediction()](const SchemeNumber& one) {
            return prediction == nullptr ? QString()
                                         : QString::number(one.of(*prediction), 'g', 12);
        };
        QStringList cells{row.scheme};
        for (const SchemeNumber& one : numbers.first(before))
            cells.append(cell(one));
        cells.append(quotedCell(row.reason()));
        if (hasMemory())
            cells.append(cell(numbers.back()));
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

SchemeTableModel::Columns SchemeTableModel::columns() const
{
    // What `of` says of the prediction of a row; `without` if it has none.
    const auto ofPrediction = [](auto of, auto without) {
        return [=](const Row& row) {
            const Prediction* prediction = row.prediction();
            return prediction == nullptr ? without : of(*prediction);
        };
    };
    const auto numeric = [&, this](Column which, const ColumnTitle& title) {
        const Column sorted = which == Column::Fits ? Column::Memory : which;
        return TableColumn<Row>(title, [=, this](const Row& row) { return text(row, which); })
            .sortedBy(ofPrediction([=](P p) { return valueOf(p, sorted); }, 0.0));
    };
    const auto shareOf = [&](Column which, double whole) {
        return ofPrediction([=](P p) { return QVariant(valueOf(p, which) / whole); }, QVariant());
    };
    const auto isRefused = [](const Row& row) { return !row.reason().isEmpty(); };
    const ColumnTitle limit(
        [bytes = m_usableMemory] { return byteScale(bytes).withUnit(static_cast<double>(bytes)); });
    Columns columns
        = {TableColumn<Row>(tr("Scheme"), &Row::title, Qt::AlignLeft)
               .sortedBy([](const Row& row) { return row.title.toCaseFolded(); })
               .with(kStrongRole, [this](const Row& row) { return row.scheme == m_chosen; })
               .with(kThumbnailRole,
                     ofPrediction([](P p) { return QVariant::fromValue(&p.thumbnail); },
                                  QVariant::fromValue<const Thumbnail*>(nullptr)))
               .with(kThumbnailWidthRole,
                     [this, width = ofPrediction([](P p) { return p.thumbnail.duration; }, 0.0)](
                         const Row& row) { return width(row) / m_thumbnailUnits; }),
           numeric(Column::Iteration, {tr("Iteration, %1"), m_time}).with(kSpanRole, isRefused),
           numeric(Column::Bubble, tr("Bubble, %")).with(kShareRole, shareOf(Column::Bubble, 100)),
           numeric(Column::Stash, tr("Peak stash, Mₐ"))
               .with(kShareRole, shareOf(Column::Stash, m_largestStash)),
           numeric(Column::Weights, tr("Weights, Mθ")),
           numeric(Column::Memory, {tr("Memory, %1"), m_bytes}),
           numeric(Column::Messages, tr("Messages")),
           numeric(Column::Local, tr("Local")),
           numeric(Column::Fits, limit)
               .with(kVerdictRole,
                     ofPrediction(
                         [](P p) {
                             const auto fit = fitOf(p);
                             return !fit.isKnown()
                                 ? QVariant()
                                 : QVariant(static_cast<int>(fit.fits() ? Verdict::Better
                                                                        : Verdict::Worse));
                         },
                         QVariant()))};
    for (auto& column : columns)
        column
            .with(Qt::ToolTipRole,
                  [=](const Row& row) { return isRefused(row) ? row.reason() : row.title; })
            .with(kHintRole,
                  [this](const Row& row) {
                      return row.prediction() == nullptr || (row.isOutdated && m_mutesOutdated);
                  })
            .with(Qt::TextAlignmentRole, [=](const Row& row) {
                return isRefused(row)
                    ? QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter))
                    : QVariant();
            });
    return columns;
}

QString memoryExcess(const Prediction& prediction)
{
    const profiler::DeviceFit fit = fitOf(prediction);
    if (fit.fits())
        return {};
    return fromUtf8("Device %1 needs %2 at its peak; %3 has %4. Use more devices, "
                    "tensor parallelism or recomputation.")
        .arg(prediction.metrics.fullest(&profiler::DeviceMetrics::peakBytes)->device.value)
        .arg(fromUtf8(engine::bytesText(*fit.peak)), fromUtf8(prediction.info.deviceName),
             fromUtf8(fit.memory.text()));
}

namespace {

// The largest number of cached results. It is enough for a dozen settings with all schemes.
constexpr std::size_t kRemembered = 400;
// Results whose thumbnail has more boxes than this are not cached.
constexpr std::size_t kLargest = 20'000;

// Delay before large schedules of all schemes are predicted, so that the chosen scheme is predicted
// first while a slider moves.
constexpr int kTableDelay = 120;                 // ms
constexpr std::int64_t kPredictedAtOnce = 4'000; // ops per scheme; up to this, there is no delay

} // namespace

SchemeTable::SchemeTable(const ThemeController& theme, QAction* copy, QWidget* parent)
    : QWidget(parent)
    , m_background(this, sideThreads())
    , m_model(new SchemeTableModel(this))
    , m_view(
          named(new DataTable(theme, 30), "schemeTable", tr("All schemes with these parameters")))
    , m_title(makeLabel({}, "dock"))
    , m_run(makeButton({}, "runMarked", "tool", this, [this] { runMarked(); }))
{
    m_view->setModel(m_model);
    m_view->horizontalHeader()->setSectionsClickable(true);
    m_view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_view->setSortingEnabled(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_run->hide();
    QPushButton* copyButton = makeButton(tr("Copy as CSV"), "copyTableButton", "link", copy);
    spaced(new QVBoxLayout(this), {}, 0,
           {makeLine(Qt::Horizontal),
            makeBar(32, 8, {{m_title, 1}, m_run, copyButton}),
            makeLine(Qt::Horizontal),
            {m_view, 1}});
    const auto choose = [this](const QModelIndex& index) {
        if (marked().size() <= 1) // otherwise the user is selecting several rows
            Q_EMIT chosen(m_model->at(index.row()).scheme);
    };
    connect(m_view, &QAbstractItemView::clicked, this, choose);
    connect(m_view, &QAbstractItemView::activated, this, choose);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SchemeTable::showMarked);
    connect(m_view->verticalScrollBar(), &QAbstractSlider::actionTriggered, this,
            [this] { m_isSought = false; }); // the user scrolls
}

RunPlan SchemeTable::planOf(std::string_view scheme) const
{
    if (scheme != m_plan.experiment.schedule.scheme)
        return withScheme(m_plan, scheme);
    RunPlan plan = m_plan;
    plan.experiment.scheduleFile.clear();
    return plan;
}

void SchemeTable::setPlan(const RunPlan& plan)
{
    m_isSought = m_isSought || plan.experiment.schedule.scheme != m_plan.experiment.schedule.scheme;
    m_plan = plan;
    m_generation->fetch_add(1);
    showMarked();
    const bool isLarge = estimatedOps(plan.experiment.schedule) > kPredictedAtOnce;
    m_debounce.start(isLarge ? kTableDelay : 0);
}

// Predicts every scheme at this D, N and cost. All except the chosen one have default options.
void SchemeTable::predict()
{
    const engine::ScheduleRequest& chosen = m_plan.experiment.schedule;
    std::vector<SchemeTableModel::Row> rows;
    std::vector<PredictionRequest> requests;
    for (const engine::Scheme& scheme : engine::schemes()) {
        const PredictionRequest request = planOf(scheme.name).request();
        const auto possible = engine::checkRequest(request.schedule);
        rows.push_back({fromUtf8(scheme.name),
                        shortTitle(fromUtf8(scheme.title)),
                        possible ? QString() : fromUtf8(possible.error().message),
                        {}});
        if (possible)
            requests.push_back(request);
    }
    const QString name = QString::fromStdString(chosen.scheme);
    m_arrived.clear();
    m_model->setRows(std::move(rows));
    using enum SchemeTableModel::Column;
    for (const SchemeTableModel::Column column : {Memory, Fits})
        m_view->setColumnHidden(static_cast<int>(column),
                                m_plan.source.kind != CostSource::Kind::Hardware);
    m_model->setChosen(name);
    m_title->setText(tr("Schemes at D = %1, N = %2").arg(chosen.devices).arg(chosen.microBatches));
    for (const PredictionRequest& request : requests)
        ask(request);
    m_collect.start();
    // Selects the row without making it current, because the table would scroll to it again while
    // the user looks at other rows.
    if (marked().size() > 1)
        return; // the user selected several
    m_view->selectionModel()->select(m_model->index(m_model->rowOf(name), 0),
                                     QItemSelectionModel::ClearAndSelect
                                         | QItemSelectionModel::Rows);
}

void SchemeTable::ask(const PredictionRequest& request)
{
    const auto take = [this, scheme = fromUtf8(request.schedule.scheme)](const Answer& answer) {
        m_arrived.emplace_back(scheme, answer);
        if (!m_collect.isActive())
            m_collect.start();
    };
    const auto known
        = std::ranges::find_if(m_known, [&](const auto& pair) { return pair.first == request; });
    if (known != m_known.end())
        return take(known->second);
    const auto isOutdated = [generation = m_generation, since = m_generation->load()] {
        return generation->load() != since;
    };
    m_background.run(
        [isOutdated, request]() -> Answer {
            if (isOutdated())
                return nullptr;
            auto result = app::predict(request);
            if (result)
                result->run.reset();
            return std::make_shared<const engine::Result<Prediction>>(std::move(result));
        },
        [=, this](const Answer& answer) {
            if (answer == nullptr)
                return;
            if (answer->has_value() && (*answer)->thumbnail.boxes.size() <= kLargest)
                m_known.emplace_front(request, answer);
            if (m_known.size() > kRemembered)
                m_known.pop_back();
            if (!isOutdated())
                take(answer);
        });
}

void SchemeTable::showArrived()
{
    m_model->answer(std::exchange(m_arrived, {}));
    if (m_isSought)
        showChosen();
    Q_EMIT answered();
}

// Scrolls to the chosen scheme. Its row moves until all schemes have their answers.
void SchemeTable::showChosen()
{
    const QString name = QString::fromStdString(m_plan.experiment.schedule.scheme);
    m_view->scrollTo(m_model->index(m_model->rowOf(name), 0));
    m_isSought = !m_model->isComplete();
}

QStringList SchemeTable::marked() const
{
    QStringList schemes;
    for (const QModelIndex& row : m_view->selectionModel()->selectedRows())
        schemes.append(m_model->at(row.row()).scheme);
    return schemes;
}

void SchemeTable::showMarked()
{
    const auto count = marked().size();
    const bool isSimulated = m_plan.experiment.mode == engine::Mode::Simulate;
    m_run->setVisible(count > 1);
    if (count > 1 && !isSimulated)
        Q_EMIT severalMarked();
    m_run->setText(isSimulated ? tr("Compare %1 predictions").arg(count)
                               : tr("Run %1 schemes").arg(count));
    m_run->setToolTip(isSimulated
                          ? tr("Keep the predictions of the selected schemes and compare them")
                          : tr("Train with the selected schemes, which take turns, and compare "
                               "them"));
}

void SchemeTable::predictMarked()
{
    std::vector<RunPlan> plans;
    QStringList refused;
    for (const QString& name : marked()) {
        RunPlan plan = planOf(name.toStdString());
        if (engine::checkRequest(plan.request().schedule))
            plans.push_back(std::move(plan));
        else
            refused.append(name);
    }
    Q_EMIT predictRequested(plans, refused);
}

void SchemeTable::runMarked()
{
    if (m_plan.experiment.mode == engine::Mode::Simulate)
        return predictMarked();
    const DeviceFacts here = deviceFacts();
    QList<QStringList> options;
    QStringList refused;
    for (const QString& name : marked()) {
        const RunPlan plan = planOf(name.toStdString());
        const auto prepared = prepare(plan.request());
        if (prepared && prepared->violations.empty()
            && planProblem(plan, prepared->lowered).isEmpty()
            && machineProblem(plan, here).isEmpty())
            options.append(runOptions(plan));
        else
            refused.append(name);
    }
    Q_EMIT runRequested(options, refused);
}

namespace {

constexpr int kCardHeight = 108, kSummaryHeight = 31; // two lines of summary

// Removes the last clauses of `text` until the rest fits into two lines of the summary.
QString fittingClauses(QString text, int width)
{
    const QFontMetrics metrics(uiFont(11));
    const auto fits = [&] {
        const QRect free(0, 0, width, 10 * kSummaryHeight);
        return metrics.boundingRect(free, Qt::TextWordWrap, text).height() <= kSummaryHeight;
    };
    for (const auto& separator : {QStringLiteral("; "), QStringLiteral(", "), QStringLiteral(": ")})
        while (!fits() && text.contains(separator))
            text.truncate(text.lastIndexOf(separator));
    return text;
}

} // namespace

SchemeCard::SchemeCard(const ThemeController& theme, const engine::Scheme& scheme)
    : CardButton(theme)
    , m_scheme(scheme)
    , m_title(shortTitle(fromUtf8(scheme.title)))
    , m_line(fromUtf8(scheme.summary))
{
    setObjectName(QStringLiteral("scheme_") + fromUtf8(scheme.name));
    setCheckable(true);
    setFixedHeight(kCardHeight);
    setAccessibleName(m_title);
}

// The description of a scheme for its tooltip and for screen readers.
QString SchemeCard::facts(const SchemeTableModel::Row& row) const
{
    QStringList lines = {fromUtf8(m_scheme.title), fromUtf8(m_scheme.citation), ruleText(m_scheme)};
    if (const Prediction* prediction = row.prediction()) {
        if (const QString form = closedFormText(*prediction); !form.isEmpty())
            lines.append(tr("bubble %1").arg(form));
        lines.append(tr("valid: %1, bubble %2, peak stash %3 Mₐ")
                         .arg(timeText(prediction->metrics.duration, prediction->info),
                              bubbleText(prediction->metrics),
                              number(prediction->metrics.peakStash(), 1)));
    } else if (!m_reason.isEmpty()) {
        lines.append(tr("refused: %1").arg(m_reason));
    }
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

void SchemeCard::showRow(const SchemeTableModel::Row& row, double fullWidth)
{
    const auto answer = row.prediction() != nullptr ? row.answer : nullptr;
    if (answer == m_answer && row.reason() == m_reason && fullWidth == m_fullWidth)
        return;
    m_reason = row.reason();
    m_isImpossible = !row.condition.isEmpty();
    m_answer = answer;
    m_fullWidth = fullWidth;
    setToolTip(facts(row));
    setAccessibleDescription(toolTip());
    update();
}

bool SchemeCard::matches(const QString& filter) const
{
    const QString all = fromUtf8(m_scheme.name) + QLatin1Char(' ') + fromUtf8(m_scheme.title)
        + QLatin1Char(' ') + m_line + QLatin1Char(' ') + fromUtf8(m_scheme.citation)
        + QLatin1Char(' ') + fromUtf8(m_scheme.family);
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(
        words, [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

void SchemeCard::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const bool isRefused = !m_reason.isEmpty();
    const double inner = width() - 18.0;
    text(painter, QRectF(9, 8, inner - (isChecked() ? 18 : 0), 18), m_title,
         {uiFont(13, QFont::Medium), isRefused ? c.text3 : c.text});
    painter.setFont(uiFont(11));
    painter.setPen(isRefused ? c.text3 : c.text2);
    painter.drawText(QRectF(9, 27, inner, kSummaryHeight), Qt::TextWordWrap,
                     fittingClauses(m_line, static_cast<int>(inner)));
    if (isChecked())
        paintIcon(painter, Icon::Check, QRectF(width() - 23, 10, 13, 13), c.text);
    const QRectF picture(9, 63, inner, 34);
    if (m_answer != nullptr) {
        const Thumbnail& thumbnail = (*m_answer)->thumbnail;
        paintThumbnail(painter, picture, thumbnail, thumbnail.duration / m_fullWidth,
                       theme().palette, c.text2);
    }
    if (!isRefused)
        return;
    painter.setPen(QPen(m_isImpossible ? c.lineStrong : c.error, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(picture.adjusted(0.5, 0.5, -0.5, -0.5));
    text(painter, picture.adjusted(6, 0, -6, 0), m_isImpossible ? ruleText(m_scheme) : m_reason,
         {uiFont(11), m_isImpossible ? c.text3 : c.error}, Qt::AlignLeft);
}

SchemeList::SchemeList(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_filter(new QLineEdit)
{
    auto* column
        = spaced(new QVBoxLayout(this), QMargins(), 0, {makeHeader(), makeLine(Qt::Horizontal)});
    auto* content = new QWidget;
    auto* families = spaced(new QVBoxLayout(content), QMargins(14, 14, 10, 14), 8);
    m_nothing = named(new EmptyState(theme, {Icon::Search, {}, {}, tr("Show all")}), "noScheme");
    m_nothing->setFixedHeight(160);
    connect(m_nothing, &EmptyState::activated, m_filter, &QLineEdit::clear);
    families->addWidget(m_nothing);
    addFamilies(*families);
    families->addStretch();
    arrange();
    m_scroll = named(makeScroll(content), "schemeScroll");
    column->addWidget(m_scroll, 1);
    content->installEventFilter(this);
    connect(m_scroll->verticalScrollBar(), &QScrollBar::actionTriggered, this,
            [this] { m_keepsChosenInSight = false; });
}

QWidget* SchemeList::makeHeader()
{
    m_filter->setObjectName(QStringLiteral("schemeFilter"));
    m_filter->setPlaceholderText(
        tr("Filter %1").arg(countOf(static_cast<int>(engine::schemes().size()), "scheme")));
    m_filter->setAccessibleName(tr("Filter the schemes"));
    m_filter->setProperty("small", true);
    m_filter->setMaximumWidth(150);
    connect(m_filter, &QLineEdit::textChanged, this, [this] {
        m_keepsChosenInSight = false;
        arrange();
    });
    return makeBar(40, 8, {{makeLabel(tr("Scheme"), "section"), 1}, m_filter});
}

void SchemeList::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    showOwn();
}

void SchemeList::showOwn()
{
    qDeleteAll(m_own->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    const QStringList own = ownSchemes();
    m_own->setVisible(!own.isEmpty());
    m_own->layout()->addWidget(makeLabel(tr("Own"), "secondary"));
    for (const QString& file : own) {
        QPushButton* button = makeButton(QFileInfo(file).completeBaseName(), "ownScheme", "link",
                                         this, [this, file] { Q_EMIT ownChosen(file); });
        m_own->layout()->addWidget(button);
    }
}

void SchemeList::addFamilies(QVBoxLayout& column)
{
    spaced(new QVBoxLayout(m_own), {}, 0);
    column.addWidget(m_own);
    QHash<QString, qsizetype> places;
    for (const engine::Scheme& scheme : engine::schemes()) {
        const QString title = fromUtf8(scheme.family);
        if (!places.contains(title)) {
            auto* widget = new QWidget;
            auto* box
                = spaced(new QVBoxLayout(widget), QMargins(), 8, {makeLabel(title, "secondary")});
            auto* grid = spaced(new QGridLayout, QMargins(0, 0, 0, 6), 8);
            box->addLayout(grid);
            column.addWidget(widget);
            places.insert(title, m_families.size());
            m_families.append({widget, grid, {}});
        }
        auto* card = new SchemeCard(m_theme, scheme);
        const QString name = fromUtf8(scheme.name);
        connect(card, &CardButton::clicked, this, [this, name] { Q_EMIT chosen(name); });
        Family& family = m_families[places.value(title)];
        card->setParent(family.widget);
        family.cards.append(card);
        m_cards.insert(name, card);
    }
}

void SchemeList::showRows(const SchemeTableModel& model)
{
    const double width = model.thumbnailUnits();
    for (int i = 0; i < model.rowCount(); ++i) {
        if (SchemeCard* card = m_cards.value(model.at(i).scheme))
            card->showRow(model.at(i), width);
    }
}

void SchemeList::setChosen(const QString& scheme)
{
    if (scheme == m_chosen)
        return;
    m_chosen = scheme;
    for (auto it = m_cards.begin(); it != m_cards.end(); ++it)
        it.value()->setChecked(it.key() == scheme);
    m_keepsChosenInSight = true;
    reveal();
}

bool SchemeList::eventFilter(QObject* watched, QEvent* event)
{
    const bool movesCards
        = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
    if (movesCards && m_keepsChosenInSight) // queued: after the cards are placed
        QMetaObject::invokeMethod(this, &SchemeList::reveal, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

void SchemeList::reveal()
{
    constexpr int kMargin = 14;
    const SchemeCard* card = m_cards.value(m_chosen);
    if (m_keepsChosenInSight && card != nullptr && card->isVisible())
        m_scroll->ensureWidgetVisible(m_cards.value(m_chosen), 0, kMargin);
}

void SchemeList::setColumns(int columns)
{
    if (columns == m_columns)
        return;
    m_columns = columns;
    arrange();
}

void SchemeList::focusFilter()
{
    m_filter->setFocus();
    m_filter->selectAll();
}

void SchemeList::arrange()
{
    constexpr int kMostColumns = 3, kGap = 8;
    const QString filter = m_filter->text();
    bool isAny = false;
    for (const Family& family : std::as_const(m_families)) {
        while (QLayoutItem* item = family.grid->takeAt(0))
            delete item;
        int shown = 0;
        for (SchemeCard* card : family.cards) {
            const bool isMatch = card->matches(filter);
            card->setVisible(isMatch);
            if (!isMatch)
                continue;
            family.grid->addWidget(card, shown / m_columns, shown % m_columns);
            ++shown;
        }
        for (int column = 0; column < kMostColumns; ++column)
            family.grid->setColumnStretch(column, column < m_columns ? 1 : 0);
        // Qt leaves out the gap of an empty column. A margin replaces it, so that cards are equally
        // wide in every family.
        family.grid->setContentsMargins(0, 0, kGap * std::max(0, m_columns - shown), 6);
        family.widget->setVisible(shown > 0);
        isAny = isAny || shown > 0;
    }
    m_nothing->setVisible(!isAny);
    m_nothing->setTexts(tr("No scheme matches"),
                        tr("No name, paper or family contains \u201c%1\u201d.").arg(filter));
}

namespace {

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
            return SchemeFact{fromUtf8("Iteration"),
                              fromUtf8("%1: %2 = %3 units, as simulated")
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
        values.append(fromUtf8("any other"));
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
            facts.push_back({fromUtf8("Bubble"),
                             closedForm(scheme.bubbleFormula, formulaNumbers(request)).formula});
        return facts;
    }
    const profiler::RunMetrics& metrics = prediction->metrics;
    const double units = prediction->thumbnail.duration;
    const auto makespan = prediction->closedFormsApply
        ? makespanFact(scheme, formulaNumbers(request), units)
        : std::nullopt;
    facts.push_back(makespan.value_or(
        SchemeFact{fromUtf8("Iteration"),
                   fromUtf8("%1, simulated").arg(timeText(metrics.duration, prediction->info))}));
    const QString form = closedFormText(*prediction);
    facts.push_back({fromUtf8("Bubble"),
                     form.isEmpty() ? fromUtf8("%1, simulated").arg(bubbleText(metrics)) : form});
    facts.push_back(
        {fromUtf8("Peak stash"), fromUtf8("%1 Mₐ at most").arg(number(metrics.peakStash(), 1))});
    facts.push_back(
        {fromUtf8("Weights"), fromUtf8("%1 Mθ per device").arg(unitsText(metrics.weights()))});
    facts.push_back({fromUtf8("Messages"),
                     fromUtf8("%1, and %2 copies within a device")
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
                .arg(fromUtf8("At D = %1, N = %2").arg(request.devices).arg(request.microBatches));
    for (const SchemeFact& fact : schemeFacts(scheme, request, prediction))
        html += rowHtml(fact.name, fact.value);
    html += QStringLiteral("</table>");
    html += QStringLiteral("<p><b>%1</b></p><table>").arg(fromUtf8("Rule"))
        + rowHtml(fromUtf8("Accepts"), ruleText(scheme));
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
    QPushButton* copy = makeButton(tr("Copy text"), "copyScheme", "", this, [this] {
        copyText(m_title->text() + QLatin1Char('\n') + m_text->toPlainText());
    });
    QPushButton* close = makeButton(tr("Close"), "closeScheme", "primary");
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    column->addLayout(
        spaced(new QHBoxLayout, {}, 8,
               {{makeLabel(tr("Updates with D, N and the options of the form."), "hint"), 1},
                copy,
                close}));
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

namespace {

using engine::Experiment;

// Larger runs are checked only by their worker.
constexpr std::size_t kMostPlannedOps = 100'000;

QString sizeText(double bytes)
{
    return byteScale(static_cast<std::int64_t>(bytes)).withUnit(bytes);
}

// Returns the memory that the run needs; nullopt if the run is not possible for another reason.
std::optional<engine::MemoryNeed> memoryNeedOf(const Experiment& experiment,
                                               const engine::MemorySpaces& spaces,
                                               const engine::Device& device)
{
    const auto lowered = engine::scheduleOf(experiment);
    if (!lowered || opCount(*lowered) > kMostPlannedOps
        || !engine::checkModel(experiment.model, lowered->shape.stages)
        || !engine::checkPrecision(experiment.model.precision, device))
        return std::nullopt;
    const auto pass = engine::passSpec(experiment.model, *lowered);
    if (!pass)
        return std::nullopt;
    const auto model
        = engine::makeTransformer(pass->model, lowered->shape.stages, device, pass->slices);
    const engine::Bytes tokens
        = engine::TokenBatches::bytes(experiment.model, lowered->shape.allMicroBatches());
    const auto plan = engine::planExecution({*lowered, *model, experiment.accumulate, tokens});
    return engine::memoryNeed(experiment, *lowered, plan, spaces);
}

QString memoryProblem(const engine::MemoryNeed& need, const Experiment& experiment,
                      const engine::MemorySpaces& spaces)
{
    if (!spaces.front().holds(need.most()))
        return fromUtf8("This run needs %1; %2 of the %3 that are free can be used.")
            .arg(sizeText(need.most()), sizeText(spaces.front().usable()),
                 sizeText(static_cast<double>(spaces.front().free)));
    return fromUtf8("The fullest device needs %1; it has %2.")
        .arg(sizeText(static_cast<double>(need.fullest)), fromUtf8(experiment.memory().text()));
}

// Describes a remedy: "Micro-batch size 2, 1.20 GiB" for "--micro-batch-size 2".
QString changeText(const engine::Remedy& remedy)
{
    const std::size_t blank = remedy.option.find(' ');
    const auto& field = engine::experimentField(remedy.option.substr(0, blank));
    return QStringLiteral("%1 %2, %3")
        .arg(fromUtf8(field.label), fromUtf8(remedy.option.substr(blank + 1)),
             sizeText(remedy.need.most()));
}

} // namespace

MemoryCheck checkMemory(const RunPlan& plan, engine::Bytes free)
{
    const Experiment& experiment = plan.experiment;
    MemoryCheck check;
    if (experiment.mode == engine::Mode::Simulate || experiment.backend == engine::Backend::Cuda)
        return check;
    const auto device = engine::openCpuDevice();
    const engine::MemorySpaces spaces{{free}};
    const auto need = device ? memoryNeedOf(experiment, spaces, **device) : std::nullopt;
    if (!need || engine::fits(*need, experiment, spaces))
        return check;
    check.problem = memoryProblem(*need, experiment, spaces);
    for (const engine::Remedy& remedy : engine::remediesFor(experiment, spaces, **device)) {
        RunPlan changed = plan;
        changed.experiment = remedy.experiment;
        check.changes.push_back({changeText(remedy), std::move(changed)});
    }
    return check;
}

namespace {

// A job with more ops than this is cancelled (at its next step) when a newer request comes. A
// smaller job finishes first, so that the picture keeps moving.
constexpr std::int64_t kLong = 1'000'000;

PreviewPredictor::Answer answerOf(engine::Result<Prediction> result)
{
    PreviewPredictor::Answer answer;
    if (result && result->run != nullptr)
        answer.view = std::make_shared<RunView>(result->run);
    answer.prediction = std::make_shared<const engine::Result<Prediction>>(std::move(result));
    return answer;
}

// The schedule that was built last. Only one job at a time uses it.
struct BuiltSchedule
{
    PredictionRequest request;
    std::optional<PreparedSchedule> schedule;
};

} // namespace

PreviewPredictor::PreviewPredictor(QObject* parent)
    : QObject(parent)
    , m_jobs(
          this,
          [built = std::make_shared<BuiltSchedule>()](const PredictionRequest& request) {
              if (!built->schedule || !built->request.hasSameOrder(request)) {
                  built->schedule.reset();
                  auto prepared = prepare(request);
                  if (!prepared)
                      return answerOf(tl::unexpected(prepared.error()));
                  *built = {request, *std::move(prepared)};
              }
              engine::throwIfCancelled();
              return answerOf(predict(*built->schedule, request));
          },
          [this](Answer answer) {
              answer.isNewest = !m_jobs.isBusy();
              Q_EMIT answered(answer);
          },
          decltype(m_jobs)::Older::Delivered, *QThreadPool::globalInstance(), 1)
{ }

void PreviewPredictor::ask(const PredictionRequest& request)
{
    const std::int64_t ops = estimatedOps(request.schedule);
    if (ops <= kInstantOps && !request.recomputeAhead) {
        drop();
        Q_EMIT answered(answerOf(predict(request)));
        return;
    }
    if (ops > kLong)
        m_jobs.dropRunning();
    m_jobs.ask(request);
}

namespace {

constexpr std::int64_t kHuge = 1'000'000; // ops; smaller predictions start at once in the pool

class Predicted : public PredictionPanel
{
private:
    static constexpr int kRemedies = 3;

public:
    Predicted(const ThemeController& theme, QAction* explain)
        : m_theme(theme)
    {
        m_facts->setWordWrap(true);
        m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
        QPushButton* about = makeButton(tr("About this scheme"), "aboutScheme", "link", explain);
        about->setToolTip(tr("Show citation, rule, diagram and formulas (Ctrl+I)"));
        addRemedies();
        auto* facts
            = spaced(new QHBoxLayout, {0, 2, 0, 0}, 12, {{m_facts, 1}, {about, 0, Qt::AlignTop}});
        auto* top = spaced(new QVBoxLayout, {20, 12, 12, 12}, 4, {m_preview, m_band, facts});
        spaced(new QVBoxLayout(this), {}, 0, {top, makeLine(Qt::Horizontal), m_numbers});
        connect(&m_predictor, &PreviewPredictor::answered, this, &Predicted::showAnswer);
    }
    void setPlan(const RunPlan& plan, const Fault& fault) override
    {
        m_plan = plan;
        m_fault = fault;
        m_verdict = {.isEditable = m_verdict.isEditable, .problem = {}};
        m_memory.drop();
        m_memoryDelay.stop();
        Q_EMIT judged();
        m_preview->setWaiting();
        if (estimatedOps(plan.experiment.schedule) <= kHuge)
            predict();
        else
            m_debounce.start();
    }
    const Verdict& verdict() const override { return m_verdict; }
    const Prediction* prediction() const override
    {
        return m_shown != nullptr && m_shown->has_value() ? &**m_shown : nullptr;
    }
    void refuse(const QString& bold, const QString& message) override
    {
        m_shown = nullptr;
        m_preview->setPlaceholder(tr("No schedule with these numbers"));
        m_preview->show(nullptr);
        m_numbers->show(nullptr);
        showFacts(nullptr);
        offer({});
        m_band->show(Band::Kind::Error, bold, message);
        m_verdict = {.problem = message};
        Q_EMIT judged();
    }
    Band& band() override { return *m_band; }
    void setPreviewHeight(int height) override { m_preview->setRowsHeight(height); }
    void explain() override
    {
        if (m_explanation == nullptr)
            m_explanation = new SchemeDialog(m_theme, this);
        m_explanation->show(m_plan.experiment.schedule, prediction());
        m_explanation->setVisible(true);
        m_explanation->raise();
        m_explanation->activateWindow();
    }

private:
    void addRemedies()
    {
        for (std::size_t i = 0; i < m_remedyButtons.size(); ++i) {
            m_remedyButtons[i] = m_band->addAction({}, QStringLiteral("remedy%1").arg(i));
            connect(m_remedyButtons[i], &QPushButton::clicked, this,
                    [this, i] { Q_EMIT planOffered(m_remedies[i]); });
        }
        m_simulate = m_band->addAction(tr("Simulate instead"), "simulateInstead", this, [this] {
            RunPlan simulated = m_plan;
            simulated.experiment.mode = engine::Mode::Simulate;
            Q_EMIT planOffered(simulated);
        });
    }
    void predict()
    {
        m_debounce.stop();
        if (m_fault.field == Fault::Field::None) {
            m_predictor.ask(m_plan.request());
            return;
        }
        m_predictor.drop();
        refuse(tr("Impossible."), m_fault.message);
        std::vector<MemoryCheck::Change> changes;
        for (const Remedy& remedy : m_fault.remedies) {
            changes.push_back({remedy.text, m_plan});
            changes.back().plan.experiment.schedule = remedy.request;
        }
        offer(changes);
    }
    // Shows a prediction, even for an older slider position, but the user can run or keep only the
    // newest one.
    void showAnswer(const PreviewPredictor::Answer& answer)
    {
        const engine::Result<Prediction>& result = *answer.prediction;
        m_shown = answer.isNewest ? answer.prediction : nullptr;
        if (!result) {
            if (answer.isNewest)
                refuse(m_plan.source.isUnits() ? tr("Impossible.") : tr("Not predicted."),
                       fromUtf8(result.error().message));
            return;
        }
        m_preview->show(answer.view);
        m_numbers->show(&*result);
        if (!answer.isNewest) {
            m_preview->setWaiting();
            return;
        }
        showFacts(&*result);
        judge(*result);
    }
    void judge(const Prediction& prediction)
    {
        offer({});
        m_verdict = {.isEditable = true, .problem = {}};
        if (!prediction.isValid()) {
            m_verdict.problem = fromUtf8(prediction.violations.front().message);
            m_band->show(Band::Kind::Error, tr("Not valid."), m_verdict.problem);
            Q_EMIT judged();
            return;
        }
        const QString refused = planProblem(m_plan, prediction.run->schedule);
        const QString problem = refused.isEmpty() ? machineProblem(m_plan, m_here) : refused;
        m_verdict = {problem.isEmpty(), refused.isEmpty(), true, problem};
        m_simulate->setVisible(!problem.isEmpty());
        if (!problem.isEmpty())
            m_band->show(Band::Kind::Warning, tr("Cannot run."), problem);
        else if (const QString excess = memoryExcess(prediction); !excess.isEmpty())
            m_band->show(Band::Kind::Warning, tr("Does not fit."), excess);
        else
            m_band->show(Band::Kind::Ok, tr("Valid."),
                         tr("%1 ops, no deadlock; every micro-batch goes forward, then backward, "
                            "through stages 0\u2013%2; sends match receives.")
                             .arg(number(static_cast<double>(prediction.computeOps), 0))
                             .arg(prediction.run->schedule.shape.stages - 1));
        if (problem.isEmpty() && m_plan.experiment.mode != engine::Mode::Simulate)
            m_memoryDelay.start();
        Q_EMIT judged();
    }
    // Shows the citation of the paper and its closed form for these numbers.
    void showFacts(const Prediction* prediction)
    {
        const engine::ScheduleRequest& request = m_plan.experiment.schedule;
        const engine::Scheme* scheme = engine::findScheme(request.scheme);
        if (scheme == nullptr || !m_plan.experiment.scheduleFile.empty())
            return m_facts->setText({});
        QString text = fromUtf8(scheme->citation);
        const QString form
            = prediction != nullptr ? closedFormText(*prediction) : fromUtf8(scheme->bubbleFormula);
        if (!form.isEmpty())
            text += tr(". Bubble %1").arg(form);
        m_facts->setText(text + QLatin1Char('.'));
        if (m_explanation != nullptr)
            m_explanation->show(request, prediction);
    }
    void offer(const std::vector<MemoryCheck::Change>& changes)
    {
        m_simulate->hide();
        for (std::size_t i = 0; i < m_remedyButtons.size(); ++i) {
            m_remedyButtons[i]->setVisible(i < changes.size());
            if (i >= changes.size())
                continue;
            m_remedies[i] = changes[i].plan;
            m_remedyButtons[i]->setText(changes[i].text);
            m_remedyButtons[i]->setToolTip(tr("Use %1").arg(changes[i].text));
        }
    }
    // Checks in the background whether the run fits in memory.
    // A run that does not fit cannot be started here, but its command can be copied.
    void showMemory(const MemoryCheck& check)
    {
        if (check.problem.isEmpty())
            return;
        m_verdict = {.isCommand = true, .isEditable = true, .problem = check.problem};
        m_band->show(Band::Kind::Error, tr("Does not fit."), check.problem);
        offer(check.changes);
        m_simulate->setVisible(check.changes.empty());
        Q_EMIT judged();
    }

    const ThemeController& m_theme;
    RunPlan m_plan;
    Fault m_fault;
    Verdict m_verdict;
    DeviceFacts m_here = deviceFacts();
    PreviewPredictor m_predictor;
    std::shared_ptr<const engine::Result<Prediction>> m_shown;
    Later m_debounce{60, [this] { predict(); }};
    Later m_memoryDelay{200, [this] { m_memory.ask(m_plan); }};
    Latest<RunPlan, MemoryCheck> m_memory{this,
                                          [](const RunPlan& plan) { return checkMemory(plan); },
                                          [this](const MemoryCheck& check) { showMemory(check); }};
    SchedulePreview* m_preview = named(new SchedulePreview(m_theme), "preview");
    Band* m_band = named(new Band(m_theme, Band::Shape::Verdict), "verdict");
    KeyNumbers* m_numbers = named(new KeyNumbers(m_theme), "keyNumbers");
    QLabel* m_facts = named(makeLabel({}, "hint"), "schemeFacts");
    std::array<QPushButton*, kRemedies> m_remedyButtons{};
    std::array<RunPlan, kRemedies> m_remedies;
    QPushButton* m_simulate = nullptr;     // stays enabled for plans that cannot be trained
    SchemeDialog* m_explanation = nullptr; // created on first use
};

} // namespace

PredictionPanel* PredictionPanel::make(const ThemeController& theme, QAction* explain)
{
    return new Predicted(theme, explain);
}

namespace {

using engine::ScheduleRequest;

// The options that the form shows elsewhere. The section has all others.
constexpr std::string_view kElsewhere[]{
    "--model",      "--micro-batch-size", "--sequence", "--recompute",
    "--iterations", "--warmup",           "--seed",     "--text",
    "--mode",       "--backend"};

std::vector<const engine::Field<engine::Experiment>*> moreOfRun()
{
    std::vector<const engine::Field<engine::Experiment>*> fields;
    for (const auto& field : engine::experimentFields())
        if (!field.flag.empty() && field.group != "Schedule"
            && std::ranges::find(kElsewhere, field.flag) == std::end(kElsewhere))
            fields.push_back(&field);
    return fields;
}

constexpr int kMostDevices = 64, kMostMicroBatches = 128, kMostChunks = 8; // slider maxima

QString liveHint(int devices)
{
    QString live = fromUtf8("All devices train concurrently in real time, one thread each.");
    const int cores = QThread::idealThreadCount();
    if (devices <= cores)
        return live;
    return live + QLatin1Char(' ')
        + fromUtf8("This machine has only %1 cores, so threads share them, and the run is "
                   "marked \"oversubscribed\".")
              .arg(cores);
}

QString modeHint(const RunPlan& plan)
{
    if (plan.experiment.mode == engine::Mode::Simulate)
        return fromUtf8("Simulates with the costs above; trains nothing.");
    if (plan.experiment.mode == engine::Mode::Live)
        return plan.experiment.backend == engine::Backend::Cuda
            ? fromUtf8("All devices train concurrently in real time, each on its own GPU or on "
                       "a partition of one GPU.")
            : liveHint(plan.experiment.schedule.devices);
    const QString place
        = plan.experiment.backend == engine::Backend::Cuda ? fromUtf8("GPU") : fromUtf8("CPU");
    return fromUtf8("Runs every op once, alone on the %1, and trains the "
                    "model; each device has its own virtual clock.")
        .arg(place);
}

// The parameters of a run. Shows a plan and emits the user's changes; showFault() marks invalid
// values.
class SetupForm : public QWidget
{
public:
    explicit SetupForm(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("setupForm"));
        connect(m_fields, &BoundFields::edited, this, [this] { edited(); });
        auto* column = spaced(new QVBoxLayout(this), QMargins(), 0);
        makeScheduleRows(*makeFormSection(*column));
        m_costs = CostForm::make(theme, m_plan, CostForm::Order::Built);
        connect(m_costs, &CostForm::edited, this, [this] { edited(); });
        connect(m_costs, &CostForm::planChanged, this, [this] {
            setPlan(RunPlan(m_plan));
            edited();
        });
        column->addWidget(makeLine(Qt::Horizontal));
        column->addWidget(m_costs);
        makeModelRows(*makeFormSection(*column));
        makeRunRows(*makeFormSection(*column));
        column->addStretch();
        setPlan({});
    }

    const RunPlan& plan() const { return m_plan; }

    // Emits no signal.
    void setPlan(const RunPlan& plan)
    {
        m_isShowing = true;
        m_plan = plan;
        const ScheduleRequest request = plan.experiment.schedule;
        m_devices->field()->setValue(request.devices);
        m_microBatches->field()->setValue(request.microBatches);
        showModel();
        m_backend->setCurrentIndex(static_cast<int>(plan.experiment.backend));
        m_mode->setCurrent(static_cast<int>(plan.experiment.mode));
        m_fields->show();
        m_costs->showPlan();
        showMore();
        showScheme();
        m_costs->showHint();
        m_isShowing = false;
    }

    void showFault(const Fault& fault)
    {
        const auto reason
            = [&](Fault::Field field) { return fault.field == field ? fault.reason : QString(); };
        m_devices->setReason(reason(Fault::Field::Devices));
        m_microBatches->setReason(reason(Fault::Field::MicroBatches));
        m_chunks->setReason(reason(Fault::Field::Chunks));
        for (QComboBox* combo : std::as_const(m_optionCombos)) {
            const bool isSet = combo->currentText() != combo->itemText(0);
            combo->setProperty("invalid", isSet && fault.field == Fault::Field::Option);
            combo->update();
        }
    }

    // The reason why a text was refused; "" if all are valid.
    QString problem() const
    {
        for (const QString& problem :
             {m_fields->problem(), m_costs->problem(), m_moreFields->problem()})
            if (!problem.isEmpty())
                return problem;
        return {};
    }

    std::function<void()> edited = [] {}; // by the user

private:
    void makeScheduleRows(QVBoxLayout& column)
    {
        m_devices = makeCount("--devices", &ScheduleRequest::devices, kMostDevices);
        m_microBatches
            = makeCount("--micro-batches", &ScheduleRequest::microBatches, kMostMicroBatches);
        m_chunks = makeCount("--chunks", &ScheduleRequest::chunks, kMostChunks);
        for (QLabel** hint : {&m_deviceRule, &m_batchRule, &m_chunkRule, &m_otherRule})
            *hint = makeFormHint();
        m_batchRule->setObjectName(QStringLiteral("schemeRule"));
        m_counts = new QWidget;
        QVBoxLayout& counts = *spaced(new QVBoxLayout(m_counts), QMargins(), 6);
        const auto addCount = [&](const char* flag, SliderField* field, QLabel* rule) {
            counts.addLayout(makeSliderRow(fromUtf8(engine::experimentField(flag).label), field));
            counts.addWidget(rule);
        };
        addCount("--devices", m_devices, m_deviceRule);
        addCount("--micro-batches", m_microBatches, m_batchRule);
        addCount("--chunks", m_chunks, m_chunkRule);
        m_options = named(new QWidget, "schemeOptions");
        spaced(new QVBoxLayout(m_options), {}, 0);
        m_beforeOptions = new QWidget(m_options);
        m_beforeOptions->setFocusPolicy(Qt::TabFocus); // otherwise it has no place in the tab order
        m_beforeOptions->hide();
        m_shownOptions.scheme.clear();
        counts.addWidget(m_options);
        counts.addWidget(m_otherRule);
        m_file = named(makeLabel({}, "secondary"), "scheduleFile");
        m_fileRow = new QWidget;
        spaced(new QVBoxLayout(m_fileRow), QMargins(), 0)
            ->addLayout(
                makeFormRow(fromUtf8(engine::experimentField("--schedule").label), {m_file}));
        column.addWidget(m_counts);
        column.addWidget(m_fileRow);
        addField(column, "--sync");
        addField(column, "--recompute");
    }

    void makeModelRows(QVBoxLayout& column)
    {
        constexpr int kPair = 71; // width of each of two fields
        const int wide = kFormFieldWidth - kBrowseWidth;
        const engine::FieldFacts& model = engine::experimentField("--model");
        m_model = makeFormCombo(fieldObjectName(model));
        m_model->setToolTip(fromUtf8(model.help));
        m_model->addItems(modelPresets());
        m_model->setFixedWidth(wide);
        connect(m_model, &QComboBox::currentTextChanged, this, &SetupForm::modelChosen);
        QWidget *batch = makeField("--micro-batch-size"), *sequence = makeField("--sequence");
        for (QWidget* field : {batch, sequence})
            field->setFixedWidth(kPair);
        auto* text = qobject_cast<QLineEdit*>(makeField("--text"));
        text->setPlaceholderText(tr("built-in"));
        text->setFixedWidth(wide);
        QPushButton* browse = makeBrowseButton(
            "chooseText", tr("Choose a text file to train on"), this, [this, text] {
                askForFile(this, tr("Text to train on"), {},
                           [text](const QString& file) { text->setText(file); });
            });
        QPushButton* file
            = makeBrowseButton("chooseModel", tr("Choose a model file (.toml)"), this, [this] {
                  askForFile(this, tr("Model to train"), tr("Models (*.toml)"),
                             [this](const QString& chosen) { modelChosen(chosen); });
              });
        column.addLayout(makeFormRow(fromUtf8(model.label), {m_model, file}));
        column.addLayout(makeFormRow(tr("Batch × seq."), {batch, sequence}));
        column.addLayout(makeFormRow(tr("Text"), {text, browse}));
        makeMore();
        column.addWidget(m_more);
        m_ofRuns = {m_model, file, batch, sequence, text, browse, m_more};
    }

    void makeRunRows(QVBoxLayout& column)
    {
        constexpr int kPair = 71;
        m_mode = named(new SegmentControl(m_theme, {tr("simulate"), tr("emulate"), tr("live")}),
                       "mode");
        connect(m_mode, &SegmentControl::currentChanged, this, [this](int mode) {
            m_plan.experiment.mode = static_cast<engine::Mode>(mode);
            showScheme();
            changed();
        });
        m_modeHint = makeLabel({}, "hint");
        m_modeHint->setWordWrap(true);
        const engine::FieldFacts& backend = engine::experimentField("--backend");
        m_backend = makeFormCombo(fieldObjectName(backend));
        m_backend->addItems({tr("CPU"), tr("GPUs (CUDA)")});
        m_backend->setToolTip(fromUtf8(backend.help));
        connect(m_backend, &QComboBox::currentIndexChanged, this, [this](int index) {
            m_plan.experiment.backend = static_cast<engine::Backend>(index);
            showBackend();
            changed();
        });
        column.addLayout(makeFormRow(tr("Mode"), {m_mode}));
        column.addWidget(m_modeHint);
        column.addLayout(makeFormRow(fromUtf8(backend.label), {m_backend}));
        m_backendHint = named(makeFormHint(), "backendHint");
        column.addWidget(m_backendHint);
        QWidget *iterations = makeField("--iterations"), *warmup = makeField("--warmup");
        for (QWidget* field : {iterations, warmup})
            field->setFixedWidth(kPair);
        column.addLayout(makeFormRow(tr("Iterations, warm-up"), {iterations, warmup}));
        QWidget* seed = addField(column, "--seed");
        m_ofRuns.insert(m_ofRuns.end(), {iterations, warmup, seed, m_backend});
    }

    // Rarely used settings.
    void makeMore()
    {
        m_more = new FoldSection(tr("More run settings"), QStringLiteral("moreTraining"));
        for (const auto* field : moreOfRun())
            m_moreFields->addRow(m_more->rows(), *field, m_plan.experiment);
        m_offReason = named(makeFormHint(), "gpuOptionsReason");
        m_more->rows().addWidget(m_offReason);
        connect(m_moreFields, &BoundFields::edited, this, [this] {
            showEffects();
            edited();
        });
    }

    // Updates the parts that depend on scheme and mode: rules, options, disabled fields.
    void showScheme()
    {
        const ScheduleRequest& request = m_plan.experiment.schedule;
        const QString file = QString::fromStdString(m_plan.experiment.scheduleFile);
        m_fileRow->setVisible(!file.isEmpty());
        m_counts->setVisible(file.isEmpty());
        m_file->setText(file.section(QLatin1Char('/'), -1));
        m_file->setToolTip(file);
        const engine::Scheme* scheme = engine::findScheme(request.scheme);
        if (scheme == nullptr)
            return;
        const RuleParts rule = ruleParts(*scheme);
        const bool isFixed = scheme->chunksFixed;
        setHint(m_deviceRule, rule.devices);
        setHint(m_batchRule, rule.microBatches);
        setHint(m_chunkRule, isFixed ? tr("fixed by the scheme") : rule.chunks);
        setHint(m_otherRule, rule.other);
        m_chunks->setEnabled(!isFixed);
        {
            const QSignalBlocker quiet(m_chunks->field());
            const int shown
                = request.chunks > 0 && !isFixed ? request.chunks : scheme->defaultChunks;
            m_chunks->field()->setValue(shown);
            const QSignalBlocker still(m_chunks->slider());
            m_chunks->slider()->setValue(shown);
        }
        showOptions();
        showBackend();
        for (QWidget* field : m_ofRuns)
            field->setEnabled(m_plan.experiment.mode != engine::Mode::Simulate);
        m_costs->showHint();
    }

    // Shows one option per row. A refused value stays in its field.
    void showOptions()
    {
        const ScheduleRequest& request = m_plan.experiment.schedule;
        const ScheduleRequest before = std::exchange(m_shownOptions, request);
        if (before.scheme == request.scheme && before.options == request.options)
            return;
        if (QLayoutItem* old = m_options->layout()->takeAt(0)) {
            delete old->widget();
            delete old;
        }
        m_optionCombos.clear();
        auto* shown = new QWidget;
        auto* rows = spaced(new QVBoxLayout(shown), {}, 6);
        m_options->layout()->addWidget(shown);
        const engine::Scheme* scheme = engine::findScheme(request.scheme);
        if (scheme != nullptr)
            for (const engine::SchemeOption& option : scheme->options)
                addOption(*rows, option);
        QWidget* last = m_beforeOptions;
        for (QComboBox* combo : std::as_const(m_optionCombos))
            setTabOrder(std::exchange(last, combo), combo);
        m_options->setVisible(scheme != nullptr && !scheme->options.empty());
    }

    // An option that accepts any whole number has an editable list.
    void addOption(QVBoxLayout& rows, const engine::SchemeOption& option)
    {
        const QString title = capitalized(fromUtf8(option.title));
        if (option.values.size() == 1 && !option.isOpen())
            return rows.addLayout(
                makeFormRow(title, {makeLabel(fromUtf8(option.values.front()), "secondary")}));
        QComboBox* combo = makeFormCombo(QStringLiteral("option_") + fromUtf8(option.key));
        for (const std::string_view value : option.values)
            combo->addItem(fromUtf8(value));
        combo->setAccessibleName(title);
        combo->setToolTip(fromUtf8(option.help));
        if (option.isOpen()) {
            combo->setEditable(true);
            combo->setInsertPolicy(QComboBox::NoInsert);
            combo->setCompleter(nullptr);
            combo->setToolTip(option.smallest ? tr("any whole number from %1").arg(*option.smallest)
                                              : fromUtf8(option.form));
            combo->lineEdit()->setPlaceholderText(combo->itemText(0));
        }
        const auto& options = m_plan.experiment.schedule.options;
        if (const auto set = options.find(option.key); set != options.end())
            combo->setCurrentText(QString::fromStdString(set->second));
        connect(combo, &QComboBox::currentTextChanged, this,
                [this, combo, key = std::string(option.key)](const QString& text) {
                    const QString value = text.trimmed();
                    auto& set = m_plan.experiment.schedule.options;
                    if (value.isEmpty() || value == combo->itemText(0))
                        set.erase(key);
                    else
                        set[key] = value.toStdString();
                    m_shownOptions.options = set;
                    edited();
                });
        m_optionCombos.append(combo);
        rows.addLayout(makeFormRow(title, {combo}));
    }

    void showBackend()
    {
        m_modeHint->setText(modeHint(m_plan));
        setHint(m_backendHint,
                machineProblem(m_plan, m_here).isEmpty() ? QString()
                                                         : tr("no NVIDIA driver on this machine"));
        showEffects();
    }

    // Disables settings without effect in the current plan.
    void showEffects()
    {
        m_moreFields->showEffects();
        QStringList reasons;
        for (const char* flag : {"--transport", "--graphs"}) {
            const auto& field = engine::experimentField(flag);
            if (const std::string reason = field.off(m_plan.experiment); !reason.empty())
                reasons.append(tr("%1: %2").arg(fromUtf8(field.label), fromUtf8(reason)));
        }
        setHint(m_offReason, reasons.join(QStringLiteral("; ")));
    }

    // Opens the section if a setting differs from its default.
    void showMore()
    {
        m_moreFields->show();
        showEffects();
        const engine::Experiment defaults = engine::defaultExperiment(m_plan.experiment);
        if (std::ranges::any_of(moreOfRun(), [&](const auto* field) {
                return field->get(m_plan.experiment) != field->get(defaults);
            }))
            m_more->setOpen(true);
    }

    void modelChosen(const QString& model)
    {
        if (m_isShowing)
            return;
        chooseModel(m_plan, model);
        m_isShowing = true;
        showModel();
        m_fields->show();
        showMore();
        m_isShowing = false;
        edited();
    }

    // Lists a model file by its path among the presets.
    void showModel()
    {
        const QString model
            = QString::fromStdString(engine::experimentField("--model").get(m_plan.experiment));
        const QSignalBlocker quiet(m_model);
        if (m_model->findText(model) < 0)
            m_model->addItem(model);
        m_model->setCurrentText(model);
    }

    // Dragging snaps to values that the scheme accepts. If a typed value is invalid, the form shows
    // why.
    SliderField* makeCount(const char* flag, int ScheduleRequest::*member, int most)
    {
        const engine::FieldFacts& facts = engine::experimentField(flag);
        auto* spin = new SpinField(m_theme);
        spin->setObjectName(fieldObjectName(facts));
        spin->setRange(static_cast<int>(facts.least), static_cast<int>(facts.most));
        auto* field = new SliderField(spin, most);
        field->slider()->setMinimum(1);
        field->setRest([this, member, most](int value) {
            return nearestPossible(m_plan.experiment.schedule, member, value, most);
        });
        connect(spin, &QSpinBox::valueChanged, this, [this, member](int number) {
            m_plan.experiment.schedule.*member = number;
            changed();
        });
        return field;
    }

    // Both functions create the field of an option. addField() adds a row for it; makeField()
    // returns the field, so that the caller can add it to another row.
    QWidget* addField(QVBoxLayout& column, const char* flag)
    {
        return m_fields->addRow(column, engine::experimentField(flag), m_plan.experiment);
    }

    QWidget* makeField(const char* flag)
    {
        return m_fields->add(engine::experimentField(flag), m_plan.experiment);
    }

    // The user changed a field.
    void changed()
    {
        if (!m_isShowing)
            edited();
    }

    const ThemeController& m_theme;
    RunPlan m_plan;
    BoundFields *m_fields = new BoundFields(m_theme, this),
                *m_moreFields = new BoundFields(m_theme, this);
    FoldSection* m_more;
    bool m_isShowing = false; // the fields are being set
    SliderField *m_devices, *m_microBatches, *m_chunks;
    CostForm* m_costs;
    QWidget *m_counts, *m_fileRow;  // the rows for a scheme, and the row for a schedule file
    std::vector<QWidget*> m_ofRuns; // widgets that are hidden for simulations
    QLabel* m_file;
    QLabel *m_deviceRule, *m_batchRule, *m_chunkRule, *m_otherRule, *m_modeHint, *m_backendHint,
        *m_offReason;
    DeviceFacts m_here = deviceFacts();
    QWidget* m_options;                     // with the rows of the scheme's options
    QWidget* m_beforeOptions;               // invisible; the rows follow it in the tab order
    engine::ScheduleRequest m_shownOptions; // the request whose options are shown
    QList<QComboBox*> m_optionCombos;
    QComboBox *m_model, *m_backend;
    SegmentControl* m_mode;
};

struct WrittenPredictions
{
    QStringList files;  // the file of each plan that was predicted, in the order of the plans
    QStringList failed; // why the other plans failed: "zb-h2: N must be at least 2D-1"
};

// Predicts each plan and writes it to a new file as a simulated run. May be called on any thread.
WrittenPredictions writePredictions(const std::vector<RunPlan>& plans)
{
    WrittenPredictions written;
    for (const RunPlan& plan : plans) {
        const auto fail = [&](const std::string& message) {
            written.failed.append(QStringLiteral("%1: %2").arg(
                fromUtf8(plan.experiment.schedule.scheme), fromUtf8(message)));
        };
        const auto prediction = predict(plan.request());
        if (!prediction) {
            fail(prediction.error().message);
            continue;
        }
        if (!prediction->isValid()) {
            fail(prediction->violations.front().message);
            continue;
        }
        engine::Run run = *prediction->run;
        run.info.command = commandText(plan).toStdString();
        if (const auto file = writeNewRun(std::move(run)))
            written.files.append(*file);
        else
            fail(file.error().message);
    }
    return written;
}

// Sets up a run: the user chooses a scheme and sees its schedule, or its devices on the nodes of a
// machine. Every edit updates the prediction; a scheme that is not possible states the reason and
// stays in the list.
class Setup : public SetupPage
{
public:
    explicit Setup(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("setupPage"));
        auto* schedule = makeColumn({}, 0, {m_prediction, {m_table, 1}}, "");
        m_views->addWidget(schedule);
        auto* right = spaced(new QVBoxLayout, {}, 0,
                             {makeHeader(theme), makeLine(Qt::Horizontal), {m_views, 1}});
        m_copyMappings->setEnabled(false);
        spaced(
            new QHBoxLayout(this), {}, 0,
            {m_schemes, m_schemesLine, makeParameters(theme), makeLine(Qt::Vertical), {right, 1}});
        connectAll();
        edited();
    }

    QString title() const override { return tr("New run"); }

    QStringList statusTexts() const override
    {
        const engine::ScheduleRequest& request = plan().experiment.schedule;
        QString text = QStringLiteral("%1, D %2, N %3")
                           .arg(QString::fromStdString(request.scheme).toHtmlEscaped())
                           .arg(request.devices)
                           .arg(request.microBatches);
        const engine::Scheme* scheme = engine::findScheme(request.scheme);
        const int chunks
            = request.chunks > 0 || scheme == nullptr ? request.chunks : scheme->defaultChunks;
        if (chunks > 1)
            text += QStringLiteral(", v %1").arg(chunks);
        return {text, tr("prediction updates while you type")};
    }

    QString statusNote() const override
    {
        return plan().experiment.mode == engine::Mode::Simulate
            ? tr("next run: simulated")
            : tr("next run: %1 after %2")
                  .arg(countOf(plan().experiment.iterations, "iteration"))
                  .arg(countOf(plan().experiment.warmup, "warm-up"));
    }

    QList<QAction*> menuActions(Menu menu) const override
    {
        if (menu == Menu::Run)
            return {m_run, m_copy, m_reset, m_edit};
        if (menu == Menu::Compare)
            return {m_copyTable, m_copyMappings};
        if (menu == Menu::View)
            return {m_find, m_explain, m_mappingAction};
        return {};
    }

    QJsonObject state() const override { return {{QStringLiteral("plan"), planState(plan())}}; }

    void restoreState(const QJsonObject& state) override
    {
        if (const QJsonValue plan = state.value(QStringLiteral("plan")); plan.isObject())
            setPlan(restoredPlan(plan.toObject()));
    }

    const RunPlan& plan() const override { return m_form->plan(); }

    void setPlan(const RunPlan& plan) override
    {
        m_form->setPlan(plan);
        edited();
    }

    // Replaces engine::cpuTimeOfOthers(), by which the page sees that the machine is busy; nullopt
    // while the load is not that of others.
    void setCpuTimeOfOthers(std::function<std::optional<std::int64_t>()> time) override
    {
        m_cpuTimeOfOthers = std::move(time);
    }

    // Shows the mapping instead of the predicted schedule.
    void showMapping() override { m_tabs->setCurrentIndex(1); }

protected:
    // The scheme cards have one column below a width of 1360, three columns on a large screen, and
    // otherwise two. In a low window, the preview is lower, so that the table keeps a few rows.
    void resizeEvent(QResizeEvent* event) override
    {
        constexpr int kNarrow = 1360, kWide = 2200, kLow = 720, kHigh = 1150;
        constexpr int kWidths[] = {218, 400, 590}; // width for one, two and three columns of cards
        const int columns = event->size().width() < kNarrow ? 1
            : event->size().width() < kWide                 ? 2
                                                            : 3;
        m_schemes->setFixedWidth(kWidths[columns - 1]);
        m_schemes->setColumns(columns);
        m_prediction->setPreviewHeight(event->size().height() < kLow        ? 104
                                           : event->size().height() < kHigh ? 184
                                                                            : 270);
        Page::resizeEvent(event);
    }

private:
    QWidget* makeHeader(const ThemeController& theme)
    {
        setLook(m_tabs, "kind", QStringLiteral("dock"));
        m_tabs->setAccessibleName(tr("View of the prediction"));
        m_tabs->setDrawBase(false);
        m_tabs->setExpanding(false);
        m_tabs->setUsesScrollButtons(false);
        m_tabs->setElideMode(Qt::ElideNone);
        m_tabs->addTab(tr("Predicted schedule"));
        m_tabs->addTab(tr("Devices on nodes"));
        m_costs->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        m_costs->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        QPushButton* edit = makeButton(tr("Edit"), "editSchedule", "tool", m_edit);
        edit->setToolTip(tr("Edit this schedule op by op (Ctrl+Alt+E)"));
        m_editButton = edit;
        return makeBar(40, 10, {m_tabs, new Tag(theme, tr("simulated")), {m_costs, 1}, edit});
    }

    QWidget* makeParameters(const ThemeController& theme)
    {
        constexpr int kWidth = 300, kRunBar = 53;
        auto* widget = new QWidget;
        widget->setFixedWidth(kWidth);
        QPushButton* reset = makeButton(tr("Reset"), "reset", "link", m_reset);
        QPushButton* copy = makeButton(tr("Copy as command"), "copy", "", m_copy);
        const auto colour = [this, &theme] {
            const Chrome& c = theme.theme().chrome;
            m_runButton->setIcon(makeIcon(Icon::Run, c.primaryText, c.text3));
        };
        colour();
        connect(&theme, &ThemeController::changed, this, colour);
        QPushButton* cluster = makeButton(tr("Cluster…"), "runOnCluster", "", this, [this] {
            Q_EMIT pageRequested({.kind = "cluster", .plan = plan()});
        });
        cluster->setToolTip(tr("Run this on a cluster with PyTorch (Ctrl+Shift+L)"));
        copy->setText(tr("Copy"));
        copy->setToolTip(tr("Copy as command (Ctrl+Shift+C)"));
        auto* bar = makeRow({14, 0, 14, 0}, 8, {{m_runButton, 1}, cluster, copy}, "");
        bar->setFixedHeight(kRunBar);
        spaced(new QVBoxLayout(widget), {}, 0,
               {makeBar(40, 10, {makeLabel(tr("Parameters"), "section"), kStretch, reset}),
                makeLine(Qt::Horizontal),
                {makeScroll(m_form), 1},
                makeLine(Qt::Horizontal),
                bar});
        return widget;
    }

    // Shows a tab. The mapping tab hides the scheme cards, because its picture needs their width.
    void showTab(int tab)
    {
        if (tab == 1 && m_mapping == nullptr)
            makeMapping();
        m_views->setCurrentIndex(tab);
        m_schemes->setVisible(tab == 0);
        m_schemesLine->setVisible(tab == 0);
        m_editButton->setVisible(tab == 0);
    }

    // Called on first use, because most set-ups never show the mapping and creating it takes as
    // long as the rest of the page.
    void makeMapping()
    {
        m_mapping = MappingView::make(m_theme);
        m_views->addWidget(m_mapping);
        connect(m_mapping, &MappingView::planOffered, this, &Setup::setPlan);
        connect(m_mapping, &MappingView::csvChanged, this,
                [this] { m_copyMappings->setEnabled(!m_mapping->csv().isEmpty()); });
        m_mapping->setPlan(plan(), m_problem);
    }

    void connectAll()
    {
        m_form->edited = [this] { edited(); };
        connect(&m_theme, &ThemeController::unitsChanged, this, &Setup::edited);
        connect(m_prediction, &PredictionPanel::judged, this, &Setup::showVerdict);
        connect(m_prediction, &PredictionPanel::planOffered, this, &Setup::setPlan);
        connect(m_tabs, &QTabBar::currentChanged, this, &Setup::showTab);
        const auto choose
            = [this](const QString& scheme) { setPlan(withScheme(plan(), scheme.toStdString())); };
        connect(m_schemes, &SchemeList::chosen, this, choose);
        connect(m_schemes, &SchemeList::ownChosen, this, [this](const QString& file) {
            RunPlan own = plan();
            own.experiment.scheduleFile = file.toStdString();
            setPlan(own);
        });
        connect(m_table, &SchemeTable::chosen, this, choose);
        connect(m_table, &SchemeTable::answered, m_schemes,
                [this] { m_schemes->showRows(m_table->model()); });
        connect(m_table, &SchemeTable::runRequested, this, &Setup::runMarked);
        connect(m_table, &SchemeTable::severalMarked, this, [this] { observeLoad(true); });
        m_load.setSingleShot(true);
        connect(m_table, &SchemeTable::predictRequested, this, &Setup::comparePredictions);
    }

    // Call it after the plan has changed.
    void edited()
    {
        const engine::ScheduleRequest& request = plan().experiment.schedule;
        const bool isFile = !plan().experiment.scheduleFile.empty();
        m_schemes->setChosen(isFile ? QString() : QString::fromStdString(request.scheme));
        Fault fault = isFile ? Fault() : findFault(request);
        m_form->showFault(fault);
        if (const QString problem = m_form->problem(); !problem.isEmpty())
            fault = {Fault::Field::Other, {}, problem, {}};
        m_costs->setText(tr("Costs: %1").arg(costsText(plan().request())));
        m_prediction->setPlan(plan(), fault);
        m_problem = fault.field == Fault::Field::None ? QString() : fault.message;
        if (m_mapping != nullptr)
            m_mapping->setPlan(plan(), m_problem);
        m_table->setPlan(plan());
        Q_EMIT statusChanged();
    }

    void showVerdict()
    {
        const PredictionPanel::Verdict& verdict = m_prediction->verdict();
        m_run->setEnabled(verdict.isRunnable);
        m_runButton->setToolTip(verdict.problem.isEmpty() ? tr("Ctrl+R") : verdict.problem);
        m_copy->setEnabled(verdict.isCommand);
        m_edit->setEnabled(verdict.isEditable);
    }

    void run()
    {
        if (plan().experiment.mode == engine::Mode::Simulate)
            keepPrediction();
        else
            Q_EMIT startRequested({runOptions(plan())});
    }

    void runMarked(const QList<QStringList>& options, const QStringList& refused)
    {
        showRefused(refused);
        if (!options.isEmpty())
            Q_EMIT startRequested(options);
    }

    // Then calls showLoad().
    void observeLoad(bool isFirst)
    {
        constexpr std::chrono::milliseconds kObserved{500}; // the system counts in steps of 10 ms
        const auto before = m_cpuTimeOfOthers();
        if (m_load.isActive() || (isFirst && !before))
            return;
        m_load.disconnect();
        m_load.callOnTimeout(this, [this, isFirst, before, begin = engine::wallTime()] {
            const auto now = m_cpuTimeOfOthers();
            showLoad(before && now ? engine::ratio(*now - *before, engine::wallTime() - begin) : 0,
                     isFirst);
        });
        m_load.start(kObserved);
    }

    // Warns before a comparison on a busy machine, until its load is low.
    void showLoad(double cores, bool isFirst)
    {
        constexpr double kBusy = 0.25; // cores
        Band& band = m_prediction->band();
        const QString busy = tr("The machine is busy.");
        const bool isShown = !band.isHidden() && band.text().startsWith(busy);
        if (cores <= kBusy)
            return isShown ? band.hide() : void();
        if (!isFirst && !isShown)
            return; // another message is shown
        band.show(
            Band::Kind::Warning, busy,
            tr("Other processes use %1 cores, so runs take longer and their differences are less "
               "certain.")
                .arg(number(cores, 1)));
        observeLoad(false);
    }

    // Names of schemes, with or without reasons.
    void showRefused(const QStringList& refused)
    {
        if (!refused.isEmpty())
            m_prediction->band().show(Band::Kind::Warning, tr("Some schemes cannot run."),
                                      tr("Skipped: %1. Choose one of them to see the reason.")
                                          .arg(refused.join(QStringLiteral(", "))));
    }

    // Writes the predictions of several schemes and compares them.
    void comparePredictions(const std::vector<RunPlan>& plans, const QStringList& refused)
    {
        m_prediction->band().show(Band::Kind::Neutral, tr("Predicting."),
                                  countOf(static_cast<std::int64_t>(plans.size()), "scheme"));
        m_background.run([plans] { return writePredictions(plans); },
                         [this, refused](const WrittenPredictions& written) {
                             showRefused(refused + written.failed);
                             if (!written.files.isEmpty())
                                 Q_EMIT pageRequested({"compare", written.files});
                         });
    }

    // Opens the prediction as a simulated run.
    void keepPrediction()
    {
        const Prediction* prediction = m_prediction->prediction();
        if (prediction == nullptr)
            return;
        engine::Run run = *prediction->run;
        run.info.command = commandText(plan()).toStdString();
        if (const auto file = writeNewRun(std::move(run)); !file)
            m_prediction->band().show(Band::Kind::Error, tr("Not written."),
                                      fromUtf8(file.error().message));
        else
            Q_EMIT pageRequested({"run", {*file}});
    }

    void copyCommand()
    {
        copyText(commandText(plan()));
        m_prediction->band().show(Band::Kind::Ok, tr("Copied."), commandText(plan()));
    }

    void copyTable()
    {
        const SchemeTableModel& table = m_table->model();
        copyText(table.csv());
        m_prediction->band().show(
            Band::Kind::Ok, tr("Copied."),
            (table.isComplete()
                 ? tr("The table of %1 schemes, in the order shown.")
                 : tr("The table of %1 schemes. Those that are being predicted have no numbers."))
                .arg(table.rowCount()));
    }

    void copyMappings() { copyText(m_mapping->csv()); }

    void editSchedule()
    {
        const auto schedule = profiler::orderOf(plan().request());
        if (!schedule)
            m_prediction->refuse(tr("Impossible."), fromUtf8(schedule.error().message));
        else
            Q_EMIT pageRequested({.kind = "editor",
                                  .schedule = std::make_shared<const engine::Schedule>(*schedule),
                                  .costs = plan().request()});
    }

    const ThemeController& m_theme;
    QString m_problem; // why the plan is not possible; "" if it is
    Background m_background{this};
    QTimer m_load; // runs while observeLoad() observes the machine
    std::function<std::optional<std::int64_t>()> m_cpuTimeOfOthers = engine::cpuTimeOfOthers;
    QAction *m_run
        = makeAction("startRun", tr("&Run"), tr("Ctrl+R"), [this] { run(); }),
        *m_copy = makeAction("copyCommand", tr("&Copy as command"), tr("Ctrl+Shift+C"),
                             [this] { copyCommand(); }),
        *m_reset = makeAction("resetPlan", tr("Reset &parameters"), {}, [this] { setPlan({}); }),
        *m_edit = makeAction("editThisSchedule", tr("&Edit this schedule"), tr("Ctrl+Alt+E"),
                             [this] { editSchedule(); }),
        *m_copyTable = makeAction("copyTable", tr("Copy the &table of schemes as CSV"),
                                  tr("Ctrl+Shift+T"), [this] { copyTable(); }),
        *m_find = makeAction("findScheme", tr("&Find a scheme"), tr("Ctrl+F"),
                             [this] { m_schemes->focusFilter(); }),
        *m_explain = makeAction(
            "explainScheme", tr("&About this scheme"), tr("Ctrl+I"),
            [this] { m_prediction->explain(); }, tr("show citation, rule, diagram and formulas"));
    QAction *m_mappingAction = makeAction(
                "devicesOnNodes", tr("&Devices on nodes"), tr("Ctrl+Shift+D"),
                [this] { m_tabs->setCurrentIndex(1 - m_tabs->currentIndex()); },
                tr("show the devices on the nodes of the hardware, or the predicted schedule")),
            *m_copyMappings = makeAction("copyMappings", tr("Copy the &mappings as CSV"), {},
                                         [this] { copyMappings(); });
    SchemeList* m_schemes = new SchemeList(m_theme);
    SetupForm* m_form = new SetupForm(m_theme);
    PredictionPanel* m_prediction = PredictionPanel::make(m_theme, m_explain);
    SchemeTable* m_table = new SchemeTable(m_theme, m_copyTable);
    MappingView* m_mapping = nullptr; // null until it is shown for the first time
    QTabBar* m_tabs = named(new QTabBar, "setupTabs");
    QLabel* m_costs = named(new ElidedLabel("small"), "costsText");
    QStackedWidget* m_views = new QStackedWidget;
    QPushButton* m_runButton = makeButton(tr("Run"), "run", "primary", m_run);
    QWidget *m_schemesLine = makeLine(Qt::Vertical), *m_editButton = nullptr;
};

} // namespace

SetupPage* SetupPage::make(const ThemeController& theme)
{
    return new Setup(theme);
}

} // namespace app
