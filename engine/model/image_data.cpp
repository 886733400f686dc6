#include "engine/model/image_data.h"

#include "engine/model/random.h"

namespace engine {

// Uses integers only, so that the kit for PyTorch (resources/kit/data.py) has the same images.
void fillImages(const ModelSpec& model, std::uint64_t seed, std::int64_t firstSample,
                std::span<std::int32_t> inputs, std::span<std::int32_t> targets)
{
    constexpr unsigned kToByte = 56;
    constexpr std::int32_t kNoise = 3; // times as strong as the texture
    std::vector<std::int32_t> texture(transformerSpec(model).patchValues());
    const std::size_t size = inputs.size() / targets.size();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        Random random(Random::combine(Random::combine(seed, "image"), firstSample + i));
        targets[i] = random.below(model.vocabulary);
        Random ofClass(Random::combine(Random::combine(seed, "texture"), targets[i]));
        for (std::int32_t& byte : texture)
            byte = ofClass.next() >> kToByte;
        for (std::size_t at = 0; at < size; ++at) {
            const std::int32_t noise = random.next() >> kToByte;
            inputs[i * size + at] = (texture[at % texture.size()] + kNoise * noise) / (1 + kNoise);
        }
    }
}

} // namespace engine
