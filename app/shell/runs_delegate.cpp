#include "app/shell/runs_delegate.h"

#include "app/documents/runs_model.h"
#include "app/shell/grouped_runs.h"
#include "app/ui/icons.h"

#include <QFontMetrics>
#include <QMouseEvent>
#include <QPainter>

namespace app {
namespace {

constexpr int kTextLeft = 32, kPadding = 10;

void drawLine(QPainter& painter, const QRect& row, const QString& left, const QString& right)
{
    const QFontMetrics metrics(painter.font());
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, right);
    const int room = row.width() - metrics.horizontalAdvance(right) - 6;
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(left, Qt::ElideRight, room));
}

void paintGrip(QPainter& painter, const QRect& box, const QColor& colour)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 2; ++column)
            painter.fillRect(box.left() + 3 + 5 * column, box.top() + 2 + 4 * row, 2, 2, colour);
}

} // namespace

RunsDelegate::RunsDelegate(const ThemeController& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{ }

QSize RunsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    if (index.data(GroupedRuns::HeaderRole).toBool())
        return {200, 28};
    return {200, index.data(RunsModel::RunningRole).toBool() ? 48 : 40};
}

QRect RunsDelegate::checkBox(const QRect& row)
{
    return {row.left() + 10, row.top() + 7, 14, 14};
}

void RunsDelegate::paintCheck(QPainter& painter, const QRect& row, const QModelIndex& index) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const int state = index.data(Qt::CheckStateRole).toInt();
    const bool isChecked = state != Qt::Unchecked;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isChecked ? chrome.primary : chrome.lineStrong);
    painter.setBrush(isChecked ? chrome.primary : chrome.surface);
    painter.drawRoundedRect(QRectF(checkBox(row)).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    if (state == Qt::PartiallyChecked)
        painter.fillRect(QRectF(checkBox(row)).adjusted(3, 6, -3, -6), chrome.primaryText);
    else if (isChecked)
        paintIcon(painter, Icon::Check, QRectF(checkBox(row)).adjusted(1, 1, -1, -1),
                  chrome.primaryText);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void RunsDelegate::paintTexts(QPainter& painter, const QRect& row, const QModelIndex& index,
                              bool isSelected) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const QRect text = row.adjusted(kTextLeft, 0, -kPadding, 0);
    if (index.data(GroupedRuns::HeaderRole).toBool()) {
        painter.setFont(uiFont(12, QFont::Medium));
        painter.setPen(chrome.text);
        drawLine(painter, text, index.data().toString(),
                 index.data(RunsModel::ValueRole).toString());
        return;
    }
    painter.setFont(uiFont(13, isSelected ? QFont::Medium : QFont::Normal));
    painter.setPen(chrome.text);
    drawLine(painter, QRect(text.left(), row.top() + 4, text.width(), 18), index.data().toString(),
             index.data(RunsModel::ValueRole).toString());
    painter.setFont(uiFont(11));
    painter.setPen(isSelected ? chrome.text2 : chrome.text3);
    drawLine(painter, QRect(text.left(), row.top() + 21, text.width(), 15),
             index.data(RunsModel::SubtitleRole).toString(),
             index.data(RunsModel::ModeRole).toString());
    const double progress = index.data(RunsModel::ProgressRole).toDouble();
    if (progress < 0)
        return;
    const QRect bar(text.left(), row.top() + 40, text.width(), 3);
    painter.fillRect(bar, chrome.pressed);
    painter.fillRect(QRect(bar.topLeft(), QSize(qRound(bar.width() * progress), 3)), chrome.text);
}

void RunsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    const bool isSelected = option.state & QStyle::State_Selected;
    painter->save();
    if (isSelected)
        painter->fillRect(option.rect, chrome.selected);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, chrome.hover);
    if (index.data(RunsModel::QueuedRole).toBool())
        paintGrip(*painter, checkBox(option.rect), chrome.text3);
    else if (index.data(RunsModel::RunningRole).toBool())
        paintIcon(*painter, Icon::Run, QRectF(checkBox(option.rect)), chrome.text);
    else
        paintCheck(*painter, option.rect, index);
    paintTexts(*painter, option.rect, index, isSelected);
    painter->restore();
}

// Only a click on the check mark ticks a run; elsewhere a click opens it.
bool RunsDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                               const QStyleOptionViewItem& option, const QModelIndex& index)
{
    if (event->type() != QEvent::MouseButtonRelease)
        return false;
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QRect target = checkBox(option.rect).adjusted(-8, -6, 6, 14);
    if (!target.contains(mouse->position().toPoint()) || index.data(RunsModel::RunningRole).toBool()
        || index.data(RunsModel::QueuedRole).toBool())
        return false;
    const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, isChecked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace app
