#include "app/range/range_panel.h"

#include "app/timeline/view/run_view.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "engine/base/try.h"
#include "profiler/analysis/run_measures.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace app {

using profiler::DeviceMetrics;

void DeviceTable::setDevices(RunPointer run, std::vector<const Device*> devices,
                             std::int64_t duration, double bubbleRatio)
{
    m_run = std::move(run);
    m_devices = std::move(devices);
    m_duration = duration;
    m_bubbleRatio = bubbleRatio;
    m_time = timeScale(m_run->info, duration);
    std::int64_t peak = 0; // 0: unknown
    for (const Device* device : m_devices)
        peak = std::max(peak, device->peakBytes.value_or(0));
    m_bytes = byteScale(peak);
}

DeviceTable::Column DeviceTable::column(const ColumnTitle& title, const Scale& scale,
                                        const Value& value, Total total) const
{
    return {title, [=, this](const Device* device) {
                std::optional<double> shown = device != nullptr ? value(*device) : std::nullopt;
                int traced = 0;
                for (const Device* one : device == nullptr ? m_devices : decltype(m_devices)()) {
                    traced += hasTrace(*m_run, one->device) ? 1 : 0;
                    const auto its = value(*one);
                    shown = total == Total::Most ? std::max(shown, its)
                                                 : shown.value_or(0) + its.value_or(0);
                }
                if (shown && total == Total::Mean)
                    *shown /= std::max(1, traced);
                return shown ? scale.text(*shown) : kNoValue;
            }};
}

void DeviceTable::show(Columns columns)
{
    for (auto& column : columns)
        column.with(kStrongRole, [](const Device* device) { return device == nullptr; });
    std::vector<const Device*> rows = m_devices;
    if (!rows.empty())
        rows.push_back(nullptr);
    reset(std::move(columns), std::move(rows));
}

std::int64_t DeviceTable::sum(const Ticks& ticks) const
{
    std::int64_t sum = 0;
    for (const Device* device : m_devices)
        sum += ticks(*device);
    return sum;
}

DeviceTable::Column DeviceTable::nameColumn() const
{
    return {tr("Device"),
            [this](const Device* device) {
                if (device == nullptr)
                    return tr("All devices");
                const QString name = tr("Device %1").arg(device->device.value);
                return hasTrace(*m_run, device->device) ? name : tr("%1, no trace").arg(name);
            },
            Qt::AlignLeft};
}

DeviceTable::Column DeviceTable::messagesColumn() const
{
    Column column(tr("Sent / received"), [this](const Device* device) {
        return device != nullptr
            ? tr("%1 / %2").arg(device->messagesSent).arg(device->messagesReceived)
            : number(sum(&Device::messagesSent));
    });
    return column.onlyIf(messagesAreKnown());
}

DeviceTable::Columns DeviceTable::workColumns() const
{
    using enum engine::OpKind;
    if (!profiler::knowsTimes(*m_run))
        return {};
    Columns columns{timeColumn(tr("Compute"), &Device::compute)};
    for (const auto& [title, kind] :
         {std::pair(tr("F"), Forward), std::pair(tr("B"), Backward),
          std::pair(tr("I"), BackwardInput), std::pair(tr("W"), BackwardWeight),
          std::pair(tr("RC"), Recompute), std::pair(tr("Optimizer"), OptimizerStep)})
        if (sum(ticksOf(kind)) > 0)
            columns.push_back(timeColumn(title, ticksOf(kind)));
    return columns;
}

DeviceTable::Columns DeviceTable::bubbleColumns() const
{
    if (!profiler::knowsTimes(*m_run))
        return {};
    return {
        timeColumn(tr("Exposed"), &Device::exposedCommunication).onlyIf(messagesAreKnown()),
        timeColumn(whyUnknown(m_run->info).empty() ? tr("Bubble") : tr("Idle"), &Device::bubble),
        bubbleShareColumn()};
}

DeviceTable::Column DeviceTable::bubbleShareColumn() const
{
    const auto share = [this](const Device* device) -> QVariant {
        if (device == nullptr)
            return m_bubbleRatio;
        if (!hasTrace(*m_run, device->device))
            return {};
        if (!std::isfinite(m_bubbleRatio)) // unknown
            return m_bubbleRatio;
        return static_cast<double>(device->bubble)
            / static_cast<double>(std::max<std::int64_t>(1, m_duration));
    };
    return Column(
               tr("Bubble, %"),
               [share](const Device* device) { return number(share(device).toDouble() * 100, 1); })
        .with(kShareRole, share);
}

