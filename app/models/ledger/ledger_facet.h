#pragma once

#include "app/models/ledger/ledger_run.h"

#include <cstdint>

namespace app {

// A group of runs of the ledger. Every group except Trash leaves out runs in the trash.
struct LedgerFacet
{
    enum class Kind : std::uint8_t { All, Starred, Open, Failed, Imported, Trash, Tag };

    Kind kind = Kind::All;
    QString tag;   // of Kind::Tag
    int count = 0; // number of its runs

    QString title() const;
    // Compares what the facet selects, not its count.
    bool isSame(const LedgerFacet& other) const { return kind == other.kind && tag == other.tag; }
    bool contains(const LedgerRun& run, const QStringList& openFiles) const;
};

// All facets with their counts: the fixed ones, then the tags by name.
std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles);

} // namespace app
