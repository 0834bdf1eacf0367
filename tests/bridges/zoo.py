"""Families of the package transformers: small networks with random weights, and the inputs of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
import transformers as nets

WORDS, LENGTH = 40, 6
WIDE = {"vocab_size": WORDS, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 32}  # fmt: skip
SEES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
        "image_size": 8, "patch_size": 4}  # fmt: skip
TOKENS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}


class Family(NamedTuple):
    """How a network is made, what it reads ("text", "pixels" or "sound"), and the kind of its labels."""

    model: str
    config: str
    sizes: dict[str, Any]
    reads: str = "text"
    labels: str = "text"

    def make(self, **options: Any) -> torch.nn.Module:
        config = getattr(nets, self.config)(**self.sizes | options)
        return getattr(nets, self.model)(config).eval()

    def inputs(self, batch: int = 2) -> dict[str, Any]:
        """The arguments that the network is called with, including labels."""
        ids = lambda: torch.randint(3, WORDS, (batch, LENGTH))
        given: dict[str, Any] = {}
        if self.reads == "text":
            given["input_ids"] = ids()
        elif self.reads == "pixels":
            given["pixel_values"] = torch.randn(batch, 3, self.sizes["image_size"], self.sizes["image_size"])
        else:
            given["input_features"] = torch.randn(batch, self.sizes["num_mel_bins"], 16)
        given["labels"] = ids() if self.labels == "text" else torch.arange(batch) % 2
        return given


def _decoder(name: str, **sizes: Any) -> Family:
    return Family(f"{name}ForCausalLM", f"{name}Config", WIDE | TOKENS | sizes)


def _reader(name: str, **sizes: Any) -> Family:
    return Family(f"{name}ForSequenceClassification", f"{name}Config", WIDE | TOKENS | sizes, labels="class")


def _eye(name: str, **sizes: Any) -> Family:
    return Family(f"{name}ForImageClassification", f"{name}Config", SEES | sizes, reads="pixels", labels="class")


GPT = {"vocab_size": WORDS, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 32, "n_inner": 32} | TOKENS
FAMILIES = {
    "gpt2": Family("GPT2LMHeadModel", "GPT2Config", GPT),
    "gptj": Family("GPTJForCausalLM", "GPTJConfig", GPT | {"rotary_dim": 4}),
    "codegen": Family("CodeGenForCausalLM", "CodeGenConfig", GPT | {"n_head": 4, "rotary_dim": 4}),
    "gpt_bigcode": Family("GPTBigCodeForCausalLM", "GPTBigCodeConfig", GPT),
    "gpt_neo": Family("GPTNeoForCausalLM", "GPTNeoConfig", {
        "vocab_size": WORDS, "hidden_size": 16, "num_layers": 2, "num_heads": 2, "attention_types": [[["global"], 2]],
        "max_position_embeddings": 32} | TOKENS),
    "bloom": Family("BloomForCausalLM", "BloomConfig", {"vocab_size": WORDS, "hidden_size": 16, "n_layer": 2,
                                                       "n_head": 2} | TOKENS),
    "mpt": Family("MptForCausalLM", "MptConfig", {"vocab_size": WORDS, "d_model": 16, "n_layers": 2, "n_heads": 2,
                                                 "max_seq_len": 32} | TOKENS),
    "opt": _decoder("OPT", ffn_dim=32, word_embed_proj_dim=16),
    "gpt_neox": _decoder("GPTNeoX"),
    "llama": _decoder("Llama", num_key_value_heads=2),
    "mistral": _decoder("Mistral", num_key_value_heads=1),
    "qwen2": _decoder("Qwen2", num_key_value_heads=1),
    "qwen3": _decoder("Qwen3", num_key_value_heads=1, head_dim=8),
    "phi": _decoder("Phi", num_key_value_heads=2),
    "phi3": _decoder("Phi3", num_key_value_heads=2),
    "gemma": _decoder("Gemma", num_key_value_heads=1, head_dim=8),
    "gemma2": _decoder("Gemma2", num_key_value_heads=1, head_dim=8),
    "olmo2": _decoder("Olmo2", num_key_value_heads=2),
    "stablelm": _decoder("StableLm", num_key_value_heads=2),
    "starcoder2": _decoder("Starcoder2", num_key_value_heads=1),
    "cohere": _decoder("Cohere", num_key_value_heads=1),
    "granite": _decoder("Granite", num_key_value_heads=2),
    "mixtral": _decoder("Mixtral", num_key_value_heads=1, num_local_experts=2, num_experts_per_tok=1),
    "falcon": _decoder("Falcon", ffn_hidden_size=32),
    "mamba": Family("MambaForCausalLM", "MambaConfig", {"vocab_size": WORDS, "hidden_size": 16, "num_hidden_layers": 2,
                                                       "state_size": 4} | TOKENS),
    "bert": _reader("Bert", num_labels=3),
    "roberta": _reader("Roberta", num_labels=3),
    "camembert": _reader("Camembert", num_labels=3),
    "xlm_roberta": _reader("XLMRoberta", num_labels=3),
    "electra": _reader("Electra", num_labels=3, embedding_size=16),
    "albert": _reader("Albert", num_labels=3, embedding_size=8),
    "mpnet": _reader("MPNet", num_labels=3),
    "deberta": _reader("Deberta", num_labels=3, relative_attention=True, pos_att_type=["c2p", "p2c"],
                       pooler_hidden_size=16),
    "deberta_v2": _reader("DebertaV2", num_labels=3, relative_attention=True, pos_att_type=["c2p", "p2c"],
                          pooler_hidden_size=16),
    "convbert": _reader("ConvBert", num_labels=3, embedding_size=16),
    "squeezebert": _reader("SqueezeBert", num_labels=3, embedding_size=16, q_groups=1, k_groups=1, v_groups=1,
                           post_attention_groups=1, intermediate_groups=1, output_groups=1),
    "layoutlm": _reader("LayoutLM", num_labels=3),
    "rembert": _reader("RemBert", num_labels=3, input_embedding_size=16, output_embedding_size=16),
    "roformer": _reader("RoFormer", num_labels=3, embedding_size=16),
    "fnet": _reader("FNet", num_labels=3),
    "megatron_bert": _reader("MegatronBert", num_labels=3),
    "modernbert": _reader("ModernBert", num_labels=3, cls_token_id=1, sep_token_id=2),
    "distilbert": Family("DistilBertForSequenceClassification", "DistilBertConfig", {
        "vocab_size": WORDS, "dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32, "max_position_embeddings": 32,
        "num_labels": 3}, labels="class"),
    "t5": Family("T5ForConditionalGeneration", "T5Config", {
        "vocab_size": WORDS, "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2,
        "decoder_start_token_id": 0}),
    "mt5": Family("MT5ForConditionalGeneration", "MT5Config", {
        "vocab_size": WORDS, "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2,
        "decoder_start_token_id": 0}),
    "bart": Family("BartForConditionalGeneration", "BartConfig", {
        "vocab_size": WORDS, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 32,
        "decoder_start_token_id": 2, "forced_eos_token_id": 2} | TOKENS),
    "pegasus": Family("PegasusForConditionalGeneration", "PegasusConfig", {
        "vocab_size": WORDS, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 32,
        "decoder_start_token_id": 0} | TOKENS),
    "whisper": Family("WhisperForConditionalGeneration", "WhisperConfig", {
        "vocab_size": WORDS, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "num_mel_bins": 8,
        "max_source_positions": 8, "max_target_positions": 32, "decoder_start_token_id": 2} | TOKENS, reads="sound"),
    "nemotron": _decoder("Nemotron", num_key_value_heads=2, head_dim=8),
    "xlnet": Family("XLNetForSequenceClassification", "XLNetConfig", {
        "vocab_size": WORDS, "d_model": 16, "n_layer": 2, "n_head": 2, "d_inner": 32, "num_labels": 3} | TOKENS,
        labels="class"),
    "segformer": Family("SegformerForImageClassification", "SegformerConfig", {
        "image_size": 16, "num_encoder_blocks": 2, "depths": [1, 1], "sr_ratios": [2, 1], "hidden_sizes": [8, 16],
        "patch_sizes": [3, 3], "strides": [2, 2], "num_attention_heads": [1, 2], "mlp_ratios": [2, 2],
        "num_labels": 3}, reads="pixels", labels="class"),
    "vit": _eye("ViT", num_labels=3),
    "deit": _eye("DeiT", num_labels=3),
    "beit": _eye("Beit", num_labels=3),
    "dinov2": _eye("Dinov2", num_labels=3),
    "swin": Family("SwinForImageClassification", "SwinConfig", {
        "image_size": 16, "patch_size": 2, "embed_dim": 8, "depths": [1, 1], "num_heads": [1, 2], "window_size": 2,
        "num_labels": 3}, reads="pixels", labels="class"),
    "convnext": Family("ConvNextForImageClassification", "ConvNextConfig", {
        "image_size": 16, "hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2, "patch_size": 2, "num_labels": 3},
        reads="pixels", labels="class"),
    "resnet": Family("ResNetForImageClassification", "ResNetConfig", {
        "image_size": 16, "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic",
        "num_labels": 3}, reads="pixels", labels="class"),
}  # fmt: skip


def is_lost(values: Any, word: str) -> bool:
    """Whether a nested value holds a tensor with nan, or with inf."""
    if isinstance(values, torch.Tensor):
        return values.is_floating_point() and bool((values.isnan() if word == "nan" else values == torch.inf).any())
    if isinstance(values, dict):
        return is_lost([*values.values()], word)
    return isinstance(values, (list, tuple)) and any(is_lost(value, word) for value in values)


def born_in(net: torch.nn.Module, call: Callable[[], Any], word: str = "nan") -> str:
    """The innermost module that received no nan and returned one; the earliest of several, "" for none."""
    found, before, hooks = list[str](), list[bool](), []

    def enter(module: Any, args: Any, kwargs: Any) -> None:
        before.append(is_lost([args, kwargs], word))

    for path, module in net.named_modules():

        def leave(module: Any, args: Any, out: Any, path: str = path) -> None:
            if not before.pop() and is_lost(out, word):
                found.append(path)

        hooks += [module.register_forward_pre_hook(enter, with_kwargs=True), module.register_forward_hook(leave)]
    call()
    for hook in hooks:
        hook.remove()
    return found[0] if found else ""


def weights_of(net: torch.nn.Module, *parts: str) -> Iterator[tuple[str, torch.nn.Parameter]]:
    """The matrices whose names hold all parts, in order."""
    for name, weight in net.named_parameters():
        if weight.ndim > 1 and all(part in name for part in parts):
            yield name, weight
