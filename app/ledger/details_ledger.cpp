#include "app/ledger/details_ledger.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include <cmath>

namespace app {
namespace {

QString ledgerText(const char* source)
{
    return QCoreApplication::translate("Ledger", source);
}

DetailsSection resultsSection(const LedgerRun& run)
{
    DetailsSection section;
    section.title = ledgerText("Results");
    const Scale time = run.time();
    if (run.least && run.most)
        section.add(ledgerText("95 % interval, %1").arg(time.unit()),
                    ledgerText("%1 to %2").arg(time.text(*run.least), time.text(*run.most)));
    if (run.bubble)
        section.add(ledgerText("Bubble"), percent(*run.bubble));
    if (run.peakBytes)
        section.add(ledgerText("Peak memory"),
                    byteScale(std::llround(*run.peakBytes)).withUnit(*run.peakBytes));
    if (run.tokensPerSecond)
        section.add(ledgerText("Tokens/s"), number(*run.tokensPerSecond, 0));
    if (run.lossFirst && run.lossLast)
        section.add(
            ledgerText("Loss"),
            QStringLiteral("%1 → %2").arg(number(*run.lossFirst, 3), number(*run.lossLast, 3)));
    return section;
}

DetailsSection parametersSection(const LedgerRun& run)
{
    DetailsSection section;
    section.title = ledgerText("Parameters");
    for (const auto& [title, value] : run.settings)
        if (!value.isEmpty())
            section.add(settingTitle(title), value);
    return section;
}

DetailsSection fileSection(const LedgerRun& run)
{
    const QFileInfo file(run.file);
    DetailsSection section;
    section.title = ledgerText("File");
    if (run.bytes > 0)
        section.add(ledgerText("Size"),
                    dataScale(run.bytes).withUnit(static_cast<double>(run.bytes)));
    section.add(ledgerText("Name"), file.fileName());
    section.add(ledgerText("Folder"),
                run.isTrashed() ? ledgerText("trash, from %1").arg(run.origin)
                                : file.absolutePath());
    if (run.started.isValid())
        section.add(
            ledgerText("Recorded"),
            QLocale::c().toString(run.started.toLocalTime(), QStringLiteral("d MMM yyyy, HH:mm")));
    return section;
}

} // namespace

Details describeLedgerRun(const LedgerRun& run)
{
    Details details;
    details.title = run.title();
    if (run.iteration) {
        details.value = run.time().text(*run.iteration);
        details.unit = run.time().unit();
    }
    details.right = run.state;
    details.left = run.mode;
    if (!run.label.isEmpty() && run.label != run.title())
        details.left += details.left.isEmpty() ? run.label : QStringLiteral(", ") + run.label;
    details.sentence = run.problem.toHtmlEscaped();
    for (DetailsSection& section :
         std::vector{resultsSection(run), parametersSection(run), fileSection(run)})
        if (!section.rows.empty())
            details.sections.push_back(std::move(section));
    return details;
}

} // namespace app
