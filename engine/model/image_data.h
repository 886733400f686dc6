#pragma once

#include "engine/model/model_spec.h"

namespace engine {

// Images of a Vit. Every class has a texture of one patch; an image repeats that of its class below
// noise. Seed and sample number determine an image, so every scheme, number of devices and mode
// trains on the same images.
//
// Writes the bytes of the images from number `firstSample` on into `inputs`, patch by patch, and
// their classes into `targets`.
void fillImages(const ModelSpec& model, std::uint64_t seed, std::int64_t firstSample,
                std::span<std::int32_t> inputs, std::span<std::int32_t> targets);

} // namespace engine
