#include "app/setup/scheme_table_model.h"

#include "app/ui/text.h"
#include "engine/base/median.h"

namespace app {
namespace {

using Column = SchemeTableModel::Column;

// Thumbnails of at most this many cost units are never cut.
constexpr double kThumbnailUnits = 21;
// Longer thumbnails are cut at this multiple of the median duration, so that one slow scheme does
// not compress the others.
constexpr double kOutlier = 1.25;

double valueOf(const Prediction& prediction, Column column)
{
    const profiler::RunMetrics& metrics = prediction.metrics;
    switch (column) {
    case Column::Iteration:
        return prediction.thumbnail.duration;
    case Column::Memory:
        return static_cast<double>(metrics.peakBytes().value_or(0));
    case Column::Bubble:
        return metrics.bubbleRatio * 100;
    case Column::Stash:
        return metrics.peakStash();
    case Column::Weights:
        return metrics.weights();
    case Column::Messages:
        return metrics.messages;
    case Column::Local:
        return metrics.localCopies;
    case Column::Fits:
    case Column::Scheme:
        break;
    }
    return 0;
}

bool knowsFit(const Prediction& prediction)
{
    return prediction.info.memory.isKnown() && prediction.metrics.peakBytes().has_value();
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

void SchemeTableModel::answer(const QString& scheme, Answer answer)
{
    this->answer({{scheme, std::move(answer)}});
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

int SchemeTableModel::rowOf(const QString& scheme) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).scheme == scheme)
            return row;
    return -1;
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
    const double value = valueOf(*prediction, column);
    switch (column) {
    case Column::Iteration:
        return m_isInUnits ? unitsText(value) : m_time.text(value);
    case Column::Weights:
        return unitsText(value);
    case Column::Memory:
        return prediction->metrics.peakBytes() ? m_bytes.text(value) : QString();
    case Column::Fits:
        return !knowsFit(*prediction)             ? QString()
            : memoryExcess(*prediction).isEmpty() ? tr("fits")
                                                  : tr("over");
    case Column::Bubble:
    case Column::Stash:
        return number(value, 1);
    default:
        return number(value, 0);
    }
}

QString SchemeTableModel::csv() const
{
    QStringList lines = {QStringLiteral("scheme,iteration_%1,bubble_percent,peak_stash_ma,"
                                        "weights_mtheta,messages,local_copies,refused")
                             .arg(m_isInUnits ? QStringLiteral("units") : QStringLiteral("ns"))};
    if (hasMemory())
        lines.front() += QStringLiteral(",peak_memory_bytes");
    const auto cell = [](const Row& row, Column column) {
        const Prediction* prediction = row.prediction();
        return prediction == nullptr ? QString()
                                     : QString::number(valueOf(*prediction, column), 'g', 12);
    };
    for (int i = 0; i < rowCount(); ++i) {
        Row row = at(i);
        if (row.isOutdated)
            row.answer = nullptr;
        QStringList cells = {row.scheme};
        for (const Column column : {Column::Iteration, Column::Bubble, Column::Stash,
                                    Column::Weights, Column::Messages, Column::Local})
            cells.append(cell(row, column));
        cells.append(quotedCell(row.reason()));
        if (hasMemory())
            cells.append(cell(row, Column::Memory));
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

TableColumn<SchemeRow> SchemeTableModel::schemeColumn() const
{
    return TableColumn<Row>(
               tr("Scheme"), [](const Row& row) { return row.title; }, Qt::AlignLeft)
        .sortedBy([](const Row& row) { return row.title.toCaseFolded(); })
        .with(kStrongRole, [this](const Row& row) { return row.scheme == m_chosen; })
        .with(kThumbnailRole,
              [](const Row& row) {
                  const Prediction* prediction = row.prediction();
                  return QVariant::fromValue(prediction == nullptr ? nullptr
                                                                   : &prediction->thumbnail);
              })
        .with(kThumbnailWidthRole, [this](const Row& row) {
            const Prediction* prediction = row.prediction();
            return prediction == nullptr ? 0.0 : prediction->thumbnail.duration / m_thumbnailUnits;
        });
}

TableColumn<SchemeRow> SchemeTableModel::fitsColumn() const
{
    const auto memory = [](const Row& row) {
        const Prediction* prediction = row.prediction();
        return prediction == nullptr ? 0.0 : valueOf(*prediction, Column::Memory);
    };
    const std::int64_t limit = m_usableMemory;
    const ColumnTitle title(
        [limit] { return byteScale(limit).withUnit(static_cast<double>(limit)); });
    return TableColumn<Row>(title, [this](const Row& row) { return text(row, Column::Fits); })
        .sortedBy(memory)
        .with(kVerdictRole, [](const Row& row) {
            const Prediction* prediction = row.prediction();
            if (prediction == nullptr || !knowsFit(*prediction))
                return QVariant();
            return QVariant(static_cast<int>(memoryExcess(*prediction).isEmpty() ? Verdict::Better
                                                                                 : Verdict::Worse));
        });
}

SchemeTableModel::Columns SchemeTableModel::columns() const
{
    const auto numeric = [this](Column which, const ColumnTitle& title) {
        return TableColumn<Row>(title, [=, this](const Row& row) { return text(row, which); })
            .sortedBy([=](const Row& row) {
                const Prediction* prediction = row.prediction();
                return prediction == nullptr ? 0.0 : valueOf(*prediction, which);
            });
    };
    const auto shareOf = [](Column which, double whole) {
        return [=](const Row& row) {
            const Prediction* prediction = row.prediction();
            return prediction == nullptr ? QVariant() : valueOf(*prediction, which) / whole;
        };
    };
    const auto isRefused = [](const Row& row) { return !row.reason().isEmpty(); };
    Columns columns
        = {schemeColumn(),
           numeric(Column::Iteration, {tr("Iteration, %1"), m_time}).with(kSpanRole, isRefused),
           numeric(Column::Bubble, tr("Bubble, %")).with(kShareRole, shareOf(Column::Bubble, 100)),
           numeric(Column::Stash, tr("Peak stash, Mₐ"))
               .with(kShareRole, shareOf(Column::Stash, m_largestStash)),
           numeric(Column::Weights, tr("Weights, Mθ")),
           numeric(Column::Memory, {tr("Memory, %1"), m_bytes}),
           numeric(Column::Messages, tr("Messages")),
           numeric(Column::Local, tr("Local")),
           fitsColumn()};
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
    const engine::MemoryCapacity& memory = prediction.info.memory;
    const auto& devices = prediction.metrics.devices;
    const auto fullest = std::ranges::max_element(
        devices, {}, [](const auto& device) { return device.peakBytes.value_or(0); });
    if (fullest == devices.end()
        || memory.holds(static_cast<double>(fullest->peakBytes.value_or(0))))
        return {};
    return SchemeTableModel::tr("Device %1 needs %2 at its peak; %3 has %4. Use more devices, "
                                "tensor parallelism or recomputation.")
        .arg(fullest->device.value)
        .arg(fromUtf8(engine::bytesText(*fullest->peakBytes)), fromUtf8(prediction.info.deviceName),
             fromUtf8(memory.text()));
}

} // namespace app
