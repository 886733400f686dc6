#pragma once

#include "engine/base/field.h"
#include "engine/experiment/experiment.h"

namespace engine {

// Every setting of a run, once: the options of `bscope run`, the keys of an experiment's TOML, the
// set-up form and the printed command are derived from this table. Fields of the model come after
// the model that they change. A new setting is a member, a line here and the code that obeys it.
Fields<Experiment> experimentFields();
const Field<Experiment>& experimentField(std::string_view longFlag); // which exists

// The experiment with every default, on the same model and its own sizes.
Experiment usualExperiment(const Experiment& experiment);

// The options of `bscope run` that repeat the experiment; what is default is left out.
std::vector<std::string> runArguments(const Experiment& experiment);
// Its inverse, for arguments that runArguments() wrote. InvalidArgument names the argument.
Result<Experiment> experimentFromArguments(std::span<const std::string> arguments);

} // namespace engine
