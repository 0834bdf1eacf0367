"""The questions of lessons 10 and later; `questions_00.py` says what a question is."""

from minigrad.classroom.questionnaire import ask

QUESTIONS = {
    "10": [
        ask(
            "At the kink of abs, JAX takes the slope of the right side. Its gradient of abs at 0?",
            1,
            "To the right abs(x) is x.",
        ),
        ask(
            "maximum(a, b) with a = b = 1, in minigrad, PyTorch and JAX: the gradient of a?",
            0.5,
            "Half for each. TensorFlow gives all of it to a.",
        ),
        ask(
            "`mg.gradients` of a vector is",
            "a",
            "As in TensorFlow. PyTorch and JAX refuse a vector.",
            "the gradient of its sum",
            "an error",
            "a table",
        ),
        ask("The gradient of sqrt at 0, in all four?", "b", "1 / (2 · 0).", "0", "inf", "nan"),
        ask("relu at 0: its gradient in all four?", 0, "A convention, and they agree."),
    ],
    "11": [
        ask("The third derivative of sin at 0?", -1, "sin, cos, -sin, -cos."),
        ask("The second derivative of x³ at 2?", 12, "6x."),
        ask("f = x·y. The entry of the Hessian for x and y?", 1, "The slope for x is y, and y grows by 1 when y does."),
        ask(
            "One step of Newton, x - f' / f'', on f = x·x from 5. Where does it land?",
            0,
            "A parabola is solved in one.",
        ),
        ask(
            "A rule is `upstream * mg.stop_gradient(2 * x)`, for x·x. The second derivative at 3?",
            "b",
            "The arrow back to x is missing.",
            "2",
            "None",
            "6",
        ),
    ],
    "12": [
        ask("A straight-through `round` at 2.7: the gradient?", 1, "The upstream gradient goes through as it is."),
        ask(
            "A rule that reverses returns `-0.5 * upstream`. The upstream gradient is 3. What is sent on?",
            -1.5,
            "-0.5 · 3.",
        ),
        ask("`mg.clip(x, -1, 1)` at x = 3: the gradient?", 0, "Clipping the value stops the gradient."),
        ask(
            "`mg.check_gradients` of a `round` that passes the gradient straight through, at 0.3, says",
            "b",
            "As it should: the gradient is wrong on purpose.",
            "agrees",
            "wrong",
        ),
        ask("The gradient through `mg.stop_gradient(x)`?", "c", "No message at all.", "0", "1", "None"),
    ],
    "13": [
        ask(
            "One gradient through `mg.recompute_grad(f)`: how often does f run?",
            2,
            "Once forward, and once more on the way back.",
        ),
        ask(
            "36 layers in pieces of 6: how many results of layers are held at once, at most?",
            12,
            "6 results of pieces, and the 6 of the piece that is run again.",
        ),
        ask("400 layers: which size of a piece needs the least memory?", 20, "400 / k + k is least at k = 20."),
        ask("By how much does `recompute_grad` change a gradient?", 0, "The same ops and the same numbers, later."),
        ask(
            "Dropout by NumPy's global random numbers inside `mg.recompute_grad`: in the second run the mask is",
            "a",
            "They are put back for it. A generator of your own can only be compared.",
            "the same",
            "another one",
        ),
    ],
    "14": [
        ask("y·y = a. The slope of y at a = 16?", 0.125, "1 / (2y), without a loop."),
        ask("y = 0.5 y + x, solved exactly. The slope of y for x?", 2, "1 / (1 - 0.5). One step alone gives 1."),
        ask(
            "A loop starts at the answer and takes no step. The gradient through it?",
            "c",
            "Nothing was done, so nothing was recorded.",
            "the right one",
            "0",
            "None",
        ),
        ask(
            "One step of a loop multiplies a nudge of y by 0.9. By which factor is the gradient through one step too "
            "small?",
            10,
            "1 / (1 - 0.9) = 1 + 0.9 + 0.81 + ...",
        ),
        ask(
            "w solves A w = b. The rule solves once more, with the matrix",
            "b",
            "A column of the inverse, read backwards.",
            "A",
            "A transposed",
            "A times A",
        ),
    ],
    "15": [
        ask("Three classes, a network that knows nothing: its loss, to two digits after the point?", 1.10, "log 3."),
        ask(
            "The gradients of the cross-entropy for the ten logits of one image add up to?",
            0,
            "Softmax and label both add up to 1.",
        ),
        ask(
            "32 hidden units start with the same weights. After training, how many different ones are there?",
            1,
            "The same numbers get the same gradients.",
        ),
        ask(
            "A weight is 2, its gradient 3, the learning rate 0.1. After a step without momentum the weight is?",
            1.7,
            "2 - 0.1 · 3: a step goes against the gradient.",
        ),
        ask("The largest slope of sigmoid?", 0.25, "So ten layers divide a gradient by a million."),
    ],
    "16": [
        ask(
            "Cross-entropy of the logits [0, 0] with the label 0: the gradient of the first logit?",
            -0.5,
            "Softmax minus label.",
        ),
        ask(
            "Three of four results copy the same row of a table, and each sends it 1. The gradient of that row?",
            3,
            "It is used three times.",
        ),
        ask(
            "q rounds z, and its rule passes the upstream gradient. The second derivative of q·q for z?",
            2,
            "The gradient is 2q, and q passes 1.",
        ),
        ask("y = x + 0.5 y is a layer of one number at rest. Upstream is 3: the message to x?", 6, "3 / (1 - 0.5)."),
        ask(
            "An engine stores messages with `=`. Then the gradient of A in A @ A is",
            "b",
            "The two messages differ, and the last one stays.",
            "half of the right one",
            "the last message alone",
            "0",
        ),
    ],
    "17": [
        ask(
            "A function has 3 inputs and 1,000,000 outputs. How many walks forward fill its table of slopes?",
            3,
            "A walk forward gives a column, and there is one for each input.",
        ),
        ask(
            "y = a · b, with a = 2, b = 7. The tangents of a and b are 3 and 1. That of y?",
            23,
            "3 · 7 + 2 · 1.",
        ),
        ask(
            "Dual(4, 0.5) * Dual(4, 0.5) has the tangent",
            4,
            "4 · 0.5 + 0.5 · 4: each factor moves while the other scales it.",
        ),
        ask(
            "Why does training walk backward?",
            "a",
            "One output means one row, however many weights there are.",
            "the loss is one number",
            "a walk forward needs more memory",
            "weights have no tangents",
        ),
        ask(
            "u (J v) is 3 and (u J) v is 10. What do you know?",
            "c",
            "Both are one number. The comparison does not say which side is wrong.",
            "the walk back is wrong",
            "the tangent is wrong",
            "one of the two is wrong",
        ),
    ],
    "18": [
        ask(
            "A weight of 8 in float16, the slope 1, the learning rate 0.001: it stands still. Which end is that?",
            "c",
            "The numbers next to 8 are 0.004 and 0.008 away. The step itself is a number like any other.",
            "too large",
            "too small",
            "too near",
        ),
        ask(
            "Slopes of 0.000000001. For which k are they above 0.000061, where float16 has all its bits, when they are "
            "multiplied by 2^k? The least one.",
            16,
            "2^16 is 65,536, which makes 0.0000655.",
        ),
        ask(
            "The loss is inf, and every slope is finite. Do you take the step?",
            "a",
            "The slopes are what is used, and the way back never asks for the value of the loss.",
            "yes",
            "no",
        ),
        ask(
            "Slopes in float16 times 1,000, and divided by 1,000 again. What is wrong with it?",
            "b",
            "They are as good as before, but other numbers, so `==` tests nothing any more.",
            "they become too small",
            "most of them are rounded",
            "the sign may change",
        ),
        ask(
            "Why does training in bfloat16 need no scaling?",
            "a",
            "8 of its 16 bits are an exponent, as many as in float32.",
            "it has the range of float32",
            "it has more digits than float16",
            "it rounds the loss only",
        ),
    ],
}
