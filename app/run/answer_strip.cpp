#include "app/run/answer_strip.h"

#include "app/documents/run_document.h"
#include "app/run/run_actions.h"
#include "app/ui/themed_icon.h"
#include "app/whatif/what_if.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/study/chart_kit.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

using enum profiler::TimeCategory;
using Category = profiler::TimeCategory;

constexpr int kBar = 20, kInset = 1; // height of the bar; space for the frame of the selected part
constexpr double kSmallest = 2, kPartGap = 1;
constexpr double kNoBubble = 0.0005; // a smaller share is shown as none

profiler::Colour fillOf(Category category, const profiler::Palette& palette)
{
    using enum engine::OpKind;
    switch (category) {
    case Compute:
    case Category::Forward:
        return palette.fill(engine::OpKind::Forward);
    case Category::Recompute:
        return palette.fill(engine::OpKind::Recompute);
    case Category::Backward:
    case Category::BackwardInput:
        return palette.fill(engine::OpKind::Backward);
    case Category::BackwardWeight:
        return palette.fill(engine::OpKind::BackwardWeight);
    case Optimizer:
        return palette.fill(OptimizerStep);
    case Exposed:
        return palette.exposed();
    case Fill:
        return palette.*profiler::kFillCause;
    case Wait:
        return palette.*profiler::kWaitCause;
    case Drain:
        return palette.*profiler::kDrainCause;
    case Bubble:
        break;
    }
    return palette.bubbleSolid;
}

// The widths of the parts, at least kSmallest. The widest part makes up for parts that are wider
// than their share.
std::vector<double> widths(const std::vector<TimePart>& parts, double room)
{
    double all = 0, taken = 0;
    for (const TimePart& part : parts)
        all += part.ticks;
    std::vector<double> widths;
    for (const TimePart& part : parts) {
        widths.push_back(std::max(kSmallest, std::round(room * part.ticks / all)));
        taken += widths.back();
    }
    *std::ranges::max_element(widths) += room - taken;
    return widths;
}

