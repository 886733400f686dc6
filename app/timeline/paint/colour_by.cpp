#include "app/timeline/paint/colour_by.h"

#include "app/timeline/view/translate.h"

namespace app {

QStringList colourByNames()
{
    return {tr("operation"), tr("micro-batch"), tr("stage"),
            tr("direction"), tr("chunk"),       tr("duration")};
}

int colourGroup(const engine::Op& op, int chunk, ColourBy by)
{
    if (!engine::isCompute(op.kind) || !op.microBatch.isValid())
        return -1;
    switch (by) {
    case ColourBy::Operation:
    case ColourBy::Duration:
        break;
    case ColourBy::Chunk:
        return chunk;
    case ColourBy::MicroBatch:
        return op.microBatch.value;
    case ColourBy::Stage:
        return op.stage.value;
    case ColourBy::Direction:
        return op.replica;
    }
    return -1;
}

} // namespace app
