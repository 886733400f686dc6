#include "app/start/start_cards.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/thumbnail_painter.h"
#include "profiler/store/trace_store.h"

#include <QPainter>

namespace app {

BeginButton::BeginButton(const ThemeController& theme, const Texts& texts, Rank rank)
    : CardButton(theme)
    , m_texts(texts)
{
    m_isPrimary = rank == Rank::Primary;
    setFixedHeight(50);
    setAccessibleName(texts.title);
    setAccessibleDescription(texts.line);
}

void BeginButton::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const QColor ink = m_isPrimary ? c.primaryText : c.text;
    QColor quiet = m_isPrimary ? c.primaryText : c.text2;
    if (m_isPrimary)
        quiet.setAlphaF(0.75F);
    paintIcon(painter, m_texts.icon, QRectF(14, 17, 16, 16), m_isPrimary ? ink : c.text2);
    const QRectF box(42, 0, width() - 54.0, height());
    text(painter, QRectF(box.x(), 8, box.width() - 60, 18), m_texts.title,
         {uiFont(13, QFont::Medium), ink});
    text(painter, QRectF(box.x(), 26, box.width() - 60, 16), m_texts.line, {uiFont(12), quiet});
    text(painter, box, m_texts.keys, {uiFont(11), quiet}, Qt::AlignRight);
}

RecentRow::RecentRow(const ThemeController& theme, RecentRun run, const QDateTime& now)
    : CardButton(theme)
    , m_run(std::move(run))
    , m_when(whenText(m_run.opened, now))
{
    m_hasFrame = false;
    setFixedHeight(44);
    setToolTip(m_run.file);
    setAccessibleName(m_run.title + QStringLiteral(", ") + m_run.subtitle);
}

void RecentRow::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    painter.fillRect(QRect(0, height() - 1, width(), 1), c.grid);
    const QRectF picture(10, 12, 60, 20);
    if (m_run.thumbnail.isEmpty())
        paintIcon(painter, Icon::Compare, QRectF(32, 14, 16, 16), c.text3);
    else
        paintThumbnail(painter, picture, m_run.thumbnail, 1, theme().palette);
    const double left = paintFacts(painter);
    text(painter, QRectF(90, 5, left - 90, 18), m_run.title, {uiFont(13, QFont::Medium), c.text});
    text(painter, QRectF(90, 23, left - 90, 15), m_run.subtitle, {uiFont(11), c.text2});
}

// Draws the columns from the right and returns their left edge. A narrow row omits the bubble, then
// the mode, then the date, so that the name stays readable.
double RecentRow::paintFacts(QPainter& painter) const
{
    constexpr double kName = 190;
    const Chrome& c = theme().chrome;
    const double room = width() - 90 - kName;
    double right = width() - 10;
    if (room >= 170) {
        text(painter, QRectF(right - 100, 0, 100, 44), m_when, {uiFont(12), c.text2},
             Qt::AlignRight);
        right -= 110;
    }
    if (room >= 260) {
        paintTag(painter, QRectF(right - 74, 13, tagWidth(m_run.mode), 18), m_run.mode, theme());
        right -= 98;
    }
    if (room >= 390 && !m_run.bubble.isEmpty())
        text(painter, QRectF(right - 112, 0, 112, 44), tr("bubble %1").arg(m_run.bubble),
             {uiFont(12), c.text2}, Qt::AlignRight);
    if (room >= 390)
        right -= 118;
    engine::RunInfo info;
    info.ticksPerUnit = m_run.ticksPerUnit;
    if (m_run.iteration > 0)
        text(painter, QRectF(right - 84, 0, 84, 44), timeText(m_run.iteration, info),
             {uiFont(12), c.text}, Qt::AlignRight);
    return right - 94;
}

namespace {

// "33 units", "33 and 36 units" or "33 units each".
QString joinedAmounts(const QStringList& values, const QString& unit)
{
    if (values.size() > 1 && values.count(values.front()) == values.size())
        return SampleCard::tr("%1 each").arg(values.front() + unit);
    return values.join(SampleCard::tr(" and ")) + unit;
}

} // namespace

