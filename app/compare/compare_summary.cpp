#include "app/compare/compare_summary.h"

#include "app/ui/controls.h"

#include <QHBoxLayout>
#include <QLabel>

namespace app {

CompareSummary::CompareSummary(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_text(named(makeLabel({}, "small"), "compareSummary"))
    , m_note(named(makeLabel({}, "hint"), "compareNote"))
    , m_mode(new Tag(theme))
    , m_all(makeButton({}, QStringLiteral("allParameters"), "link"))
{
    setFixedHeight(36);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(m_all, &QPushButton::clicked, this, &CompareSummary::allRequested);
    spaced(new QHBoxLayout(this), {12, 0, 12, 0}, 10,
           {new IconLabel(theme, Icon::Info, &Chrome::text2), {m_text, 1}, m_note, m_mode, m_all});
}

void CompareSummary::show(const std::vector<RunParameter>& parameters, const QString& mode)
{
    const QString same = sameText(parameters), differs = differsText(parameters);
    QStringList parts;
    if (!same.isEmpty())
        parts << QStringLiteral("<b>%1</b> %2").arg(tr("Same:"), same.toHtmlEscaped());
    parts << (differs.isEmpty()
                  ? (parts.isEmpty() ? tr("No setting differs") : tr("no setting differs"))
                  : QStringLiteral("<b>%1</b> %2")
                        .arg(parts.isEmpty() ? tr("Different:") : tr("different:"),
                             differs.toHtmlEscaped()));
    m_text->setTextFormat(Qt::RichText);
    m_text->setText(parts.join(QStringLiteral("; ")));
    m_text->setToolTip(tr("Same: %1\nDifferent: %2")
                           .arg(same.isEmpty() ? tr("no setting") : same,
                                differs.isEmpty() ? tr("no setting") : differs));
    m_mode->setText(mode);
    m_mode->setVisible(!mode.isEmpty());
    m_all->setText(tr("Show all %1 parameters").arg(parameters.size()));
}

void CompareSummary::setNote(const QString& note)
{
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

QString CompareSummary::text() const
{
    return m_text->text();
}

} // namespace app
