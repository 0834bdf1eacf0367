"""The names in lessons: those that each introduces, and those of the files, which follow from the titles."""

import re

from minigrad.classroom.notebook import locked_texts, read
from minigrad.classroom.release import sources

#: The names that each lesson introduces.
NEW = {
    "00": {"mg.constant", "mg.gradients", "mg.sum", "mg.tanh", "viz.backward"},
    "01": {"mg.grad", "mg.sqrt", "viz.forward", "viz.nudge"},
    "02": {"mg.exp"},
    "03": {"mg.check_gradients", "mg.custom_gradient", "mg.relu", "viz.curves", "viz.steps"},
    "04": set(),
    "05": {"mg.broadcast_to", "mg.cumsum", "mg.mean", "mg.sort", "mg.source", "mg.stack", "mg.sum_to"}
    | {"mg.data.digits", "mg.data.two_moons", "mg.log", "mg.value_and_grad"}
    | {"viz.history", "viz.images", "viz.jacobian", "viz.plane"},
    "06": {"mg.find_nan", "mg.messages", "mg.softplus", "mg.where"},
    "07": {"mg.log1p", "mg.maximum", "mg.sigmoid", "viz.compare"},
    "08": {"mg.Variable", "mg.explain_none", "mg.ignore_custom_gradients", "mg.reduce_sum", "mg.stop_gradient"}
    | {"mg.transpose"},
    "09": {"mg.concatenate", "mg.nest.flatten", "ops.custom_gradient"},
    "10": {"mg.clip", "mg.cumprod", "mg.hypot", "mg.max", "mg.median", "mg.norm", "mg.std", "ops.norm"},
    "11": {"mg.backward_trace", "mg.hessian", "mg.sin"},
    "12": {"mg.identity", "mg.ones_like", "mg.round", "mg.square"},
    "13": {"mg.dropout", "mg.recompute_grad", "mg.saved", "viz.memory", "viz.schedule"},
    "14": {"mg.cos", "mg.eye", "mg.optim", "mg.solve", "viz.beside"},
    "15": {"mg.logsumexp", "mg.softmax", "viz.layers", "viz.retrain", "viz.units"},
    "16": {"mg.cosh", "viz.page"},
    "17": {"mg.hvp", "mg.jacobian", "mg.jvp", "mg.vjp"},
    "18": {"mg.astype", "mg.reshape"},
}
NAME = re.compile(r"\b(?:mg|viz|ops)\.[A-Za-z_]\w*(?:\.[a-z]\w*)*")


def used(source):
    cells = read(source).cells
    texts = [*(cell.source for cell in cells), *(text for texts in locked_texts(cells).values() for text in texts)]
    return {name for text in texts for name in NAME.findall(text)}


def test_only_names_that_an_earlier_lesson_introduced():
    known = set()
    for source in sources():
        number = source.name[:2]
        known |= NEW[number]
        assert used(source) - known == set(), number


def test_each_name_is_introduced_where_the_list_says():
    seen = set()
    for source in sources():
        assert NEW[source.name[:2]] == used(source) - seen, source.name
        seen |= used(source)


def test_a_file_has_the_name_of_its_title():
    """`05_copied_forward_added_back` is "5 · Copied forward, added back"; a name may leave off what follows a comma."""
    for source in sources():
        title = read(source).cells[0].source.splitlines()[0].removeprefix("# ")
        number, words = re.fullmatch(r"(\d+) · (.*)", title).groups()
        names = [
            f"{int(number):02d}_" + re.sub(r"\W+", "_", w.lower()).strip("_") for w in (words, words.split(",")[0])
        ]
        assert source.stem in names, title
