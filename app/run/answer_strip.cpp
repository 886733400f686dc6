#include "app/run/answer_strip.h"

#include "app/documents/run_document.h"
#include "app/run/run_actions.h"
#include "app/timeline/paint/box_painter.h"
#include "app/ui/themed_icon.h"
#include "app/whatif/what_if.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/run_measures.h"

#include <QAction>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace app {
namespace {

using enum profiler::TimeCategory;
using Category = profiler::TimeCategory;

constexpr int kBar = 20, kInset = 1; // height of the bar; space for the frame of the selected part
constexpr double kSmallest = 2, kPartGap = 1;
constexpr double kNoBubble = 0.0005; // a smaller share is shown as none

BoxColours::Look lookOf(Category category, const BoxColours& colours)
{
    using engine::OpKind;
    constexpr auto kNormal = BoxColours::Emphasis::Normal;
    const profiler::Palette& palette = colours.theme().palette;
    const auto plain = [&palette](profiler::Colour fill) {
        return BoxColours::Look{toQt(fill), toQt(palette.inkOn(fill)), {}, {}, toQt(fill)};
    };
    switch (category) {
    case Compute:
    case Forward:
        return colours.look(OpKind::Forward, 0, kNormal);
    case Recompute:
        return colours.look(OpKind::Recompute, 0, kNormal);
    case Backward:
    case BackwardInput:
        return colours.look(OpKind::Backward, 0, kNormal);
    case BackwardWeight:
        return colours.look(OpKind::BackwardWeight, 0, kNormal);
    case Optimizer:
        return colours.look(OpKind::OptimizerStep, 0, kNormal);
    case Exposed:
        return colours.exposed(kNormal);
    case Fill: // three greys of the palette, as in a comparison
        return plain(palette.optimizerState);
    case Wait:
        return plain(palette.gradients);
    case Drain:
        return plain(palette.weights);
    case Bubble:
        break;
    }
    return plain(palette.bubbleSolid);
}

// The step of the last shown decimal, in ticks.
double stepOf(const Scale& scale)
{
    return scale.perUnit() * std::pow(10.0, -scale.decimals());
}

// Whether device times are known, although bubbles may not be: those of a trace with kernels have
// idle time.
bool knowsTimes(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    const auto measures = profiler::runMeasures();
    const auto idle = std::ranges::find(measures, "idle", &profiler::MeasureInfo::key);
    return whyUnknown(run.info).empty() || (*idle)({run, metrics}).isKnown();
}

QString extremeText(const profiler::RunMetrics& metrics, Category category, const Scale& scale)
{
    std::vector<const profiler::DeviceMetrics*> recorded;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        if (device.isRecorded())
            recorded.push_back(&device);
    const auto time = [&](const profiler::DeviceMetrics* device) {
        return profiler::timeByCategory(metrics, *device)[category];
    };
    if (recorded.size() < 2)
        return {};
    const auto [least, most] = std::ranges::minmax(recorded, {}, time);
    return AnswerStrip::tr("most on device %1: %2, least on device %3: %4")
        .arg(QString::number(most->device.value), scale.withUnit(time(most)),
             QString::number(least->device.value), scale.withUnit(time(least)));
}

} // namespace

TimeBar::TimeBar(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("timeBar"));
    setFixedHeight(kBar + 2 * kInset);
    setFocusPolicy(Qt::TabFocus);
}

void TimeBar::show(std::vector<Part> parts)
{
    m_parts = std::move(parts);
    QStringList texts;
    for (const Part& part : m_parts)
        texts << part.name + QLatin1Char(' ') + part.value;
    setAccessibleName(tr("Time by category: %1").arg(texts.join(QStringLiteral(", "))));
    update();
}

void TimeBar::setSelected(std::optional<Category> category)
{
    m_selected = category;
    update();
}

std::vector<TimeBar::Place> TimeBar::places() const
{
    const double all
        = std::accumulate(m_parts.begin(), m_parts.end(), 0.0,
                          [](double sum, const Part& part) { return sum + part.ticks; });
    const double room = width() - 2 * kInset
        - kPartGap * static_cast<double>(std::max<std::size_t>(1, m_parts.size()) - 1);
    std::vector<Place> places;
    double taken = 0;
    for (const Part& part : m_parts) {
        places.push_back({0, std::max(kSmallest, std::round(room * part.ticks / all))});
        taken += places.back().width;
    }
    if (places.empty())
        return places;
    // The widest part makes up for parts that are wider than their share.
    std::ranges::max_element(places, {}, &Place::width)->width += room - taken;
    double left = kInset;
    for (Place& place : places)
        left = (place.left = left) + place.width + kPartGap;
    return places;
}

