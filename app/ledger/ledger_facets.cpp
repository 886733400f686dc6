#include "app/ledger/ledger_facets.h"

#include "app/ui/text.h"
#include "app/ui/theme.h"

#include <QHeaderView>
#include <QSignalBlocker>

namespace app {
namespace {

constexpr int kFacetRole = Qt::UserRole; // position in the list of facets; headings have none

QTreeWidgetItem* makeHeading(const QString& text)
{
    auto* item = new QTreeWidgetItem({text});
    item->setFlags(Qt::NoItemFlags);
    item->setFont(0, uiFont(12, QFont::Medium));
    return item;
}

} // namespace

LedgerFacets::LedgerFacets(QWidget* parent)
    : QTreeWidget(parent)
{
    setColumnCount(2);
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setFrameShape(QFrame::NoFrame);
    setIndentation(0);
    setProperty("kind", QStringLiteral("lines"));
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(this, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item != nullptr)
            Q_EMIT chosen();
    });
}

void LedgerFacets::show(std::vector<LedgerFacet> facets)
{
    const LedgerFacet before = current();
    const QSignalBlocker silent(this);
    clear();
    m_facets = std::move(facets);
    QTreeWidgetItem* chosenItem = nullptr;
    bool hasTags = false;
    for (std::size_t i = 0; i < m_facets.size(); ++i) {
        const LedgerFacet& facet = m_facets[i];
        if (facet.kind == LedgerFacet::Kind::Tag && !std::exchange(hasTags, true))
            addTopLevelItem(makeHeading(tr("Tags")));
        auto* item = new QTreeWidgetItem({facet.title(), QString::number(facet.count)});
        item->setToolTip(0, toolTipText(facet.title()));
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(0, kFacetRole, static_cast<int>(i));
        addTopLevelItem(item);
        if (chosenItem == nullptr || facet.isSame(before))
            chosenItem = item;
    }
    setCurrentItem(chosenItem);
}

LedgerFacet LedgerFacets::current() const
{
    const QTreeWidgetItem* item = currentItem();
    const QVariant at = item == nullptr ? QVariant() : item->data(0, kFacetRole);
    return at.isValid() ? m_facets[static_cast<std::size_t>(at.toInt())] : LedgerFacet();
}

} // namespace app
