#pragma once

#include "engine/backend/device.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

#include <memory>

namespace engine {

// A transformer (transformer.h) in the precision that its spec says, on this device, which must
// outlive it and has passed checkPrecision().
std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices = 1);
// Unsupported where the device does not compute in it: says which does.
Result<void> checkPrecision(Precision precision, const Device& device);

} // namespace engine
