#include "engine/cost/training_setup_fields.h"

namespace engine {

Fields<TrainingSetup> trainingSetupFields()
{
    using S = TrainingSetup;
    static const std::vector<Field<S>> kFields = [] {
        constexpr double kMostBatch = 1 << 20, kMostDevices = 4096;
        std::vector<Field<S>> fields{
            field<S>(option("", "--micro-batch-size", "Micro-batch size",
                            "Sequences in a micro-batch of the model", "b")
                         .between(1, kMostBatch),
                     &S::microBatchSize),
            field<S>(option("", "--tensor-parallel", "Tensor-parallel",
                            "Devices that share each stage", "t")
                         .between(1, kMostDevices),
                     &S::tensorParallel),
            field<S>(
                option("", "--attention", "Attention",
                       "standard: stores the attention scores; recompute: computes them again in "
                       "the backward; flash: never stores them")
                    .oneOf({"standard", "recompute", "flash"}),
                &S::attention),
            field<S>(option("", "--no-sequence-parallel", "No sequence parallelism",
                            "Do not split norms and dropout over the devices of a stage"),
                     &S::sequenceParallel),
            field<S>(
                option("", "--recompute-all", "Recompute all", "Keep only the input of a layer"),
                &S::recomputesAll),
            field<S>(option("", "--allreduce-precision", "All-reduce precision",
                            "Precision in which all-reduces sum gradients: 4 or 2 bytes per "
                            "parameter")
                         .oneOf({"fp32", "bf16"}),
                     &S::allReducePrecision),
        };
        Field<S>& whole = fields[3]; // this option turns sequence parallelism off
        whole.get = [](const S& setup) { return setup.sequenceParallel ? "false" : "true"; };
        whole.set = [](S& setup, std::string_view text) -> Result<void> {
            setup.sequenceParallel = text == "false";
            return {};
        };
        for (Field<S>& each : fields)
            each.group = "Model on hardware";
        return fields;
    }();
    return kFields;
}

} // namespace engine
