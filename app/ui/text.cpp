#include "app/ui/text.h"

#include "engine/base/text.h"
#include "engine/schedule/notation.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/run_measures.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>
#include <QStringList>

#include <atomic>
#include <cmath>
#include <set>

namespace app {
namespace {

constexpr QChar kMinus(0x2212);

QString grouped(QString digits)
{
    const qsizetype point = digits.indexOf(QLatin1Char('.'));
    const qsizetype whole = point < 0 ? digits.size() : point;
    if (whole <= 4)
        return digits;
    for (qsizetype at = whole - 3; at > 0; at -= 3)
        digits.insert(at, kNarrowSpace);
    return digits;
}

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

Scale timesBySize(std::int64_t longest)
{
    if (longest >= 20'000'000'000)
        return scaleIn(Unit::Second);
    if (longest >= 10'000'000)
        return scaleIn(Unit::Millisecond);
    return longest >= 1'000'000 ? scaleIn(Unit::Millisecond, 2) : scaleIn(Unit::Microsecond);
}

// Returns the scale in ms. It has at least as many decimals as the scale of timesBySize().
Scale timesInMilliseconds(std::int64_t longest)
{
    if (longest >= 10'000'000)
        return scaleIn(Unit::Millisecond);
    return scaleIn(Unit::Millisecond, longest >= 1'000'000 ? 2 : 4);
}

// Returns the scale in GiB. If `largest` is at least 1.1 kB, at least three digits of it are shown.
Scale memoryInGiB(std::int64_t largest)
{
    if (largest >= kGiB / 2)
        return scaleIn(Unit::GiB, 2);
    int decimals = 3;
    for (std::int64_t least = kGiB / 10; decimals < 8 && largest < least; least /= 10)
        ++decimals;
    return scaleIn(Unit::GiB, decimals);
}

// Atomic as a whole: both enumerators fit in one word, so a thread never reads an old value of one
// and a new value of the other.
std::atomic<Units> chosenUnits = Units{};

} // namespace

Units units()
{
    return chosenUnits;
}

void setUnits(Units units)
{
    chosenUnits = units;
}

QString number(double value, int decimals)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    QString digits = grouped(QString::number(std::abs(value), 'f', decimals));
    const bool isZero = std::abs(value) < 0.5 * std::pow(10.0, -decimals);
    return value < 0 && !isZero ? kMinus + digits : digits;
}

QString signedNumber(double value, int decimals)
{
    if (std::abs(value) < 0.5 * std::pow(10.0, -decimals))
        return QStringLiteral("0");
    return value > 0 ? QLatin1Char('+') + number(value, decimals) : number(value, decimals);
}

QString percent(double share, int decimals)
{
    if (!std::isfinite(share))
        return QStringLiteral("unknown");
    return number(share * 100, decimals) + kNarrowSpace + QLatin1Char('%');
}

QString bubbleText(const profiler::RunMetrics& metrics)
{
    return percent(metrics.bubbleRatio);
}

QString bubbleNumber(const profiler::RunMetrics& metrics)
{
    return number(100 * metrics.bubbleRatio, 1);
}

QString signedPercent(double share, int decimals)
{
    return signedNumber(share * 100, decimals) + kNarrowSpace + QLatin1Char('%');
}

QString factorText(double factor)
{
    return number(factor, 2) + QStringLiteral("×");
}

QString takesText(double seconds)
{
    if (seconds < 10)
        return QCoreApplication::translate("app", "about %1 s").arg(number(seconds, 1));
    if (seconds < 100)
        return QCoreApplication::translate("app", "about %1 s").arg(number(seconds, 0));
    const double minutes = seconds / 60, hours = minutes / 60;
    if (minutes < 100)
        return QCoreApplication::translate("app", "about %1 min").arg(number(minutes, 0));
    return QCoreApplication::translate("app", "about %1 h").arg(number(hours, hours < 10 ? 1 : 0));
}

QString remainingTime(double seconds)
{
    return QCoreApplication::translate("app", "%1 left").arg(takesText(seconds));
}

QString countOf(std::int64_t count, const char* one)
{
    const QString noun = QString::fromUtf8(one);
    return number(static_cast<double>(count), 0) + QLatin1Char(' ')
        + (count == 1 ? noun : noun + QLatin1Char('s'));
}

std::optional<double> decimal(QString text)
{
    bool isNumber = false;
    const double value
        = text.replace(QLatin1Char(','), QLatin1Char('.')).trimmed().toDouble(&isNumber);
    return isNumber && value >= 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Scale Scale::shown() const
{
    if (m_what == Of::Other)
        return *this;
    const Units chosen = units();
    const Scale scale = m_what == Of::Times
        ? (chosen.times == TimeUnits::BySize ? timesBySize(m_largest)
                                             : timesInMilliseconds(m_largest))
        : (chosen.memory == MemoryUnits::BySize ? dataScale(m_largest) : memoryInGiB(m_largest));
    return scale.finer(m_decimals);
}

QString Scale::text(double value) const
{
    const Scale scale = shown();
    return number(value / scale.m_perUnit, scale.m_decimals);
}

QString Scale::difference(double value) const
{
    const Scale scale = shown();
    return signedNumber(value / scale.m_perUnit, scale.m_decimals);
}

Scale Scale::finer(int moreDecimals) const
{
    Scale scale = *this;
    scale.m_decimals += moreDecimals;
    return scale;
}

Scale scaleIn(Unit unit, int decimals)
{
    struct Known
    {
        double perUnit;
        const char* name;
    };
    static constexpr Known kKnown[]
        = {{1e3, "µs"},   {1e6, "ms"}, {1e9, "s"},  {kKiB, "KiB"}, {kMiB, "MiB"},
           {kGiB, "GiB"}, {1e6, "MB"}, {1e9, "GB"}, {1e9, "GB/s"}};
    const Known& known = kKnown[static_cast<std::size_t>(unit)];
    return {known.perUnit, decimals, QString::fromUtf8(known.name)};
}

QString labelled(const QString& label, Unit unit)
{
    return label.arg(scaleIn(unit).unit());
}

Scale timeScale(const engine::RunInfo& info, std::int64_t longest)
{
    if (info.inUnits()) {
        const bool oneDecimalIsExact = 10 % info.ticksPerUnit == 0;
        return {static_cast<double>(info.ticksPerUnit), oneDecimalIsExact ? 1 : 2,
                QStringLiteral("units")};
    }
    return timeScale(longest);
}

Scale timeScale(std::int64_t longest)
{
    return {Scale::Of::Times, longest};
}

Scale byteScale(std::int64_t largest)
{
    return {Scale::Of::Memory, largest};
}

Scale dataScale(std::int64_t largest)
{
    if (largest >= kGiB / 2)
        return scaleIn(Unit::GiB, 2);
    return largest >= kMiB / 10 ? scaleIn(Unit::MiB, 2) : scaleIn(Unit::KiB);
}

QString durationText(const engine::RunInfo& info, std::int64_t ticks)
{
    return timeScale(info, ticks).withUnit(ticks);
}

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("RunTexts", text);
}

} // namespace

