"""Code that uses the public names wrongly: a type checker must reject each line that is marked as wrong."""

from typing import Any

import minigrad as mg
from minigrad import ops

x = mg.constant([1.0, 2.0])
w = mg.Variable(0.0)

x.no_such_method()  # wrong
x.sum(axiss=0)  # wrong
x.reshape_to(2)  # wrong
x.value_of  # wrong # noqa: B018
name: str = x + 1  # wrong
number: float = x.sum()  # wrong
shape: list[int] = x.shape  # wrong
w.assign()  # wrong
mg.Variable(0.0, trainabel=True)  # wrong
mg.constant(1.0, shape="2")  # wrong
mg.gradients(x)  # wrong
mg.gradients(x, x, unconnected="zero")  # wrong
mg.gradients(x, x)[0].value  # wrong # noqa: B018
mg.grad(3)  # wrong
mg.value_and_grad(lambda x: x, "x")  # wrong
mg.vjp(3, x)  # wrong
mg.GradientTape(persistant=True)  # wrong
mg.get_variable()  # wrong
mg.custom_gradient(3)  # wrong
mg.check_gradients()  # wrong
mg.find_nan(x, xs=3, nmaes={})  # wrong
mg.sinn(x)  # wrong
mg.exp("1.0")  # wrong
mg.exp(x, 2)  # wrong
mg.exp(x).logg()  # wrong
mg.sum(x, axes=0)  # wrong
mg.eigh(x).values  # wrong # noqa: B018
total_of: float = mg.reduce_sum(x)  # wrong
ops.softmaxx(x)  # wrong

# A right call stays right.
total: mg.Tensor = (x * 2 - x / 3).sum(axis=0, keepdims=True) @ x + w**2
gradients: list[mg.Tensor | None] = mg.gradients(total, [x, w])
spelled_as_elsewhere: Any = mg.reduce_sum(mg.math.log(x)) + ops.exp(x)
