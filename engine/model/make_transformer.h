#pragma once

#include "engine/backend/device.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

#include <memory>

namespace engine {

// Makes a transformer (transformer.h) in the precision of its spec. Requires checkPrecision(). The
// device must outlive the model.
std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices = 1);
// Returns Unsupported with an alternative if the device does not support the precision.
Result<void> checkPrecision(Precision precision, const Device& device);

} // namespace engine
