#include "app/timeline/details/details_panel.h"

#include "app/timeline/paint/box_painter.h"
#include "app/ui/controls.h"
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
#include <QScrollBar>
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

// A small picture of the details, in the colours of the lanes.
class DetailsPicture : public QWidget
{
public:
    using Paint
        = std::function<void(QPainter& painter, const BoxColours& colours, const QSize& size)>;

    DetailsPicture(const ThemeController& theme, Paint paint)
        : m_theme(theme)
        , m_paint(std::move(paint))
    { }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        m_paint(painter, BoxColours(m_theme.theme(), devicePixelRatioF()), size());
    }

private:
    const ThemeController& m_theme;
    Paint m_paint;
};

using Follow = std::function<void(const Selection&)>;

// Position of a swatch in a chain; a line connects it to its neighbours.
enum class Chain { None, First, Middle, Last };

QWidget* makeSwatch(const ThemeController& theme, const Swatch& swatch, int side, Chain chain)
{
    auto* picture = new DetailsPicture(
        theme, [=](QPainter& painter, const BoxColours& colours, const QSize& size) {
            const QRectF box(0, std::round((size.height() - side) / 2.0), side, side);
            const double middle = std::floor(box.center().x());
            const QColor line = colours.theme().chrome.text3;
            if (chain == Chain::Middle || chain == Chain::Last)
                painter.fillRect(QRectF(middle, 0, 1, box.top()), line);
            if (chain == Chain::Middle || chain == Chain::First)
                painter.fillRect(QRectF(middle, box.bottom(), 1, size.height() - box.bottom()),
                                 line);
            fillSwatch(painter, colours, swatch, box);
        });
    picture->setFixedWidth(side);
    picture->setMinimumHeight(side);
    return picture;
}

// The two bars of a pair, with `before` above `after`.
QWidget* makePair(const ThemeController& theme, const DetailsPair& pair, double limit)
{
    auto* picture = new DetailsPicture(
        theme, [=](QPainter& painter, const BoxColours& colours, const QSize& size) {
            constexpr int kBarHeight = 6, kFirst = 3, kSecond = 11;
            const Theme& look = colours.theme();
            const auto bar = [&](double top, double share, const profiler::Colour& colour) {
                const double width = std::round(std::clamp(share, 0.0, 1.0) * size.width());
                painter.fillRect(QRectF(0, top, width, kBarHeight), toQt(colour));
            };
            bar(kFirst, pair.before, look.palette.optimizerState);
            bar(kSecond, pair.after, look.palette.weights);
            if (limit > 0 && limit <= 1)
                painter.fillRect(
                    QRectF(std::round(limit * (size.width() - 1)), 0, 1, size.height()),
                    look.chrome.text);
        });
    picture->setFixedHeight(20);
    picture->setMinimumWidth(60);
    picture->setAccessibleName(
        QStringList{pair.name, pair.value, pair.change}.join(QLatin1Char(' ')));
    return picture;
}

constexpr int kStripLeft = 24, kStripLabels = 18;

void paintStrip(QPainter& painter, const BoxColours& colours, const QSize& size,
                const StageStrip& strip)
{
    const Chrome& chrome = colours.theme().chrome;
    const double bottom = size.height() - kStripLabels, width = size.width() - kStripLeft;
    const double row = bottom / std::max(1, strip.stages);
    const int every = row >= 11 ? 1 : row >= 5 ? 2 : std::max(1, strip.stages / 4);
    for (int stage = 0; stage < strip.stages; ++stage) {
        const double y = std::floor(row * (stage + 1)) - 2;
        painter.fillRect(QRectF(kStripLeft, y, width, 1), chrome.grid);
        if (stage % every == 0)
            paintText(painter, QRectF(0, row * stage - 2, kStripLeft - 8, row),
                      QString::number(stage), uiFont(10), chrome.text2, kAtRight);
    }
    const double pixels
        = width / static_cast<double>(std::max<std::int64_t>(1, strip.window.duration()));
    const auto x = [&](std::int64_t time) {
        return kStripLeft + std::round(pixels * static_cast<double>(time - strip.window.begin));
    };
    for (const StageStrip::Box& box : strip.boxes) {
        const double left = x(box.window.begin);
        const QRectF rect(left, std::floor(row * box.stage),
                          std::max(2.0, x(box.window.end) - left), std::max(3.0, row - 3));
        fillSwatch(painter, colours, box.swatch, rect);
        painter.setPen(QPen(chrome.text, 2));
        painter.setBrush(Qt::NoBrush);
        if (box.isMarked)
            painter.drawRect(rect);
    }
    const QRectF labels(kStripLeft, bottom, width, kStripLabels);
    paintText(painter, labels, strip.from, uiFont(10), chrome.text2, Qt::AlignBottom);
    paintText(painter, labels, strip.to, uiFont(10), chrome.text2,
              Qt::AlignRight | Qt::AlignBottom);
}

