#include "app/ledger/ledger_facet.h"

#include <QCoreApplication>

#include <algorithm>

namespace app {

QString LedgerFacet::title() const
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Ledger", source); };
    switch (kind) {
    case Kind::Starred:
        return text("Starred");
    case Kind::Open:
        return text("Open now");
    case Kind::Failed:
        return text("Failed");
    case Kind::Imported:
        return text("Imported");
    case Kind::Trash:
        return text("Trash");
    case Kind::Tag:
        return tag;
    case Kind::All:
        break;
    }
    return text("All runs");
}

bool LedgerFacet::contains(const LedgerRun& run, const QStringList& openFiles) const
{
    if (run.isTrashed() || kind == Kind::Trash)
        return run.isTrashed() && kind == Kind::Trash;
    switch (kind) {
    case Kind::Starred:
        return run.isStarred;
    case Kind::Open:
        return openFiles.contains(run.file);
    case Kind::Failed:
        return run.isFailed();
    case Kind::Imported:
        return run.mode == QStringLiteral("imported");
    case Kind::Tag:
        return run.tags.contains(tag);
    default:
        return true;
    }
}

std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles)
{
    using Kind = LedgerFacet::Kind;
    std::vector<LedgerFacet> facets;
    for (const Kind kind :
         {Kind::All, Kind::Starred, Kind::Open, Kind::Failed, Kind::Imported, Kind::Trash})
        facets.push_back({kind, {}, 0});
    QStringList tags;
    for (const LedgerRun& run : runs)
        if (!run.isTrashed())
            tags += run.tags;
    tags.removeDuplicates();
    tags.sort(Qt::CaseInsensitive);
    for (const QString& tag : tags)
        facets.push_back({Kind::Tag, tag, 0});
    for (LedgerFacet& facet : facets)
        facet.count = static_cast<int>(std::ranges::count_if(
            runs, [&](const LedgerRun& run) { return facet.contains(run, openFiles); }));
    return facets;
}

} // namespace app
