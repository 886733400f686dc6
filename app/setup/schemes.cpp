#include "app/setup/schemes.h"

#include "app/ui/data_table.h"
#include "app/ui/thumbnail.h"
#include "engine/base/median.h"
#include "profiler/analysis/device_memory.h"

#include <QAction>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
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

// Rows with numbers come first, then pending rows, then refused ones.
int SchemeTableModel::rank(const Row& row) const
{
    return row.prediction() != nullptr ? 0 : row.reason().isEmpty() ? 1 : 2;
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

constexpr int kCollect = 30; // ms; results that arrive within this time are shown together
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
    , m_run(makeButton({}, QStringLiteral("runMarked"), "tool"))
{
    m_view->setModel(m_model);
    m_view->horizontalHeader()->setSectionsClickable(true);
    m_view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_view->setSortingEnabled(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_run->hide();
    QPushButton* copyButton
        = makeButton(tr("Copy as CSV"), QStringLiteral("copyTableButton"), "link", copy);
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
    connect(m_run, &QPushButton::clicked, this, &SchemeTable::runMarked);
    m_debounce.setSingleShot(true);
    connect(&m_debounce, &QTimer::timeout, this, &SchemeTable::predict);
    m_collect.setSingleShot(true);
    m_collect.setInterval(kCollect);
    connect(&m_collect, &QTimer::timeout, this, &SchemeTable::showArrived);
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
        QPushButton* button
            = makeButton(QFileInfo(file).completeBaseName(), QStringLiteral("ownScheme"), "link");
        connect(button, &QPushButton::clicked, this, [this, file] { Q_EMIT ownChosen(file); });
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

} // namespace app