QWidget* makeStrip(const ThemeController& theme, const StageStrip& strip)
{
    auto* picture = new DetailsPicture(
        theme, [strip](QPainter& painter, const BoxColours& colours, const QSize& size) {
            paintStrip(painter, colours, size, strip);
        });
    picture->setFixedHeight(std::clamp(strip.stages * 13, 52, 130) + kStripLabels);
    picture->setAccessibleName(QObject::tr("Stage over time of the micro-batch"));
    return picture;
}

double dotX(double at, int width)
{
    constexpr double kInset = 10, kUnit = 24; // the unit is at the right end
    return std::round(kInset + at * (width - 2 * kInset - kUnit));
}

void paintDots(QPainter& painter, const Chrome& chrome, const QSize& size, const DetailsDots& dots)
{
    constexpr double kRadius = 3.5, kDots = 6, kAxis = 14, kLabels = kAxis + 4;
    const QRectF labels(0, kLabels, size.width(), size.height() - kLabels);
    painter.fillRect(QRectF(0, kAxis, size.width(), 1), chrome.lineStrong);
    paintText(painter, labels, dots.unit, uiFont(11), chrome.text2, Qt::AlignRight);
    for (const auto& [at, label] : dots.ticks) {
        const double x = dotX(at, size.width());
        painter.fillRect(QRectF(x, kAxis, 1, 4), chrome.lineStrong);
        paintText(painter, QRectF(x - 30, labels.top(), 60, labels.height()), label, uiFont(11),
                  chrome.text2, Qt::AlignHCenter);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(chrome.text, 1.2));
    for (const bool isShown : {false, true}) // the shown one is on top
        for (const DetailsDots::Dot& dot : dots.dots) {
            painter.setBrush(isShown ? chrome.text : chrome.surface);
            if (dot.isShown == isShown)
                painter.drawEllipse(QPointF(dotX(dot.at, size.width()) + 0.5, kDots), kRadius,
                                    kRadius);
        }
}

// A click on a dot follows it, and its tooltip describes it.
class DotsPicture : public DetailsPicture
{
public:
    DotsPicture(const ThemeController& theme, const DetailsDots& dots, Follow follow)
        : DetailsPicture(theme,
                         [dots](QPainter& painter, const BoxColours& colours, const QSize& size) {
                             paintDots(painter, colours.theme().chrome, size, dots);
                         })
        , m_dots(dots)
        , m_follow(std::move(follow))
    {
        setObjectName(QStringLiteral("iterationDots"));
        setFixedHeight(34);
        QStringList texts;
        for (const DetailsDots::Dot& dot : m_dots.dots)
            texts << dot.text;
        setAccessibleName(
            QObject::tr("Measured iterations: %1").arg(texts.join(QStringLiteral("; "))));
    }

protected:
    // Queued, because the iteration rebuilds the panel with this picture.
    void mousePressEvent(QMouseEvent* event) override
    {
        if (const DetailsDots::Dot* dot = dotAt(event->position()))
            QMetaObject::invokeMethod(
                this, [follow = m_follow, target = dot->target] { follow(target); },
                Qt::QueuedConnection);
    }
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::ToolTip)
            return QWidget::event(event);
        const auto& help = static_cast<const QHelpEvent&>(*event);
        const DetailsDots::Dot* dot = dotAt(help.pos());
        QToolTip::showText(help.globalPos(), dot == nullptr ? QString() : toolTipText(dot->text),
                           this);
        return true;
    }

private:
    const DetailsDots::Dot* dotAt(QPointF at) const
    {
        constexpr double kReach = 6;
        const auto away
            = [&](const DetailsDots::Dot& dot) { return std::abs(dotX(dot.at, width()) - at.x()); };
        const auto nearest = std::ranges::min_element(m_dots.dots, {}, away);
        return nearest != m_dots.dots.end() && away(*nearest) <= kReach ? &*nearest : nullptr;
    }

    DetailsDots m_dots;
    Follow m_follow;
};

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
        row->addWidget(makeSwatch(theme, details.swatch, 16, Chain::None));
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

