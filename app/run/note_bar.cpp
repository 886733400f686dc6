#include "app/run/note_bar.h"

#include "app/ui/controls.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

namespace app {
namespace {

constexpr int kLongest = 400; // characters

} // namespace

NoteBar::NoteBar(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_subject(named(makeLabel({}, "small"), "noteSubject"))
    , m_field(named(new QLineEdit, "noteField", tr("Text of the note")))
{
    setObjectName(QStringLiteral("noteBar"));
    setFixedHeight(36);
    m_field->setPlaceholderText(tr("Add a note; Enter saves it, Esc cancels"));
    m_field->setMaxLength(kLongest);
    m_field->setFixedHeight(26);
    m_field->setMaximumWidth(640);
    QPushButton* keep = makeButton(tr("Keep"), QStringLiteral("keepNote"), "tool");
    QToolButton* close = makeIconButton("closeNote", Icon::Close, tr("Close (Esc)"), theme);
    spaced(new QHBoxLayout(this), {12, 0, 8, 0}, 8,
           {new IconLabel(theme, Icon::Note, &Chrome::text2),
            m_subject,
            {m_field, 2},
            keep,
            kStretch,
            close});
    connect(keep, &QPushButton::clicked, this, &NoteBar::write);
    connect(close, &QToolButton::clicked, this, &NoteBar::closed);
    connect(m_field, &QLineEdit::textChanged, keep,
            [keep](const QString& text) { keep->setEnabled(!text.trimmed().isEmpty()); });
    keep->setEnabled(false);
}

void NoteBar::open(const QString& subject)
{
    m_subject->setText(tr("Note on %1").arg(subject));
    m_field->clear();
    show();
    m_field->setFocus();
}

void NoteBar::write()
{
    const QString text = m_field->text().simplified();
    if (text.isEmpty())
        return;
    Q_EMIT written(text);
    Q_EMIT closed();
}

void NoteBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        write();
    else if (event->key() == Qt::Key_Escape)
        Q_EMIT closed();
    else
        QWidget::keyPressEvent(event);
}

} // namespace app