QString shortTitle(const QString& title)
{
    return title.section(QStringLiteral(" ("), 0, 0);
}

QString unitsText(double units)
{
    QString text = number(units, 2);
    while (text.endsWith(QLatin1Char('0')) && text.contains(QLatin1Char('.')))
        text.chop(1);
    if (text.endsWith(QLatin1Char('.')))
        text.chop(1);
    return text;
}

QString timeText(std::int64_t ticks, const engine::RunInfo& info)
{
    if (!info.inUnits())
        return timeScale(info, ticks).withUnit(static_cast<double>(ticks));
    const double units = static_cast<double>(ticks) / static_cast<double>(info.ticksPerUnit);
    return unitsText(units) + QStringLiteral(" units");
}

QString schemeTitle(const QString& name)
{
    const engine::Scheme* scheme = engine::findScheme(name.toStdString());
    return scheme == nullptr ? name : shortTitle(fromUtf8(scheme->title));
}

QString toolTipText(const QString& text)
{
    constexpr qsizetype kMost = 4096;
    QString shown = text.size() <= kMost ? text : text.left(kMost) + QString::fromUtf8("…");
    if (!shown.contains(QLatin1Char('<')) && !shown.contains(QLatin1Char('&')))
        return shown;
    return QStringLiteral("<qt>%1</qt>")
        .arg(shown.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")));
}

QString capitalized(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString uncapitalized(QString label)
{
    if (label.size() > 1 && label.at(1).isLower())
        label[0] = label.at(0).toLower();
    return label;
}

QString withoutUnit(const QString& label)
{
    return label.section(QLatin1String(", "), 0, 0);
}

QString quotedCell(const QString& text)
{
    return QString::fromStdString(engine::csvCell(text.toStdString()));
}

QString menuText(QString text)
{
    return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString withoutMnemonic(QString menuText)
{
    for (qsizetype at = menuText.indexOf(QLatin1Char('&')); at >= 0;
         at = menuText.indexOf(QLatin1Char('&'), at + 1))
        menuText.remove(at, 1); // of "&&" the second one stays
    return menuText;
}

QString shapeText(const engine::Run& run)
{
    const engine::Shape& shape = run.schedule.shape;
    const QString devices = QStringLiteral("D %1").arg(shape.devices);
    return engine::knowsMicroBatches(run.info)
        ? devices + QStringLiteral(", N %1").arg(shape.microBatches)
        : devices;
}

QString opName(const engine::Op& op)
{
    QString name = QString::fromStdString(engine::toString(op));
    if (op.kind == engine::OpKind::Recompute)
        name.replace(fromUtf8(engine::kindName(op.kind)), fromUtf8(engine::kindShortName(op.kind)));
    return name;
}

QString opName(const engine::RunInfo& info, const engine::Op& op)
{
    const bool stages = engine::knowsStages(info), microBatches = engine::knowsMicroBatches(info);
    if (stages && microBatches)
        return opName(op);
    QString name = fromUtf8(engine::kindShortName(op.kind));
    if (stages && op.stage.isValid())
        name.prepend(QString::number(op.stage.value));
    if (microBatches && op.microBatch.isValid())
        name += QString::number(op.microBatch.value);
    return name;
}

QString stagesText(const engine::Run& run, engine::DeviceId device)
{
    if (!engine::knowsStages(run.info))
        return translated("unknown");
    std::set<int> stages;
    for (const auto& placement : run.schedule.deviceOf)
        for (const engine::StageId stage : placement.ids())
            if (placement[stage] == device)
                stages.insert(stage.value);
    QStringList text;
    for (const int stage : stages)
        text.append(QString::number(stage));
    return text.join(QStringLiteral(", "));
}

QString deviceText(const engine::Run& run, engine::DeviceId device)
{
    const QString stages = stagesText(run, device);
    const QString text = stages.contains(QLatin1Char(',')) ? translated("stages %1").arg(stages)
                                                           : translated("stage %1").arg(stages);
    return hasTrace(run, device) ? text : text + translated(", no trace");
}

namespace {

constexpr double kSmaller = 0.75, kLower = 0.2; // relative to the font size

const QString kSymbol = QStringLiteral("Mθ");

QFont smaller(QFont font)
{
    font.setPixelSize(qRound(font.pixelSize() * kSmaller));
    return font;
}

} // namespace

int subscriptedWidth(const QFont& font, const QString& text)
{
    const auto width = [](const QFont& of, const QString& part) {
        return QFontMetrics(of).horizontalAdvance(part);
    };
    const qsizetype at = text.indexOf(kSymbol);
    if (at < 0)
        return width(font, text);
    return width(font, text.left(at + 1)) + width(smaller(font), kSymbol.mid(1))
        + width(font, text.mid(at + 2));
}

QString subscriptedHtml(const QString& text)
{
    return text.toHtmlEscaped().replace(kSymbol, QStringLiteral("M<sub>θ</sub>"));
}

void drawSubscripted(QPainter& painter, const QRectF& box, Qt::Alignment alignment,
                     const QString& text)
{
    const QFont font = painter.font();
    const qsizetype at = text.indexOf(kSymbol);
    const int wanted = subscriptedWidth(font, text);
    if (at < 0 || wanted > box.width()) {
        painter.drawText(box, static_cast<int>(alignment),
                         painter.fontMetrics().elidedText(text, Qt::ElideRight,
                                                          static_cast<int>(box.width()) + 1));
        return;
    }
    const QFontMetrics metrics(font);
    double x = alignment.testFlag(Qt::AlignRight) ? box.right() - wanted : box.left();
    const double base = alignment.testFlag(Qt::AlignVCenter)
        ? std::round(box.center().y() + (metrics.ascent() - metrics.descent()) / 2.0)
        : box.top() + metrics.ascent();
    const auto put = [&](const QFont& with, const QString& part, double lower) {
        painter.setFont(with);
        painter.drawText(QPointF(x, base + lower), part);
        x += painter.fontMetrics().horizontalAdvance(part);
    };
    put(font, text.left(at + 1), 0);
    put(smaller(font), kSymbol.mid(1), font.pixelSize() * kLower);
    put(font, text.mid(at + 2), 0);
    painter.setFont(font);
}

namespace {

// Titles of columns of the window that differ from those of the measures.
constexpr std::pair<const char*, const char*> kOtherTitles[]{{"exposed communication", "exposed"},
                                                             {"stash", "peak stash"},
                                                             {"peak", "peak memory"},
                                                             {"sent / received", "messages"},
                                                             {"local", "local copies"}};

const profiler::MeasureInfo* measureTitled(const QString& title)
{
    QString key = title.toLower();
    if (key != QStringLiteral("bubble, %"))
        key = key.section(QStringLiteral(", "), 0, 0);
    for (const auto& [own, of] : kOtherTitles)
        if (key == QLatin1String(own))
            key = QLatin1String(of);
    return profiler::definitionTitled(key.toStdString());
}

} // namespace

QString definitionText(const QString& title, const QString& value)
{
    const profiler::MeasureInfo* measure = measureTitled(title);
    if (measure == nullptr)
        return {};
    QString text = QStringLiteral("%1 = %2\n%3\n")
                       .arg(fromUtf8(measure->title), fromUtf8(measure->formula),
                            fromUtf8(measure->meaning));
    if (!value.isEmpty())
        text += QCoreApplication::translate("Definitions", "This run: %1\n").arg(value);
    return text
        + QCoreApplication::translate("Definitions", "Source: %1")
              .arg(fromUtf8(profiler::sourceOf(*measure)));
}

QString measureText(const profiler::Reading& value, const profiler::MeasureInfo& of)
{
    const auto amount = value.number();
    if (amount && of.unit == profiler::Unit::Bytes)
        return bytesText(*amount);
    if (amount && of.unit == profiler::Unit::Share)
        return percent(*amount);
    if (amount && of.unit == profiler::Unit::Activations)
        return number(*amount, 1) + QString::fromUtf8(" Mₐ");
    if (amount && of.unit == profiler::Unit::Weights)
        return number(*amount, 1) + QString::fromUtf8(" Mθ");
    if (amount && of.unit == profiler::Unit::None && *amount >= 1000)
        return number(*amount, 0);
    if (!amount || of.unit != profiler::Unit::Time || of.decimals >= 0)
        return fromUtf8(profiler::readingText(value, of));
    engine::RunInfo info;
    info.ticksPerUnit = value.ticksPerUnit;
    return durationText(info, std::llround(*amount));
}

} // namespace app
