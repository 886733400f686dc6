#include "app/run/selection_popover.h"

#include "app/ui/controls.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

const DetailsLink* firstLink(const Details& details)
{
    for (const DetailsSection& section : details.sections) {
        if (!section.links.empty())
            return &section.links.front();
    }
    return nullptr;
}

} // namespace

SelectionPopover::SelectionPopover(const ThemeController& theme, QWidget* timeline)
    : ThemedWidget(theme, timeline)
    , m_title(named(makeLabel({}, "dock"), "popoverTitle"))
    , m_left(makeLabel({}, "small"))
    , m_value(makeLabel({}, "dock"))
    , m_sentence(named(makeLabel({}), "popoverSentence"))
{
    setObjectName(QStringLiteral("selectionPopover"));
    setFixedWidth(kWidth);
    m_sentence->setWordWrap(true);
    m_sentence->setTextFormat(Qt::RichText);
    auto* head = spaced(new QHBoxLayout, {}, 8, {m_title, {m_left, 1}, m_value});
    spaced(new QVBoxLayout(this), {12, 8, 12, 10}, 6, {head, m_sentence});
    connect(m_sentence, &QLabel::linkActivated, this, [this] { Q_EMIT jumpTo(m_target); });
    connect(&theme, &ThemeController::unitsChanged, this, &QWidget::hide);
    hide();
}

void SelectionPopover::show(const Details& details, const QRect& box)
{
    if (details.isEmpty()) {
        hide();
        return;
    }
    m_title->setText(details.title);
    m_left->setText(details.left);
    m_value->setText(details.value + QLatin1Char(' ') + details.unit);
    QString sentence = details.sentence;
    if (const DetailsLink* link = firstLink(details)) {
        m_target = link->target;
        sentence += QStringLiteral(" <a href=\"link\" style=\"color:%1\">%2</a>")
                        .arg(theme().chrome.text.name(), tr("Go to %1").arg(link->name));
    }
    m_sentence->setText(sentence);
    m_sentence->setFixedHeight(std::max(0, m_sentence->heightForWidth(kWidth - 24))); // -1: empty
    adjustSize();
    place(box);
}

// Places the popover below the box, or above it if there is no space.
void SelectionPopover::place(const QRect& box)
{
    constexpr int kGap = 8;
    setVisible(!box.isEmpty());
    if (box.isEmpty())
        return;
    const QSize room = parentWidget()->size();
    const int below = box.bottom() + kGap;
    const int y = below + height() <= room.height() ? below : box.top() - kGap - height();
    const int x
        = std::clamp(box.center().x() - width() / 2, 4, std::max(4, room.width() - width() - 4));
    move(x, std::max(4, y));
    raise();
}

void SelectionPopover::paintEvent(QPaintEvent*)
{
    const Chrome& chrome = theme().chrome;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(chrome.lineStrong, 1));
    painter.setBrush(chrome.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

void SelectionPopover::mousePressEvent(QMouseEvent* event)
{
    event->accept();
}

} // namespace app
