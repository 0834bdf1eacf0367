"""Functions of a Tensor that differentiate inside, each by another transform."""

import minigrad as mg


def cube(x):
    return x**3


def taped(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x)


def taped_jacobian(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.jacobian(y, x)


INNER = {
    "grad": lambda x: mg.grad(cube)(x),
    "grad of a captured Tensor": lambda x: mg.grad(lambda a: a**2 * x)(x),
    "value_and_grad": lambda x: mg.value_and_grad(cube)(x)[1],
    "vjp": lambda x: mg.vjp(cube, x)[1](mg.constant(2.0))[0],
    "jvp": lambda x: mg.jvp(cube, (x,), (mg.constant(2.0),))[1],
    "jacobian": lambda x: mg.jacobian(cube)(x),
    "grad of grad": lambda x: mg.grad(mg.grad(cube))(x),
    "tape": taped,
    "jacobian of a tape": taped_jacobian,
    "value_and_grad, value": lambda x: mg.value_and_grad(cube)(x)[0],
    "vjp, value": lambda x: mg.vjp(cube, x)[0],
    "hessian": lambda x: mg.hessian(cube)(x),
    "gradients": lambda x: mg.gradients(cube(x), x)[0],
}
