"""Networks of the package transformers, small and with random weights, in which a nan was planted."""

import numpy as np
import pytest

import viz

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nets = pytest.importorskip("transformers", reason="transformers is not installed")
F = torch.nn.functional
SIZES = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
SIZES |= {"intermediate_size": 32, "max_position_embeddings": 32}


@pytest.fixture(autouse=True)
def _seed():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)


@pytest.fixture
def ids():
    return torch.randint(3, 40, (2, 6))


def bert(**options):
    return nets.BertForSequenceClassification(nets.BertConfig(**SIZES, num_labels=3, **options)).eval()


def llama(**options):
    return nets.LlamaForCausalLM(nets.LlamaConfig(**SIZES, num_key_value_heads=2, **options)).eval()


def scaled(net, part, factor):
    with torch.no_grad():
        for name, weight in net.named_parameters():
            if part in name:
                weight.mul_(factor)
    return net


def report_of(f):
    report = viz.trace_nan(f).report
    assert report
    return report


def test_the_first_number_above_the_largest_float16_is_the_one_of_its_layer(ids):
    config = nets.T5Config(vocab_size=40, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
                           decoder_start_token_id=0)  # fmt: skip
    net = nets.T5ForConditionalGeneration(config).train()
    layer = "encoder.block.1.layer.1.DenseReluDense"
    net = scaled(scaled(net, f"{layer}.wo", 2e4), f"{layer}.wi", 40).half()
    entering = []
    hook = net.get_submodule(f"{layer}.wo").register_forward_pre_hook(lambda m, args: entering.append(args[0]))
    report = report_of(lambda: net(input_ids=ids, labels=ids).loss)
    hook.remove()
    weight = net.get_submodule(f"{layer}.wo").weight
    exact = entering[0].detach().double() @ weight.detach().double().T
    number = exact.flatten()[exact.abs().argmax()].item()
    assert report.within.startswith("encoder.block.1.layer.1.dropout (Dropout), called from ")
    assert f"matmul computes {number:,.6g}, which is " in report.first and f"in {layer}.wo (Linear)" in report.first
    assert report.kind == "0 * inf"
    assert "Run this layer in bfloat16 or float32, which hold numbers up to 3.4e38" in str(report)


def test_an_overflow_under_autocast_has_its_layer_and_no_false_cause(ids):
    net = scaled(llama(), "layers.0.mlp.down_proj", 1e6)

    def loss():
        with torch.autocast("cpu", torch.float16):
            return net(input_ids=ids, labels=ids).loss

    report = report_of(loss)
    assert "linear returns inf" in report.first
    assert "in model.layers.0.mlp.down_proj (Linear)" in report.first
    assert "rsqrt" not in report.repair.cause


def test_labels_that_are_all_ignored_are_told(ids):
    report = report_of(lambda: llama()(input_ids=ids, labels=torch.full_like(ids, -100)).loss)
    assert report.op == "cross_entropy" and "are -100, which is ignored" in report.sentence


def test_a_row_of_attention_without_a_key_is_told_in_its_module(ids):
    net, mask = bert(attn_implementation="eager"), torch.zeros(2, 1, 6, 6)
    mask[0] = -np.inf
    report = report_of(lambda: net(input_ids=ids, attention_mask=mask, labels=torch.tensor([0, 1])).loss)
    assert report.op == "softmax" and report.within.startswith(
        "bert.encoder.layer.0.attention.self (BertSelfAttention)"
    )
    assert "all scores are -inf in 12 of 24 rows" in report.sentence
    assert "torch.softmax(torch.clamp(attn_weights, min=-1" in str(report)


def test_a_norm_of_rows_without_variance_is_told_in_its_module(ids):
    net = bert(layer_norm_eps=0.0)
    with torch.no_grad():
        for weight in net.bert.embeddings.parameters():
            weight.zero_()
    report = report_of(lambda: net(input_ids=ids, labels=torch.tensor([0, 1])).loss)
    assert report.within.startswith("bert.embeddings.LayerNorm (LayerNorm), called from ")
    assert "12 of 12 rows are constant, so their variance is 0, and eps is 0" in report.sentence


def test_a_nan_in_the_weights_is_told_by_their_name(ids):
    net = llama()
    with torch.no_grad():
        net.model.layers[1].mlp.up_proj.weight[0, 0] = np.nan
    report = report_of(lambda: net(input_ids=ids, labels=ids).loss)
    words = "the weights model.layers.1.mlp.up_proj.weight hold 1 number that is not finite"
    assert words in report.repair.words


@pytest.mark.parametrize("where", ["pixels", "labels"])
def test_a_nan_in_the_data_ends_in_no_traceback(where, ids):
    sizes = {k: v for k, v in SIZES.items() if k not in ("vocab_size", "max_position_embeddings")}
    net = nets.ViTForImageClassification(nets.ViTConfig(**sizes, image_size=8, patch_size=4, num_labels=1)).eval()
    x, t = torch.randn(2, 3, 8, 8), torch.tensor([0.5, 0.5])
    (x if where == "pixels" else t).view(-1)[1] = np.nan
    report = report_of(lambda: net(pixel_values=x, labels=t).loss)
    assert (report.kind, report.phase) == ("input", "forward")
    assert where == "labels" or "x is nan at (0, 0, 0, 1), 1 of 384 elements" in report.repair.words


def test_a_projection_of_zeros_that_is_normalised_is_0_over_0(ids):
    sides = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = nets.CLIPConfig(text_config={**SIZES, "eos_token_id": 2}, projection_dim=8,
                             vision_config={**sides, "image_size": 8, "patch_size": 4})  # fmt: skip
    net = nets.CLIPModel(config).eval()
    with torch.no_grad():
        net.text_projection.weight.zero_()
    report = report_of(lambda: net(input_ids=ids, pixel_values=torch.randn(2, 3, 8, 8), return_loss=True).loss)
    assert (report.op, report.kind) == ("divide", "0 / 0")
    assert "power" not in report.repair.cause
