#include "app/mapping/link_chooser.h"

#include "app/mapping/mapping_text.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace app {

LinkChooser::LinkChooser(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Devices on nodes"));
}

void LinkChooser::showStudy(const std::shared_ptr<const MappingStudy>& study)
{
    m_study = study;
    m_hovered.reset();
    m_scale = study != nullptr ? LoadScale(*study) : LoadScale();
    const profiler::LinkLoad* most = study != nullptr ? study->shown().loads.largest() : nullptr;
    const bool isKnown = study != nullptr && m_selected
        && study->shown().loads.find(m_selected->first, m_selected->second) != nullptr;
    if (most == nullptr)
        m_selected.reset();
    else if (!isKnown && !m_isCleared)
        m_selected = Nodes(most->from, most->to);
    else if (!isKnown)
        m_selected.reset();
    arrange();
    speak();
    update();
    Q_EMIT linkChanged();
}

void LinkChooser::setShownLoads(const ShownLoads& shown)
{
    m_shown = shown;
    arrange();
    update();
}

std::vector<LinkChooser::Nodes> LinkChooser::links() const
{
    std::vector<Nodes> all;
    if (m_study != nullptr)
        for (const profiler::LinkLoad& link : m_study->shown().loads.links)
            if (m_shown.of(link) > 0)
                all.emplace_back(link.from, link.to);
    return all;
}

void LinkChooser::select(const std::optional<Nodes>& nodes)
{
    m_isCleared = !nodes;
    m_selected = nodes;
    m_hovered.reset();
    speak();
    update();
    Q_EMIT linkChanged();
}

void LinkChooser::hover(const std::optional<Nodes>& nodes)
{
    if (nodes == m_hovered)
        return;
    m_hovered = nodes;
    setCursor(nodes ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
    Q_EMIT linkChanged();
}

void LinkChooser::speak()
{
    if (m_study == nullptr)
        return setAccessibleDescription({});
    QString text = crossingText(*m_study);
    const profiler::LinkLoad* link
        = m_selected ? m_study->shown().loads.find(m_selected->first, m_selected->second) : nullptr;
    if (link != nullptr)
        text += QLatin1Char(' ')
            + tr("Selected: %1, %2.").arg(linkTitle(*link), loadText(link->bytes()));
    setAccessibleDescription(text);
}

void LinkChooser::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    setFocus(Qt::MouseFocusReason);
    if (const auto nodes = linkAt(event->position()))
        select(nodes);
}

void LinkChooser::mouseMoveEvent(QMouseEvent* event)
{
    hover(linkAt(event->position()));
}

void LinkChooser::leaveEvent(QEvent*)
{
    hover({});
}

void LinkChooser::keyPressEvent(QKeyEvent* event)
{
    const std::vector<Nodes> all = links();
    const int last = static_cast<int>(all.size()) - 1;
    int at = -1;
    if (m_selected)
        if (const auto found = std::ranges::find(all, *m_selected); found != all.end())
            at = static_cast<int>(found - all.begin());
    switch (event->key()) {
    case Qt::Key_Escape:
        return select({});
    case Qt::Key_Right:
    case Qt::Key_Down:
        at = at >= last ? 0 : at + 1;
        break;
    case Qt::Key_Left:
    case Qt::Key_Up:
        at = at <= 0 ? last : at - 1;
        break;
    case Qt::Key_Home:
        at = 0;
        break;
    case Qt::Key_End:
        at = last;
        break;
    default:
        return QWidget::keyPressEvent(event);
    }
    if (last >= 0)
        select(all[static_cast<std::size_t>(at)]);
}

void LinkChooser::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        arrange();
}

} // namespace app
