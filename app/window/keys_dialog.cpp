#include "app/window/keys_dialog.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/base/version.h"
#include "resources/resources.h"

#include <QAction>
#include <QCoreApplication>
#include <QGridLayout>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

QPixmap logo(const ThemeController& theme, double ratio)
{
    QPixmap pixmap(QSizeF(48 * ratio, 48 * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintLogo(painter, QRectF(0, 0, 48, 48), theme.theme().isDark());
    return pixmap;
}

} // namespace

AboutDialog::AboutDialog(const ThemeController& theme, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("aboutDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About Bubblescope"));
    setFixedWidth(460);
    auto* row = spaced(new QHBoxLayout(this), QMargins(24, 24, 24, 20), 20);
    auto* picture = new QLabel;
    picture->setPixmap(logo(theme, devicePixelRatioF()));
    row->addWidget(picture, 0, Qt::AlignTop);
    auto* column
        = spaced(new QVBoxLayout, QMargins(), 4,
                 {makeLabel(QStringLiteral("Bubblescope"), "title"),
                  makeLabel(tr("Time and memory of pipeline-parallel training."), "secondary")});
    column->addSpacing(10);
    const QStringList lines
        = {tr("Version %1, build %2").arg(fromUtf8(engine::version()), fromUtf8(engine::buildId())),
           tr("Qt %1, linked dynamically under the LGPL").arg(QString::fromLatin1(qVersion())),
           tr("Licence: Apache-2.0; libraries: THIRD_PARTY.md")};
    for (const QString& line : lines) {
        QLabel* label = makeLabel(line, "small");
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    column->addSpacing(14);
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeAbout"));
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    column->addWidget(close, 0, Qt::AlignRight);
    row->addLayout(column, 1);
}

namespace {

// A key, drawn as a cap: 18 px high, outlined, on the alternate surface.
class KeyCap : public QWidget
{
public:
    KeyCap(const ThemeController& theme, const QString& key)
        : m_theme(theme)
        , m_key(key)
    {
        setFixedSize(QFontMetrics(uiFont(11)).horizontalAdvance(key) + 13, 18);
        setAccessibleName(key);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Chrome& c = m_theme.theme().chrome;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(c.lineStrong, 1));
        painter.setBrush(c.surfaceAlt);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(c.text);
        painter.setFont(uiFont(11));
        painter.drawText(rect(), Qt::AlignCenter, m_key);
    }

private:
    const ThemeController& m_theme;
    QString m_key;
};

QString caption(const QAction& action)
{
    if (!action.statusTip().isEmpty())
        return action.statusTip();
    QString text = action.text();
    return text.remove(QLatin1Char('&')).remove(QChar(0x2026)).toLower();
}

QList<KeyLine> tableLines()
{
    QList<KeyLine> lines;
    const QString table = fromUtf8(resources::find("help/keys.txt"));
    for (const QString& line : table.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const QStringList parts = line.split(QStringLiteral("; "));
        if (!line.startsWith(QLatin1Char('#')) && parts.size() == 3)
            lines.append({parts.at(0), parts.at(1).split(QLatin1Char(' ')), parts.at(2)});
    }
    return lines;
}

QWidget* makeLineWidget(const ThemeController& theme, const KeyLine& line)
{
    auto* widget = new QWidget;
    widget->setFixedHeight(22);
    auto* row = spaced(new QHBoxLayout(widget), QMargins(), 4);
    auto* caps = new QWidget;
    caps->setFixedWidth(130);
    auto* keys = spaced(new QHBoxLayout(caps), QMargins(), 4);
    for (const QString& key : line.keys)
        keys->addWidget(new KeyCap(theme, key));
    keys->addStretch();
    row->addWidget(caps);
    row->addWidget(makeLabel(line.text), 1);
    return widget;
}

QWidget* makeGroup(const ThemeController& theme, const QString& title, const QList<KeyLine>& lines)
{
    auto* widget = new QWidget;
    auto* column = spaced(new QVBoxLayout(widget), QMargins(), 0, {makeLabel(title, "dock")});
    column->addSpacing(6);
    for (const KeyLine& line : lines) {
        column->addWidget(makeLine(Qt::Horizontal));
        column->addWidget(makeLineWidget(theme, line));
    }
    column->addStretch();
    return widget;
}

// Places two groups side by side in each row. If the last row has a single group, splits its lines
// into two columns.
void addGroups(QGridLayout& grid, const ThemeController& theme, const QList<QList<KeyLine>>& groups)
{
    for (int i = 0; i < groups.size(); ++i) {
        const QList<KeyLine>& lines = groups.at(i);
        const bool isAlone = i == groups.size() - 1 && i % 2 == 0;
        const qsizetype half = isAlone ? (lines.size() + 1) / 2 : lines.size();
        grid.addWidget(makeGroup(theme, lines.front().group, lines.first(half)), i / 2, i % 2);
        if (isAlone)
            grid.addWidget(makeGroup(theme, QStringLiteral(" "), lines.sliced(half)), i / 2, 1);
    }
}

QList<QList<KeyLine>> grouped(const QList<KeyLine>& lines)
{
    QStringList titles;
    QList<QList<KeyLine>> groups;
    for (const KeyLine& line : lines) {
        if (!titles.contains(line.group)) {
            titles.append(line.group);
            groups.append(QList<KeyLine>());
        }
        groups[titles.indexOf(line.group)].append(line);
    }
    return groups;
}

// Returns the key caps of each shortcut of an action. Shortcuts of a single key, such as "F1" and
// "?", share one entry.
QList<QStringList> shortcuts(const QAction& action)
{
    QList<QStringList> all;
    QStringList single;
    for (const QKeySequence& sequence : action.shortcuts()) {
        QStringList keys = sequence.toString().split(QLatin1Char('+'), Qt::SkipEmptyParts);
        keys.replaceInStrings(QStringLiteral("Left"), QStringLiteral("←"));
        keys.replaceInStrings(QStringLiteral("Right"), QStringLiteral("→"));
        keys.replaceInStrings(QStringLiteral("PgDown"), QStringLiteral("PgDn"));
        if (keys.size() == 1)
            single += keys;
        else if (!keys.isEmpty())
            all.append(keys);
    }
    if (!single.isEmpty())
        all.prepend(single);
    return all;
}

// Whether a list of keys contains a key: "Alt ← →" contains "Alt ←", but "Ctrl N" does not contain
// "N".
bool says(const KeyLine& line, const QStringList& keys)
{
    const auto has = [](const QStringList& list, const char* modifier) {
        return list.contains(QLatin1String(modifier));
    };
    for (const char* modifier : {"Ctrl", "Shift", "Alt"})
        if (has(line.keys, modifier) != has(keys, modifier))
            return false;
    return std::ranges::all_of(keys, [&](const QString& key) { return line.keys.contains(key); });
}

} // namespace

