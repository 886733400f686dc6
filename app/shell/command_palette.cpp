#include "app/shell/command_palette.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

constexpr int kRow = 28, kRows = 12, kWidth = 420;
constexpr int kPlaceRole = Qt::UserRole, kKeysRole = Qt::UserRole + 1;

QString plain(QString text)
{
    return withoutMnemonic(std::move(text)).remove(QChar(0x2026));
}

// Other words for what commands are called.
constexpr std::pair<const char*, const char*> kSynonyms[] = {
    {"bottleneck", "faster"},    {"cause", "faster"},      {"slow", "faster"},
    {"idle", "bubble"},          {"gap", "bubble"},        {"wait", "bubble"},
    {"bubble", "faster"},        {"idle", "faster"},       {"gap", "faster"},
    {"database", "sql"},         {"query", "sql"},         {"delete", "trash"},
    {"remove", "trash"},         {"diff", "compare"},      {"history", "runs"},
    {"ledger", "runs"},          {"figure", "export"},     {"image", "export"},
    {"pdf", "export"},           {"svg", "export"},        {"latex", "export"},
    {"manual", "guide"},         {"shortcuts", "keys"},    {"options", "settings"},
    {"preferences", "settings"}, {"oom", "memory"},        {"ram", "memory"},
    {"optimal", "shortest"},     {"optimize", "shortest"}, {"train", "run"},
};

class CommandDelegate : public QStyledItemDelegate
{
public:
    CommandDelegate(const ThemeController& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    { }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {kWidth, kRow};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Chrome& c = m_theme.theme().chrome;
        const bool current = option.state.testFlag(QStyle::State_Selected);
        if (current)
            painter->fillRect(option.rect, c.selected);
        const QRect box = option.rect.adjusted(12, 0, -12, 0);
        const QString name = index.data().toString();
        painter->setPen(option.state.testFlag(QStyle::State_Enabled) ? c.text : c.text2);
        painter->setFont(uiFont(13));
        painter->drawText(box, Qt::AlignVCenter, name);
        painter->setPen(c.text2);
        painter->setFont(uiFont(11));
        const int after = QFontMetrics(uiFont(13)).horizontalAdvance(name) + 8;
        painter->drawText(box.adjusted(after, 0, 0, 0), Qt::AlignVCenter,
                          index.data(kPlaceRole).toString());
        painter->drawText(box, Qt::AlignVCenter | Qt::AlignRight, index.data(kKeysRole).toString());
    }

private:
    const ThemeController& m_theme;
};

} // namespace

int matchQuality(const QString& name, const QString& text)
{
    int quality = 0;
    QStringList have = name.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const auto& [other, word] : kSynonyms)
        if (name.contains(QLatin1String(word), Qt::CaseInsensitive))
            have.append(QLatin1String(other));
    const QStringList want = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString& word : want) {
        const auto begins = [&](const QString& other) { return other.startsWith(word); };
        if (std::any_of(have.begin(), have.end(), begins))
            quality += 2;
        else if (name.contains(word, Qt::CaseInsensitive))
            quality += 1;
        else
            return -1;
    }
    return quality;
}

CommandPalette::CommandPalette(const ThemeController& theme, QWidget* parent)
    : QFrame(parent, Qt::Popup)
    , m_theme(theme)
    , m_field(named(new QLineEdit, "commandText", tr("Command")))
    , m_list(named(new QListWidget, "commandList", tr("Commands")))
{
    setObjectName(QStringLiteral("commandPalette"));
    setAttribute(Qt::WA_StyledBackground);
    m_field->setPlaceholderText(tr("Search or run a command"));
    m_field->installEventFilter(this);
    m_list->setItemDelegate(new CommandDelegate(theme, m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    spaced(new QVBoxLayout(this), QMargins(5, 5, 5, 5), 5, {m_field, m_list});
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
}

void CommandPalette::open(const QList<Command>& commands, const QPoint& topRight, Finder finder)
{
    m_commands = commands;
    m_finder = std::move(finder);
    m_field->clear();
    filter({});
    move(topRight.x() - width(), topRight.y());
    show();
    m_field->setFocus();
}

void CommandPalette::filter(const QString& text)
{
    std::vector<std::pair<int, int>> found; // quality, index
    for (int i = 0; i < m_commands.size(); ++i) {
        const Command& command = m_commands.at(i);
        if (command.action == nullptr || !command.action->isEnabled())
            continue;
        const QString name = command.place + QLatin1Char(' ') + plain(command.action->text());
        if (const int quality = matchQuality(name, text); quality >= 0)
            found.emplace_back(quality, i);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    m_list->clear();
    m_shown.clear();
    for (const Command& command : m_finder ? m_finder(text) : QList<Command>())
        add(command);
    for (const auto& [quality, i] : found)
        add(m_commands.at(i));
    if (m_shown.isEmpty())
        (new QListWidgetItem(tr("Nothing found; try fewer words, or only their beginnings"),
                             m_list))
            ->setFlags(Qt::NoItemFlags);
    m_list->setCurrentRow(0);
    const int rows = std::clamp(m_list->count(), 1, kRows);
    ensurePolished(); // applies the style sheet, which defines the border
    const QMargins border = contentsMargins();
    setFixedSize(kWidth, rows * kRow + 28 + 15 + border.top() + border.bottom());
}

void CommandPalette::add(const Command& command)
{
    auto* item = new QListWidgetItem(plain(command.action->text()), m_list);
    item->setData(kPlaceRole, command.place);
    item->setData(kKeysRole, command.action->shortcut().toString(QKeySequence::NativeText));
    m_shown.append(command.action);
}

void CommandPalette::runCurrent()
{
    const QPointer<QAction> action = m_shown.value(m_list->currentRow());
    hide();
    if (action != nullptr)
        action->trigger();
}

void CommandPalette::moveBy(int rows)
{
    const int last = m_list->count() - 1;
    if (last >= 0)
        m_list->setCurrentRow(std::clamp(m_list->currentRow() + rows, 0, last));
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(object, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
        moveBy(-1);
        return true;
    case Qt::Key_Down:
        moveBy(1);
        return true;
    case Qt::Key_PageUp:
        moveBy(-kRows);
        return true;
    case Qt::Key_PageDown:
        moveBy(kRows);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runCurrent();
        return true;
    case Qt::Key_Escape:
        hide();
        return true;
    default:
        return QFrame::eventFilter(object, event);
    }
}

} // namespace app
