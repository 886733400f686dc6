#include "app/setup/scheme_list.h"

#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/thumbnail_painter.h"

#include <QAction>
#include <QEvent>
#include <QGridLayout>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

constexpr int kCardHeight = 108, kSummaryHeight = 31; // two lines of summary

// Removes the last clauses of `text` until the rest fits into two lines of the summary.
QString fittingClauses(QString text, int width)
{
    const QFontMetrics metrics(uiFont(11));
    const auto fits = [&] {
        const QRect free(0, 0, width, 10 * kSummaryHeight);
        return metrics.boundingRect(free, Qt::TextWordWrap, text).height() <= kSummaryHeight;
    };
    for (const auto& separator : {QStringLiteral("; "), QStringLiteral(", "), QStringLiteral(": ")})
        while (!fits() && text.contains(separator))
            text.truncate(text.lastIndexOf(separator));
    return text;
}

} // namespace

SchemeCard::SchemeCard(const ThemeController& theme, const engine::Scheme& scheme)
    : CardButton(theme)
    , m_scheme(scheme)
    , m_title(shortTitle(fromUtf8(scheme.title)))
    , m_line(fromUtf8(scheme.summary))
{
    setObjectName(QStringLiteral("scheme_") + fromUtf8(scheme.name));
    setCheckable(true);
    setFixedHeight(kCardHeight);
    setAccessibleName(m_title);
}

