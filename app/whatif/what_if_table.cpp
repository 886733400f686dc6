#include "app/whatif/what_if_table.h"

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/table_roles.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <cmath>

namespace app {
namespace {

constexpr int kSchemeRow = 26, kBarsWidth = 110, kBarHeight = 8, kBarsPadding = 9;

// Draws the interval as a bar, the prediction as a line and the measured iteration as a dashed
// line. Unknown intervals have no bar.
class IntervalDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        CellDelegate::paint(painter, option, index);
        const QVariant stored = index.data(kIntervalRole);
        if (!stored.isValid())
            return;
        const auto interval = stored.value<Interval>();
        const Chrome& chrome = theme().chrome;
        const QRectF area = QRectF(option.rect).adjusted(kBarsPadding, 0, -kBarsPadding, 0);
        const auto x = [&](double share) { return std::round(area.left() + share * area.width()); };
        const double middle = std::round(area.center().y());
        const QRectF bar(x(interval.least), middle - kBarHeight / 2,
                         std::max(2.0, x(interval.most) - x(interval.least)), kBarHeight);
        painter->save();
        QPen measured(chrome.text, 1);
        measured.setDashPattern({3, 2});
        painter->setPen(measured);
        const double baseline = x(interval.baseline) + 0.5;
        painter->drawLine(QPointF(baseline, option.rect.top()),
                          QPointF(baseline, option.rect.bottom()));
        if (interval.isKnown)
            painter->fillRect(bar, toQt(theme().palette.gradients));
        painter->fillRect(QRectF(x(interval.value) - 1, middle - 7, 2, 14),
                          interval.isKnown ? chrome.text : chrome.text3);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {kBarsWidth, option.rect.height()};
    }
};

} // namespace

WhatIfTable::WhatIfTable(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_view(named(new DataTable(theme, kSchemeRow), "whatIfTable",
                   tr("All schemes with the measured times")))
    , m_summary(named(makeLabel({}, "hint"), "whatIfSummary"))
    , m_progress(named(makeLabel({}, "hint"), "whatIfProgress"))
{
    using enum WhatIfModel::Column;
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the first column shrinks
    m_view->setItemDelegateForColumn(static_cast<int>(Bars), new IntervalDelegate(theme, m_view));
    auto* head = makeBar(32, 8,
                         {makeLabel(tr("All schemes with these times"), "dock"),
                          new Tag(theme, tr("simulated")), kStretch, m_progress, m_summary});
    spaced(new QVBoxLayout(this), {}, 0,
           {makeLine(Qt::Horizontal), head, makeLine(Qt::Horizontal), {m_view, 1}});
}

void WhatIfTable::setModel(WhatIfModel* model)
{
    m_model = model;
    m_view->setModel(model);
    using enum WhatIfModel::Column;
    m_view->setDispensable({static_cast<int>(Fits), static_cast<int>(Range),
                            static_cast<int>(Memory), static_cast<int>(Bubble)});
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid() && !m_isChoosing)
                    Q_EMIT chosen(m_model->at(row.row()).scheme);
            });
    connect(m_view, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT openRequested(m_model->at(index.row()).scheme);
    });
    showSummary();
}

void WhatIfTable::choose(const QString& scheme)
{
    const int row = m_model->rowOf(scheme);
    m_isChoosing = true;
    if (row >= 0 && m_view->currentIndex().row() != row)
        m_view->selectRow(row);
    m_isChoosing = false;
}

void WhatIfTable::showProgress(int intervals, int all)
{
    m_progress->setText(intervals < all ? tr("intervals: %1 of %2").arg(intervals).arg(all)
                                        : QString());
}

QString WhatIfTable::summary() const
{
    const auto all = static_cast<std::int64_t>(m_model->rowCount());
    return m_model->memoryLimit() > 0
        ? tr("%1 of %2 fit, shortest first").arg(m_model->fitting()).arg(countOf(all, "prediction"))
        : tr("%1 of %2 possible, shortest first")
              .arg(m_model->fitting())
              .arg(countOf(all, "prediction"));
}

void WhatIfTable::showSummary()
{
    m_summary->setText(m_model->fitting() > 0 ? summary() : QString());
}

} // namespace app
