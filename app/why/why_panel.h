#pragma once

#include "app/documents/run_document.h"
#include "app/ui/theme.h"
#include "app/why/why_analysis.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace app {

// One reason: its number, a sentence with links to ops, and what a change would gain.
class ReasonRow : public QFrame
{
    Q_OBJECT

public:
    // `number` counts from 1. `sentence` is rich text whose links are "#" and an OpIndex; `plain`
    // is the same for screen readers.
    ReasonRow(int number, const QString& sentence, const QString& plain);

    enum class Effect { Neutral, Gain };
    void setEffect(const QString& text, Effect effect);
    void setCurrent(bool current);
    bool isCurrent() const { return m_isCurrent; }

Q_SIGNALS:
    void chosen();
    void hovered(bool isOver);
    void opChosen(std::uint32_t op);
    void stepped(int by); // up and down keys
    void escaped();

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent*) override { Q_EMIT hovered(true); }
    void leaveEvent(QEvent*) override { Q_EMIT hovered(false); }

private:
    QLabel* m_effect;
    bool m_isCurrent = false;
};

// Explains why an iteration is not faster: its time and lower bound, where the time goes along the
// critical path, the reasons with the effect of a change, and the next scheme.
class WhyPanel : public QWidget
{
    Q_OBJECT

public:
    explicit WhyPanel(const ThemeController& theme, QWidget* parent = nullptr);

    // FitIteration: a button that shows a whole iteration.
    enum class Offer { Nothing, FitIteration };
    void showEmpty(const QString& reason, Offer offer); // "": it is being computed
    // `name` is the scheme of the run.
    void show(const RunPointer& run, const PathMarksPointer& marks, const QString& name);
    using QWidget::show;
    void setEffect(int reason, const WhyEffect& effect);
    void setAccuracy(double accuracy, const QString& problem); // see WhyAnalysis
    // `whyNotRun` is the reason why the scheme cannot be run; "": it can.
    void setNext(const NextSchemeAnswer& answer, const QString& whyNotRun);
    void setReason(int reason); // -1: none
    int reason() const { return m_reason; }
    QSize sizeHint() const override { return {292, 600}; }

Q_SIGNALS:
    void reasonChosen(int reason);
    void reasonHovered(int reason); // -1: none
    void opChosen(std::uint32_t op);
    void listRequested();
    void compareRequested();
    void runRequested();
    void cancelRequested(); // stop the search for the next scheme
    void fitRequested();
    void closeRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void addHead(QVBoxLayout& layout);
    void addShares(QVBoxLayout& layout);
    void addReasons(QVBoxLayout& layout);
    void addRow(QVBoxLayout& layout, std::size_t reason);
    QWidget* makeNext();
    void showEffect(std::size_t reason);
    void showAccuracy();
    void showNext(); // does nothing until setNext() was called
    void step(int by);
    void copyText() const;
    void rebuild();

    const ThemeController& m_theme;
    RunPointer m_run;
    PathMarksPointer m_marks;
    QString m_name;
    Scale m_scale;
    std::vector<WhyEffect> m_effects;
    QString m_accuracyNote, m_whyNotRun;
    std::optional<NextSchemeAnswer> m_answer; // nullopt: still being computed
    int m_reason = -1;

    QScrollArea* m_scroll;
    std::vector<ReasonRow*> m_rows;
    QLabel* m_accuracy = nullptr; // belongs to the body, which rebuild() replaces
    QWidget* m_next = nullptr;
    QLabel *m_nextName = nullptr, *m_nextTime = nullptr, *m_nextGain = nullptr;
    QPushButton *m_compare = nullptr, *m_runIt = nullptr, *m_cancel = nullptr;
};

} // namespace app
