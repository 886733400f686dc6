#pragma once

#include "app/models/run_document.h"
#include "app/timeline/details/view_link.h"

#include <QObject>

#include <memory>
#include <optional>

class QWidget;

namespace app {

class Page;
class RunActions;
class TimelineWidget;

// Copies the command of a run, or its visible part as a link and an image, and restores a view from
// a link.
class LinkController : public QObject
{
    Q_OBJECT

public:
    struct Parts
    {
        const RunActions& actions;
        TimelineWidget& timeline;
        Page& page; // owns the controller
    };

    LinkController(const Parts& parts, std::shared_ptr<RunDocument> document);

    void show(const ViewLink& link); // waits until the whole run is read
    void viewShown();                // call it when the timeline shows another run or more of it

private:
    void copy();
    QString noteInSight() const;

    Parts m_parts;
    std::shared_ptr<RunDocument> m_document;
    std::optional<ViewLink> m_wanted;
};

// A message about a link, which does not wait for the answer.
void showLinkMessage(QWidget* parent, const QString& title, const QString& text);

} // namespace app