QRect TimeBar::rectOf(Category category) const
{
    const auto found = std::ranges::find(m_parts, category, &Part::category);
    if (found == m_parts.end())
        return {};
    const Place place = places()[static_cast<std::size_t>(found - m_parts.begin())];
    return QRectF(place.left, kInset, place.width, kBar).toRect();
}

const TimeBar::Part* TimeBar::partAt(QPoint at) const
{
    const auto all = places();
    for (std::size_t k = 0; k < all.size(); ++k)
        if (at.x() >= all[k].left && at.x() <= all[k].left + all[k].width)
            return &m_parts[k];
    return nullptr;
}

QString TimeBar::toolTipAt(QPoint at) const
{
    const Part* part = partAt(at);
    return part == nullptr ? QString() : part->tip;
}

void TimeBar::mousePressEvent(QMouseEvent* event)
{
    const Part* part = partAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && part != nullptr)
        Q_EMIT chosen(part->category);
}

void TimeBar::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    const int count = static_cast<int>(m_parts.size());
    int at = -1;
    for (int k = 0; k < count; ++k)
        if (m_parts[static_cast<std::size_t>(k)].category == m_selected)
            at = k;
    if (isEnter && at >= 0)
        Q_EMIT opened(*m_selected);
    else if (step != 0 && at + step >= 0 && at + step < count)
        Q_EMIT chosen(m_parts[static_cast<std::size_t>(at + step)].category);
    else
        QWidget::keyPressEvent(event);
}

void TimeBar::paintPart(QPainter& painter, const Part& part, const QRectF& box) const
{
    constexpr double kLeastEdged = 3.4; // greys with less contrast to the surface have an edge
    const BoxColours colours(theme(), devicePixelRatioF());
    const BoxColours::Look look = lookOf(part.category, colours);
    fillLook(painter, box, look, box.left());
    const bool isGrey = part.category >= Fill;
    if (isGrey && profiler::contrast(fromQt(look.fill), theme().palette.surface) < kLeastEdged)
        fillFrame(painter, box, 1, colours.bubbleEdge());
    if (profiler::contrast(fromQt(look.ink), fromQt(look.fill)) < profiler::kSmallestInk)
        return;
    const QFontMetricsF metrics(painter.font());
    for (const QString& text : {part.name + QLatin1Char(' ') + part.value, part.value})
        if (metrics.horizontalAdvance(text) + 8 <= box.width()) {
            painter.setPen(look.ink);
            painter.drawText(box, Qt::AlignCenter, text);
            return;
        }
}

void TimeBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(uiFont(11, QFont::Medium));
    const auto all = places();
    for (std::size_t k = 0; k < all.size(); ++k)
        paintPart(painter, m_parts[k], {all[k].left, kInset, all[k].width, kBar});
    for (std::size_t k = 0; k < all.size(); ++k)
        if (m_selected == m_parts[k].category
            || (m_selected == Bubble && m_parts[k].category >= Fill))
            fillFrame(painter, QRectF(all[k].left - 1, 0, all[k].width + 2, height()), 2,
                      theme().chrome.text);
    if (hasFocus()) {
        painter.setPen(QPen(theme().chrome.text, 1, Qt::DotLine));
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

AnswerStrip::AnswerStrip(const ThemeController& theme, const RunActions& actions, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_bubble(makeButton({}, QStringLiteral("answerBubble"), "number"))
    , m_caption(named(makeLabel({}, "section"), "answerCaption"))
    , m_where(named(makeLabel({}, "hint"), "answerWhere"))
    , m_scale(makeLabel({}, "hint"))
    , m_detail(named(new ElidedLabel("small"), "answerDetail"))
    , m_next(named(new ElidedLabel("section"), "answerNext"))
    , m_bar(new TimeBar(theme))
    , m_gain(named(makeLabel({}, "gain"), "answerGain"))
    , m_mode(new Tag(theme, tr("simulated")))
    , m_left(new QWidget)
    , m_right(new QWidget)
    , m_prediction(new QWidget)
    , m_captions(new QWidget)
{
    setObjectName(QStringLiteral("answerStrip"));
    setFixedHeight(kHeight);
    setMinimumWidth(560); // narrower than the contents, because resizeEvent() hides parts
    m_bubble->setToolTip(tr("Selects all bubbles"));
    auto* texts = spaced(new QVBoxLayout, {0, 8, 0, 8}, 0, {m_caption, m_detail});
    spaced(new QHBoxLayout(m_left), {24, 0, 12, 0}, 14, {m_bubble, {texts, 1}});
    spaced(new QHBoxLayout(m_captions), {1, 0, 1, 0}, 8, {m_where, kStretch, m_scale});
    auto* middle = new QWidget;
    spaced(new QVBoxLayout(middle), {15, 5, 15, 5}, 2, {m_captions, m_bar});
    m_next->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    spaced(new QHBoxLayout(m_prediction), {}, 6, {m_next, m_gain, kStretch, m_mode});
    auto* buttons = spaced(new QHBoxLayout, {}, 8);
    for (QAction* action : {actions.why, actions.whatIf}) {
        QPushButton* button = makeActionButton(action);
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        button->setText(action->text().remove(QChar(0x2026)) + QStringLiteral("\u2003") + key);
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    spaced(new QVBoxLayout(m_right), {15, 3, 12, 3}, 1, {m_prediction, buttons});
    spaced(new QHBoxLayout(this), {}, 0,
           {m_left, makeLine(Qt::Vertical), {middle, 1}, makeLine(Qt::Vertical), m_right});
    connect(m_bubble, &QPushButton::clicked, this, [this] { Q_EMIT chosen(Bubble); });
    connect(m_bar, &TimeBar::chosen, this, &AnswerStrip::chosen);
    connect(m_bar, &TimeBar::opened, this, &AnswerStrip::opened);
}

void AnswerStrip::resizeEvent(QResizeEvent* event)
{
    constexpr int kWhole = 1000, kWithCaption = 800;
    QWidget::resizeEvent(event);
    m_prediction->setVisible(width() >= kWhole);
    m_right->setFixedWidth(width() >= kWhole ? 340 : m_right->sizeHint().width());
    m_left->setFixedWidth(width() >= kWithCaption ? 300 : 200);
    m_captions->setVisible(width() >= kWithCaption);
}

void AnswerStrip::show(const RunDocument& document, const profiler::RunMetrics* metrics)
{
    const RunPointer run = document.run();
    if (run && metrics != nullptr && !metrics->devices.empty()) {
        showBubble(*run, *metrics);
        showTimes(*run, *metrics);
        if (document.isRunning())
            m_where->setText(tr("Iteration %1 of %2. %3")
                                 .arg(metrics->iteration + 1)
                                 .arg(document.progress().planned)
                                 .arg(m_where->text()));
        return;
    }
    m_bubble->hide();
    m_caption->setText(document.isRunning()      ? tr("Measuring…")
                           : document.isQueued() ? tr("In the queue")
                                                 : tr("Reading…"));
    m_detail->setText({});
    m_bar->show({});
    m_where->setText({});
    m_scale->setText({});
}

void AnswerStrip::showBubble(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    const QString why = QString::fromStdString(whyUnknown(run.info));
    const bool isKnown = why.isEmpty();
    const bool isNone = isKnown && metrics.bubbleRatio < kNoBubble;
    m_bubble->setVisible(isKnown && !isNone);
    m_bubble->setText(percent(metrics.bubbleRatio));
    m_caption->setText(!isKnown ? tr("Bubble unknown") : isNone ? tr("No bubble") : tr("bubble"));
    const Scale scale = timeScale(run.info, metrics.duration);
    const auto times = profiler::rounded(profiler::timeByCategory(metrics), stepOf(scale));
    if (!isKnown && knowsTimes(run, metrics)) { // the kernels show what the devices do
        const double compute = times[Compute] + times[Forward] + times[Recompute] + times[Backward]
            + times[BackwardInput] + times[BackwardWeight] + times[Optimizer];
        m_caption->setText(tr("%1 compute, bubble unknown")
                               .arg(percent(compute / static_cast<double>(metrics.duration))));
        m_detail->setText(tr("%1 of %2 per device. %3")
                              .arg(scale.text(compute), scale.withUnit(metrics.duration), why));
        m_detail->setToolTip(why);
        return;
    }
    m_detail->setText(!isKnown ? why
                          : isNone
                          ? tr("no device waits")
                          : tr("%1 of %2 per device")
                                .arg(scale.text(times[Bubble]), scale.withUnit(metrics.duration)));
}

void AnswerStrip::showTimes(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    const Scale scale = timeScale(run.info, metrics.duration);
    const auto all = static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
    const bool isBubbleKnown = whyUnknown(run.info).empty(), isKnown = knowsTimes(run, metrics);
    const profiler::TimeByCategory mean = profiler::timeByCategory(metrics);
    const profiler::TimeByCategory shown = profiler::rounded(mean, stepOf(scale));
    std::vector<TimeBar::Part> parts;
    for (const Category category : mean.enumerators()) {
        const bool isShown = category <= Exposed || (category == Bubble) != isBubbleKnown;
        const bool isTiny = category > Exposed && mean[Bubble] < kNoBubble * all;
        if (!isShown || isTiny || mean[category] <= 0 || !isKnown)
            continue;
        const bool isOfKernels = !isBubbleKnown && run.info.import && run.info.import->onGpu;
        const QString name = category == Bubble  ? tr("idle")
            : isOfKernels && category == Exposed ? tr("NCCL, not overlapped")
            : isOfKernels && category == Forward && !knowsStages(run.info)
            ? tr("compute")
            : QString::fromUtf8(profiler::timeCategoryName(category));
        const QStringList tip{tr("%1: %2 %3, %4")
                                  .arg(name, scale.text(shown[category]), scale.unit(),
                                       percent(mean[category] / all)),
                              extremeText(metrics, category, scale)};
        parts.push_back({category, name, scale.text(shown[category]),
                         tip.join(QLatin1Char('\n')).trimmed(), mean[category]});
    }
    m_where->setText(
        parts.empty() ? tr("Where the time goes is unknown")
                      : tr("Where the %1 go, mean of %2")
                            .arg(scale.withUnit(all), countOf(metrics.recordedDevices, "device")));
    m_scale->setText(parts.empty() ? QString() : tr("%1, to scale").arg(scale.unit()));
    m_bar->show(std::move(parts));
}

void AnswerStrip::setNext(const QString& text, const QString& tip, bool isPrediction)
{
    m_next->setText(text);
    m_next->setToolTip(tip);
    setLook(m_next, "role", isPrediction ? QStringLiteral("section") : QStringLiteral("small"));
    m_gain->setVisible(isPrediction);
    m_mode->setVisible(isPrediction);
}

void AnswerStrip::showNext(const engine::Run& run, const FasterSchemesAnswer* answer)
{
    if (answer == nullptr)
        return setNext(tr("computing…"), tr("Predicts every synchronous scheme"), false);
    if (!answer->reason.isEmpty())
        return setNext(tr("no prediction: %1").arg(answer->reason), answer->reason, false);
    const profiler::FasterScheme* fastest
        = profiler::firstThatFits(answer->schemes, profiler::deviceMemory(run));
    if (fastest == nullptr)
        return setNext(tr("No scheme here is faster"), {}, false);
    const profiler::FasterScheme& next = *fastest;
    const auto own = static_cast<double>(next.iteration - next.difference);
    const auto difference = static_cast<double>(next.difference);
    const Scale scale = timeScale(run.info, next.iteration);
    m_gain->setText(QStringLiteral("(%1)").arg(scale.difference(difference)));
    setLook(m_gain, "role",
            next.effect().isDistinguishable() ? QStringLiteral("gain") : QStringLiteral("small"));
    const QString time = next.least == next.most
        ? scale.withUnit(next.iteration)
        : tr("%1 to %2")
              .arg(scale.text(static_cast<double>(next.least)),
                   scale.withUnit(static_cast<double>(next.most)));
    setNext(tr("%1 would take %2").arg(schemeLabel(QString::fromStdString(next.scheme)), time),
            tr("%1 compared with the %2 of this run, predicted with its times as %3")
                .arg(signedPercent(own > 0 ? difference / own : 0), scale.withUnit(own),
                     scale.withUnit(next.iteration)),
            true);
}

} // namespace app
