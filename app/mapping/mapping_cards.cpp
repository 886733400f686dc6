#include "app/mapping/mapping_cards.h"

#include "app/mapping/mapping_text.h"
#include "app/ui/controls.h"

#include <QFontMetricsF>
#include <QGridLayout>
#include <QPainter>

#include <algorithm>
#include <array>

namespace app {
namespace {

struct Part
{
    QString name;
    double ticks = 0;
    int colour = 0; // class of LoadScale
};

std::array<Part, 3> partsOf(const profiler::ExposedTime& exposed)
{
    return {Part{ExposedBars::tr("messages"), exposed.messages, 1},
            Part{ExposedBars::tr("stashes"), exposed.copies, 0},
            Part{ExposedBars::tr("all-reduces"), exposed.allReduces, 3}};
}

constexpr double kBarRow = 24, kBarNames = 136;

} // namespace

MappingCard::MappingCard(const ThemeController& theme, std::shared_ptr<const MappingStudy> study,
                         std::size_t mapping)
    : CardButton(theme)
    , m_study(std::move(study))
    , m_mapping(mapping)
    , m_scale(*m_study)
{
    setObjectName(QStringLiteral("mappingCard%1").arg(mapping));
    setCheckable(true);
    setChecked(mapping == m_study->chosen);
    setMinimumSize(150, 122);
    const QString name = mappingTitle(mapped().mapping);
    if (!mapped().problem.isEmpty()) {
        setEnabled(false);
        setToolTip(mapped().problem);
        setAccessibleName(tr("%1: %2").arg(name, mapped().problem));
        return;
    }
    setToolTip(tr("Use this mapping: %1").arg(mappingRule(mapped().mapping)));
    setAccessibleName(tr("%1: iteration %2 %4, exposed communication %3 %4")
                          .arg(name, milliseconds(static_cast<double>(mapped().iteration)),
                               milliseconds(mapped().loads.exposed.sum()),
                               scaleIn(Unit::Millisecond).unit()));
}

// Paints the first four nodes as boxes, in serpentine order, with the loads between them.
void MappingCard::paintNodes(QPainter& painter, const QRectF& box) const
{
    const int nodes = std::min<int>(4, static_cast<int>(m_study->nodes.size()));
    if (nodes < 2)
        return;
    const auto place = [&](int node) {
        const bool isRight = node == 1 || node == 2;
        return QRectF(isRight ? box.right() - 22 : box.left(),
                      node < 2 ? box.top() : box.bottom() - 13, 22, 13);
    };
    for (const profiler::LinkLoad& link : mapped().loads.links) {
        const auto [low, high] = std::minmax(link.from, link.to);
        if (low == high || high >= nodes)
            continue;
        const profiler::LinkLoad* back = mapped().loads.find(link.to, link.from);
        if (link.from == high && back != nullptr)
            continue; // drawn with the other direction
        const double bytes = std::max(link.bytes(), back != nullptr ? back->bytes() : 0);
        const int load = m_scale.classOf(bytes);
        painter.setPen(QPen(LoadScale::colour(load, theme()), LoadScale::width(load)));
        painter.drawLine(place(low).center(), place(high).center());
    }
    for (int node = 0; node < nodes; ++node) {
        painter.setPen(theme().chrome.text3);
        painter.setBrush(theme().chrome.surface);
        painter.drawRect(place(node));
        text(painter, place(node), QString::number(node), {uiFont(10), theme().chrome.text2},
             Qt::AlignCenter);
    }
}

void MappingCard::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const QRectF box = QRectF(rect()).adjusted(10, 8, -10, -8);
    const bool hasNodes = m_study->nodes.size() > 1 && width() >= 200;
    const double picture = width() >= 240 ? 84 : 60;
    const double head = box.width() - (hasNodes ? picture + 8 : 0);
    text(painter, {box.left(), box.top(), head, 16}, mappingTitle(mapped().mapping),
         {uiFont(12, QFont::Medium), c.text});
    const QString rule = mappingRule(mapped().mapping); // also in the tooltip
    if (QFontMetricsF(uiFont(11)).horizontalAdvance(rule) <= head)
        text(painter, {box.left(), box.top() + 17, head, 15}, rule, {uiFont(11), c.text2});
    if (!mapped().problem.isEmpty()) {
        painter.setFont(uiFont(11));
        painter.setPen(c.text2);
        painter.drawText(box.adjusted(0, 38, 0, 0), Qt::TextWordWrap, mapped().problem);
        return;
    }
    if (hasNodes)
        paintNodes(painter, {box.right() - picture, box.top() + 1, picture, 34});
    const auto row = [&](int index, const QString& name, const QString& value,
                         const QString& more = {}) {
        const QRectF line(box.left(), box.top() + 40 + 17 * index, box.width(), 16);
        const QFont strong = uiFont(11, QFont::Medium);
        const double used = QFontMetricsF(strong).horizontalAdvance(value) + 6;
        text(painter, line, name, {uiFont(11), c.text});
        text(painter, line, value, {strong, c.text}, Qt::AlignRight);
        text(painter, line.adjusted(0, 0, -used, 0), more, {uiFont(10), c.error}, Qt::AlignRight);
    };
    const auto more = mapped().iteration - m_study->shown().iteration;
    row(0, labelled(tr("Iteration, %1"), Unit::Millisecond),
        milliseconds(static_cast<double>(mapped().iteration)),
        more > 0 ? QLatin1Char('+') + milliseconds(static_cast<double>(more)) : QString());
    row(1, labelled(tr("Exposed, %1"), Unit::Millisecond),
        milliseconds(mapped().loads.exposed.sum()));
    const profiler::LinkLoad* most = mapped().loads.largest();
    row(2, labelled(tr("Largest load, %1"), Unit::GB),
        gigabytes(most != nullptr ? most->bytes() : 0));
    if (most != nullptr)
        row(3, largestLoadText(*most), {});
}

