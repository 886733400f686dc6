#include "app/widgets/runs_dock.h"

#include "app/widgets/controls.h"
#include "app/widgets/runs_delegate.h"
#include "app/widgets/themed_icon.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace app {
namespace {

// A click beside the check mark opens the run; Space marks it.
class RunsList : public QListView
{
public:
    using QListView::QListView;

protected:
    void mouseReleaseEvent(QMouseEvent* event) override
    {
        QListView::mouseReleaseEvent(event);
        const QModelIndex index = indexAt(event->position().toPoint());
        if (index.isValid() && event->button() == Qt::LeftButton
            && event->position().x() > RunsDelegate::checkBox(visualRect(index)).right() + 6)
            Q_EMIT activated(index);
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Space && currentIndex().isValid()) {
            const bool isChecked = currentIndex().data(Qt::CheckStateRole).toInt() == Qt::Checked;
            model()->setData(currentIndex(), isChecked ? Qt::Unchecked : Qt::Checked,
                             Qt::CheckStateRole);
            return;
        }
        QListView::keyPressEvent(event);
    }
};

} // namespace

RunsDock::RunsDock(const ThemeController& theme, RunsModel& runs, QWidget* parent)
    : QWidget(parent)
    , m_runs(runs)
    , m_list(new RunsList)
    , m_compare(makeButton({}, QStringLiteral("compareRuns")))
{
    setObjectName(QStringLiteral("runsDock"));
    setAttribute(Qt::WA_StyledBackground);
    setLook(this, "surface", QStringLiteral("plain"));
    auto* add = new QToolButton;
    add->setObjectName(QStringLiteral("addRun"));
    add->setToolTip(tr("New run"));
    add->setAutoRaise(true);
    add->setFocusPolicy(Qt::TabFocus);
    followTheme(add, Icon::Plus, theme);
    auto* title = makeSurface("alt");
    title->setFixedHeight(40);
    auto* titleRow = spaced(new QHBoxLayout(title), {12, 0, 6, 0}, 4);
    titleRow->addWidget(makeLabel(tr("Runs"), "dock"), 1);
    titleRow->addWidget(add);

    m_list->setObjectName(QStringLiteral("runsList"));
    m_list->setModel(&runs);
    m_list->setItemDelegate(new RunsDelegate(theme, m_list));
    m_list->setMouseTracking(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    followTheme(m_compare, Icon::Compare, theme);
    auto* foot = spaced(new QHBoxLayout, {8, 8, 8, 8}, 0);
    foot->addWidget(m_compare);

    auto* column = spaced(new QVBoxLayout(this), {}, 0);
    column->addWidget(title);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m_list, 1);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addLayout(foot);

    connect(add, &QToolButton::clicked, this, &RunsDock::addRequested);
    connect(m_list, &QListView::activated, this, [this](const QModelIndex& index) {
        const QString file = index.data(RunsModel::FileRole).toString();
        setCurrent(m_current); // this page still shows its own run
        Q_EMIT activated(file);
    });
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QWidget::customContextMenuRequested, this, &RunsDock::showMenu);
    connect(m_compare, &QPushButton::clicked, this,
            [this] { Q_EMIT compareRequested(checkedFiles()); });
    for (const auto signal : {&RunsModel::rowsInserted, &RunsModel::rowsRemoved})
        connect(&runs, signal, this, &RunsDock::updateCompareButton);
    connect(&runs, &RunsModel::dataChanged, this, &RunsDock::updateCompareButton);
    updateCompareButton();
}

void RunsDock::setCurrent(const RunDocument* document)
{
    m_current = document;
    const int row = m_runs.rowOf(document);
    m_list->setCurrentIndex(row < 0 ? QModelIndex() : m_runs.index(row));
}

void RunsDock::showMenu(const QPoint& position)
{
    const QModelIndex index = m_list->indexAt(position);
    if (!index.isValid())
        return;
    const std::shared_ptr<RunDocument> document = m_runs.at(index.row());
    QMenu menu(this);
    const QAction* show = menu.addAction(tr("Show"));
    const QAction* copy = menu.addAction(tr("Copy the file's path"));
    QAction* remove = menu.addAction(document->isQueued() ? tr("Take out of the queue")
                                                          : tr("Remove from the list"));
    remove->setEnabled(!document->isRunning());
    const QAction* chosen = menu.exec(m_list->viewport()->mapToGlobal(position));
    if (chosen == show)
        Q_EMIT activated(document->file());
    else if (chosen == copy)
        QGuiApplication::clipboard()->setText(document->file());
    else if (chosen == remove)
        Q_EMIT removeRequested(*document);
}

QStringList RunsDock::checkedFiles() const
{
    QStringList files;
    for (const auto& document : m_runs.checked())
        files.append(document->file());
    return files;
}

void RunsDock::updateCompareButton()
{
    const auto count = m_runs.checked().size();
    m_compare->setText(count == 1 ? tr("Compare 1 run") : tr("Compare %1 runs").arg(count));
    m_compare->setEnabled(count > 0);
}

} // namespace app
