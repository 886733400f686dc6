#include "app/why/rich_label.h"

#include "app/ui/controls.h"

namespace app {

QLabel* makeRichLabel(const QString& html)
{
    QLabel* label = makeLabel(html);
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    return label;
}

} // namespace app
