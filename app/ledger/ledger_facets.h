#pragma once

#include "app/ledger/ledger_facet.h"

#include <QTreeWidget>

namespace app {

// The groups of runs, with the number of runs in each. The current group selects which runs are
// listed.
class LedgerFacets : public QTreeWidget
{
    Q_OBJECT

public:
    explicit LedgerFacets(QWidget* parent = nullptr);

    // Keeps the current facet, or makes the first one current if it no longer exists.
    void show(std::vector<LedgerFacet> facets);
    using QWidget::show;
    LedgerFacet current() const;

Q_SIGNALS:
    void chosen();

private:
    std::vector<LedgerFacet> m_facets; // in the order of the items, without headings
};

} // namespace app