DeviceTable::Columns DeviceTable::peakColumn() const
{
    if (std::ranges::none_of(m_devices,
                             [](const Device* one) { return one->peakBytes.has_value(); }))
        return {};
    return {column({tr("Peak, %1"), m_bytes}, m_bytes, &Device::peakBytes, Total::Most)};
}

DeviceTable::Columns DeviceTable::stashColumn() const
{
    if (!engine::knowsMicroBatches(m_run->info))
        return {};
    return {column(tr("Stash, Mₐ"), {1, 1, {}}, &Device::peakStash, Total::Most)};
}

namespace {

using engine::Error;
using engine::Iteration;
using engine::Window;

tl::unexpected<Error> cannotRead(const QString& message)
{
    return engine::invalid(message.toStdString());
}

// Matches three optional parts: iterations (kind and numbers), two times, and their unit.
const QRegularExpression& rangeGrammar()
{
    static const QRegularExpression kGrammar(
        QStringLiteral(R"(^(?:(?<typical>typical ops)|(?<kind>warm-up(?: iterations?)?|)"
                       R"(iterations?) (?<first>\d+)(?:\s*(?:-|–|\.\.|to)\s*(?<last>\d+))?)?)"
                       R"(\s*,?\s*(?:(?<begin>-?\d+(?:\.\d+)?)\s*(?:-|–|\.\.|to)\s*)"
                       R"((?<end>-?\d+(?:\.\d+)?)\s*(?<unit>[a-zµμ]*))?$)"),
        QRegularExpression::CaseInsensitiveOption);
    return kGrammar;
}

// simplified() replaces narrow spaces, which number() writes between thousands, by plain spaces.
// Therefore they are removed first.
QString plainRange(QString text)
{
    const QString plain
        = text.remove(kNarrowSpace).replace(QChar(0x2212), QLatin1Char('-')).simplified();
    const QLatin1String prefix("range ");
    return plain.startsWith(prefix, Qt::CaseInsensitive) ? plain.mid(prefix.size()) : plain;
}

std::optional<int> findIteration(const engine::Timeline& timeline, Iteration::Kind kind, int number)
{
    const auto at = std::ranges::find_if(timeline.iterations, [&](const Iteration& one) {
        return one.kind == kind && (kind == Iteration::Kind::Replay || one.number == number);
    });
    if (at == timeline.iterations.end())
        return std::nullopt;
    return static_cast<int>(at - timeline.iterations.begin());
}

engine::Result<int> iterationNamed(const engine::Timeline& timeline, Iteration::Kind kind,
                                   int number)
{
    if (const auto found = findIteration(timeline, kind, number))
        return *found;
    const QString first = iterationName(timeline, 0),
                  last = iterationName(timeline, static_cast<int>(timeline.iterations.size()) - 1);
    return cannotRead(
        kind == Iteration::Kind::Replay
            ? tr("The run has no typical ops; name another one")
            : tr("The run has no iteration %1; it has %2 to %3").arg(number).arg(first, last));
}

// Returns the window of the iterations that the text names, or of `iteration` if it names none.
engine::Result<Window> baseOf(const QRegularExpressionMatch& match,
                              const engine::Timeline& timeline, int iteration)
{
    const bool isTypical = !match.captured(QStringLiteral("typical")).isEmpty();
    const QString word = match.captured(QStringLiteral("kind"));
    const auto windowOf
        = [&](int index) { return timeline.iterations[static_cast<std::size_t>(index)].window; };
    if (!isTypical && word.isEmpty())
        return windowOf(iteration);
    const auto kind = isTypical                                       ? Iteration::Kind::Replay
        : word.startsWith(QLatin1String("warm"), Qt::CaseInsensitive) ? Iteration::Kind::Warmup
                                                                      : Iteration::Kind::Measured;
    const auto first
        = iterationNamed(timeline, kind, match.captured(QStringLiteral("first")).toInt());
    if (!first)
        return tl::unexpected(first.error());
    const QString lastText = match.captured(QStringLiteral("last"));
    const auto last
        = TRY(lastText.isEmpty() ? first : iterationNamed(timeline, kind, lastText.toInt()));
    return Window{windowOf(*first).begin, windowOf(last).end};
}

// Returns the number of ticks in one `unit`, or in the unit of `shown` if `unit` is empty.
engine::Result<double> ticksOfUnit(const QString& unit, const engine::RunInfo& info,
                                   const Scale& shown)
{
    if (unit.isEmpty() || unit.compare(shown.unit(), Qt::CaseInsensitive) == 0
        || (info.inUnits() && unit.compare(QLatin1String("unit"), Qt::CaseInsensitive) == 0))
        return shown.perUnit();
    if (info.inUnits())
        return cannotRead(
            tr("The times of this run are in abstract cost units; leave out \"%1\"").arg(unit));
    for (const auto& [name, ticks] :
         {std::pair(u"s", 1e9), std::pair(u"ms", 1e6), std::pair(u"us", 1e3), std::pair(u"µs", 1e3),
          std::pair(u"μs", 1e3), std::pair(u"ns", 1.0)})
        if (unit.compare(QStringView(name), Qt::CaseInsensitive) == 0)
            return ticks;
    return cannotRead(tr("\"%1\" is not a unit of time; use ns, µs, ms or s").arg(unit));
}

engine::Result<Window> clippedRange(Window range, const engine::Run& run)
{
    const Window all{run.timeline.iterations.front().window.begin,
                     run.timeline.iterations.back().window.end};
    const Window part{std::max(range.begin, all.begin), std::min(range.end, all.end)};
    if (part.duration() > 0)
        return part;
    return cannotRead(
        tr("This range is outside the run; type one within %1").arg(rangeName(run, all)));
}

} // namespace

