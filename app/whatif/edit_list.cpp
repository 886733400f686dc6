#include "app/whatif/edit_list.h"

#include "app/ui/controls.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace app {

EditList::EditList(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_rows(spaced(new QVBoxLayout(this), {14, 0, 8, 8}, 0))
{
    setObjectName(QStringLiteral("whatIfEdits"));
    setAccessibleName(tr("Edits"));
    m_rows->addWidget(makeLabel(tr("Edits"), "dock"));
    hide();
}

// Deletes the old rows later, because a click on one of their buttons may call this function.
void EditList::show(const std::vector<WhatIfEdit>& edits)
{
    const bool hadFocus = isAncestorOf(focusWidget());
    if (m_content != nullptr) {
        m_content->hide();
        m_content->deleteLater();
    }
    m_content = new QWidget;
    spaced(new QVBoxLayout(m_content), {}, 0);
    m_rows->addWidget(m_content);
    int number = 0;
    for (const WhatIfEdit& edit : edits)
        addRow(edit, number++);
    setVisible(!edits.empty());
    if (auto* first = m_content->findChild<QToolButton*>(); hadFocus && first != nullptr)
        first->setFocus();
}

void EditList::addRow(const WhatIfEdit& edit, int number)
{
    auto* remove = makeIconButton("", Icon::Close, tr("Remove %1").arg(edit.text), m_theme);
    remove->setObjectName(QStringLiteral("removeEdit%1").arg(number));
    remove->setFocusPolicy(Qt::StrongFocus);
    connect(remove, &QToolButton::clicked, this,
            [this, rest = edit.without] { Q_EMIT removed(rest); });
    auto* text = makeLabel(edit.text);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    static_cast<QVBoxLayout*>(m_content->layout())
        ->addLayout(spaced(new QHBoxLayout, {}, 8, {{text, 1}, remove}));
}

QStringList EditList::texts() const
{
    QStringList all;
    if (m_content != nullptr)
        for (const QLabel* label : m_content->findChildren<QLabel*>())
            all << label->text();
    return all;
}

} // namespace app
