#pragma once

#include "engine/base/field.h"
#include "engine/experiment/experiment.h"

#include <span>

namespace engine {

// Every setting of a run. The options of `bscope run`, the keys of an experiment's TOML, the set-up
// form and the printed command are derived from this table. The field that selects the model
// replaces the whole model, so the fields for single model settings must follow it. A new setting
// needs a member of Experiment, a row here, and the code that uses it.
Fields<Experiment> experimentFields();
// Requires that the option exists.
const Field<Experiment>& experimentField(std::string_view longFlag);

// For the model, these are the values of its preset or file.
Experiment defaultExperiment(const Experiment& experiment);

// The options of `bscope run` that repeat the experiment, without default values.
std::vector<std::string> runArguments(const Experiment& experiment);
// The inverse of runArguments(). Fails with Error::Code::InvalidArgument; the message names the
// argument.
Result<Experiment> experimentFromArguments(std::span<const std::string> arguments);

// Quoted for a shell.
std::string commandText(std::string_view command, std::span<const std::string> arguments);
// The bscope command that repeats the run, without defaults.
std::string commandOf(const Experiment& experiment);
std::string describeLink(const LinkCost& link); // "50 GB/s, 5 µs (assumed)", "free"

} // namespace engine
