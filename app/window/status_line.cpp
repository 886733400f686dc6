#include "app/window/status_line.h"

#include "app/ui/control_style.h"
#include "app/ui/controls.h"

#include <QHBoxLayout>

#include <utility>

namespace app {

StatusLine::StatusLine(QWidget* parent)
    : QStatusBar(parent)
    , m_facts(new QWidget)
    , m_row(spaced(new QHBoxLayout(m_facts), QMargins(10, 0, 0, 0), 12))
    , m_note(named(new QLabel, "statusNote"))
{
    setObjectName(QStringLiteral("statusLine"));
    setFixedHeight(24);
    setSizeGripEnabled(false);
    m_note->setContentsMargins(0, 0, 8, 0);
    m_facts->setProperty(kHtmlToolTip, true);
    addWidget(m_facts);
    addPermanentWidget(m_note);
}

void StatusLine::show(const QStringList& facts, const QString& note)
{
    m_note->setText(note);
    if (facts != std::exchange(m_shown, facts))
        showFacts();
    fit();
}

void StatusLine::showFacts()
{
    while (QLayoutItem* item = m_row->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const QString& fact : m_shown) {
        auto* label = new QLabel(fact);
        label->setTextFormat(Qt::RichText);
        m_row->addWidget(label);
        QFrame* line = makeLine(Qt::Vertical);
        line->setFixedHeight(12);
        m_row->addWidget(line);
    }
    m_facts->setToolTip(m_shown.join(QStringLiteral("<br>")));
}

void StatusLine::fit()
{
    constexpr int kMargin = 40;
    int room = width() - m_note->sizeHint().width() - kMargin;
    for (int i = 0; i + 1 < m_row->count(); i += 2) { // a fact and the line after it
        QWidget* fact = m_row->itemAt(i)->widget();
        room -= fact->sizeHint().width() + 2 * m_row->spacing() + 1;
        const bool fits = room >= 0 || i == 0;
        fact->setVisible(fits);
        m_row->itemAt(i + 1)->widget()->setVisible(fits);
        if (!fits)
            room = -1; // hides all facts after this one, too
    }
}

void StatusLine::resizeEvent(QResizeEvent* event)
{
    QStatusBar::resizeEvent(event);
    fit();
}

QString StatusLine::text() const
{
    QStringList texts;
    for (const QLabel* label : findChildren<QLabel*>())
        texts.append(label->text());
    return texts.join(QStringLiteral(" | "));
}

} // namespace app
