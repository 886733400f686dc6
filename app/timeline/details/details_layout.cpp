#include "app/timeline/details/details_layout.h"

#include "app/timeline/paint/box_painter.h"
#include "app/ui/controls.h"
#include "app/ui/subscript.h"
#include "app/ui/text.h"

#include <QFileInfo>
#include <QFontMetrics>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using Emphasis = BoxColours::Emphasis;

void fillSwatch(QPainter& painter, const BoxColours& colours, const Swatch& swatch,
                const QRectF& rect)
{
    switch (swatch.look) {
    case Swatch::Look::Op:
        fillLook(painter, rect, colours.look(swatch.kind, swatch.chunk, Emphasis::Normal),
                 rect.left());
        break;
    case Swatch::Look::Bubble:
        paintBubble(painter, colours, rect, rect.left());
        break;
    case Swatch::Look::Exposed:
        painter.fillRect(rect, colours.exposed(Emphasis::Normal).fill);
        break;
    case Swatch::Look::Kernel:
        painter.fillRect(rect, colours.kernel(swatch.kernel).fill);
        break;
    case Swatch::Look::None:
        break;
    }
}

constexpr int kStripLeft = 24, kStripLabels = 18;

} // namespace

SwatchPicture::SwatchPicture(const ThemeController& theme, const Swatch& swatch, int size,
                             Chain chain)
    : m_theme(theme)
    , m_swatch(swatch)
    , m_size(size)
    , m_chain(chain)
{
    setFixedWidth(size);
    setMinimumHeight(size);
}

void SwatchPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const BoxColours colours(m_theme.theme(), devicePixelRatioF());
    const QRectF box(0, std::round((height() - m_size) / 2.0), m_size, m_size);
    const double middle = std::floor(box.center().x());
    const QColor line = m_theme.theme().chrome.text3;
    if (m_chain == Chain::Middle || m_chain == Chain::Last)
        painter.fillRect(QRectF(middle, 0, 1, box.top()), line);
    if (m_chain == Chain::Middle || m_chain == Chain::First)
        painter.fillRect(QRectF(middle, box.bottom(), 1, height() - box.bottom()), line);
    fillSwatch(painter, colours, m_swatch, box);
}

ShareBarPicture::ShareBarPicture(const ThemeController& theme, std::vector<DetailsBar::Part> parts)
    : m_theme(theme)
    , m_parts(std::move(parts))
{
    setFixedHeight(12);
}

void ShareBarPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const BoxColours colours(m_theme.theme(), devicePixelRatioF());
    painter.fillRect(rect(), m_theme.theme().chrome.hover); // the rest, which no part covers
    double sum = 0;
    for (const auto& part : m_parts) {
        const double left = std::round(sum * width());
        sum += part.share;
        const double right = std::round(std::min(1.0, sum) * width());
        if (right - left >= 2)
            fillSwatch(painter, colours, part.swatch, QRectF(left, 0, right - left - 1, height()));
        else if (right > left)
            fillSwatch(painter, colours, part.swatch, QRectF(left, 0, right - left, height()));
    }
}

PairPicture::PairPicture(const ThemeController& theme, const DetailsPair& pair, double limit)
    : m_theme(theme)
    , m_pair(pair)
    , m_limit(limit)
{
    setFixedHeight(20);
    setMinimumWidth(60);
    setAccessibleName(pair.name + QLatin1Char(' ') + pair.value + QLatin1Char(' ') + pair.change);
}

void PairPicture::paintEvent(QPaintEvent*)
{
    constexpr int kBarHeight = 6, kFirst = 3, kSecond = 11;
    QPainter painter(this);
    const profiler::Palette& palette = m_theme.theme().palette;
    const auto bar = [&](double top, double share, const profiler::Colour& colour) {
        painter.fillRect(
            QRectF(0, top, std::round(std::clamp(share, 0.0, 1.0) * width()), kBarHeight),
            toQt(colour));
    };
    bar(kFirst, m_pair.before, palette.optimizerState);
    bar(kSecond, m_pair.after, palette.weights);
    if (m_limit > 0 && m_limit <= 1)
        painter.fillRect(QRectF(std::round(m_limit * (width() - 1)), 0, 1, height()),
                         m_theme.theme().chrome.text);
}

StageStripPicture::StageStripPicture(const ThemeController& theme, StageStrip strip)
    : m_theme(theme)
    , m_strip(std::move(strip))
{
    setFixedHeight(std::clamp(m_strip.stages * 13, 52, 130) + kStripLabels);
    setAccessibleName(tr("Stage over time of the micro-batch"));
}