Chain chainAt(const DetailsSection& section, std::size_t at)
{
    using enum Chain;
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
        grid->addWidget(makeSwatch(theme, section.links[k].swatch, 10, chainAt(section, k)), row,
                        0);
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
        grid->addWidget(makePair(theme, pair, section.pairLimit), row, 1);
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

// The parts of a bar, side by side. No part covers the rest.
QWidget* makeBarPicture(const ThemeController& theme, const DetailsBar& bar)
{
    auto* picture = new DetailsPicture(
        theme,
        [parts = bar.parts](QPainter& painter, const BoxColours& colours, const QSize& size) {
            painter.fillRect(QRect({}, size), colours.theme().chrome.hover);
            double sum = 0;
            for (const auto& part : parts) {
                const double left = std::round(sum * size.width());
                sum += part.share;
                const double right = std::round(std::min(1.0, sum) * size.width());
                const double gap = right - left >= 2 ? 1 : 0;
                if (right > left)
                    fillSwatch(painter, colours, part.swatch,
                               QRectF(left, 0, right - left - gap, size.height()));
            }
        });
    picture->setFixedHeight(12);
    picture->setAccessibleName(bar.name + QLatin1Char(' ') + bar.value);
    return picture;
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
        layout.addWidget(makeBarPicture(theme, bar));
    }
    if (!section.links.empty())
        addLinks(theme, layout, section, follow);
    if (section.strip)
        layout.addWidget(makeStrip(theme, *section.strip));
    if (!section.pairs.empty())
        addPairs(theme, layout, section);
    if (!section.table.rows.empty())
        addTable(theme, layout, section.table);
    if (!section.rows.empty())
        addRows(layout, section);
}

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

} // namespace

DetailsView::DetailsView(const ThemeController& theme, const char* name, const QString& title,
                         EmptyState::Texts empty, Follow follow)
    : m_theme(theme)
    , m_empty(std::move(empty))
    , m_follow(std::move(follow))
{
    named(this, name, title);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&theme, &ThemeController::changed, this, &DetailsView::layOut);
    layOut();
}

void DetailsView::show(Details details)
{
    if (details == m_shown)
        return;
    const int scrolled = details.title == m_shown.title ? verticalScrollBar()->value() : 0;
    m_shown = std::move(details);
    layOut();
    verticalScrollBar()->setValue(scrolled);
}

void DetailsView::layOut()
{
    setAccessibleDescription(
        m_shown.isEmpty()
            ? m_empty.fact
            : QStringList{m_shown.title, m_shown.value, m_shown.unit}.join(QLatin1Char(' ')));
    if (!m_shown.isEmpty())
        return setWidget(layOutDetails(m_theme, m_shown, m_follow));
    auto* empty = named(new EmptyState(m_theme, m_empty), "detailsEmpty");
    empty->setMinimumHeight(132);
    setWidget(makeColumn({12, 12, 12, 12}, 0, {empty, kStretch}));
}

DetailsPanel::DetailsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_details(new DetailsView(theme, "detailsView", tr("Details"),
                                {Icon::Info,
                                 tr("Nothing selected"),
                                 tr("Click an op, a bubble or a device to see its details."),
                                 {}},
                                [this](const Selection& target) { Q_EMIT jumpTo(target); }))
{
    named(this, "details", tr("Details"));
    spaced(new QVBoxLayout(this), {}, 0, {m_details});
    connect(&theme, &ThemeController::changed, this, &DetailsPanel::refresh);
}

void DetailsPanel::show(RunViewPointer view, const Selection& selection)
{
    m_view = std::move(view);
    m_selection = selection;
    refresh();
}

Details DetailsPanel::details() const
{
    if (!m_view && m_facts.running && m_facts.progress)
        return runningDetails(*m_facts.running, *m_facts.progress);
    return m_view ? detailsOf(*m_view, m_selection, m_facts) : Details();
}

void DetailsPanel::showEvent(QShowEvent* event)
{
    refresh();
    QWidget::showEvent(event);
}

// Hidden details are laid out when they are shown.
void DetailsPanel::refresh()
{
    if (!isVisible())
        return;
    m_details->show(details());
    setAccessibleDescription(m_details->accessibleDescription());
}

} // namespace app
