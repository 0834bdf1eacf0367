"""Sixty networks of the package transformers with a nan planted in ten ways: the op and the module that are named.

The module is found a second time with PyTorch's hooks, see `born_in` in `zoo.py`.
"""

import pytest

import viz

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from .plantings import WAYS, diverging  # noqa: E402

FAMILIES = {
    "weight": "gpt2 mixtral deberta whisper swin mamba",
    "mask": "bert llama qwen3 mistral gpt_neox gemma2 nemotron",
    "labels": "t5 opt electra bart phi3 mixtral",
    "nan_labels": "roberta albert xlnet",
    "overflow": "mt5 distilbert cohere bloom",
    "autocast": "bert gpt2 falcon starcoder2",
    "zero_norm": "llama mpnet deit gpt_bigcode granite mixtral",
    "empty": "convnext resnet mamba squeezebert falcon gpt_neo",
    "eps": "bert olmo2 dinov2 stablelm t5 convnext",
    "log_of_softmax": "gptj xlm_roberta beit",
    "root": "codegen camembert vit",
    "data": "whisper deberta_v2 gemma vit rembert qwen2 segformer",
}
CASES = [(way, family) for way, families in FAMILIES.items() for family in families.split()]


@pytest.fixture(autouse=True)
def _seed():
    before, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)
    torch.set_num_threads(threads)


@pytest.mark.parametrize(("way", "family"), CASES)
def test_the_op_and_the_module_of_a_planted_nan_are_named(way, family):
    planted = WAYS[way](family)
    report = viz.trace_nan(planted.loss).report
    said = str(report)
    assert report, "a nan was planted"
    assert not planted.ops or {report.op, report.repair.op} & {*planted.ops}, said
    assert not planted.kinds or report.kind in planted.kinds, said
    assert report.within.startswith(f"{planted.within} (") or not planted.within, said
    assert f"in {planted.first} (" in said.replace("It is in", "in") or not planted.first, said
    assert all(word in said for word in planted.words), said


@pytest.mark.parametrize("family", ["gpt2", "swin", "vit"])
def test_a_rate_that_is_too_large_is_told_as_divergence(family):
    with pytest.raises(viz.NanFound) as caught:
        diverging(family)
    assert "the training diverges: the norm of all weights before steps" in str(caught.value)
    assert "lower the learning rate" in str(caught.value)


@pytest.mark.parametrize("family", ["llama", "roberta", "bart"])
def test_a_mask_that_hides_a_row_from_attention_in_one_call_is_no_fault(family):
    """PyTorch's own attention gives 0 for a row without a key, in value and gradient."""
    planted = WAYS["mask"](family, attn_implementation="sdpa")
    assert torch.isfinite(planted.loss())
    report = viz.trace_nan(planted.loss).report
    assert not report and "is infinite at 6 of 72 elements" in report.sentence