MappingCards::MappingCards(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_grid(spaced(new QGridLayout(this), QMargins(), 8))
{ }

void MappingCards::show(const std::shared_ptr<const MappingStudy>& study)
{
    const QWidget* focus = focusWidget();
    const QString focused = focus != nullptr && focus->hasFocus() ? focus->objectName() : QString();
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    if (study == nullptr)
        return;
    for (std::size_t i = 0; i < study->all.size(); ++i) {
        auto* card = new MappingCard(m_theme, study, i);
        connect(card, &MappingCard::clicked, this,
                [this, mapping = study->all[i].mapping] { Q_EMIT chosen(mapping); });
        m_grid->addWidget(card, 0, static_cast<int>(i));
        if (card->objectName() == focused)
            card->setFocus();
    }
}

ExposedBars::ExposedBars(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("exposedBars"));
}

void ExposedBars::show(const std::shared_ptr<const MappingStudy>& study)
{
    m_study = study;
    QStringList texts;
    if (study != nullptr)
        for (const MappedPrediction& each : study->all)
            if (each.problem.isEmpty()) {
                QStringList parts;
                for (const Part& part : partsOf(each.loads.exposed))
                    parts.append(QStringLiteral("%1 %2").arg(part.name, milliseconds(part.ticks)));
                texts.append(tr("%1: %2 %3")
                                 .arg(mappingTitle(each.mapping), parts.join(tr(", ")),
                                      scaleIn(Unit::Millisecond).unit()));
            }
    setAccessibleName(tr("Exposed communication by kind"));
    setAccessibleDescription(texts.join(QStringLiteral(". ")));
    const double rows = study != nullptr ? static_cast<double>(study->all.size()) : 0;
    setFixedHeight(static_cast<int>(kBarRow * (rows + 1) + 4));
    update();
}

void ExposedBars::paintRow(QPainter& painter, const MappedPrediction& mapped, double top,
                           double most) const
{
    constexpr double kText = 190; // pixels for the text beside the longest bar
    const Theme& theme = this->theme();
    const bool isChosen = &mapped == &m_study->shown();
    painter.setFont(uiFont(12, isChosen ? QFont::Medium : QFont::Normal));
    painter.setPen(theme.chrome.text);
    painter.drawText(QRectF(0, top, kBarNames - 8, kBarRow), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font())
                         .elidedText(mappingTitle(mapped.mapping), Qt::ElideRight, kBarNames - 8));
    double x = kBarNames;
    QStringList texts;
    for (const Part& part : partsOf(mapped.loads.exposed)) {
        if (part.ticks <= 0)
            continue;
        const double wide = std::max(1.0, (width() - kBarNames - kText) * part.ticks / most);
        painter.fillRect(QRectF(x, top + 6, wide, kBarRow - 12),
                         LoadScale::colour(part.colour, theme));
        x += wide + 1;
        texts.append(QStringLiteral("%1 %2").arg(part.name, milliseconds(part.ticks)));
    }
    painter.setFont(uiFont(11));
    painter.setPen(theme.chrome.text2);
    const QString text = !mapped.problem.isEmpty() ? tr("not possible")
        : texts.isEmpty()                          ? tr("nothing exposed")
                                                   : texts.join(QStringLiteral(" + "));
    painter.drawText(QRectF(x + 6, top, width() - x - 6, kBarRow), Qt::AlignLeft | Qt::AlignVCenter,
                     text);
}

void ExposedBars::paintLegend(QPainter& painter, double top) const
{
    double x = kBarNames;
    painter.setFont(uiFont(11));
    for (const Part& part : partsOf({})) {
        painter.fillRect(QRectF(x, top + 8, 9, 9), LoadScale::colour(part.colour, theme()));
        painter.setPen(theme().chrome.text2);
        painter.drawText(QPointF(x + 14, top + 17), part.name);
        x += 30 + QFontMetricsF(painter.font()).horizontalAdvance(part.name);
    }
}

void ExposedBars::paintEvent(QPaintEvent*)
{
    if (m_study == nullptr)
        return;
    QPainter painter(this);
    double most = 1, top = 0;
    for (const MappedPrediction& each : m_study->all)
        most = std::max(most, each.loads.exposed.sum());
    for (const MappedPrediction& each : m_study->all) {
        paintRow(painter, each, top, most);
        top += kBarRow;
    }
    paintLegend(painter, top);
}

} // namespace app
