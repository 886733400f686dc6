#pragma once

#include <QObject>

#include <functional>
#include <memory>

class QAction;

namespace app {

class RunRange;
class TimelineWidget;

// Finds items of a run for the command palette: ops by name ("2B3", "F5 stage 1"), ranges of time
// ("102-172.4 ms"), and the settings of the timeline ("colour by stage").
class RunPalette : public QObject
{
    Q_OBJECT

public:
    struct Parts
    {
        TimelineWidget* timeline;
        RunRange* range;
    };

    RunPalette(const Parts& parts, QObject* parent);

    // The actions are valid until the next call.
    QList<QAction*> find(const QString& text);

private:
    void findOps(const QString& text, QList<QAction*>& found);
    void findRange(const QString& text, QList<QAction*>& found);
    void findSettings(const QString& text, QList<QAction*>& found);
    QAction* add(const QString& text, const std::function<void()>& trigger);

    Parts m_parts;
    std::unique_ptr<QObject> m_found; // owns the actions
};

} // namespace app
