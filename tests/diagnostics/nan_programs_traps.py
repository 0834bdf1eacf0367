"""Programs whose repair could be wrong, with what they tend to: jumps, poles, oscillations, masks, odd source text.

The numbers are computed with 80 digits; None where there is no limit. `offered`: whether a repair is, which holds the
checks to what they refused when the programs were written.
"""

from typing import Any, NamedTuple


class Trap(NamedTuple):
    """A program `f`, its inputs, whether a repair is offered, the limits of its value and of its gradients, flat."""

    source: str
    inputs: list[Any]
    offered: bool
    value: float | None
    gradients: tuple[float, ...] | None
    dtype: str = "float32"


TRAPS = {
    "where two limits": Trap(
        ("def f(x):\n    return np.where(x > 0, np.sin(x)/x, np.exp(x) - 1 + 0*(1/x))"), [0.0], False, None, None
    ),
    "where jump": Trap(("def f(x):\n    return np.where(x > 0, 1 + x*np.log(x), 2 + x)"), [0.0], False, None, None),
    "where hides pole": Trap(("def f(x):\n    return np.where(x > 0, 1/x, 0.0)"), [0.0], True, None, None),
    "where hides pole both": Trap(("def f(x):\n    return np.where(x == 0, 0.0, 1/x)"), [0.0], True, None, None),
    "where log jump": Trap(("def f(x):\n    return np.where(x > 0, np.log(x), -5.0)"), [0.0], True, None, None),
    "where sinc right": Trap(("def f(x):\n    return np.where(x == 0, 1.0, np.sin(x)/x)"), [0.0], True, 1.0, (0.0,)),
    "where sinc wrong": Trap(("def f(x):\n    return np.where(x == 0, 0.0, np.sin(x)/x)"), [0.0], False, 1.0, (0.0,)),
    "where sqrt kink": Trap(("def f(x):\n    return np.where(x > 0, np.sqrt(x), 0.0)"), [0.0], True, 0.0, None),
    "where sqrt abs": Trap(
        ("def f(x):\n    return np.where(x >= 0, np.sqrt(x), -np.sqrt(-x))"), [0.0], True, 0.0, None
    ),
    "where two branches sqrt": Trap(
        ("def f(x):\n    return np.where(x > 1, np.sqrt(x - 1), 3.0)"), [1.0], True, None, None
    ),
    "where exp(1/x)": Trap(("def f(x):\n    return np.where(x < 0, np.exp(1/x), 7.0)"), [0.0], True, None, (0.0,)),
    "where exp(1/x) 2": Trap(("def f(x):\n    return np.where(x < 0, np.exp(1/x), 0.0)"), [0.0], True, 0.0, (0.0,)),
    "where pole inside cond": Trap(("def f(x):\n    return np.where(1/x > 3, x, -x)"), [0.0], False, 0.0, None),
    "where batch": Trap(
        ("def f(x):\n    return np.sum(np.where(x > 0, x*np.log(x), 0.0))"), [[0.0, 2.0, -3.0]], True, 1.386294361, None
    ),
    "where nested": Trap(
        ("def f(x):\n    return np.where(x > 0, np.where(x > 1, np.log(x - 1), x), np.sqrt(x))"),
        [1.0],
        True,
        None,
        None,
    ),
    "where step over": Trap(("def f(x):\n    return np.where(x > 0, 1.0, 0.0)/x"), [0.0], False, None, None),
    "where floor changes branch": Trap(
        ("def f(x):\n    return np.where(np.sqrt(x) > 0, np.sqrt(x) + 1, 0.0)"), [0.0], True, None, None
    ),
    "where arctan": Trap(("def f(x):\n    return np.where(x == 0, 0.0, np.arctan(1/x))"), [0.0], False, None, (-1.0,)),
    "where power": Trap(("def f(x):\n    return np.where(x > 0, x**0.5, x**2)"), [0.0], True, 0.0, None),
    "where data mask": Trap(
        ("def f(x):\n    m = x > 0\n    return np.sum(np.where(m, 1/x, 0.0))/2"), [[0.0, 4.0]], True, None, None
    ),
    "where selected by data": Trap(
        ("def f(x, m):\n    return np.sum(np.where(m > 0, np.log(x), x))"), [[0.0, 4.0], [0.0, 1.0]], True, None, None
    ),
    "where selected bad": Trap(
        ("def f(x, m):\n    return np.sum(np.where(m > 0, np.log(x), x))"), [[0.0, 4.0], [1.0, 1.0]], False, None, None
    ),
    "maximum hides": Trap(("def f(x):\n    return np.maximum(np.log(x), -3.0)"), [0.0], True, -3.0, (0.0,)),
    "minimum of poles": Trap(("def f(x):\n    return np.minimum(1/x, 5.0)"), [0.0], False, None, None),
    "minimum of square pole": Trap(("def f(x):\n    return np.minimum(1/x**2, 5.0)"), [0.0], True, 5.0, (0.0,)),
    "sin(1/x)": Trap(("def f(x):\n    return np.sin(1/x)"), [0.0], False, None, None),
    "x sin(1/x)": Trap(("def f(x):\n    return x*np.sin(1/x)"), [0.0], True, 0.0, None),
    "x^2 sin(1/x)": Trap(("def f(x):\n    return x**2*np.sin(1/x)"), [0.0], True, 0.0, (0.0,)),
    "x^3 sin(1/x)": Trap(("def f(x):\n    return x**3*np.sin(1/x)"), [0.0], True, 0.0, (0.0,)),
    "x^5 cos(1/x)": Trap(("def f(x):\n    return x**5*np.cos(1/x)"), [0.0], True, 0.0, (0.0,)),
    "x^8 sin(1/x)": Trap(("def f(x):\n    return x**8*np.sin(1/x)"), [0.0], True, 0.0, (0.0,)),
    "0.001 sin": Trap(("def f(x):\n    return 1e-3*np.sin(1/x) + 1"), [0.0], False, None, None),
    "1e-9 sign": Trap(("def f(x):\n    return 1e-9*x/np.sqrt(x*x) + 1"), [0.0], False, None, (0.0,)),
    "1e-5 sign": Trap(("def f(x):\n    return 1e-5*x/np.sqrt(x*x) + 1"), [0.0], False, None, (0.0,)),
    "small pole": Trap(("def f(x):\n    return 1 + 1e-9/x"), [0.0], False, None, None),
    "small square pole": Trap(("def f(x):\n    return 1 + 1e-14/x**2"), [0.0], False, None, None),
    "tanh narrow": Trap(("def f(x):\n    return np.tanh(1000*x)/x"), [0.0], False, 1000.0, (0.0,)),
    "tanh narrower": Trap(("def f(x):\n    return np.tanh(1e6*x)/(1e6*x)"), [0.0], False, 1.0, (0.0,)),
    "narrow gauss": Trap(("def f(x):\n    return (np.exp(-(1e4*x)**2) - 1)/x + 2"), [0.0], False, 2.0, (-100000000.0,)),
    "narrow sinc": Trap(("def f(x):\n    return np.sin(1e5*x)/x"), [0.0], False, 100000.0, (0.0,)),
    "erf step": Trap(("def f(x):\n    return x*np.tanh(1e9*x)/x"), [0.0], False, 0.0, (1000000000.0,)),
    "x^1.5": Trap(("def f(x):\n    return (x**2)**0.75/1.0"), [0.0], True, 0.0, (0.0,)),
    "abs over": Trap(("def f(x):\n    return np.abs(x)/x"), [0.0], False, None, (0.0,)),
    "abs^3/x": Trap(("def f(x):\n    return np.abs(x)**3/x"), [0.0], True, 0.0, (0.0,)),
    "abs sin/x": Trap(("def f(x):\n    return np.abs(np.sin(x))/x"), [0.0], False, None, (0.0,)),
    "exp pole one side": Trap(("def f(x):\n    return x*np.exp(1/x)"), [0.0], False, None, None),
    "exp(-1/x)/x": Trap(("def f(x):\n    return np.exp(-1/x)/x"), [0.0], False, None, None),
    "x log x^2": Trap(("def f(x):\n    return x*np.log(x**2)"), [0.0], True, 0.0, None),
    "x^2 log x^2": Trap(("def f(x):\n    return x**2*np.log(x**2)"), [0.0], True, 0.0, (0.0,)),
    "sqrt x / x": Trap(("def f(x):\n    return np.sqrt(x)/x"), [0.0], False, None, None),
    "sin sqrt / sqrt": Trap(("def f(x):\n    return np.sin(np.sqrt(x))/np.sqrt(x)"), [0.0], True, 1.0, (-0.166666667,)),
    "cubic ratio": Trap(("def f(x):\n    return (x**3 - x)/(x - 1)"), [1.0], True, 2.0, (3.0,)),
    "1/x - 1/x^2": Trap(("def f(x):\n    return 1/x - 1/x**2"), [0.0], False, None, None),
    "double pole cancel": Trap(("def f(x):\n    return 1/x**2 - 1/np.sin(x)**2"), [0.0], True, -0.3333333333, None),
    "lens limit": Trap(("def f(x):\n    return 1/(1/x)"), [0.0], True, 0.0, (1.0,)),
    "two holes": Trap(("def f(x):\n    return np.sin(x*(x - 1))/(x*(x - 1))"), [[0.0, 1.0]], True, 2.0, (0.0, 0.0)),
    "hole elsewhere": Trap(("def f(x):\n    return (x - 1)/(x**2 - 1)"), [[1.0, -1.0]], False, None, None),
    "row constants": Trap(
        ("def f(x):\n    return np.sum(np.array([2.0, 3.0])*np.sin(x)/x)"),
        [[0.0, 1.0]],
        True,
        4.524412954,
        (0.0, -0.903506037),
    ),
    "row constants inside": Trap(
        ("def f(x):\n    return np.sum(np.sin(np.array([2.0, 3.0])*x)/x)"),
        [[0.0, 1.0]],
        False,
        2.141120008,
        (0.0, -3.111097498),
    ),
    "row constants both": Trap(
        ("def f(x):\n    return np.sum(np.sin(np.array([2.0, 3.0])*x)/x)"), [[0.0, 0.0]], False, 5.0, (0.0, 0.0)
    ),
    "reversed": Trap(("def f(x):\n    return np.sum(np.sin(x[::-1])/x)"), [[0.0, 1.0]], False, None, None),
    "other row": Trap(
        ("def f(x):\n    return np.sum(np.sin(x)/x*x[::-1])"), [[0.0, 1.0]], True, 1.0, (0.841470985, 1.0)
    ),
    "cumulative": Trap(("def f(x):\n    return np.sum(np.cumsum(x)/x)"), [[0.0, 1.0]], False, 2.0, (1.0, 0.0)),
    "centre decimals": Trap(("def f(x):\n    return (x - 0.1)/np.sin(x - 0.1)"), [0.1], True, 1.0, (0.0,)),
    "centre pi": Trap(
        ("def f(x):\n    return np.sin(x)/(x - 3.14159265358979)"), [3.14159265358979], False, None, None, "float64"
    ),
    "big centre": Trap(("def f(x):\n    return np.sin(x - 100000.0)/(x - 100000.0)"), [100000.0], True, 1.0, (0.0,)),
    "tiny centre": Trap(
        ("def f(x):\n    return (np.exp(1e6*(x - 1e-6)) - 1)/(x - 1e-6)"),
        [1e-06],
        False,
        1000000.0,
        (500000000000.0,),
        "float64",
    ),
    "float16 sinc": Trap(("def f(x):\n    return np.sin(x)/x"), [0.0], True, 1.0, (0.0,), "float16"),
    "float16 exp": Trap(("def f(x):\n    return (np.exp(8*x) - 1)/x"), [0.0], True, 8.0, (32.0,), "float16"),
    "float16 overflow": Trap(("def f(x):\n    return np.exp(x)/np.exp(x)"), [12.0], True, 1.0, (0.0,), "float16"),
    "float16 langevin": Trap(("def f(x):\n    return 1/np.tanh(x) - 1/x"), [0.0], True, 0.0, (0.333333333,), "float16"),
    "sum cancels": Trap(("def f(x):\n    return np.log(np.sum(x))"), [[1.0, -1.0]], False, None, None),
    "mean zero": Trap(("def f(x):\n    return x[0]/np.mean(x)"), [[1.0, -1.0]], False, None, None),
    "norm of difference": Trap(
        ("def f(x, y):\n    return np.sqrt(np.sum((x - y)**2))*np.sum(x)"), [[1.0, 2.0], [1.0, 2.0]], True, 0.0, None
    ),
    "norm ratio": Trap(
        ("def f(x, y):\n    return np.sqrt(np.sum(x**2))/np.sqrt(np.sum(y**2))"),
        [[0.0, 0.0], [0.0, 0.0]],
        False,
        None,
        None,
    ),
    "norm plus norm": Trap(
        ("def f(x):\n    return np.sum(np.sqrt(np.sum(x**2, axis=1)))"), [[[0.0, 0.0], [3.0, 4.0]]], True, 5.0, None
    ),
    "xy over r": Trap(("def f(x, y):\n    return x*y/np.sqrt(x**2 + y**2)"), [0.0, 0.0], True, 0.0, None),
    "x2y over": Trap(("def f(x, y):\n    return x**2*y/(x**4 + y**2)"), [0.0, 0.0], False, 0.0, None),
    "f1": Trap(("def f(p, r):\n    return 2*p*r/(p + r)"), [0.0, 0.0], False, 0.0, None),
    "arctan y/x": Trap(("def f(y, x):\n    return np.arctan(y/x)"), [1.0, 0.0], False, None, (0.0, -1.0)),
    "arctan 0/0": Trap(("def f(y, x):\n    return np.arctan(y/x)"), [0.0, 0.0], False, None, None),
    "geometric two": Trap(("def f(a, b):\n    return np.sqrt(a*b)"), [0.0, 4.0], True, 1.283168791e-12, None),
    "sqrt of square": Trap(("def f(x):\n    return np.sqrt((x - 1)**2)"), [1.0], True, 0.0, None),
    "sqrt of fourth": Trap(("def f(x):\n    return np.sqrt((x - 1)**4)"), [1.0], True, 0.0, (0.0,)),
    "sqrt(x^2)*x": Trap(("def f(x):\n    return x*np.sqrt(x**2)"), [0.0], True, 0.0, (0.0,)),
    "sqrt x * x": Trap(("def f(x):\n    return x*np.sqrt(x)"), [0.0], True, 0.0, (0.0,)),
    "cos sqrt": Trap(("def f(x):\n    return np.cos(np.sqrt(x))"), [0.0], True, 1.0, (-0.5,)),
    "sqrt(abs)": Trap(("def f(x):\n    return np.sqrt(np.abs(x))"), [0.0], True, 0.0, None),
    "sqrt(abs)^2": Trap(("def f(x):\n    return np.sqrt(np.abs(x))**2"), [0.0], True, 0.0, None),
    "arrhenius": Trap(("def f(T):\n    return np.exp(-1/T)"), [0.0], False, None, None),
    "arrhenius T2": Trap(("def f(T):\n    return np.exp(-1/T**2)"), [0.0], True, 0.0, (0.0,)),
    "arrhenius abs": Trap(("def f(T):\n    return np.exp(-1/np.abs(T))"), [0.0], True, 0.0, (0.0,)),
    "arrhenius exp": Trap(("def f(t):\n    return np.exp(-1/np.sum(t**2))"), [[0.0, 0.0]], True, 0.0, (0.0, 0.0)),
    "time to wall": Trap(("def f(v):\n    return np.minimum(3.0/v, 10.0)"), [0.0], False, None, None),
    "time to wall abs": Trap(("def f(v):\n    return np.minimum(3.0/np.abs(v), 10.0)"), [0.0], True, 10.0, (0.0,)),
    "time to wall norm": Trap(
        ("def f(v):\n    return np.minimum(3.0/np.sqrt(np.sum(v**2)), 10.0)"), [[0.0, 0.0]], True, 10.0, (0.0, 0.0)
    ),
    "abs log": Trap(("def f(x):\n    return np.abs(x)*np.log(np.abs(x))"), [0.0], True, 0.0, None),
    "repeated lines": Trap(
        ("def f(x):\n    a = np.sin(x)/x\n    b = np.sin(x)/x\n    return a + 2*b"), [0.0], True, 3.0, (0.0,)
    ),
    "two on a line": Trap(
        ("def f(x):\n    a = (np.exp(x) - 1)/x; b = np.sin(x)/x; return a*b"), [0.0], True, 1.0, (0.5,)
    ),
    "same line twice": Trap(("def f(x): a = np.sin(x)/x + (1 - np.cos(x))/x; return a"), [0.0], True, 1.0, (0.5,)),
    "walrus": Trap(("def f(x):\n    return (t := np.sin(x))/x + t"), [0.0], True, 1.0, (1.0,)),
    "walrus in hole": Trap(("def f(x):\n    return (t := 2*x)/np.sin(t) - 1/(1/t + 1)"), [0.0], True, 1.0, (-2.0,)),
    "walrus whole": Trap(("def f(x):\n    return 1/(t := 2*x) - 1/np.sin(t)"), [0.0], True, 0.0, (-0.333333333,)),
    "lambda": Trap(("f = lambda x: (np.exp(x) - 1)/x"), [0.0], True, 1.0, (0.5,)),
    "lambda whole": Trap(("f = lambda x: 1/x - 1/np.sin(x)"), [0.0], True, 0.0, (-0.166666667,)),
    "lambda inside": Trap(
        ("def f(x):\n    g = lambda x: 1/x - 1/np.sin(x)\n    return g(2*x)"), [0.0], True, 0.0, (-0.333333333,)
    ),
    "multi-line": Trap(
        ("def f(x):\n    return (1/x   # a pole\n            - 1/np.sin(x)  # another\n            )"),
        [0.0],
        True,
        0.0,
        (-0.166666667,),
    ),
    "f-string": Trap(
        ("def f(x):\n    s = f'{1/3:.2f}'; y = np.sin(x)/x  # np.sin(x)/x\n    return y + float(s)"),
        [0.0],
        True,
        1.33,
        (0.0,),
    ),
    "loop": Trap(
        ("def f(x):\n    y = 0.0\n    for k in (1.0, 2.0):\n        y = y + np.sin(k*x)/x\n    return y"),
        [0.0],
        True,
        3.0,
        (0.0,),
    ),
    "loop whole": Trap(
        ("def f(x):\n    y = 0.0\n    for k in (1.0, 2.0):\n        y = y + (1/(k*x) - 1/np.sin(k*x))\n    return y"),
        [0.0],
        True,
        0.0,
        (-0.5,),
    ),
    "comprehension": Trap(
        ("def f(x):\n    return sum([1/(k*x) - 1/np.sin(k*x) for k in (1.0, 2.0)])"), [0.0], False, 0.0, (-0.5,)
    ),
    "rebound": Trap(
        ("def f(x):\n    u = x\n    x = 2*x\n    return 1/u - 1/np.sin(x) + 1/(2*u) - 1/x*0.5"),
        [0.0],
        False,
        None,
        None,
    ),
    "alias": Trap(("def f(x):\n    u = x\n    return 1/x - 1/np.sin(u)"), [0.0], True, 0.0, (-0.166666667,)),
    "alias changed": Trap(
        ("def f(x):\n    u, x = x, x + 1\n    return 1/u - 1/np.sin(u) + x"), [0.0], True, 1.0, (0.833333333,)
    ),
    "augmented": Trap(
        ("def f(x):\n    y = 1/x\n    y -= 1/np.sin(x)\n    return y"), [0.0], True, 0.0, (-0.166666667,)
    ),
    "method": Trap(
        ("def f(x):\n    return ((1 - np.cos(x))/x).sum()"), [[0.0, 1.0]], True, 0.4596976941, (0.5, 0.381773291)
    ),
    "decorated": Trap(
        ("def twice(g):\n    return lambda x: 2*g(x)\n@twice\ndef f(x):\n    return 1/x - 1/np.sin(x)"),
        [0.0],
        True,
        0.0,
        (-0.333333333,),
    ),
    "default": Trap(("def f(x, k=1/3):\n    return (np.exp(k*x) - 1)/x"), [0.0], True, 0.3333333333, (0.055555556,)),
    "shadowed mg": Trap(
        ("def f(x):\n    mg = 3.0\n    return mg*np.sin(x)/x + mg*(1 - np.cos(x))/x"), [0.0], True, 3.0, (1.5,)
    ),
    "shadowed where": Trap(
        ("def f(x):\n    where = 2.0\n    return (np.exp(where*x) - 1)/x"), [0.0], True, 2.0, (2.0,)
    ),
    "conditional expression": Trap(
        ("def f(x):\n    return (1/x - 1/np.sin(x)) if True else 0.0"), [0.0], True, 0.0, (-0.166666667,)
    ),
    "nested function": Trap(
        ("def f(x):\n    def g(z): return (1 - np.cos(z))/z**2\n    return g(x) + g(2*x)"), [0.0], True, 1.0, None
    ),
    "tuple": Trap(
        ("def f(x):\n    a, b = np.sin(x)/x, (np.exp(x) - 1)/x\n    return a - b"), [0.0], True, 0.0, (-0.5,)
    ),
    "unicode": Trap(("def f(x):\n    é = 'ü'; y = 1/x - 1/np.sin(x); return y"), [0.0], True, 0.0, (-0.166666667,)),
    "int power": Trap(("def f(x):\n    return (x**2 - 4)/(x - 2)"), [2.0], True, 4.0, (1.0,)),
    "negative centre": Trap(("def f(x):\n    return (x**2 - 4)/(x + 2)**1"), [-2.0], True, -4.0, (1.0,)),
    "class": Trap(
        (
            "class C:\n"
            "    k = 2.0\n"
            "    def g(self, x):\n"
            "        return 1/(self.k*x) - 1/np.sin(self.k*x)\n"
            "def f(x):\n"
            "    return C().g(x)"
        ),
        [0.0],
        True,
        0.0,
        (-0.333333333,),
    ),
    "attribute input": Trap(
        ("class C: pass\ndef f(x):\n    c = C(); c.x = x\n    return 1/c.x - 1/np.sin(c.x)"),
        [0.0],
        True,
        0.0,
        (-0.166666667,),
    ),
    "index input": Trap(
        ("def f(x):\n    return 1/x[0] - 1/np.sin(x[0]) + x[1]"), [[0.0, 2.0]], False, 2.0, (-0.166666667, 1.0)
    ),
    "dict input": Trap(
        ("def f(x):\n    d = {'a': x}\n    return 1/d['a'] - 1/np.sin(d['a'])"), [0.0], True, 0.0, (-0.166666667,)
    ),
    "chained holes": Trap(("def f(x):\n    s = np.sin(x)/x\n    return (1 - s)/x**2"), [0.0], True, 0.1666666667, None),
    "hole of hole": Trap(("def f(x):\n    return (1 - np.sin(x)/x)/x**2"), [0.0], True, 0.1666666667, None),
    "mean over empty mask": Trap(
        ("def f(x):\n    m = np.array([0.0, 0.0], dtype='float32')\n    return np.sum(m*x)/np.sum(m)"),
        [[1.0, 2.0]],
        False,
        None,
        None,
    ),
    "softmax temperature": Trap(
        ("def f(x, T):\n    return np.sum(np.exp(x/T)/np.sum(np.exp(x/T))*x)"), [[1.0, 2.0], 0.0], False, None, None
    ),
    "sigmoid of pole": Trap(("def f(x):\n    return 1/(1 + np.exp(-1/x**2))"), [0.0], True, 1.0, (0.0,)),
    "log odds": Trap(("def f(p):\n    return p*np.log(p/(1 - p))"), [0.0], True, 0.0, None),
    "entropy pair": Trap(("def f(p):\n    return -p*np.log(p) - (1 - p)*np.log(1 - p)"), [1.0], True, 0.0, None),
    "pow zero": Trap(("def f(x):\n    return x**0.0/x*x"), [0.0], True, 1.0, (0.0,)),
    "round": Trap(("def f(x):\n    return np.floor(x + 0.5)/x"), [0.0], True, 0.0, (0.0,)),
    "floor hole": Trap(("def f(x):\n    return np.floor(x)*np.sin(x)/x"), [0.0], False, None, (0.0,)),
    "stop gradient": Trap(("def f(x):\n    return np.sin(mg.stop_gradient(x))/x"), [0.0], False, 1.0, (0.0,)),
}
