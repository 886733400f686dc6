#include "app/ledger/ledger_notes.h"

#include "app/ui/controls.h"

#include <QEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace app {
namespace {

QStringList tagsIn(const QString& text)
{
    QStringList tags;
    for (const QString& tag : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!tag.simplified().isEmpty())
            tags.append(tag.simplified());
    tags.removeDuplicates();
    return tags;
}

} // namespace

LedgerNotes::LedgerNotes()
    : m_name(named(new QLineEdit, "ledgerName", tr("Name of the run")))
    , m_tags(named(new QLineEdit, "ledgerTags", tr("Tags of the run")))
    , m_note(named(new QPlainTextEdit, "ledgerNote", tr("Note on the run")))
{
    m_tags->setPlaceholderText(tr("Tags, separated by commas"));
    m_note->setPlaceholderText(tr("Note"));
    m_note->setTabChangesFocus(true);
    m_note->setFixedHeight(76);
    m_note->installEventFilter(this);
    spaced(new QVBoxLayout(this), {14, 12, 14, 4}, 8, {m_name, m_tags, m_note});
    for (const QLineEdit* field : {m_name, m_tags})
        connect(field, &QLineEdit::editingFinished, this, &LedgerNotes::save);
}

void LedgerNotes::show(const LedgerRun& run)
{
    const bool isSame = run.file == m_run.file;
    if (!isSame)
        save(); // the text typed for the previous run
    m_name->setPlaceholderText(run.label);
    // Keeps the text of a focused field, unless only another window has changed it.
    const auto mayReplace = [&](const QWidget* field, bool isEdited, bool isOther) {
        return !isSame || !field->hasFocus() || (!isEdited && isOther);
    };
    if (mayReplace(m_name, m_name->text() != m_run.name, run.name != m_run.name))
        m_name->setText(run.name);
    if (mayReplace(m_tags, tagsIn(m_tags->text()) != m_run.tags, run.tags != m_run.tags))
        m_tags->setText(run.tags.join(QStringLiteral(", ")));
    if (mayReplace(m_note, m_note->toPlainText() != m_run.note, run.note != m_run.note))
        m_note->setPlainText(run.note);
    m_run = run;
}

void LedgerNotes::editName()
{
    m_name->setFocus();
    m_name->selectAll();
}

void LedgerNotes::save()
{
    if (m_run.file.isEmpty())
        return;
    const QString name = m_name->text().simplified(), note = m_note->toPlainText();
    const QStringList tags = tagsIn(m_tags->text());
    if (name == m_run.name && tags == m_run.tags && note == m_run.note)
        return;
    const LedgerRun before = m_run;
    m_run.name = name;
    m_run.tags = tags;
    m_run.note = note;
    Q_EMIT edited(before, m_run);
}

bool LedgerNotes::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut)
        save();
    return QWidget::eventFilter(watched, event);
}

} // namespace app
