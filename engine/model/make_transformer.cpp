#include "engine/model/make_transformer.h"

#include "engine/base/check.h"
#include "engine/model/transformer.h"

#include <fmt/format.h>

namespace engine {

std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices)
{
    if (spec.precision == Precision::Fp32)
        return std::make_unique<Transformer<float>>(spec, stages, device.kernels(), slices);
    CHECK(device.bfloat16Kernels() != nullptr);
    return std::make_unique<Transformer<bfloat16>>(spec, stages, *device.bfloat16Kernels(), slices);
}

Result<void> checkPrecision(Precision precision, const Device& device)
{
    if (precision == Precision::Fp32 || device.bfloat16Kernels() != nullptr)
        return {};
    return fail(
        Error::Code::Unsupported,
        fmt::format("{} does not compute in bf16 here: use --precision fp32", device.info().name));
}

} // namespace engine
