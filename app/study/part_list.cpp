#include "app/study/part_list.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace app {

PartList::PartList(const ThemeController& theme, const QString& title, const QString& addText,
                   const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_name(name)
    , m_rows(spaced(new QVBoxLayout, {}, 4))
{
    auto* add = makeButton(addText, name + QStringLiteral("Add"), "tool");
    connect(add, &QPushButton::clicked, this, [this] { Q_EMIT editRequested(m_count); });
    spaced(new QVBoxLayout(this), {}, 6,
           {makeLabel(title, "section"), m_rows, spaced(new QHBoxLayout, {}, 0, {add, kStretch})});
}

void PartList::show(const std::vector<Part>& parts)
{
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    m_count = 0;
    for (const Part& part : parts)
        addPart(part, m_count++);
}

void PartList::addPart(const Part& part, std::size_t index)
{
    const QString name = m_name + QString::number(index);
    auto* edit = makeButton(part.title, name, "link");
    edit->setToolTip(toolTipText(part.tip));
    edit->setAccessibleDescription(part.tip);
    edit->setMinimumWidth(1); // lets a narrow column clip the text
    edit->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* remove = makeIconButton((name + QStringLiteral("Remove")).toLatin1(), Icon::Close,
                                  tr("Remove %1").arg(part.title), m_theme);
    auto* row = new QWidget;
    spaced(new QHBoxLayout(row), {}, 4, {{edit, 1}, remove});
    m_rows->addWidget(row);
    connect(edit, &QPushButton::clicked, this, [this, index] { Q_EMIT editRequested(index); });
    connect(remove, &QToolButton::clicked, this, [this, index] { Q_EMIT removeRequested(index); });
}

} // namespace app
