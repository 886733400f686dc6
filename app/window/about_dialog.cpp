#include "app/window/about_dialog.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/base/version.h"

#include <QPainter>
#include <QVBoxLayout>

namespace app {
namespace {

QPixmap logo(const ThemeController& theme, double ratio)
{
    QPixmap pixmap(QSizeF(48 * ratio, 48 * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintLogo(painter, QRectF(0, 0, 48, 48), theme.theme().isDark());
    return pixmap;
}

} // namespace

AboutDialog::AboutDialog(const ThemeController& theme, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("aboutDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About Bubblescope"));
    setFixedWidth(460);
    auto* row = spaced(new QHBoxLayout(this), QMargins(24, 24, 24, 20), 20);
    auto* picture = new QLabel;
    picture->setPixmap(logo(theme, devicePixelRatioF()));
    row->addWidget(picture, 0, Qt::AlignTop);
    auto* column
        = spaced(new QVBoxLayout, QMargins(), 4,
                 {makeLabel(QStringLiteral("Bubblescope"), "title"),
                  makeLabel(tr("Time and memory of pipeline-parallel training."), "secondary")});
    column->addSpacing(10);
    const QStringList lines
        = {tr("Version %1, build %2").arg(fromUtf8(engine::version()), fromUtf8(engine::buildId())),
           tr("Qt %1, linked dynamically under the LGPL").arg(QString::fromLatin1(qVersion())),
           tr("Licence: Apache-2.0; libraries: THIRD_PARTY.md")};
    for (const QString& line : lines) {
        QLabel* label = makeLabel(line, "small");
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    column->addSpacing(14);
    QPushButton* close = makeButton(tr("Close"), QStringLiteral("closeAbout"));
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    column->addWidget(close, 0, Qt::AlignRight);
    row->addLayout(column, 1);
}

} // namespace app
