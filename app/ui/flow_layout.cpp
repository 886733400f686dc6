#include "app/ui/flow_layout.h"

#include <algorithm>

namespace app {

FlowLayout::FlowLayout(int spacing, QWidget* parent)
    : QLayout(parent)
{
    setContentsMargins({});
    setSpacing(spacing);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

template<class Place>
int FlowLayout::arrange(int width, const Place& place) const
{
    int x = 0, y = 0, line = 0;
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint().boundedTo(QSize(width, QLAYOUTSIZE_MAX));
        if (x > 0 && x + size.width() > width) {
            x = 0;
            y += line + spacing();
            line = 0;
        }
        place(item, QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        line = std::max(line, size.height());
    }
    return y + line;
}

int FlowLayout::heightForWidth(int width) const
{
    return arrange(width, [](QLayoutItem*, const QRect&) {});
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size;
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    arrange(rect.width(), [&rect](QLayoutItem* item, const QRect& place) {
        item->setGeometry(place.translated(rect.topLeft()));
    });
}

} // namespace app