int iterationOf(const engine::Timeline& timeline, std::int64_t time)
{
    const auto next = std::ranges::upper_bound(
        timeline.iterations, time, {}, [](const Iteration& one) { return one.window.begin; });
    return std::max(0, static_cast<int>(next - timeline.iterations.begin()) - 1);
}

engine::Result<Window> parseRange(const QString& text, const engine::Run& run, int iteration)
{
    const auto& iterations = run.timeline.iterations;
    if (iterations.empty())
        return cannotRead(tr("The run has no iteration yet"));
    const QString plain = plainRange(text);
    const QRegularExpressionMatch match = rangeGrammar().match(plain);
    if (plain.isEmpty() || !match.hasMatch())
        return cannotRead(tr("\"%1\" is not a range; type 102-172.4 ms, or iteration 1, "
                             "40..60 ms")
                              .arg(plain));
    const int last = static_cast<int>(iterations.size()) - 1;
    auto whole = baseOf(match, run.timeline, std::clamp(iteration, 0, last));
    if (!whole)
        return whole;
    const QString begin = match.captured(QStringLiteral("begin")),
                  end = match.captured(QStringLiteral("end"));
    if (begin.isEmpty())
        return whole->duration() > 0 ? whole : cannotRead(tr("Name the earlier iteration first"));
    const int from = iterationOf(run.timeline, whole->begin);
    const Scale shown
        = timeScale(run.info, iterations[static_cast<std::size_t>(from)].window.duration());
    const auto ticks = TRY(ticksOfUnit(match.captured(QStringLiteral("unit")), run.info, shown));
    if (begin.toDouble() >= end.toDouble())
        return cannotRead(tr("The range ends at %1 and begins at %2; type the earlier time first")
                              .arg(end, begin));
    const auto at = [&](const QString& time) {
        constexpr double kMost = 9e18; // the ticks of a window have 64 bits
        return std::llround(
            std::clamp(static_cast<double>(whole->begin) + time.toDouble() * ticks, -kMost, kMost));
    };
    return clippedRange({at(begin), at(end)}, run);
}

QString rangeName(const engine::Run& run, Window range)
{
    const int from = iterationOf(run.timeline, range.begin);
    const Iteration& iteration = run.timeline.iterations[static_cast<std::size_t>(from)];
    const Scale scale = timeScale(run.info, iteration.window.duration());
    const auto text = [&](std::int64_t time) { return scale.text(time - iteration.window.begin); };
    return QStringLiteral("%1, %2 – %3 %4")
        .arg(iterationTitle(run.timeline, from), text(range.begin), text(range.end), scale.unit());
}

using profiler::RangeDevice;

