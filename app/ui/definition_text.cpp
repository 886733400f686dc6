#include "app/ui/definition_text.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "profiler/analysis/run_measures.h"

#include <QCoreApplication>

#include <cmath>
#include <utility>

namespace app {
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
