#include "app/run/find_bar.h"

#include "app/timeline/view/labels.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace app {

FindBar::FindBar(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_field(named(new QLineEdit, "findField", tr("Find ops")))
    , m_answer(named(makeLabel({}, "small"), "findAnswer"))
    , m_previous(makeIconButton("findPrevious", Icon::ChevronLeft, tr("Previous hit (Shift+Enter)"),
                                theme))
    , m_next(makeIconButton("findNext", Icon::ChevronRight, tr("Next hit (Enter)"), theme))
    , m_all(makeButton(tr("Select all"), QStringLiteral("findSelectAll"), "tool"))
    , m_facets(makeFacets())
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
    connect(m_field, &QLineEdit::textChanged, this, [this] {
        m_areAllSelected = false;
        search();
    });
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    connect(m_all, &QPushButton::clicked, this, &FindBar::selectAll);
    connect(close, &QToolButton::clicked, this, &FindBar::close);
    showAnswer({}, Tone::Normal);
}

QWidget* FindBar::makeFacets()
{
    auto* facets = new QWidget;
    auto* row = spaced(new QHBoxLayout(facets), {}, 4, {makeLabel(tr("Add"), "hint")});
    for (const char* facet :
         {"op:", "mb:", "stage:", "device:", "chunk:", "iter:", "dir:", "dur>", "kernel:"}) {
        const QString text = QString::fromLatin1(facet);
        QPushButton* button = makeButton(text, QStringLiteral("facet-") + text.chopped(1), "tool");
        button->setFont(codeFont(11));
        button->setFixedHeight(22);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QPushButton::clicked, this, [this, text] { addFacet(text); });
        row->addWidget(button);
    }
    return facets;
}

void FindBar::addFacet(const QString& facet)
{
    QString before = m_field->text();
    if (!before.isEmpty() && !before.endsWith(QLatin1Char(' ')))
        before += QLatin1Char(' ');
    m_field->setText(before + facet);
    m_field->setFocus();
}

void FindBar::setRun(RunViewPointer view, KernelViewPointer kernels)
{
    m_view = std::move(view);
    m_kernels = std::move(kernels);
    search();
}

void FindBar::setPlace(const Selection& selection, int iteration)
{
    m_selection = selection;
    m_iteration = iteration;
    if (m_areAllSelected && selection.kind != Selection::Kind::None && !isHit(selection))
        forgetAll();
}

// In a search for kernels, the ops that launched them are also hits.
bool FindBar::isHit(const Selection& selection) const
{
    if (selection.kind == Selection::Kind::Op)
        return m_found->has({selection.window.begin, selection.window.end, selection.op,
                             static_cast<std::uint32_t>(selection.iteration)});
    return std::ranges::find(m_found->hits(), selection) != m_found->hits().end();
}

void FindBar::open()
{
    QWidget::show();
    m_field->setFocus();
    m_field->selectAll();
    search();
}

void FindBar::openWith(const QString& facets)
{
    open();
    m_field->setText(facets);
    step(1);
}

void FindBar::search()
{
    if (isHidden())
        return;
    const auto facets = parseFind(m_field->text());
    m_found.reset();
    m_hit = 0;
    if (!facets)
        showAnswer(QString::fromStdString(facets.error().message), Tone::Problem);
    else if (facets->empty() || !m_view)
        showAnswer({}, Tone::Normal);
    else
        m_found = std::make_shared<const Found>(*m_view, *facets, m_kernels.get());
    if (hasHits())
        showCount();
    else if (m_found)
        showAnswer(m_found->blame(), Tone::Problem);
    Q_EMIT found(hasHits() ? m_found : nullptr);
    m_areAllSelected = m_areAllSelected && hasHits();
    Q_EMIT allSelected(m_areAllSelected ? m_found : nullptr);
}

void FindBar::step(int by)
{
    if (!hasHits())
        return;
    const std::vector<Selection>& hits = m_found->hits();
    if (m_hit < hits.size() && hits[m_hit] == m_selection) {
        m_hit = (m_hit + hits.size() + static_cast<std::size_t>(by)) % hits.size();
    } else {
        const auto next = std::ranges::find_if(
            hits, [this](const Selection& hit) { return hit.iteration >= m_iteration; });
        m_hit = next == hits.end() ? 0 : static_cast<std::size_t>(next - hits.begin());
    }
    Q_EMIT chosen(hits[m_hit]);
    showAnswer(tr("%1, hit %2 of %3").arg(nameOf(hits[m_hit])).arg(m_hit + 1).arg(hits.size()),
               Tone::Normal);
}

void FindBar::selectAll()
{
    if (!hasHits())
        return;
    showCount();
    forgetAll(); // otherwise a second call would not show all hits again
    Q_EMIT chosen({});
    m_areAllSelected = true;
    Q_EMIT allSelected(m_found);
}

void FindBar::forgetAll()
{
    m_areAllSelected = false;
    Q_EMIT allSelected(nullptr);
}

QString FindBar::nameOf(const Selection& hit) const
{
    return hit.kind == Selection::Kind::Kernel ? m_kernels->label(hit.work)
                                               : opName(m_view->run().info, m_view->op(hit.op));
}

void FindBar::close()
{
    hide();
    forgetAll();
    m_found.reset();
    Q_EMIT found(nullptr);
    Q_EMIT closed();
}

void FindBar::showCount()
{
    showAnswer(countOf(static_cast<std::int64_t>(m_found->hits().size()), "hit")
                   + (m_found->isCut() ? tr(", and more") : QString()),
               Tone::Normal);
}

void FindBar::showAnswer(const QString& answer, Tone tone)
{
    const bool isProblem = tone == Tone::Problem;
    m_answer->setText(answer);
    m_answer->setToolTip(answer);
    setLook(m_field, "invalid", isProblem);
    for (QAbstractButton* button :
         std::initializer_list<QAbstractButton*>{m_previous, m_next, m_all})
        button->setEnabled(!isProblem && !answer.isEmpty());
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)))
        selectAll();
    else if (isEnter)
        step(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    else if (event->key() == Qt::Key_Escape)
        close();
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
