#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QModelIndex;
class QPushButton;

namespace app {

class RunRows;

// The open runs of the window. A check mark selects a run for comparison; a run in progress shows
// its progress. Five or more runs are in groups that can be compared: runs of one shape, mode and
// unit. Each group has a header with a check mark for all its runs; runs without data yet come
// first. A filter hides the runs that lack one of its words. Changes are shown together, in the
// next turn of the event loop.
class RunsDock : public QWidget
{
    Q_OBJECT

public:
    RunsDock(const ThemeController& theme, RunLibrary& library, QWidget* parent = nullptr);

    void setCurrent(const RunDocument* document); // run of the current page; nullptr: none
    QSize sizeHint() const override { return {216, 400}; }

Q_SIGNALS:
    void pageRequested(const app::PageRequest& request);

protected:
    void showEvent(QShowEvent* event) override;

private:
    class List;
    using Runs = RunLibrary::Runs;
    QWidget* makeFilter();
    void refresh();
    void showSum();
    bool matches(const RunDocument& document) const;
    void activate(const QModelIndex& index);
    void toggle(const QModelIndex& index);
    void moveTo(const RunDocument* run, int row);
    void moveBy(const RunDocument* run, int step);
    void showMenu(const QPoint& position);
    void addTickActions(QMenu& menu, const Runs& clicked);

    RunLibrary& m_library;
    RunRows* m_rows;
    Later m_soon{0, [this] { refresh(); }};
    QLineEdit* m_filter = nullptr;
    QWidget* m_filterRow = nullptr;
    List* m_list;
    QPushButton* m_compare;
    QLabel* m_queue;
    const RunDocument* m_current = nullptr; // only compared by address, never dereferenced
};

} // namespace app
