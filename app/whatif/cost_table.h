#pragma once

#include "app/ui/data_table.h"

namespace app {

// Draws an edited cell with a frame and its measured value struck through. Accepts numbers above 0;
// a refused number stays in the field, with a frame in the error colour.
class CostDelegate : public CellDelegate
{
    Q_OBJECT

public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
};

// The measured times of the stages; F2, Enter or a double click edits a cell.
class CostTable : public DataTable
{
    Q_OBJECT

public:
    explicit CostTable(const ThemeController& theme, QWidget* parent = nullptr);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace app