QList<KeyLine> keyLines(const QList<QAction*>& actions)
{
    QList<KeyLine> lines = tableLines();
    for (const QAction* action : actions)
        for (const QStringList& keys : shortcuts(*action)) {
            const auto isThere = [&](const KeyLine& line) { return says(line, keys); };
            if (std::ranges::none_of(lines, isThere))
                lines.append(
                    {QCoreApplication::translate("Keys", "View and runs"), keys, caption(*action)});
        }
    return lines;
}

KeysDialog::KeysDialog(const ThemeController& theme, const QList<QAction*>& actions,
                       QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("keysDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys"));
    QWidget* head = makeSurface("alt");
    head->setFixedHeight(38);
    spaced(
        new QHBoxLayout(head), QMargins(16, 0, 16, 0), 12,
        {makeLabel(tr("Keys"), "heading"),
         {makeLabel(tr("of timelines, the schedule editor and the current page; for all actions, "
                       "see the command palette (Ctrl+K)"),
                    "small"),
          1}});
    auto* body = new QWidget;
    auto* grid = spaced(new QGridLayout(body), QMargins(20, 16, 20, 16), 0);
    grid->setHorizontalSpacing(36);
    grid->setVerticalSpacing(14);
    addGroups(*grid, theme, grouped(keyLines(actions)));
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    auto* column = spaced(new QVBoxLayout(this), QMargins(), 0, {head, makeLine(Qt::Horizontal)});
    QScrollArea* scroll = makeScroll(body);
    scroll->setFocusPolicy(Qt::StrongFocus); // the keyboard can scroll it
    scroll->setAccessibleName(windowTitle());
    column->addWidget(scroll, 1);
    setMinimumWidth(912);
    resize(minimumWidth(), head->height() + 1 + body->sizeHint().height());
    fitToScreen(*this);
}

} // namespace app
