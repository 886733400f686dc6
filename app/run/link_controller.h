#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/details/view_link.h"

#include <QObject>

#include <memory>
#include <optional>

class QWidget;

namespace app {

class Page;
class RunActions;
class TimelineWidget;

// Copies the command of a run, copies a link to its visible part with an image of it, and restores
// a view from a link.
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
    void viewShown();                // call it after the timeline got another or a longer run

private:
    void copy();
    QString noteInSight() const;

    Parts m_parts;
    std::shared_ptr<RunDocument> m_document;
    std::optional<ViewLink> m_wanted;
};

// Shows a message about a link. Does not wait until the user closes it.
void showLinkMessage(QWidget* parent, const QString& title, const QString& text);

} // namespace app