void RangeModel::show(RunPointer run, profiler::RangeMetrics metrics)
{
    m_metrics = std::move(metrics);
    std::vector<const Device*> devices;
    for (const RangeDevice& device : m_metrics.devices)
        devices.push_back(&device.times);
    setDevices(std::move(run), std::move(devices), m_metrics.range.duration(),
               m_metrics.bubbleRatio);
    Columns columns{nameColumn()};
    append(columns, workColumns());
    append(columns, bubbleColumns());
    append(columns,
           {timeColumn(tr("fill"), &Device::fill), timeColumn(tr("wait"), &Device::wait),
            timeColumn(tr("drain"), &Device::drain)});
    const auto between = [this](const Device& device) { return of(device).between; };
    if (sum(between) > 0)
        columns.push_back(timeColumn(tr("between"), between));
    append(columns, peakColumn());
    append(columns, stashColumn());
    append(columns,
           {countColumn(tr("Ops"), [this](const Device& one) { return of(one).opsWhole; }),
            countColumn(tr("Cut"), [this](const Device& one) { return of(one).opsCut; }),
            messagesColumn()});
    for (auto column = columns.begin() + 1; column != columns.end(); ++column)
        column->onlyIf([this](const Device* device) {
            return device == nullptr || m_metrics.devices[device->device].isRecorded;
        });
    DeviceTable::show(std::move(columns));
}

void RangeModel::clear()
{
    reset({}, {});
    m_metrics = {};
}

RangePanel::RangePanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(new RangeModel(this))
    , m_table(named(new DataTable(theme, 23), "rangeTable", tr("Range")))
    , m_field(named(new QLineEdit, "rangeField", tr("Marked range")))
    , m_problem(named(makeLabel({}, "problem"), "rangeProblem"))
    , m_hint(named(
          makeLabel(tr("Drag across the timeline, or type a range above and press Enter."), "hint"),
          "rangeHint"))
    , m_buttons(new QWidget)
    , m_copy(makeIconButton("copyRange", Icon::Copy, tr("Copy the table as CSV"), theme, this,
                            [this] { copyText(csvOf(*m_model)); }))
{
    setObjectName(QStringLiteral("rangePanel"));
    m_table->setModel(m_model);
    m_field->setPlaceholderText(tr("102-172.4 ms, or iteration 1, 40..60 ms"));
    m_field->setToolTip(tr("Type a range and press Enter, or drag across the timeline"));
    m_hint->setContentsMargins(12, 10, 12, 10);
    m_hint->setAlignment(Qt::AlignTop);
    spaced(new QVBoxLayout(this), {}, 0,
           {makeBar(), makeLine(Qt::Horizontal), {m_table, 1}, {m_hint, 1}});
    connect(&theme, &ThemeController::unitsChanged, this, [this] {
        if (m_model->rowCount() > 0)
            mark(m_model->metrics().range);
    });
    connect(m_field, &QLineEdit::textEdited, this, [this] { showProblem({}); });
    clear();
}

QWidget* RangePanel::makeBar()
{
    m_field->setFixedHeight(26);
    m_field->setMinimumWidth(200);
    m_field->setMaximumWidth(300);
    m_problem->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_problem->setWordWrap(true);
    spaced(new QHBoxLayout(m_buttons), {}, 4);
    auto* bar = makeRow({10, 0, 8, 0}, 8, {{m_field, 1}, {m_problem, 2}, m_buttons, m_copy});
    bar->setFixedHeight(34);
    return bar;
}

void RangePanel::setPlace(RunPointer run, int iteration)
{
    m_run = std::move(run);
    m_iteration = iteration;
}

void RangePanel::mark(engine::Window range)
{
    if (!m_run || m_run->timeline.iterations.empty())
        return;
    m_field->setText(rangeName(*m_run, range));
    m_field->setCursorPosition(0);
    setMarked(true);
    showProblem({});
}

void RangePanel::showMetrics(RunPointer run, const profiler::RangeMetrics& metrics)
{
    m_model->show(std::move(run), metrics);
    m_copy->setEnabled(true);
}

void RangePanel::clear()
{
    m_model->clear();
    m_field->clear();
    m_copy->setEnabled(false);
    setMarked(false);
    showProblem({});
}

void RangePanel::setMarked(bool isMarked)
{
    m_buttons->setEnabled(isMarked);
    m_buttons->setToolTip(isMarked ? QString() : tr("Mark a range first"));
    m_table->setVisible(isMarked);
    m_hint->setVisible(!isMarked);
}

void RangePanel::editRange()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void RangePanel::read()
{
    if (!m_run)
        return;
    const auto range = parseRange(m_field->text(), *m_run, m_iteration);
    if (!range) {
        showProblem(fromUtf8(range.error().message));
        return;
    }
    Q_EMIT typed(*range);
}

void RangePanel::showProblem(const QString& problem)
{
    m_problem->setText(problem);
    m_problem->setToolTip(toolTipText(problem));
    setLook(m_field, "invalid", !problem.isEmpty());
}

void RangePanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        read();
    else if (event->key() == Qt::Key_Escape)
        Q_EMIT closed();
    else
        QWidget::keyPressEvent(event);
}

} // namespace app