// The description of a scheme for its tooltip and for screen readers.
QString SchemeCard::facts(const SchemeTableModel::Row& row) const
{
    QStringList lines = {fromUtf8(m_scheme.title), fromUtf8(m_scheme.citation), ruleText(m_scheme)};
    if (const Prediction* prediction = row.prediction()) {
        if (const QString form = closedFormText(*prediction); !form.isEmpty())
            lines.append(tr("bubble %1").arg(form));
        lines.append(tr("valid: %1, bubble %2, peak stash %3 Mₐ")
                         .arg(timeText(prediction->metrics.duration, prediction->info),
                              percent(prediction->metrics.bubbleRatio),
                              number(prediction->metrics.peakStash(), 1)));
    } else if (!m_reason.isEmpty()) {
        lines.append(tr("refused: %1").arg(m_reason));
    }
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

void SchemeCard::showRow(const SchemeTableModel::Row& row, double fullWidth)
{
    const auto answer = row.prediction() != nullptr ? row.answer : nullptr;
    if (m_isShown && answer == m_answer && row.reason() == m_reason && fullWidth == m_fullWidth)
        return;
    m_isShown = true;
    m_reason = row.reason();
    m_isImpossible = !row.condition.isEmpty();
    m_answer = answer;
    m_fullWidth = fullWidth;
    setToolTip(facts(row));
    setAccessibleDescription(toolTip());
    update();
}

bool SchemeCard::matches(const QString& filter) const
{
    const QString all = fromUtf8(m_scheme.name) + QLatin1Char(' ') + fromUtf8(m_scheme.title)
        + QLatin1Char(' ') + m_line + QLatin1Char(' ') + fromUtf8(m_scheme.citation)
        + QLatin1Char(' ') + fromUtf8(m_scheme.family);
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(
        words, [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

void SchemeCard::paintContent(QPainter& painter)
{
    const Chrome& c = theme().chrome;
    const bool isRefused = !m_reason.isEmpty();
    const double inner = width() - 18.0;
    text(painter, QRectF(9, 8, inner - (isChecked() ? 18 : 0), 18), m_title,
         {uiFont(13, QFont::Medium), isRefused ? c.text3 : c.text});
    painter.setFont(uiFont(11));
    painter.setPen(isRefused ? c.text3 : c.text2);
    painter.drawText(QRectF(9, 27, inner, kSummaryHeight), Qt::TextWordWrap,
                     fittingClauses(m_line, static_cast<int>(inner)));
    if (isChecked())
        paintIcon(painter, Icon::Check, QRectF(width() - 23, 10, 13, 13), c.text);
    const QRectF picture(9, 63, inner, 34);
    if (m_answer != nullptr) {
        const Thumbnail& thumbnail = (*m_answer)->thumbnail;
        paintThumbnail(painter, picture, thumbnail, thumbnail.duration / m_fullWidth,
                       theme().palette, c.text2);
    }
    if (!isRefused)
        return;
    painter.setPen(QPen(m_isImpossible ? c.lineStrong : c.error, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(picture.adjusted(0.5, 0.5, -0.5, -0.5));
    text(painter, picture.adjusted(6, 0, -6, 0), m_isImpossible ? ruleText(m_scheme) : m_reason,
         {uiFont(11), m_isImpossible ? c.text3 : c.error}, Qt::AlignLeft);
}

SchemeList::SchemeList(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_filter(new QLineEdit)
{
    auto* column
        = spaced(new QVBoxLayout(this), QMargins(), 0, {makeHeader(), makeLine(Qt::Horizontal)});
    auto* content = new QWidget;
    auto* families = spaced(new QVBoxLayout(content), QMargins(14, 14, 10, 14), 8);
    m_nothing = named(new EmptyState(theme, {Icon::Search, {}, {}, tr("Show all")}), "noScheme");
    m_nothing->setFixedHeight(160);
    connect(m_nothing, &EmptyState::activated, m_filter, &QLineEdit::clear);
    families->addWidget(m_nothing);
    addFamilies(*families);
    families->addStretch();
    arrange();
    m_scroll = named(makeScroll(content), "schemeScroll");
    column->addWidget(m_scroll, 1);
    content->installEventFilter(this);
    connect(m_scroll->verticalScrollBar(), &QScrollBar::actionTriggered, this,
            [this] { m_keepsChosenInSight = false; });
}

QWidget* SchemeList::makeHeader()
{
    m_filter->setObjectName(QStringLiteral("schemeFilter"));
    m_filter->setPlaceholderText(
        tr("Filter %1").arg(countOf(static_cast<int>(engine::schemes().size()), "scheme")));
    m_filter->setAccessibleName(tr("Filter the schemes"));
    m_filter->setProperty("small", true);
    m_filter->setMaximumWidth(150);
    connect(m_filter, &QLineEdit::textChanged, this, [this] {
        m_keepsChosenInSight = false;
        arrange();
    });
    return makeBar(40, 8, {{makeLabel(tr("Scheme"), "section"), 1}, m_filter});
}

void SchemeList::addFamilies(QVBoxLayout& column)
{
    QHash<QString, qsizetype> places;
    for (const engine::Scheme& scheme : engine::schemes()) {
        const QString title = fromUtf8(scheme.family);
        if (!places.contains(title)) {
            auto* widget = new QWidget;
            auto* box
                = spaced(new QVBoxLayout(widget), QMargins(), 8, {makeLabel(title, "secondary")});
            auto* grid = spaced(new QGridLayout, QMargins(0, 0, 0, 6), 8);
            box->addLayout(grid);
            column.addWidget(widget);
            places.insert(title, m_families.size());
            m_families.append({widget, grid, {}});
        }
        auto* card = new SchemeCard(m_theme, scheme);
        const QString name = fromUtf8(scheme.name);
        connect(card, &CardButton::clicked, this, [this, name] { Q_EMIT chosen(name); });
        Family& family = m_families[places.value(title)];
        card->setParent(family.widget);
        family.cards.append(card);
        m_cards.insert(name, card);
    }
}

void SchemeList::showRows(const SchemeTableModel& model)
{
    const double width = model.thumbnailUnits();
    for (int i = 0; i < model.rowCount(); ++i) {
        if (SchemeCard* card = m_cards.value(model.at(i).scheme))
            card->showRow(model.at(i), width);
    }
}

void SchemeList::setChosen(const QString& scheme)
{
    if (scheme == m_chosen)
        return;
    m_chosen = scheme;
    for (auto it = m_cards.begin(); it != m_cards.end(); ++it)
        it.value()->setChecked(it.key() == scheme);
    m_keepsChosenInSight = true;
    reveal();
}

bool SchemeList::eventFilter(QObject* watched, QEvent* event)
{
    const bool movesCards
        = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
    if (movesCards && m_keepsChosenInSight) // queued: after the cards are placed
        QMetaObject::invokeMethod(this, &SchemeList::reveal, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

void SchemeList::reveal()
{
    constexpr int kMargin = 14;
    const SchemeCard* card = m_cards.value(m_chosen);
    if (m_keepsChosenInSight && card != nullptr && card->isVisible())
        m_scroll->ensureWidgetVisible(m_cards.value(m_chosen), 0, kMargin);
}

void SchemeList::setColumns(int columns)
{
    if (columns == m_columns)
        return;
    m_columns = columns;
    arrange();
}

void SchemeList::focusFilter()
{
    m_filter->setFocus();
    m_filter->selectAll();
}

void SchemeList::arrange()
{
    constexpr int kMostColumns = 3, kGap = 8;
    const QString filter = m_filter->text();
    bool isAny = false;
    for (const Family& family : std::as_const(m_families)) {
        while (QLayoutItem* item = family.grid->takeAt(0))
            delete item;
        int shown = 0;
        for (SchemeCard* card : family.cards) {
            const bool isMatch = card->matches(filter);
            card->setVisible(isMatch);
            if (!isMatch)
                continue;
            family.grid->addWidget(card, shown / m_columns, shown % m_columns);
            ++shown;
        }
        for (int column = 0; column < kMostColumns; ++column)
            family.grid->setColumnStretch(column, column < m_columns ? 1 : 0);
        // Qt leaves out the gap of an empty column. A margin replaces it, so that cards are equally
        // wide in every family.
        family.grid->setContentsMargins(0, 0, kGap * std::max(0, m_columns - shown), 6);
        family.widget->setVisible(shown > 0);
        isAny = isAny || shown > 0;
    }
    m_nothing->setVisible(!isAny);
    m_nothing->setTexts(tr("No scheme matches"),
                        tr("No name, paper or family contains \u201c%1\u201d.").arg(filter));
}

} // namespace app
