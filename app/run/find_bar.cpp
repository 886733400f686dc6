#include "app/run/find_bar.h"

#include "app/ui/controls.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

namespace app {

FindBar::FindBar(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_field(named(new QLineEdit, "findField", tr("Find ops")))
    , m_answer(named(makeLabel({}, "small"), "findAnswer"))
    , m_facets(new QWidget)
    , m_previous(makeIconButton("findPrevious", Icon::ChevronLeft, tr("Previous hit (Shift+Enter)"),
                                theme))
    , m_next(makeIconButton("findNext", Icon::ChevronRight, tr("Next hit (Enter)"), theme))
    , m_all(makeButton(tr("Select all"), QStringLiteral("findSelectAll"), "tool"))
{
    setObjectName(QStringLiteral("findBar"));
    setFixedHeight(36);
    setMinimumWidth(480); // narrower than the contents, because resizeEvent() hides the facets
    m_field->setPlaceholderText(tr("1B5, or op:B mb:3 stage:2 dur>5ms"));
    m_field->setClearButtonEnabled(true);
    m_field->setFont(codeFont(12));
    m_field->setFixedHeight(26);
    m_field->setMaximumWidth(388);
    m_all->setToolTip(tr("List all hits in Events and sum up their durations (Ctrl+Enter)"));
    m_all->setFocusPolicy(Qt::TabFocus);
    auto* close = makeIconButton("findClose", Icon::Close, tr("Close (Esc)"), theme);
    spaced(new QHBoxLayout(this), {8, 0, 8, 0}, 8,
           {{m_field, 2}, m_previous, m_next, m_answer, kStretch, m_facets, m_all, close});
    addFacets(*spaced(new QHBoxLayout(m_facets), {}, 4));
    connect(m_field, &QLineEdit::textChanged, this, &FindBar::searched);
    connect(m_previous, &QToolButton::clicked, this, [this] { Q_EMIT stepped(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT stepped(1); });
    connect(m_all, &QPushButton::clicked, this, &FindBar::allRequested);
    connect(close, &QToolButton::clicked, this, &FindBar::closed);
    say({}, Tone::Normal);
}

void FindBar::addFacets(QHBoxLayout& row)
{
    row.addWidget(makeLabel(tr("Add"), "hint"));
    for (const char* facet :
         {"op:", "mb:", "stage:", "device:", "chunk:", "iter:", "dir:", "dur>", "kernel:"}) {
        const QString text = QString::fromLatin1(facet);
        QPushButton* button = makeButton(text, QStringLiteral("facet-") + text.chopped(1), "tool");
        button->setFont(codeFont(11));
        button->setFixedHeight(22);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QPushButton::clicked, this, [this, text] { addFacet(text); });
        row.addWidget(button);
    }
}

void FindBar::addFacet(const QString& facet)
{
    QString before = m_field->text();
    if (!before.isEmpty() && !before.endsWith(QLatin1Char(' ')))
        before += QLatin1Char(' ');
    m_field->setText(before + facet);
    m_field->setFocus();
}

void FindBar::setText(const QString& text)
{
    m_field->setText(text);
}

QString FindBar::text() const
{
    return m_field->text();
}

void FindBar::open()
{
    show();
    m_field->setFocus();
    m_field->selectAll();
}

void FindBar::showHits(const QString& sentence)
{
    say(sentence, Tone::Normal);
}

void FindBar::showProblem(const QString& sentence)
{
    say(sentence, Tone::Problem);
}

void FindBar::say(const QString& sentence, Tone tone)
{
    const bool isProblem = tone == Tone::Problem;
    m_answer->setText(sentence);
    m_answer->setToolTip(sentence);
    setLook(m_field, "invalid", isProblem);
    for (QAbstractButton* button :
         std::initializer_list<QAbstractButton*>{m_previous, m_next, m_all})
        button->setEnabled(!isProblem && !sentence.isEmpty());
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)))
        Q_EMIT allRequested();
    else if (isEnter)
        Q_EMIT stepped(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    else if (event->key() == Qt::Key_Escape)
        Q_EMIT closed();
    else
        QWidget::keyPressEvent(event);
}

// Hides the buttons for facets in a narrow bar, so that the result fits. Facets can also be typed.
void FindBar::resizeEvent(QResizeEvent* event)
{
    constexpr int kWithFacets = 1230;
    QWidget::resizeEvent(event);
    m_facets->setVisible(width() >= kWithFacets);
}

} // namespace app
