#include "engine/model/image_data.h"
#include "tests/catch.h"

#include <algorithm>

using namespace engine;

namespace {

struct Images
{
    std::vector<std::int32_t> bytes, classes;
    friend bool operator==(const Images&, const Images&) = default;
};

Images imagesOf(std::uint64_t seed, std::int64_t first, int count)
{
    ModelSpec model;
    model.family = Family::Vit;
    model.patch = 2;
    model.sequence = 9;
    model.vocabulary = 5;
    model.microBatchSize = count;
    Images images{std::vector<std::int32_t>(static_cast<std::size_t>(model.inputs())),
                  std::vector<std::int32_t>(static_cast<std::size_t>(model.targets()))};
    fillImages(model, seed, first, images.bytes, images.classes);
    return images;
}

} // namespace

TEST_CASE("seed and number decide an image and its class")
{
    const Images images = imagesOf(3, 10, 200);
    CHECK(images.bytes.size() == 200U * 9 * 12);
    const auto [least, most] = std::ranges::minmax(images.bytes);
    CHECK(least >= 0);
    CHECK(most <= 255);
    for (int label = 0; label < 5; ++label)
        CHECK(std::ranges::count(images.classes, label) > 20);
    const Images later = imagesOf(3, 14, 1);
    CHECK(later.classes[0] == images.classes[4]);
    CHECK(std::ranges::equal(later.bytes, std::span(images.bytes).subspan(4 * 9 * 12, 9 * 12)));
    CHECK(imagesOf(4, 10, 200) != images);
}

TEST_CASE("the patches of all images of a class have one texture below their noise")
{
    const Images images = imagesOf(3, 0, 500);
    double means[5][12] = {};
    for (std::size_t i = 0; i < images.bytes.size(); ++i) {
        const auto label = static_cast<std::size_t>(images.classes[i / (9 * 12)]);
        const auto count = 9.0 * static_cast<double>(std::ranges::count(images.classes, label));
        means[label][i % 12] += images.bytes[i] / count;
    }
    // A quarter of the texture, and three quarters of noise around 127.5.
    const auto [low, high] = std::minmax_element(&means[0][0], &means[0][0] + 5 * 12);
    CHECK(*low > 0.75 * 127.5 - 5);
    CHECK(*low < 0.75 * 127.5 + 15);
    CHECK(*high > 0.75 * 127.5 + 50);
    CHECK(*high < 0.75 * 127.5 + 69);
}