QRectF StageStripPicture::boxOf(const StageStrip::Box& box) const
{
    const double width = this->width() - kStripLeft,
                 row = static_cast<double>(height() - kStripLabels) / std::max(1, m_strip.stages);
    const auto duration = static_cast<double>(std::max<std::int64_t>(1, m_strip.window.duration()));
    const auto at = [&](std::int64_t time) {
        return kStripLeft
            + std::round(width * static_cast<double>(time - m_strip.window.begin) / duration);
    };
    const double left = at(box.window.begin), right = at(box.window.end);
    return {left, std::floor(row * box.stage), std::max(2.0, right - left), std::max(3.0, row - 3)};
}

void StageStripPicture::paintBox(QPainter& painter, const BoxColours& colours,
                                 const StageStrip::Box& box) const
{
    const QRectF rect = boxOf(box);
    fillSwatch(painter, colours, box.swatch, rect);
    if (!box.isMarked)
        return;
    painter.setPen(QPen(m_theme.theme().chrome.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0, 0, 0, 0));
}

void StageStripPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = m_theme.theme().chrome;
    const double bottom = height() - kStripLabels;
    const double row = bottom / std::max(1, m_strip.stages);
    const int every = row >= 11 ? 1 : row >= 5 ? 2 : std::max(1, m_strip.stages / 4);
    painter.setFont(uiFont(10));
    painter.setPen(chrome.text2);
    for (int stage = 0; stage < m_strip.stages; ++stage) {
        const double y = std::floor(row * (stage + 1)) - 2;
        painter.fillRect(QRectF(kStripLeft, y, width() - kStripLeft, 1), chrome.grid);
        if (stage % every == 0)
            painter.drawText(QRectF(0, row * stage - 2, kStripLeft - 8, row),
                             Qt::AlignRight | Qt::AlignVCenter, QString::number(stage));
    }
    const BoxColours colours(m_theme.theme(), devicePixelRatioF());
    for (const auto& box : m_strip.boxes)
        paintBox(painter, colours, box);
    const QRectF labels(kStripLeft, bottom, width() - kStripLeft, kStripLabels);
    painter.setPen(chrome.text2);
    painter.drawText(labels, Qt::AlignLeft | Qt::AlignBottom, m_strip.from);
    painter.drawText(labels, Qt::AlignRight | Qt::AlignBottom, m_strip.to);
}

DotsPicture::DotsPicture(const ThemeController& theme, DetailsDots dots, Follow follow)
    : m_theme(theme)
    , m_dots(std::move(dots))
    , m_follow(std::move(follow))
{
    setObjectName(QStringLiteral("iterationDots"));
    setFixedHeight(34);
    QStringList texts;
    for (const DetailsDots::Dot& dot : m_dots.dots)
        texts << dot.text;
    setAccessibleName(tr("Measured iterations: %1").arg(texts.join(QStringLiteral("; "))));
}

double DotsPicture::x(double at) const
{
    constexpr double kInset = 10, kUnit = 24; // the unit is at the right end
    return std::round(kInset + at * (width() - 2 * kInset - kUnit));
}

const DetailsDots::Dot* DotsPicture::dotAt(QPointF at) const
{
    constexpr double kReach = 6;
    const DetailsDots::Dot* nearest = nullptr;
    for (const DetailsDots::Dot& dot : m_dots.dots)
        if (std::abs(x(dot.at) - at.x()) <= kReach
            && (nearest == nullptr
                || std::abs(x(dot.at) - at.x()) < std::abs(x(nearest->at) - at.x())))
            nearest = &dot;
    return nearest;
}

// Queued, because the iteration rebuilds the panel with this picture.
void DotsPicture::mousePressEvent(QMouseEvent* event)
{
    if (const DetailsDots::Dot* dot = dotAt(event->position()))
        QMetaObject::invokeMethod(
            this, [follow = m_follow, target = dot->target] { follow(target); },
            Qt::QueuedConnection);
}

