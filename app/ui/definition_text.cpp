#include "app/ui/definition_text.h"

#include "app/ui/text.h"
#include "profiler/analysis/run_measures.h"

#include <QCoreApplication>

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

} // namespace app
