#include "engine/plan/token_batches.h"

namespace engine {

Result<PassSpec> passSpec(ModelSpec model, const Schedule& lowered)
{
    if (hasHalves(lowered)) {
        if (model.microBatchSize % 2 != 0)
            return invalid("{} splits micro-batches into halves, but {} samples cannot be "
                           "halved: use --micro-batch-size {}",
                           lowered.scheme, model.microBatchSize, model.microBatchSize + 1);
        model.microBatchSize /= 2;
        return PassSpec{std::move(model), 1};
    }
    const int slices = lowered.shape.slices;
    if (model.sequence % slices != 0)
        return invalid("{} slices do not divide a sequence of {} tokens evenly: use --sequence {}",
                       slices, model.sequence, (model.sequence / slices + 1) * slices);
    return PassSpec{std::move(model), slices};
}

} // namespace engine
