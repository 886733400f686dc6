#pragma once

#include "app/documents/ledger_run.h"

#include <cstdint>

namespace app {

// A group to which the list of runs can be limited. Only the group Trash contains runs in the
// trash.
struct LedgerFacet
{
    enum class Kind : std::uint8_t { All, Starred, Open, Failed, Imported, Trash, Tag };

    Kind kind = Kind::All;
    QString tag;   // for Kind::Tag
    int count = 0; // number of runs in the group

    QString title() const;
    // Whether both facets select the same group. Ignores the counts.
    bool isSame(const LedgerFacet& other) const { return kind == other.kind && tag == other.tag; }
    bool contains(const LedgerRun& run, const QStringList& openFiles) const;
};

// Returns all facets with their counts: first the fixed ones, then one for each tag, sorted by
// name.
std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles);

} // namespace app
