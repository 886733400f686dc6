#include "engine/cost/transformer.h"
#include "engine/model/model_toml.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <fstream>

using namespace engine;

TEST_CASE("the preset tiny is the default model")
{
    CHECK(loadModel("tiny") == ModelSpec());
    CHECK(parameterCount(ModelSpec()) == 836'736);
}

TEST_CASE("every preset loads and is named like its file")
{
    CHECK(modelNames().size() >= 2);
    for (const std::string& name : modelNames()) {
        const auto model = loadModel(name);
        REQUIRE(model);
        CHECK(model->name == name);
        CHECK(checkModel(*model, 4));
    }
}

TEST_CASE("an unknown model is an error that names the presets")
{
    CHECK(loadModel("huge").error()
          == Error{Error::Code::InvalidArgument,
                   "unknown model 'huge'; use one of: bert-64, gpt-96, gpt2-124m, gpt2-350m, "
                   "gpt3-96b, llama-65b, small, tiny, tiny-vit, vit-b16, or give a .toml file"});
    CHECK(loadModel("/nowhere/m.toml").error()
          == Error{Error::Code::NotFound,
                   "cannot read /nowhere/m.toml: No such file or directory; check the path"});
}

TEST_CASE("the papers' models have the papers' sizes")
{
    const auto billions = [](const char* name, bool tied) {
        ModelSpec model = loadModel(name).value();
        model.tied = tied;
        return static_cast<double>(parameterCount(model)) / 1e9;
    };
    CHECK(parameterCount(loadModel("gpt2-124m").value()) == 124'439'808); // openai/gpt-2, tied
    CHECK(parameterCount(loadModel("gpt2-350m").value()) == 354'823'168); // its "medium"
    CHECK(billions("llama-65b", false) == Approx(65.286).epsilon(1e-4));
    CHECK(billions("gpt3-96b", true) == Approx(96.2).epsilon(1e-3));
    CHECK(billions("gpt-96", true) == Approx(11.0).epsilon(1e-2));
    CHECK(billions("bert-64", true) == Approx(5.1).epsilon(1e-2));
}

TEST_CASE("stage s of S holds blocks floor(sL/S) to floor((s+1)L/S) - 1")
{
    ModelSpec model;
    model.layers = 10;
    std::vector<int> first;
    for (int s = 0; s <= 4; ++s)
        first.push_back(firstLayer(model, 4, s));
    CHECK(first == std::vector<int>{0, 2, 5, 7, 10});
}

TEST_CASE("more stages than layers is an error that names the smallest --layers")
{
    CHECK(checkModel(ModelSpec(), 16));
    CHECK(checkModel(ModelSpec(), 17).error().message
          == "16 layers cannot be divided into 17 stages: use --layers 17 or more, or fewer "
             "devices or chunks");
}

TEST_CASE("a model table and its text are inverses")
{
    ModelSpec model;
    model.name = "my \"own\"\tmodel";
    model.layers = 5;
    model.learningRate = 1.0 / 3;
    model.epsilon = 1e-12;
    model.weightDecay = 0;
    model.family = Family::Llama;
    model.kvHeads = 2;
    model.ffnWidth = 96;
    model.attention = AttentionKind::Flash;
    model.recompute = Recompute::Full;
    CHECK(modelFromTable(toml::parse(tomlText(tableOf(model)))) == model);
}

TEST_CASE("a bad model table is an error that names the key")
{
    const auto message
        = [](std::string_view text) { return modelFromTable(toml::parse(text)).error().message; };
    CHECK(message("layers = 0") == "model: layers must be a whole number from 1 to 65536");
    CHECK(message("layers = 2.5") == "model: layers must be a whole number from 1 to 65536");
    CHECK(message("[optimizer]\nbeta1 = 1.0")
          == "model: optimizer.beta1 must be a number from 0 to 0.999999");
    CHECK(message("width = 10\nheads = 4")
          == "model: width 10 is not a multiple of heads 4; the nearest width is 12");
    CHECK_THAT(message("depth = 3"), Catch::StartsWith("model: unknown key 'depth'; use one of: "));
    CHECK(message("layer = 3") == "model: unknown key 'layer'; did you mean 'layers'?");
    CHECK(message("family = \"rwkv\"") == "model: family must be one of gpt, bert, llama, vit");
    CHECK(message("attention = 3") == "model: attention must be one of standard, recompute, flash");
    CHECK(message("heads = 4\nkv_heads = 3") == "model: heads 4 are not a multiple of kv_heads 3");
    CHECK(message("family = \"llama\"\nwidth = 12\nheads = 4")
          == "model: width 12 / heads 4 is odd, but rotary embeddings rotate pairs; change width "
             "or heads");
    CHECK(message("family = \"bert\"")
          == "model: vocabulary must be at least 257 for family = \"bert\", which hides tokens");
    CHECK(message("vocabulary = 100")
          == "model: vocabulary must be at least 256 for family = \"gpt\"");
    CHECK(message("family = \"vit\"")
          == "model: family = \"vit\" needs patch, the side of a patch in pixels");
    CHECK(message("patch = 4") == "model: patch is only for family = \"vit\"; remove it");
    const std::string vit = "family = \"vit\"\npatch = 4\n";
    CHECK(message(vit + "sequence = 200")
          == "model: sequence 200 is not the number of patches of a square image; the nearest is "
             "196");
    CHECK(message(vit + "vocabulary = 1")
          == "model: vocabulary must be at least 2 for family = \"vit\"");
    CHECK(message(vit + "tied = true")
          == "model: tied must be false for family = \"vit\", which reads pixels");
    CHECK(message("family = \"vit\"\npatch = 4096")
          == "model: the images or the activations of a micro-batch exceed 1073741824 numbers: use "
             "a smaller --micro-batch-size");
}

TEST_CASE("a model file with a slip is an error that names file and line")
{
    const tests::TemporaryFolder folder;
    const auto file = folder / "slip.toml";
    std::ofstream(file) << "layers = 4\nwidth = = 3\n";
    const auto model = loadModel(file.string());
    REQUIRE_FALSE(model);
    CHECK(model.error().message.starts_with(file.string() + ": line 2: "));
}

TEST_CASE("the FLOPs of an iteration are 72 B L s h^2 (1 + s / 6h + v / 12hL)")
{
    const double b = 8, l = 16, s = 64, h = 64, v = 256;
    CHECK(flopsPerIteration(ModelSpec(), 4)
          == Approx(72 * b * l * s * h * h * (1 + s / (6 * h) + v / (12 * h * l))));
}

TEST_CASE("the head of a BERT adds 6 B s h^2 to the FLOPs of a GPT, and h^2 + 3 h + v parameters")
{
    const ModelSpec bert = loadModel("bert-64").value();
    ModelSpec gpt = bert;
    gpt.family = Family::Gpt;
    const double b = 4 * 2, s = 512, h = 2560;
    CHECK(flopsPerIteration(bert, 2) - flopsPerIteration(gpt, 2) == Approx(6 * b * s * h * h));
    CHECK(parameterCount(bert) - parameterCount(gpt) == 2560 * 2560 + 3 * 2560 + 30522);
}

// With a class token, which is one more token and position, timm's vit_base_patch16_224 has
// 86,567,656 parameters and 17.58 G multiply-adds per image.
TEST_CASE("ViT-B/16 has the published parameters and FLOPs")
{
    const ModelSpec vit = loadModel("vit-b16").value();
    CHECK(parameterCount(vit) == 86'567'656 - 2 * 768);
    const TransformerSpec sizes = transformerSpec(vit);
    const double forward = sizes.layers * (layerFlops(sizes, 1) + attentionFlops(sizes, 1))
        + embeddingFlops(sizes, 1) + headFlops(sizes, 1);
    CHECK(forward / 2 == Approx(17.58e9 * 196 / 197).epsilon(2e-3));
}

TEST_CASE("the closed forms of what is costed count the parameters and FLOPs of what is trained")
{
    for (const std::string& name : modelNames()) {
        INFO(name);
        ModelSpec trained = loadModel(name).value();
        const TransformerSpec costed = loadTransformer(name).value();
        trained.tied = isTied(costed); // as the closed forms have it
        CHECK(parameterCount(costed) == static_cast<double>(parameterCount(trained)));
        CHECK(modelFlops(costed, trained.microBatchSize)
              == Approx(flopsPerIteration(trained, 1)).epsilon(1e-12));
    }
}

TEST_CASE("executed FLOPs count what is done a second time: forwards, and scores")
{
    ModelSpec model;
    model.attention = AttentionKind::Standard;
    const double once = flopsPerIteration(model, 4);
    CHECK(executedFlopsPerIteration(model, 4, 0) == once);
    CHECK(executedFlopsPerIteration(model, 4, 1) == Approx(4.0 / 3 * once)); // F, F again, 2 F of B
    model.attention = AttentionKind::Flash;
    const double tokens = 4.0 * model.microBatchSize * model.sequence;
    CHECK(executedFlopsPerIteration(model, 4, 0) - once
          == Approx(2 * tokens * model.sequence * model.width * model.layers));
}

TEST_CASE("the FLOPs of a LLaMA are 3 B s (L (4 h^2 (1 + g / a) + 6 h f + 4 s h) + 2 h v)")
{
    ModelSpec model = loadModel("llama-65b").value();
    model.kvHeads = 8;
    const double l = 80, s = 2048, h = 8192, f = 22016, v = 32000;
    CHECK(
        flopsPerIteration(model, 1)
        == Approx(3 * s * (l * (4 * h * h * (1 + 8.0 / 64) + 6 * h * f + 4 * s * h) + 2 * h * v)));
}

TEST_CASE("a layout has layers of this model, and at least one for every stage that is trained")
{
    ModelSpec model;
    model.layout = LayerLayout::parse("Et*5|t*5|t*4|ttL").value();
    CHECK(checkModel(model, 4));
    CHECK(firstLayer(model, 4, 3) == 14);
    CHECK(modelFromTable(tableOf(model)) == model);
    CHECK_FALSE(tableOf(ModelSpec()).contains("layout"));
    CHECK(checkModel(model, 8).error().message.find("has 4 stages, the schedule 8")
          != std::string::npos);
    model.layout = LayerLayout::parse("Et*8|t*8|L").value();
    CHECK(checkModel(model, 3).error().message
          == "--layout Et*8|t*8|L: stage 2 has no layer and cannot be trained; give it one, or use "
             "bscope simulate");
}
