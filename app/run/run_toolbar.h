#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/paint/box_colours.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace app {

class IterationStepper;
class RunActions;
class SegmentControl;

// The progress of a run: a segment of 20 x 4 px per complete iteration, or one bar if there are
// many. Segments of warm-up iterations are paler.
class IterationSegments : public ThemedWidget
{
    Q_OBJECT

public:
    explicit IterationSegments(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunProgress& progress);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RunProgress m_progress;
};

// The toolbar above a run's timeline, 40 px high: zoom history and iteration; while the run is
// running, also stop, progress and follow. The page owns the actions and also shows them in menus.
class RunToolbar : public QWidget
{
    Q_OBJECT

public:
    RunToolbar(const ThemeController& theme, const RunActions& actions, QWidget* parent = nullptr);

    // Shows the current state of `document`.
    void showRun(const RunDocument& document, int iteration);
    void setLook(const TimelineLook& look);
    // Enables the kernels button, or disables it with the reason as its tooltip.
    void offerKernels(bool areKnown, const QString& reason);

Q_SIGNALS:
    void iterationChosen(int iteration);
    void lookChosen(const app::TimelineLook& look);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showProgress(const RunDocument& document);
    // What the toolbar shows, from wide to narrow. Names omits the texts of buttons, which have
    // icons. Few also omits the names of controls. Bare also omits the controls for flow and
    // colour, which are in the View menu, too.
    enum class Labels : std::uint8_t { NamesAndTexts, Names, Few, Bare };
    void fitTexts();
    QWidget* makeView();
    TimelineLook look() const; // the look that the user chose in the controls
    void fillRunning();

    const RunActions& m_actions;
    IterationStepper* m_stepper;
    IterationSegments* m_segments;
    QLabel* m_left;
    SegmentControl *m_flow, *m_lanes, *m_plan;
    QComboBox* m_colourBy;
    QList<QLabel*> m_names; // labels of controls
    QPushButton *m_report, *m_find, *m_export;
    QWidget *m_walk, *m_running, *m_view;
};

} // namespace app
