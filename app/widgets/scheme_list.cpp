#include "app/widgets/scheme_list.h"

#include "app/models/numbers.h"
#include "app/models/text.h"
#include "app/widgets/controls.h"
#include "app/widgets/thumbnail_painter.h"

#include <QAction>
#include <QGridLayout>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

namespace app {

SchemeCard::SchemeCard(const ThemeController& theme, const engine::Scheme& scheme)
    : CardButton(theme)
    , m_scheme(scheme)
    , m_title(shortTitle(fromUtf8(scheme.title)))
    , m_line(fromUtf8(scheme.summary))
{
    setObjectName(QStringLiteral("scheme_") + fromUtf8(scheme.name));
    setCheckable(true);
    setFixedHeight(92);
    setAccessibleName(m_title);
    setToolTip(fromUtf8(scheme.title) + QStringLiteral("\n") + fromUtf8(scheme.citation)
               + QStringLiteral("\n") + ruleText(scheme));
}

void SchemeCard::showRow(const SchemeTableModel::Row& row, double fullWidth)
{
    m_condition = row.condition;
    m_thumbnail = row.prediction() != nullptr ? row.prediction()->thumbnail : Thumbnail();
    m_fullWidth = fullWidth;
    update();
}

bool SchemeCard::matches(const QString& filter) const
{
    const QString all = fromUtf8(m_scheme.name) + QLatin1Char(' ') + fromUtf8(m_scheme.title)
        + QLatin1Char(' ') + m_line + QLatin1Char(' ') + fromUtf8(m_scheme.citation);
    return all.contains(filter.trimmed(), Qt::CaseInsensitive);
}

void SchemeCard::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const bool impossible = !m_condition.isEmpty();
    const double inner = width() - 18.0;
    text(painter, QRectF(9, 8, inner - 18, 18), m_title, uiFont(13, QFont::Medium),
         impossible ? c.text3 : c.text);
    text(painter, QRectF(9, 26, inner, 15), m_line, uiFont(11), impossible ? c.text3 : c.text2);
    if (isChecked())
        paintIcon(painter, Icon::Check, QRectF(width() - 23, 10, 13, 13), c.text);
    const QRectF picture(9, 47, inner, 34);
    if (!impossible) {
        paintThumbnail(painter, picture, m_thumbnail, m_thumbnail.duration / m_fullWidth,
                       theme().palette);
        return;
    }
    painter.setPen(QPen(c.lineStrong, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(picture.adjusted(0.5, 0.5, -0.5, -0.5));
    text(painter, picture.adjusted(6, 0, -6, 0), ruleText(m_scheme), uiFont(11), c.text3,
         Qt::AlignHCenter);
}

SchemeList::SchemeList(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_filter(new QLineEdit)
{
    auto* column = spaced(new QVBoxLayout(this), QMargins(), 0);
    column->addWidget(makeHeader());
    column->addWidget(makeLine(Qt::Horizontal));
    auto* content = new QWidget;
    auto* families = spaced(new QVBoxLayout(content), QMargins(14, 14, 10, 14), 8);
    addFamilies(*families);
    families->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    column->addWidget(scroll, 1);
}

QWidget* SchemeList::makeHeader()
{
    QWidget* header = makeSurface("alt");
    header->setFixedHeight(40);
    auto* row = spaced(new QHBoxLayout(header), QMargins(12, 0, 10, 0), 8);
    row->addWidget(makeLabel(tr("Scheme"), "section"), 1);
    m_filter->setObjectName(QStringLiteral("schemeFilter"));
    m_filter->setPlaceholderText(
        tr("Filter %1").arg(countOf(static_cast<int>(engine::schemes().size()), "scheme")));
    m_filter->setClearButtonEnabled(false);
    m_filter->setProperty("small", true);
    m_filter->setMaximumWidth(150);
    row->addWidget(m_filter);
    connect(m_filter, &QLineEdit::textChanged, this, &SchemeList::filter);
    return header;
}

void SchemeList::addFamilies(QVBoxLayout& column)
{
    QHash<QString, QGridLayout*> grids;
    for (const engine::Scheme& scheme : engine::schemes()) {
        const QString family = fromUtf8(scheme.family);
        if (!grids.contains(family)) {
            auto* widget = new QWidget;
            auto* box = spaced(new QVBoxLayout(widget), QMargins(), 8);
            box->addWidget(makeLabel(family, "secondary"));
            auto* grid = spaced(new QGridLayout, QMargins(0, 0, 0, 6), 8);
            grid->setColumnStretch(0, 1);
            grid->setColumnStretch(1, 1);
            box->addLayout(grid);
            column.addWidget(widget);
            grids.insert(family, grid);
            m_families.insert(family, widget);
        }
        auto* card = new SchemeCard(m_theme, scheme);
        const QString name = fromUtf8(scheme.name);
        connect(card, &CardButton::clicked, this, [this, name] { Q_EMIT chosen(name); });
        QGridLayout* grid = grids.value(family);
        grid->addWidget(card, grid->count() / 2, grid->count() % 2);
        m_cards.insert(name, card);
    }
}

void SchemeList::showRows(const SchemeTableModel& model)
{
    const double longest = model.longest();
    for (int i = 0; i < model.rowCount(); ++i) {
        if (SchemeCard* card = m_cards.value(model.at(i).scheme))
            card->showRow(model.at(i), longest);
    }
}

void SchemeList::setChosen(const QString& scheme)
{
    for (auto it = m_cards.begin(); it != m_cards.end(); ++it)
        it.value()->setChecked(it.key() == scheme);
}

void SchemeList::setColumns(int columns)
{
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (QWidget* family : std::as_const(m_families)) {
        auto* grid = family->findChild<QGridLayout*>();
        QList<QWidget*> cards;
        while (QLayoutItem* item = grid->takeAt(0)) {
            cards.append(item->widget());
            delete item;
        }
        for (int i = 0; i < cards.size(); ++i)
            grid->addWidget(cards.at(i), i / columns, i % columns);
        grid->setColumnStretch(1, columns > 1 ? 1 : 0);
    }
}

void SchemeList::filter(const QString& text)
{
    for (SchemeCard* card : std::as_const(m_cards))
        card->setVisible(card->matches(text));
    for (QWidget* family : std::as_const(m_families)) {
        bool any = false;
        for (const SchemeCard* card : family->findChildren<SchemeCard*>())
            any = any || card->isVisibleTo(family);
        family->setVisible(any);
    }
}

} // namespace app
