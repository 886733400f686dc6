#include "app/setup/scheme_dialog.h"

#include "app/plan/schedule_preview.h"
#include "app/setup/scheme_text.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QScrollBar>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kPictureHeight = 110;

} // namespace

SchemeDialog::SchemeDialog(const ThemeController& theme, QWidget* parent)
    : QDialog(parent)
    , m_title(named(makeLabel({}, "heading"), "schemeTitle"))
    , m_preview(named(new SchedulePreview(theme), "schemePreview"))
    , m_text(named(new QTextBrowser, "schemeText", tr("Description of the scheme")))
{
    setObjectName(QStringLiteral("schemeDialog"));
    resize(800, 640);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(0);
    setLook(m_text, "kind", QStringLiteral("bare"));
    m_preview->setRowsHeight(kPictureHeight);
    auto* column = spaced(new QVBoxLayout(this), QMargins(20, 16, 20, 14), 10,
                          {m_title, m_preview, makeLine(Qt::Horizontal), {m_text, 1}});
    auto* row
        = spaced(new QHBoxLayout, QMargins(), 8,
                 {{makeLabel(tr("Updates with D, N and the options of the form."), "hint"), 1}});
    QPushButton* copy = makeButton(tr("Copy text"), QStringLiteral("copyScheme"));
    connect(copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_title->text() + QLatin1Char('\n')
                                              + m_text->toPlainText());
    });
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeScheme"), "primary");
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    row->addWidget(copy);
    row->addWidget(close);
    column->addLayout(row);
}

void SchemeDialog::show(const engine::ScheduleRequest& request, const Prediction* prediction)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    if (scheme == nullptr)
        return;
    setWindowTitle(fromUtf8(scheme->title));
    m_title->setText(fromUtf8(scheme->title));
    const QString html = schemeHtml(*scheme, request, prediction);
    if (html == m_html)
        return;
    const bool isSame = m_scheme == QString::fromStdString(request.scheme);
    const int place = isSame ? m_text->verticalScrollBar()->value() : 0;
    m_scheme = QString::fromStdString(request.scheme);
    m_html = html;
    m_text->document()->setDefaultStyleSheet(
        QStringLiteral("pre { font-family: \"%1\"; font-size: 12px; } td { padding-bottom: 2px; }")
            .arg(codeFont().family()));
    m_preview->setVisible(prediction != nullptr && prediction->run != nullptr);
    if (m_preview->isVisibleTo(this))
        m_preview->show(std::make_shared<RunView>(prediction->run));
    m_text->setHtml(QString(html).replace(QStringLiteral("Mθ"), QStringLiteral("M<sub>θ</sub>")));
    m_text->verticalScrollBar()->setValue(place);
}

} // namespace app
