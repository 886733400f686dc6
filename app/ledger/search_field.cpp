#include "app/ledger/search_field.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <map>

namespace app {

SearchField::SearchField(const ThemeController& theme, const std::vector<LedgerRun>& runs)
    : m_theme(theme)
    , m_runs(runs)
    , m_row(spaced(new QHBoxLayout(this), {}, 6))
    , m_words(named(new QLineEdit, "ledgerFilter", tr("Search runs")))
{
    m_words->setClearButtonEnabled(true);
    m_words->installEventFilter(this);
    m_row->addWidget(m_words, 1);
    connect(m_words, &QLineEdit::textChanged, this, &SearchField::edit);
    setFocusProxy(m_words);
    showChips();
}

QString SearchField::text() const
{
    return (m_chips + QStringList(m_words->text())).join(QLatin1Char(' ')).trimmed();
}

void SearchField::setText(const QString& text)
{
    m_chips.clear();
    m_words->clear();
    edit(text.isEmpty() ? text : text + QLatin1Char(' '));
}

void SearchField::select()
{
    m_words->setFocus();
    m_words->selectAll();
}

// Takes the finished words with a key out of the text.
void SearchField::edit(const QString& text)
{
    QStringList words = text.split(QLatin1Char(' '));
    const QString last = words.takeLast(); // not finished
    QStringList left;
    for (const QString& word : words)
        (word.indexOf(QLatin1Char(':')) > 0 && !word.endsWith(QLatin1Char(':')) ? m_chips : left)
            .append(word);
    if (left.size() < words.size() || m_words->text() != text) {
        const QString rest = (left << last).join(QLatin1Char(' '));
        const QSignalBlocker silent(m_words);
        m_words->setText(rest.trimmed().isEmpty() ? QString() : rest);
    }
    showChips();
    Q_EMIT changed();
}

void SearchField::showChips()
{
    m_words->setPlaceholderText(
        m_chips.isEmpty()
            ? tr("Name, tag, note or parameter, such as scheme:zb-v state:finished,failed D:4")
            : tr("Name, tag, note or parameter"));
    if (m_shown != nullptr)
        m_shown->deleteLater(); // after the click on one of its buttons
    m_shown = new QWidget;
    auto* row = spaced(new QHBoxLayout(m_shown), {}, 2);
    for (qsizetype chip = 0; chip < m_chips.size(); ++chip) {
        const QString key = m_chips[chip].section(QLatin1Char(':'), 0, 0);
        const QStringList values
            = m_chips[chip].section(QLatin1Char(':'), 1).split(QLatin1Char(','));
        auto* button
            = makeButton(values.size() <= 2
                             ? QStringLiteral("%1: %2").arg(key, values.join(QStringLiteral(", ")))
                             : QStringLiteral("%1: %2, %3 +%4")
                                   .arg(key, values[0], values[1])
                                   .arg(values.size() - 2),
                         QStringLiteral("searchChip"), "tool");
        connect(button, &QPushButton::clicked, this,
                [this, chip, button] { showValues(chip, button); });
        auto* remove = makeIconButton("removeChip", Icon::Close, tr("Remove %1").arg(m_chips[chip]),
                                      m_theme);
        connect(remove, &QToolButton::clicked, this, [this, chip] { removeChip(chip); });
        row->addWidget(button);
        row->addWidget(remove);
    }
    m_row->insertWidget(0, m_shown);
    m_shown->setVisible(!m_chips.isEmpty());
}

// A menu of the values that runs have for the key of the chip. A tick acts at once.
void SearchField::showValues(qsizetype chip, QWidget* button)
{
    const QString key = m_chips[chip].section(QLatin1Char(':'), 0, 0);
    std::map<QString, int> counts;
    for (const LedgerRun& run : m_runs)
        for (const QString& value : run.values(key))
            ++counts[value];
    auto* menu = named(new QMenu(this), "chipValues");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto& [value, count] : counts) {
        auto* action = menu->addAction(menuText(QStringLiteral("%1\t%2").arg(value).arg(count)));
        action->setCheckable(true);
        action->setChecked(m_chips[chip]
                               .section(QLatin1Char(':'), 1)
                               .split(QLatin1Char(','))
                               .contains(value, Qt::CaseInsensitive));
        connect(action, &QAction::toggled, this, [this, chip, key, value](bool isChosen) {
            QStringList values = m_chips[chip].section(QLatin1Char(':'), 1).split(QLatin1Char(','));
            values.removeIf(
                [&](const QString& one) { return one.compare(value, Qt::CaseInsensitive) == 0; });
            if (isChosen)
                values.append(value);
            if (values.isEmpty())
                return removeChip(chip);
            m_chips[chip] = key + QLatin1Char(':') + values.join(QLatin1Char(','));
            showChips();
            Q_EMIT changed();
        });
    }
    menu->popup(button->mapToGlobal(button->rect().bottomLeft()));
}

void SearchField::removeChip(qsizetype chip)
{
    m_chips.removeAt(chip);
    showChips();
    m_words->setFocus();
    Q_EMIT changed();
}

bool SearchField::eventFilter(QObject* watched, QEvent* event)
{
    const bool removes = event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Backspace && m_words->text().isEmpty()
        && !m_chips.isEmpty();
    if (removes)
        removeChip(m_chips.size() - 1);
    return removes || QWidget::eventFilter(watched, event);
}

} // namespace app
