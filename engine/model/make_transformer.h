#pragma once

#include "engine/backend/device.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

#include <memory>

namespace engine {

// A transformer (transformer.h) in the precision of its spec. The device must outlive it and
// must have passed checkPrecision().
std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices = 1);
// Unsupported, naming an alternative, if the device does not support the precision.
Result<void> checkPrecision(Precision precision, const Device& device);

} // namespace engine