bool DotsPicture::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto& help = static_cast<const QHelpEvent&>(*event);
        const DetailsDots::Dot* dot = dotAt(help.pos());
        QToolTip::showText(help.globalPos(), dot == nullptr ? QString() : toolTipText(dot->text),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void DotsPicture::paintEvent(QPaintEvent*)
{
    constexpr double kRadius = 3.5, kDots = 6, kAxis = 14;
    const Chrome& chrome = m_theme.theme().chrome;
    QPainter painter(this);
    painter.fillRect(QRectF(0, kAxis, width(), 1), chrome.lineStrong);
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    const QRectF labels(0, kAxis + 4, width(), height() - kAxis - 4);
    painter.drawText(labels, Qt::AlignRight | Qt::AlignTop, m_dots.unit);
    for (const auto& [at, label] : m_dots.ticks) {
        painter.fillRect(QRectF(x(at), kAxis, 1, 4), chrome.lineStrong);
        painter.drawText(QRectF(x(at) - 30, labels.top(), 60, labels.height()),
                         Qt::AlignHCenter | Qt::AlignTop, label);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(chrome.text, 1.2));
    for (const bool isShown : {false, true}) // the shown one is on top
        for (const DetailsDots::Dot& dot : m_dots.dots) {
            if (dot.isShown != isShown)
                continue;
            painter.setBrush(isShown ? chrome.text : chrome.surface);
            painter.drawEllipse(QPointF(x(dot.at) + 0.5, kDots), kRadius, kRadius);
        }
}

namespace {

using Follow = std::function<void(const Selection&)>;
constexpr int kLinkRoom = 138;
constexpr int kRowRoom = 256, kRowGap = 8; // width of a row in a panel of 292 px that scrolls

// `words` is rich text. Text without markup is laid out faster as plain text.
QLabel* text(const QString& words, const QFont& font)
{
    const bool isPlain = !words.contains(QLatin1Char('<')) && !words.contains(QLatin1Char('&'));
    auto* label = new QLabel;
    label->setFont(font);
    label->setTextFormat(isPlain ? Qt::PlainText : Qt::RichText);
    label->setText(words);
    return label;
}

QHBoxLayout* ends(QLabel* left, QWidget* right)
{
    auto* row = spaced(new QHBoxLayout, {}, 8);
    left->setWordWrap(true);
    row->addWidget(left, 1);
    row->addWidget(right, 0, Qt::AlignBottom);
    return row;
}

QString titleText(const Details& details)
{
    if (!details.isCode)
        return details.title.toHtmlEscaped();
    const auto space = details.title.indexOf(QLatin1Char(' '));
    return QStringLiteral("<span style='font-family:monospace'>%1</span>%2")
        .arg(details.title.left(space), details.title.mid(space));
}

// The name of a file, elided in the middle, with its path as tooltip.
QLabel* fileLabel(const QString& file)
{
    constexpr int kFileRoom = 130;
    const QFont font = uiFont(12);
    auto* label = makeLabel(
        QFontMetrics(font).elidedText(QFileInfo(file).fileName(), Qt::ElideMiddle, kFileRoom),
        "small");
    label->setTextFormat(Qt::PlainText);
    label->setToolTip(toolTipText(file));
    return named(label, "detailsFile");
}

void addHead(const ThemeController& theme, QVBoxLayout& layout, const Details& details,
             const Follow& follow)
{
    auto* row = spaced(new QHBoxLayout, {}, 8);
    if (details.swatch.look != Swatch::Look::None)
        row->addWidget(new SwatchPicture(theme, details.swatch, 16, SwatchPicture::Chain::None));
    auto* title = text(titleText(details), uiFont(15, QFont::Medium));
    title->setObjectName(QStringLiteral("detailsTitle"));
    title->setWordWrap(true);
    row->addWidget(title, 1);
    auto* value = text(QStringLiteral("%1 <span style='font-size:13px;font-weight:400;color:%3'>%2"
                                      "</span>")
                           .arg(details.value, details.unit, theme.theme().chrome.text2.name()),
                       uiFont(20, QFont::Medium));
    value->setObjectName(QStringLiteral("detailsValue"));
    row->addWidget(value);
    layout.addLayout(row);
    QLabel* left
        = details.file.isEmpty() ? makeLabel(details.left, "small") : fileLabel(details.file);
    layout.addLayout(ends(left, makeLabel(details.right, "small")));
    if (!details.tag.isEmpty())
        layout.addLayout(
            spaced(new QHBoxLayout, {}, 8,
                   {new Tag(theme, details.tag), kStretch, makeLabel(details.note, "small")}));
    if (!details.dots.dots.empty())
        layout.addWidget(new DotsPicture(theme, details.dots, follow));
    if (details.sentence.isEmpty())
        return;
    auto* sentence = text(details.sentence, uiFont(13));
    sentence->setObjectName(QStringLiteral("detailsSentence"));
    sentence->setWordWrap(true);
    layout.addSpacing(4);
    layout.addWidget(sentence);
}

SwatchPicture::Chain chainAt(const DetailsSection& section, std::size_t at)
{
    using enum SwatchPicture::Chain;
    if (!section.isChain || section.links.size() < 2)
        return None;
    return at == 0 ? First : at + 1 == section.links.size() ? Last : Middle;
}

// A label with one link is one stop of Tab: QLabel's own links take a Tab each, and Shift+Tab does
// not leave the first.
class LinkLabel : public QLabel
{
public:
    explicit LinkLabel(const QString& html)
    {
        setFont(uiFont(12));
        setTextFormat(Qt::RichText);
        setText(html);
        setTextInteractionFlags(Qt::LinksAccessibleByMouse);
        setFocusPolicy(Qt::StrongFocus);
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter
            || event->key() == Qt::Key_Space)
            Q_EMIT linkActivated(QStringLiteral("op"));
        else
            QLabel::keyPressEvent(event);
    }
};

QLabel* linkLabel(const ThemeController& theme, const DetailsLink& link, const Follow& follow)
{
    const QString ink = theme.theme().chrome.text.name();
    const QString face = link.prefix.isEmpty() && link.name.front().isDigit()
        ? QStringLiteral("monospace")
        : uiFont(12).family();
    const bool leads = link.target.kind != Selection::Kind::None;
    const QString shown = link.isCut
        ? QFontMetrics(uiFont(12)).elidedText(link.name, Qt::ElideRight, kLinkRoom)
        : link.name;
    const QString name = leads
        ? QStringLiteral("<a href='op' style='color:%1;font-family:%2'>%3</a>")
              .arg(ink, face, shown.toHtmlEscaped())
        : shown.toHtmlEscaped();
    const QStringList words{link.prefix, name, link.rest};
    const QString html = words.join(QLatin1Char(' ')).trimmed();
    QLabel* label = leads ? new LinkLabel(html) : text(html, uiFont(12));
    if (shown != link.name)
        label->setToolTip(link.name);
    const Selection target = link.target;
    // A queued connection, because following the link rebuilds the panel with this label.
    QObject::connect(
        label, &QLabel::linkActivated, label, [follow, target] { follow(target); },
        Qt::QueuedConnection);
    return label;
}

void addLinks(const ThemeController& theme, QVBoxLayout& layout, const DetailsSection& section,
              const Follow& follow)
{
    auto* grid = spaced(new QGridLayout, {}, 0);
    grid->setHorizontalSpacing(8);
    grid->setColumnStretch(1, 1);
    for (std::size_t k = 0; k < section.links.size(); ++k) {
        const int row = static_cast<int>(k);
        grid->addWidget(new SwatchPicture(theme, section.links[k].swatch, 10, chainAt(section, k)),
                        row, 0);
        auto* label = linkLabel(theme, section.links[k], follow);
        label->setObjectName(QStringLiteral("%1Link%2").arg(section.title).arg(row));
        grid->addWidget(label, row, 1);
        grid->addWidget(makeLabel(section.links[k].time, "small"), row, 2, Qt::AlignRight);
        grid->setRowMinimumHeight(row, 22);
    }
    layout.addLayout(grid);
}

int widestWord(const QFontMetrics& metrics, const QString& words)
{
    int widest = 0;
    for (const QString& word : words.split(QRegularExpression(QStringLiteral("[ \\x{200B}]"))))
        widest = std::max(widest, metrics.horizontalAdvance(word));
    return widest;
}

// Allows a line break after any letter.
QString breakable(const QString& word)
{
    QString text;
    for (const QChar c : word)
        text += QString(c) + QChar(0x200B);
    return text;
}

// Adds a name with its right-aligned value, which wraps beside the name, or below it if a word of
// the value is too long.
void addRow(QVBoxLayout& rows, const DetailsRow& row)
{
    const QFont font = uiFont(12, row.isStrong ? QFont::Medium : QFont::Normal);
    const QFontMetrics metrics(font);
    const int widest = widestWord(metrics, row.value);
    auto* value = text(subscriptedHtml(widest > kRowRoom ? breakable(row.value) : row.value), font);
    value->setAlignment((row.name.isEmpty() ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop);
    auto* line = spaced(new QHBoxLayout, {}, kRowGap);
    rows.addLayout(line);
    int room = kRowRoom;
    if (!row.name.isEmpty()) {
        line->addWidget(makeLabel(row.name, "small"), 0, Qt::AlignTop);
        room -= kRowGap + metrics.horizontalAdvance(row.name);
    }
    value->setWordWrap(row.name.isEmpty() || metrics.horizontalAdvance(row.value) > room);
    if (widest <= room) {
        line->addWidget(value, 1);
    } else {
        line->addStretch(1);
        rows.addWidget(value);
    }
}

void addRows(QVBoxLayout& layout, const DetailsSection& section)
{
    auto* rows = spaced(new QVBoxLayout, {}, 4);
    for (const auto& row : section.rows)
        addRow(*rows, row);
    layout.addLayout(rows);
}

void addTable(const ThemeController& theme, QVBoxLayout& layout, const DetailsTable& table)
{
    auto* grid = spaced(new QGridLayout, {}, 4);
    grid->setHorizontalSpacing(12);
    grid->setColumnStretch(0, 1);
    int column = 1;
    for (const QString& title : table.columns)
        grid->addWidget(makeLabel(title, "small"), 0, column++, Qt::AlignRight);
    for (int row = 1; const DetailsTable::Row& values : table.rows) {
        auto* name = new ElidedLabel("small");
        name->setText(values.name);
        grid->addWidget(name, row, 0);
        for (column = 1; const DetailsTable::Cell& cell : values.cells) {
            const QString words = cell.isError
                ? QStringLiteral("<span style='color:%1'>%2</span>")
                      .arg(theme.theme().chrome.error.name(), cell.text)
                : cell.text;
            grid->addWidget(text(words, uiFont(12, cell.isStrong ? QFont::Medium : QFont::Normal)),
                            row, column++, Qt::AlignRight);
        }
        ++row;
    }
    layout.addLayout(grid);
}

void addPairs(const ThemeController& theme, QVBoxLayout& layout, const DetailsSection& section)
{
    auto* grid = spaced(new QGridLayout, {}, 0);
    grid->setHorizontalSpacing(10);
    grid->setColumnStretch(1, 1);
    for (std::size_t k = 0; k < section.pairs.size(); ++k) {
        const int row = static_cast<int>(k);
        const DetailsPair& pair = section.pairs[k];
        grid->addWidget(makeLabel(pair.name, "small"), row, 0);
        grid->addWidget(new PairPicture(theme, pair, section.pairLimit), row, 1);
        grid->addWidget(text(pair.value, uiFont(12, QFont::Medium)), row, 2, Qt::AlignRight);
        grid->addWidget(makeLabel(pair.change, "small"), row, 3, Qt::AlignRight);
        grid->setRowMinimumHeight(row, 22);
    }
    layout.addLayout(grid);
    const profiler::Palette& palette = theme.theme().palette;
    QStringList legend;
    for (const auto& [name, colour] : {std::pair(section.pairLegend[0], palette.optimizerState),
                                       std::pair(section.pairLegend[1], palette.weights)})
        legend.append(QStringLiteral("<span style='color:%1'>\u25A0</span>&nbsp;%2")
                          .arg(toQt(colour).name(), name.toHtmlEscaped()));
    auto* names = makeLabel(legend.join(QStringLiteral("&nbsp;&nbsp; ")), "hint");
    names->setTextFormat(Qt::RichText);
    names->setWordWrap(true);
    layout.addWidget(names);
}

void addSection(const ThemeController& theme, QVBoxLayout& layout, const DetailsSection& section,
                const Follow& follow)
{
    if (!section.title.isEmpty())
        layout.addLayout(
            ends(text(section.title, uiFont(12, QFont::Medium)), makeLabel(section.note, "small")));
    for (const auto& bar : section.bars) {
        if (!bar.name.isEmpty())
            layout.addLayout(ends(text(bar.name, uiFont(12)), text(bar.value, uiFont(12))));
        auto* picture = new ShareBarPicture(theme, bar.parts);
        picture->setAccessibleName(bar.name + QLatin1Char(' ') + bar.value);
        layout.addWidget(picture);
    }
    if (!section.links.empty())
        addLinks(theme, layout, section, follow);
    if (section.strip)
        layout.addWidget(new StageStripPicture(theme, *section.strip));
    if (!section.pairs.empty())
        addPairs(theme, layout, section);
    if (!section.table.rows.empty())
        addTable(theme, layout, section.table);
    if (!section.rows.empty())
        addRows(layout, section);
}

} // namespace

QWidget* layOutDetails(const ThemeController& theme, const Details& details, const Follow& follow)
{
    auto* body = makeSurface("plain");
    auto* layout = spaced(new QVBoxLayout(body), {}, 0);
    const auto block = [&] {
        auto* inner = spaced(new QVBoxLayout, {12, 14, 12, 14}, 6);
        layout->addLayout(inner);
        return inner;
    };
    addHead(theme, *block(), details, follow);
    for (const auto& section : details.sections) {
        layout->addWidget(makeLine(Qt::Horizontal));
        addSection(theme, *block(), section, follow);
    }
    layout->addStretch(1);
    return body;
}

} // namespace app