SampleCard::SampleCard(const ThemeController& theme, const Sample& sample)
    : CardButton(theme)
    , m_isRecorded(!sample.recorded.isEmpty())
    , m_title(fromUtf8(sample.title))
    , m_line(fromUtf8(sample.line))
    , m_kind(m_isRecorded ? tr("emulated") : tr("simulated"))
{
    if (m_isRecorded)
        addRecorded(sample.recorded);
    else
        addPredicted(sample.runs);
    m_times = joinedAmounts(m_timeOfRuns,
                            QLatin1Char(' ')
                                + (m_isRecorded ? scaleIn(Unit::Millisecond).unit() : tr("units")));
    m_bubbles
        = tr("bubble %1").arg(joinedAmounts(m_bubbleOfRuns, kNarrowSpace + QStringLiteral("%")));
    setFixedHeight(160);
    setAccessibleName(m_title);
    setAccessibleDescription(m_line);
}

void SampleCard::addRecorded(const QStringList& files)
{
    for (const QString& file : files) {
        const auto run = profiler::readRun(file.toStdString());
        if (!run)
            continue;
        if (const auto metrics = profiler::metrics(*run))
            addRun(*run, *metrics);
    }
    m_fullWidth = std::max(1.0, duration());
}

void SampleCard::addPredicted(const std::vector<engine::ScheduleRequest>& requests)
{
    for (const engine::ScheduleRequest& request : requests) {
        if (const auto prediction = predict(PredictionRequest{.schedule = request}))
            addRun(*prediction->run, prediction->metrics);
    }
}

void SampleCard::addRun(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    const Scale milliseconds = scaleIn(Unit::Millisecond);
    m_thumbnails.push_back(makeThumbnail(run));
    double& time = m_thumbnails.back().duration;
    if (m_isRecorded)
        time = static_cast<double>(metrics.duration) / milliseconds.perUnit();
    m_timeOfRuns.append(m_isRecorded ? number(time, 1) : unitsText(time));
    m_bubbleOfRuns.append(number(metrics.bubbleRatio * 100, 1));
}

double SampleCard::duration() const
{
    double longest = 0;
    for (const Thumbnail& thumbnail : m_thumbnails)
        longest = std::max(longest, thumbnail.duration);
    return longest;
}

void SampleCard::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const double inner = width() - 32;
    text(painter, QRectF(16, 13, inner, 18), m_title, {uiFont(13, QFont::Medium), c.text});
    text(painter, QRectF(16, 31, inner, 16), m_line, {uiFont(12), c.text2});
    const double top = 57, height = 70, gap = 6;
    const auto count = static_cast<double>(m_thumbnails.size());
    const double each = (height - gap * (count - 1)) / std::max(1.0, count);
    for (std::size_t i = 0; i < m_thumbnails.size(); ++i)
        paintThumbnail(painter,
                       QRectF(16, top + static_cast<double>(i) * (each + gap), inner, each),
                       m_thumbnails[i], m_thumbnails[i].duration / m_fullWidth, theme().palette);
    paintFoot(painter, QRectF(16, 135, inner, 16));
}

// Draws kind, times and bubbles. A narrow card omits the kind, then the label of the bubbles.
void SampleCard::paintFoot(QPainter& painter, const QRectF& foot) const
{
    constexpr double kGap = 14;
    const QColor ink = theme().chrome.text2;
    const QFontMetricsF metrics(uiFont(11));
    const auto wide = [&](const QString& texts) { return metrics.horizontalAdvance(texts); };
    const double both = wide(m_times) + kGap + wide(m_bubbles);
    double left = foot.left();
    if (wide(m_kind) + kGap + both <= foot.width()) {
        text(painter, foot, m_kind, {uiFont(11), ink});
        left += wide(m_kind) + kGap;
    }
    text(painter, QRectF(left, foot.top(), foot.right() - left, foot.height()), m_times,
         {uiFont(11), ink});
    text(painter, foot, both <= foot.width() ? m_bubbles : m_bubbles.section(QLatin1Char(' '), 1),
         {uiFont(11), ink}, Qt::AlignRight);
}

} // namespace app
