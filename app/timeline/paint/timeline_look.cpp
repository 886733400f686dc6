#include "app/timeline/paint/timeline_look.h"

#include "app/timeline/view/translate.h"

namespace app {

QStringList colourByNames()
{
    return {tr("operation"), tr("micro-batch"), tr("stage"),
            tr("direction"), tr("chunk"),       tr("duration")};
}

} // namespace app
