#pragma once

#include "app/ui/theme.h"

#include <QStyledItemDelegate>

namespace app {

// Draws a row of the runs dock, 40 px high: check mark, name, value, subtitle and mode, and 3 px of
// progress while the run is running.
class RunsDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    RunsDelegate(const ThemeController& theme, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    static QRect checkBox(const QRect& row);

protected:
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    void paintCheck(QPainter& painter, const QRect& row, const QModelIndex& index) const;
    void paintTexts(QPainter& painter, const QRect& row, const QModelIndex& index,
                    bool isSelected) const;

    const ThemeController& m_theme;
};

} // namespace app
