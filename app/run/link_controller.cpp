#include "app/run/link_controller.h"

#include "app/run/run_actions.h"
#include "app/timeline/widget/timeline_widget.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMessageBox>
#include <QMimeData>

#include <utility>

namespace app {
LinkController::LinkController(const Parts& parts, std::shared_ptr<RunDocument> document)
    : QObject(&parts.page)
    , m_parts(parts)
    , m_document(std::move(document))
{
    connect(parts.actions.copyLink, &QAction::triggered, this, &LinkController::copy);
    connect(parts.actions.copyCommand, &QAction::triggered, this, [this] {
        if (const RunPointer run = m_document->run())
            QGuiApplication::clipboard()->setText(QString::fromStdString(run->info.command));
    });
}

void showLinkMessage(QWidget* parent, const QString& title, const QString& text)
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, title, text, QMessageBox::Ok, parent);
    box->setTextFormat(Qt::PlainText); // no HTML, because a link may come from another user
    box->setObjectName(QStringLiteral("linkMessage"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void LinkController::copy()
{
    ViewLink link = m_parts.timeline.viewLink();
    link.file = m_document->file();
    link.note = noteInSight();
    auto* data = new QMimeData;
    data->setText(toText(link));
    data->setImageData(m_parts.timeline.grab().toImage());
    QGuiApplication::clipboard()->setMimeData(data);
}

// Returns the text of the current note; "" if there is none.
QString LinkController::noteInSight() const
{
    const int current = m_parts.timeline.currentNote();
    const auto notes = m_parts.page.notes();
    return current < 0 || notes.empty()
        ? QString()
        : QString::fromStdString(notes.front()[static_cast<std::size_t>(current)].text);
}

void LinkController::show(const ViewLink& link)
{
    m_wanted = link;
    viewShown();
}

void LinkController::viewShown()
{
    if (!m_wanted || m_document->state() != RunDocument::State::Finished
        || m_parts.timeline.iteration() < 0)
        return;
    const ViewLink link = *std::exchange(m_wanted, std::nullopt);
    if (!m_parts.timeline.showLink(link))
        showLinkMessage(
            &m_parts.page, tr("Link to %1").arg(m_document->title()),
            tr("The run does not have the op of this link, so only its time is shown. The file "
               "may have been recorded again since."));
    else if (!link.note.isEmpty())
        showLinkMessage(&m_parts.page, tr("Note in the link"), link.note);
}

} // namespace app