// The step of the last shown decimal, in ticks.
double stepOf(const Scale& scale)
{
    return scale.perUnit() * std::pow(10.0, -scale.decimals());
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

profiler::MarkedScene drawTimeBar(const std::vector<TimePart>& parts,
                                  std::optional<Category> selected, const ChartLook& look)
{
    constexpr double kLeastEdged = 3.4; // greys with less contrast to the ground have an edge
    const auto& [style, palette] = look;
    if (parts.empty())
        return profiler::emptyChart(style, "");
    profiler::ChartCanvas canvas(style);
    std::vector<profiler::SceneMark> marks;
    const double gaps = kPartGap * static_cast<double>(parts.size() - 1);
    double left = kInset;
    for (std::size_t k = 0; const double width : widths(parts, style.width - 2 * kInset - gaps)) {
        const TimePart& part = parts[k++];
        const profiler::Colour fill = fillOf(part.category, palette);
        const profiler::Rect box{left, kInset, width, kBar};
        const bool isGrey = part.category >= Fill, isSelected = selected == Bubble && isGrey;
        if (isSelected)
            canvas.box({left - 1, 0, width + 2, kBar + 2 * kInset}, style.ink);
        if (isGrey && profiler::contrast(fill, style.ground) < kLeastEdged)
            canvas.box(box, palette.bubbleLine);
        const double edge = isSelected || isGrey ? 1 : 0;
        canvas.box({left + edge, kInset + edge, width - 2 * edge, kBar - 2 * edge}, fill,
                   part.category == Category::Recompute ? profiler::HatchLines::Rising
                                                        : profiler::HatchLines::None);
        marks.push_back({static_cast<std::size_t>(part.category), box});
        left += width + kPartGap;
        const profiler::Colour ink = palette.inkOn(fill);
        const QString both = part.name + QLatin1Char(' ') + part.value;
        for (const std::string& text : {both.toStdString(), part.value.toStdString()})
            if (profiler::contrast(ink, fill) >= profiler::kSmallestInk
                && profiler::textWidth(text) + 8 <= width) {
                canvas.text(box.x + width / 2, kInset + kBar / 2.0 + 4, text,
                            profiler::Text::Anchor::Middle, {ink, true});
                break;
            }
    }
    return canvas.finish(std::move(marks));
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
    , m_bar(named(new SceneView(theme,
                                [this](std::size_t category) {
                                    const auto part = std::ranges::find(m_parts, Category(category),
                                                                        &TimePart::category);
                                    return part == m_parts.end() ? QString() : part->tip;
                                }),
                  "timeBar"))
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
    m_bar->setFixedHeight(kBar + 2 * kInset);
    m_bar->setListed();
    m_bar->select(std::nullopt);
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
    connect(m_bar, &SceneView::pointChosen, this,
            [this](std::size_t category) { Q_EMIT chosen(Category(category)); });
    connect(m_bar, &SceneView::pointOpened, this,
            [this](std::size_t category) { Q_EMIT opened(Category(category)); });
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
    showParts({});
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
    const double whole = metrics.mean(&profiler::DeviceMetrics::whole);
    const auto times = profiler::rounded(profiler::timeByCategory(metrics), stepOf(scale));
    if (!isKnown && profiler::knowsTimes(run)) { // the kernels show what the devices do
        const double compute = times[Compute] + times[Forward] + times[Recompute] + times[Backward]
            + times[BackwardInput] + times[BackwardWeight] + times[Optimizer];
        m_caption->setText(tr("%1 compute, bubble unknown").arg(percent(compute / whole)));
        m_detail->setText(
            tr("%1 of %2 per device. %3").arg(scale.text(compute), scale.withUnit(whole), why));
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
    const double all = std::max(1.0, metrics.mean(&profiler::DeviceMetrics::whole));
    const bool isBubbleKnown = whyUnknown(run.info).empty(), isKnown = profiler::knowsTimes(run);
    const profiler::TimeByCategory mean = profiler::timeByCategory(metrics);
    const profiler::TimeByCategory shown = profiler::rounded(mean, stepOf(scale));
    std::vector<TimePart> parts;
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
    showParts(std::move(parts));
}

void AnswerStrip::showParts(std::vector<TimePart> parts)
{
    m_parts = std::move(parts);
    QStringList texts;
    for (const TimePart& part : m_parts)
        texts << part.name + QLatin1Char(' ') + part.value;
    m_bar->setAccessibleName(tr("Time by category: %1").arg(texts.join(QStringLiteral(", "))));
    setSelected(m_selected);
}

void AnswerStrip::setSelected(std::optional<Category> category)
{
    m_selected = category;
    m_bar->draw([parts = m_parts, category](const ChartLook& look) {
        return drawTimeBar(parts, category, look);
    });
    m_bar->select(category ? std::optional(static_cast<std::size_t>(*category)) : std::nullopt);
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
    const engine::MemoryCapacity memory = profiler::deviceMemory(run);
    const profiler::FasterScheme* fastest = profiler::firstThatFits(answer->schemes, memory);
    if (fastest == nullptr)
        return setNext(answer->schemes.empty()
                           ? tr("No scheme here is faster")
                           : tr("No faster scheme fits in %1")
                                 .arg(byteScale(memory.usable())
                                          .withUnit(static_cast<double>(memory.usable()))),
                       {}, false);
    const profiler::FasterScheme& next = *fastest;
    const auto own = static_cast<double>(next.iteration - next.difference);
    const auto difference = static_cast<double>(next.difference);
    const Scale scale = timeScale(run.info, next.iteration);
    m_gain->setText(QStringLiteral("(%1)").arg(scale.difference(difference)));
    setLook(m_gain, "role",
            next.effect().isDistinguishable() ? QStringLiteral("gain") : QStringLiteral("small"));
    const QString scheme = schemeLabel(QString::fromStdString(next.scheme));
    setNext(next.least == next.most
                ? tr("%1 would take %2").arg(scheme, scale.withUnit(next.iteration))
                : tr("%1: %2 to %3")
                      .arg(scheme, scale.text(static_cast<double>(next.least)),
                           scale.withUnit(static_cast<double>(next.most))),
            tr("%1 compared with the %2 of this run, predicted with its times as %3")
                .arg(signedPercent(own > 0 ? difference / own : 0), scale.withUnit(own),
                     scale.withUnit(next.iteration)),
            true);
}

} // namespace app
