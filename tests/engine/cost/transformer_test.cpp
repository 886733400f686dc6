#include "engine/cost/transformer.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("a layer has 12 h^2 + 13 h parameters, Llama's 2 h^2 (1 + g/a) + 3 h f + 2 h")
{
    TransformerSpec model;
    model.width = 64;
    model.heads = 8;
    CHECK(parametersPerLayer(model) == 12 * 64 * 64 + 13 * 64);
    // As trained (transformer_layout.cpp); the biases were right only at f = 4 h and g = a.
    model.keyValueHeads = 2;
    model.feedForward = 100;
    CHECK(parametersPerLayer(model)
          == 2 * 64 * 64 * 1.25 + 2 * 64 * 100 + 7 * 64 + 2 * 64 * 0.25 + 100);
    model.keyValueHeads = model.feedForward = 0;
    model.family = Family::Llama;
    // 8/3 h rounded up, as trained; the closed forms had 4 h, half as much again.
    CHECK(parametersPerLayer(model) == 4 * 64 * 64 + 3 * 64 * 256 + 2 * 64);
    model.keyValueHeads = 2;
    model.feedForward = 100;
    CHECK(parametersPerLayer(model) == 2 * 64 * 64 * 1.25 + 3 * 64 * 100 + 2 * 64);
}
