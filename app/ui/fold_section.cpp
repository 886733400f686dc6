#include "app/ui/fold_section.h"

#include "app/ui/controls.h"

#include <QVBoxLayout>

#include <utility>

namespace app {

FoldSection::FoldSection(QString title, const QString& objectName, QWidget* parent)
    : QWidget(parent)
    , m_title(std::move(title))
    , m_button(makeButton({}, objectName, "link"))
    , m_content(new QWidget)
    , m_rows(spaced(new QVBoxLayout(m_content), QMargins(), 6))
{
    spaced(new QVBoxLayout(this), QMargins(), 6, {{m_button, 0, Qt::AlignLeft}, m_content});
    connect(m_button, &QPushButton::clicked, this, [this] { setOpen(!isOpen()); });
    setOpen(false);
}

bool FoldSection::isOpen() const
{
    return !m_content->isHidden();
}

void FoldSection::setOpen(bool open)
{
    m_content->setVisible(open);
    m_button->setText((open ? QStringLiteral("\u25be ") : QStringLiteral("\u25b8 ")) + m_title);
    m_button->setAccessibleDescription(open ? tr("open") : tr("closed"));
}

} // namespace app
