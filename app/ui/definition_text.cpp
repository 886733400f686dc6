#include "app/ui/definition_text.h"

#include "app/ui/text.h"
#include "profiler/report/definitions.h"

#include <QCoreApplication>

namespace app {

QString definitionText(const QString& title, const QString& value)
{
    const profiler::Definition* found = profiler::findDefinition(title.toStdString());
    if (found == nullptr)
        return {};
    QString text
        = QStringLiteral("%1 = %2\n%3\n")
              .arg(fromUtf8(found->term), fromUtf8(found->formula), fromUtf8(found->meaning));
    if (!value.isEmpty())
        text += QCoreApplication::translate("Definitions", "This run: %1\n").arg(value);
    return text
        + QCoreApplication::translate("Definitions", "Source: %1").arg(fromUtf8(found->source));
}

} // namespace app
