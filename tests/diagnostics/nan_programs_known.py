"""Programs with their true values and gradients, written by someone who had not seen the repairs.

The numbers are computed with 120 digits, from both sides of the point. `exists`: "both" value and gradient, "value"
where the gradient is infinite or has no limit, "no" where there is neither.
"""

from typing import Any, NamedTuple


class Known(NamedTuple):
    """A program `f`, its inputs, what is to blame, and what it tends to: the sum of its value, its gradients flat."""

    source: str
    inputs: list[Any]
    op: str
    reason: str
    exists: str
    dtype: str
    value: float = 0.0
    gradients: tuple[float, ...] = ()


KNOWN = {
    "sinc": Known(("def f(x):\n    return np.sin(x)/x"), [0.0], "divide", "0/0", "both", "float32", 1.0, (0.0,)),
    "sinc_helper": Known(
        ("def safe(n, d):\n    return n / d\ndef f(x):\n    t = 3.0 * x\n    return safe(np.sin(t), t)"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        1.0,
        (0.0,),
    ),
    "cosc": Known(
        ("def f(x):\n    return (1 - np.cos(x))/x**2"), [0.0], "divide", "0/0", "both", "float32", 0.5, (0.0,)
    ),
    "cosc1": Known(("def f(x):\n    return (1 - np.cos(x))/x"), [0.0], "divide", "0/0", "both", "float32", 0.0, (0.5,)),
    "tanhc": Known(("def f(x):\n    return np.tanh(x)/x"), [0.0], "divide", "0/0", "both", "float32", 1.0, (0.0,)),
    "expm1_ratio": Known(
        ("def f(x):\n    return (np.exp(x) - 1)/x"), [0.0], "divide", "0/0", "both", "float32", 1.0, (0.5,)
    ),
    "bernoulli": Known(
        ("def f(x):\n    return x/(np.exp(x) - 1)"), [0.0], "divide", "0/0", "both", "float32", 1.0, (-0.5,)
    ),
    "bernoulli_expm1": Known(
        ("def f(x):\n    return x/np.expm1(x)"), [0.0], "divide", "0/0", "both", "float64", 1.0, (-0.5,)
    ),
    "log1p_ratio": Known(
        ("def f(x):\n    return np.log(1 + x)/x"), [0.0], "divide", "0/0", "both", "float32", 1.0, (-0.5,)
    ),
    "log_at_one": Known(
        ("def f(x):\n    return np.log(x)/(x - 1)"), [1.0], "divide", "0/0", "both", "float32", 1.0, (-0.5,)
    ),
    "langevin": Known(
        ("def f(x):\n    coth = np.cosh(x)/np.sinh(x)\n    return coth - 1/x"),
        [0.0],
        "divide",
        "1/0",
        "both",
        "float32",
        0.0,
        (0.3333333333,),
    ),
    "langevin_tanh": Known(
        ("def f(x):\n    return 1/np.tanh(x) - 1/x"), [0.0], "divide", "1/0", "both", "float32", 0.0, (0.3333333333,)
    ),
    "blackbody": Known(
        ("def planck(nu, T):\n    return nu**3/(np.exp(nu/T) - 1)\ndef f(nu, T=2.0):\n    return planck(nu, T)"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        0.0,
        (5.5e-24,),
    ),
    "boxcox": Known(
        ("def f(lam):\n    x = 2.5\n    return (x**lam - 1)/lam"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        0.9162907319,
        (0.4197943527,),
    ),
    "boxcox_64": Known(
        (
            "def f(lam):\n"
            "    total = 0.0\n"
            "    for x in (1.5, 3.0, 4.0):\n"
            "        total = total + (x**lam - 1)/lam\n"
            "    return total"
        ),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float64",
        2.890371758,
        (1.646581485,),
    ),
    "annuity": Known(
        ("def pv(rate, n=10, pay=100.0):\n    return pay*(1 - (1 + rate)**(-n))/rate\ndef f(r):\n    return pv(r)"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        1000.0,
        (-5500.0,),
    ),
    "annuity_fv": Known(
        ("def f(r):\n    return ((1 + r)**12 - 1)/r"), [0.0], "divide", "0/0", "both", "float32", 12.0, (66.0,)
    ),
    "mortgage": Known(
        ("def f(r):\n    g = (1 + r)**24\n    return 1000.0*r*g/(g - 1)"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        41.66666667,
        (520.8333333,),
    ),
    "geometric_series": Known(
        ("def f(q):\n    return (1 - q**5)/(1 - q)"), [1.0], "divide", "0/0", "both", "float32", 5.0, (10.0,)
    ),
    "factor": Known(
        ("def f(x):\n    return (x**2 - 4)/(x - 2)"), [2.0], "divide", "0/0", "both", "float32", 4.0, (1.0,)
    ),
    "sqrt_conj": Known(
        ("def f(x):\n    return (np.sqrt(1 + x) - 1)/x"), [0.0], "divide", "0/0", "both", "float32", 0.5, (-0.125,)
    ),
    "log_mean": Known(
        ("def f(a, b):\n    return (a - b)/(np.log(a) - np.log(b))"),
        [2.0, 2.0],
        "divide",
        "0/0",
        "both",
        "float32",
        2.0,
        (0.5, 0.5),
    ),
    "arctanc": Known(("def f(x):\n    return np.arctan(x)/x"), [0.0], "divide", "0/0", "both", "float32", 1.0, (0.0,)),
    "arcsinc": Known(("def f(x):\n    return np.arcsin(x)/x"), [0.0], "divide", "0/0", "both", "float32", 1.0, (0.0,)),
    "sinhc": Known(("def f(x):\n    return np.sinh(x)/x"), [0.0], "divide", "0/0", "both", "float64", 1.0, (0.0,)),
    "se3_V": Known(
        ("def f(t):\n    return (t - np.sin(t))/t**3"), [0.0], "divide", "0/0", "both", "float32", 0.1666666667, (0.0,)
    ),
    "slerp_weight": Known(
        ("def f(omega):\n    u = 0.25\n    return np.sin((1 - u)*omega)/np.sin(omega)"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        0.75,
        (0.0,),
    ),
    "dirichlet_kernel": Known(
        ("def f(x):\n    return np.sin(5*x/2)/np.sin(x/2)"), [0.0], "divide", "0/0", "both", "float32", 5.0, (0.0,)
    ),
    "half_angle": Known(
        ("def f(x):\n    return np.sin(x)/(1 + np.cos(x)) + np.tan(x)/x"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        1.0,
        (0.5,),
    ),
    "mean_exp_integral": Known(
        ("def f(a, b):\n    return (np.exp(b) - np.exp(a))/(b - a)"),
        [1.0, 1.0],
        "divide",
        "0/0",
        "both",
        "float32",
        2.718281828,
        (1.359140914, 1.359140914),
    ),
    "first_order_decay": Known(
        ("def f(k):\n    t = 2.0\n    uptake = (1 - np.exp(-k*t))/k\n    return 3.0*uptake"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        6.0,
        (-6.0,),
    ),
    "bateman": Known(
        ("def f(ka, ke):\n    t = 1.5\n    return ka/(ka - ke)*(np.exp(-ke*t) - np.exp(-ka*t))"),
        [0.5, 0.5],
        "divide",
        "1/0",
        "both",
        "float32",
        0.3542749146,
        (0.4428436432, -0.2657061859),
    ),
    "crra": Known(
        (
            "def utility(c, gamma):\n"
            "    return (c**(1 - gamma) - 1)/(1 - gamma)\n"
            "def f(gamma):\n"
            "    return utility(3.0, gamma)"
        ),
        [1.0],
        "divide",
        "0/0",
        "both",
        "float32",
        1.098612289,
        (-0.6034744804,),
    ),
    "tsallis": Known(
        ("def f(q):\n    s = 0.2**q + 0.3**q + 0.5**q\n    return (1 - s)/(q - 1)"),
        [1.0],
        "divide",
        "0/0",
        "both",
        "float32",
        1.029653014,
        (-0.5965748699,),
    ),
    "renyi": Known(
        ("def f(a):\n    return np.log(0.25**a + 0.75**a)/(1 - a)"),
        [1.0],
        "divide",
        "0/0",
        "both",
        "float64",
        0.5623351446,
        (-0.1131514651,),
    ),
    "gompertz_hazard": Known(
        ("def f(g):\n    return 0.1*(np.exp(g*4.0) - 1)/g"), [0.0], "divide", "0/0", "both", "float32", 0.4, (0.8,)
    ),
    "nelson_siegel": Known(
        ("def f(tau):\n    s = (1 - np.exp(-tau))/tau\n    return 0.03 - 0.02*s + 0.01*(s - np.exp(-tau))"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        0.01,
        (0.015,),
    ),
    "vasicek_B": Known(
        (
            "class Vasicek:\n"
            "    T = 5.0\n"
            "    def B(self, a):\n"
            "        return (1 - np.exp(-a*self.T))/a\n"
            "def f(a):\n"
            "    return Vasicek().B(a)"
        ),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        5.0,
        (-12.5,),
    ),
    "gev": Known(
        ("def f(xi):\n    z = 0.7\n    return (1 + xi*z)**(-1/xi)"),
        [0.0],
        "divide",
        "1/0",
        "both",
        "float32",
        0.4965853038,
        (0.1216633994,),
    ),
    "gpd": Known(
        ("def f(xi):\n    return np.log(1 + xi*0.5)/xi"), [0.0], "divide", "0/0", "both", "float32", 0.5, (-0.125,)
    ),
    "power_mean": Known(
        ("def f(p):\n    return ((2.0**p + 8.0**p)/2)**(1/p)"),
        [0.0],
        "divide",
        "1/0",
        "both",
        "float32",
        4.0,
        (0.9609060278,),
    ),
    "x_over_x": Known(("def f(x):\n    return x*x/x"), [0.0], "divide", "0/0", "both", "float32", 0.0, (1.0,)),
    "ghk": Known(
        ("def f(v):\n    return v*(5.0 - 2.0*np.exp(-v))/(1 - np.exp(-v))"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        3.0,
        (3.5,),
    ),
    "hh_alpha": Known(
        ("def f(V):\n    return 0.1*(V + 40)/(1 - np.exp(-(V + 40)/10))"),
        [-40.0],
        "divide",
        "0/0",
        "both",
        "float32",
        1.0,
        (0.05,),
    ),
    "debye_integrand": Known(
        ("def f(x):\n    return x**4*np.exp(x)/(np.exp(x) - 1)**2"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        0.0,
        (0.0,),
    ),
    "kimura": Known(
        ("def f(s):\n    return (1 - np.exp(-2*s))/(1 - np.exp(-20*s))"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        0.1,
        (0.9,),
    ),
    "sinc_squared": Known(
        ("def f(x):\n    amp = np.sin(x)/x\n    return amp**2"), [0.0], "divide", "0/0", "both", "float32", 1.0, (0.0,)
    ),
    "young_diff": Known(
        ("def f(x):\n    env = (np.sin(x)/x)**2\n    return env*np.cos(3*x)**2"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float64",
        1.0,
        (0.0,),
    ),
    "asinhc": Known(
        ("def f(x):\n    return np.log(x + np.sqrt(x*x + 1))/x"), [0.0], "divide", "0/0", "both", "float32", 1.0, (0.0,)
    ),
    "quadratic_root": Known(
        ("def f(a):\n    b, c = 3.0, 1.0\n    return (-b + np.sqrt(b*b - 4*a*c))/(2*a)"),
        [0.0],
        "divide",
        "0/0",
        "both",
        "float32",
        -0.3333333333,
        (-0.03703703704,),
    ),
    "sinc_batch": Known(
        ("def f(x):\n    return np.sum(np.sin(x)/x)"),
        [[1.0, 0.0, 2.0]],
        "divide",
        "0/0 in one row",
        "both",
        "float32",
        2.296119698,
        (-0.3011686789, 0.0, -0.435397775),
    ),
    "expm1_batch": Known(
        ("def f(x):\n    return np.mean((np.exp(x) - 1)/x)"),
        [[0.0, 1.5]],
        "divide",
        "0/0 in one row",
        "both",
        "float32",
        1.660563023,
        (0.25, 0.7201876745),
    ),
    "softplus": Known(
        ("def f(x):\n    return np.log(1 + np.exp(x))"), [100.0], "exp", "overflow", "both", "float32", 100.0, (1.0,)
    ),
    "softplus_beta": Known(
        ("def f(x, beta=5.0):\n    return np.log(1 + np.exp(beta*x))/beta"),
        [50.0],
        "exp",
        "overflow",
        "both",
        "float32",
        50.0,
        (1.0,),
    ),
    "sigmoid_exp": Known(
        ("def f(x):\n    return np.exp(x)/(1 + np.exp(x))"),
        [100.0],
        "exp",
        "overflow, inf/inf",
        "both",
        "float32",
        1.0,
        (0.0,),
    ),
    "sigmoid_neg": Known(
        ("def f(x):\n    return 1/(1 + np.exp(-x))"), [-100.0], "exp", "overflow", "both", "float32", 0.0, (0.0,)
    ),
    "tanh_hand": Known(
        ("def f(x):\n    a, b = np.exp(x), np.exp(-x)\n    return (a - b)/(a + b)"),
        [100.0],
        "exp",
        "overflow, inf/inf",
        "both",
        "float32",
        1.0,
        (0.0,),
    ),
    "mish": Known(
        ("def softplus(x):\n    return np.log(1 + np.exp(x))\ndef f(x):\n    return x*np.tanh(softplus(x))"),
        [95.0],
        "exp",
        "overflow",
        "both",
        "float32",
        95.0,
        (1.0,),
    ),
    "swish": Known(
        ("def f(x):\n    return x*np.exp(x)/(np.exp(x) + 1)"),
        [200.0],
        "exp",
        "overflow",
        "both",
        "float32",
        200.0,
        (1.0,),
    ),
    "logcosh": Known(
        ("def f(p):\n    y = 1.0\n    return np.log(np.cosh(p - y))"),
        [200.0],
        "cosh",
        "overflow",
        "both",
        "float32",
        198.3068528,
        (1.0,),
    ),
    "bce_logits": Known(
        ("def f(z):\n    t = 0.0\n    return np.log(1 + np.exp(z)) - t*z"),
        [150.0],
        "exp",
        "overflow",
        "both",
        "float32",
        150.0,
        (1.0,),
    ),
    "softplus_64": Known(
        ("def f(x):\n    return np.log(1.0 + np.exp(x))"), [800.0], "exp", "overflow", "both", "float64", 800.0, (1.0,)
    ),
    "logistic_growth": Known(
        ("def f(t):\n    K, P0 = 10.0, 1.0\n    e = np.exp(t)\n    return K*P0*e/(K + P0*(e - 1))"),
        [120.0],
        "exp",
        "overflow, inf/inf",
        "both",
        "float32",
        10.0,
        (0.0,),
    ),
    "bose": Known(
        ("def f(x):\n    return 1/(np.exp(x) - 1)"), [100.0], "exp", "overflow", "both", "float32", 0.0, (0.0,)
    ),
    "fermi": Known(
        ("def f(e):\n    return 1/(np.exp((e - 1.0)/0.01) + 1)"),
        [3.0],
        "exp",
        "overflow",
        "both",
        "float32",
        0.0,
        (0.0,),
    ),
    "hill_big": Known(
        ("def f(x, n=4):\n    return x**n/(1 + x**n)"),
        [100000000000.0],
        "power",
        "overflow, inf/inf",
        "both",
        "float32",
        1.0,
        (0.0,),
    ),
    "norm_big": Known(
        ("def f(x, y):\n    return np.sqrt(x**2 + y**2)"),
        [3e25, 4e25],
        "power",
        "overflow",
        "both",
        "float32",
        4.99999985e25,
        (0.6000000148, 0.7999999889),
    ),
    "lse2": Known(
        ("def f(a, b):\n    return np.log(np.exp(a) + np.exp(b))"),
        [100.0, 99.0],
        "exp",
        "overflow",
        "both",
        "float32",
        100.3132617,
        (0.7310585786, 0.2689414214),
    ),
    "lse_under": Known(
        ("def f(a, b):\n    return np.log(np.exp(a) + np.exp(b))"),
        [-200.0, -201.0],
        "log",
        "underflow, log of 0",
        "both",
        "float32",
        -199.6867383,
        (0.7310585786, 0.2689414214),
    ),
    "log_sigmoid": Known(
        ("def f(x):\n    return np.log(1/(1 + np.exp(-x)))"),
        [-100.0],
        "exp",
        "overflow, log of 0",
        "both",
        "float32",
        -100.0,
        (1.0,),
    ),
    "log_gauss": Known(
        ("def f(x):\n    return np.log(np.exp(-0.5*x**2))"),
        [20.0],
        "log",
        "underflow, log of 0",
        "both",
        "float32",
        -200.0,
        (-20.0,),
    ),
    "softmax_vec": Known(
        ("def softmax(z):\n    e = np.exp(z)\n    return e/np.sum(e)\ndef f(z):\n    return softmax(z)[0]"),
        [[100.0, 98.0]],
        "exp",
        "overflow, inf/inf",
        "both",
        "float32",
        0.880797078,
        (0.1049935854, -0.1049935854),
    ),
    "ce_vec": Known(
        ("def f(z):\n    p = np.exp(z)/np.sum(np.exp(z))\n    return -np.log(p[1])"),
        [[101.0, 99.0, 3.0]],
        "exp",
        "overflow, inf/inf",
        "both",
        "float32",
        2.126928011,
        (0.880797078, -0.880797078, 0.0),
    ),
    "mixture_ll": Known(
        (
            "def f(mu):\n"
            "    p = 0.5*np.exp(-0.5*(30.0 - mu)**2) + 0.5*np.exp(-0.5*(31.0 - mu)**2)\n"
            "    return -np.log(p)"
        ),
        [0.0],
        "log",
        "underflow, log of 0",
        "both",
        "float32",
        450.6931472,
        (-30.0,),
    ),
    "lse_vec": Known(
        ("def f(z):\n    return np.log(np.sum(np.exp(z)))"),
        [[100.0, 90.0]],
        "exp",
        "overflow",
        "both",
        "float32",
        100.0000454,
        (0.9999546021, 4.53978687e-05),
    ),
    "half_softplus": Known(
        ("def f(x):\n    return np.log(1 + np.exp(x))"),
        [12.0],
        "exp",
        "float16 overflow",
        "both",
        "float16",
        12.00000614,
        (0.9999938558,),
    ),
    "half_ratio": Known(
        ("def f(x):\n    return x**2/(1 + x**2)"),
        [300.0],
        "power",
        "float16 overflow, inf/inf",
        "both",
        "float16",
        0.999988889,
        (7.407242801e-08,),
    ),
    "geo_mean_prod": Known(
        ("def f(a, b):\n    return np.sqrt(a*b)"),
        [1e20, 4e20],
        "multiply",
        "overflow",
        "both",
        "float32",
        2.00000004e20,
        (1.0, 0.25),
    ),
    "softmax_temp": Known(
        ("def f(a, b):\n    T = 0.01\n    ea, eb = np.exp(a/T), np.exp(b/T)\n    return ea/(ea + eb)"),
        [2.0, 1.99],
        "exp",
        "overflow, inf/inf",
        "both",
        "float32",
        0.7310583911,
        (19.66120199, -19.66120199),
    ),
    "where_log": Known(
        ("def f(x):\n    return np.where(x < 5, x, np.log(x - 2))"),
        [2.0],
        "log",
        "log of 0 in the branch not taken",
        "both",
        "float32",
        2.0,
        (1.0,),
    ),
    "where_sqrt": Known(
        ("def f(x):\n    return np.where(x > 0, np.sqrt(x), x)"),
        [-2.0],
        "sqrt",
        "sqrt of negative in the branch not taken",
        "both",
        "float32",
        -2.0,
        (1.0,),
    ),
    "where_exp": Known(
        ("def f(x):\n    return np.where(x > 20, x, np.log(1 + np.exp(x)))"),
        [200.0],
        "exp",
        "overflow in the branch not taken",
        "both",
        "float32",
        200.0,
        (1.0,),
    ),
    "elu_where": Known(
        ("def f(x):\n    return np.where(x > 0, x, np.exp(x) - 1)"),
        [100.0],
        "exp",
        "overflow in the branch not taken",
        "both",
        "float32",
        100.0,
        (1.0,),
    ),
    "mask_times": Known(
        (
            "def f(x):\n"
            "    m = np.array([1.0, 0.0], dtype='float32')\n"
            "    return np.sum(np.where(m > 0, np.log(x), 0.0))"
        ),
        [[2.0, 0.0]],
        "log",
        "log 0 in the branch not taken",
        "both",
        "float32",
        0.6931471806,
        (0.5, 0.0),
    ),
    "where_pow": Known(
        ("def f(x):\n    return np.where(x > 1, x**1.5, 2*x)"),
        [-4.0],
        "power",
        "negative base in the branch not taken",
        "both",
        "float32",
        -8.0,
        (2.0,),
    ),
    "sqrt0": Known(
        ("def f(x):\n    return np.sqrt(x)"), [0.0], "sqrt", "1/0 in the derivative", "value", "float32", 0.0
    ),
    "pow_half": Known(("def f(x):\n    return x**0.5"), [0.0], "power", "infinite derivative", "value", "float32", 0.0),
    "norm0": Known(
        ("def f(x):\n    return np.sqrt(np.sum(x**2))"), [[0.0, 0.0]], "sqrt", "inf*0", "value", "float32", 0.0
    ),
    "dist0": Known(
        ("def f(a, b):\n    d = a - b\n    return np.sqrt(np.sum(d*d))"),
        [[1.0, 2.0], [1.0, 2.0]],
        "sqrt",
        "inf*0",
        "value",
        "float32",
        0.0,
    ),
    "std_hand": Known(
        ("def f(x):\n    m = np.mean(x)\n    return np.sqrt(np.mean((x - m)**2))"),
        [[3.0, 3.0]],
        "sqrt",
        "inf*0",
        "value",
        "float32",
        0.0,
    ),
    "arccos1": Known(
        ("def f(x):\n    return np.arccos(x)"), [1.0], "arccos", "infinite derivative", "value", "float32", 0.0
    ),
    "arcsin1": Known(
        ("def f(x):\n    return np.arcsin(x)"),
        [-1.0],
        "arcsin",
        "infinite derivative",
        "value",
        "float32",
        -1.570796327,
    ),
    "xlogx": Known(("def f(p):\n    return p*np.log(p)"), [0.0], "log", "0*-inf", "value", "float32", 0.0),
    "entropy": Known(
        ("def f(p):\n    return -np.sum(p*np.log(p))"), [[1.0, 0.0]], "log", "0*-inf", "value", "float32", 0.0
    ),
    "circle_edge": Known(
        ("def f(x):\n    return np.sqrt(1 - x**2)"), [1.0], "sqrt", "infinite derivative", "value", "float32", 0.0
    ),
    "heron": Known(
        ("def f(a, b, c):\n    s = (a + b + c)/2\n    return np.sqrt(s*(s - a)*(s - b)*(s - c))"),
        [1.0, 2.0, 3.0],
        "sqrt",
        "infinite derivative",
        "value",
        "float32",
        0.0,
    ),
    "geo_mean0": Known(
        ("def f(x):\n    return np.prod(x)**0.5"), [[0.0, 4.0]], "power", "infinite derivative", "value", "float32", 0.0
    ),
    "contrastive": Known(
        ("def f(x, y):\n    d = np.sqrt(np.sum((x - y)**2))\n    return d + 1.0"),
        [[1.0, 1.0], [1.0, 1.0]],
        "sqrt",
        "inf*0",
        "value",
        "float32",
        1.0,
    ),
    "log0": Known(("def f(x):\n    return np.log(x)"), [0.0], "log", "log of 0", "no", "float32"),
    "log_neg": Known(("def f(x):\n    return np.log(x)"), [-1.0], "log", "log of negative", "no", "float32"),
    "sqrt_neg": Known(("def f(x):\n    return np.sqrt(x)"), [-1.0], "sqrt", "sqrt of negative", "no", "float32"),
    "coulomb": Known(("def f(r):\n    return 1/r"), [0.0], "divide", "1/0", "no", "float32"),
    "lj": Known(("def f(r):\n    s = (1.0/r)**6\n    return 4*(s*s - s)"), [0.0], "divide", "1/0", "no", "float32"),
    "lens": Known(("def f(d):\n    return 1/(1/2.0 - 1/d)"), [2.0], "divide", "1/0", "no", "float32"),
    "relativistic": Known(("def f(v):\n    return 1/np.sqrt(1 - v**2) - 1"), [1.0], "divide", "1/0", "no", "float32"),
    "cosine0": Known(
        ("def f(a, b):\n    return np.sum(a*b)/(np.sqrt(np.sum(a*a))*np.sqrt(np.sum(b*b)))"),
        [[0.0, 0.0], [1.0, 2.0]],
        "divide",
        "0/0",
        "no",
        "float32",
    ),
    "layernorm_const": Known(
        ("def f(x):\n    return ((x - np.mean(x))/np.sqrt(np.mean((x - np.mean(x))**2)))[0]"),
        [[1.0, 1.0]],
        "divide",
        "0/0",
        "no",
        "float32",
    ),
    "arccos_eps": Known(("def f(c):\n    return np.arccos(c)"), [1.0001], "arccos", "outside domain", "no", "float32"),
    "pow_neg_base": Known(("def f(x):\n    return x**1.5"), [-1.0], "power", "negative base", "no", "float32"),
    "poisson": Known(("def f(lam):\n    return lam - 3.0*np.log(lam)"), [0.0], "log", "log of 0", "no", "float32"),
    "data_nan": Known(("def f(x):\n    return x*2.0"), [float("nan")], "input", "nan in the data", "no", "float32"),
    "inv_singular": Known(
        ("def f(A):\n    return np.log(np.linalg.det(A))"),
        [[[1.0, 2.0], [2.0, 4.0]]],
        "log",
        "log of 0",
        "no",
        "float32",
    ),
    "r2_const": Known(
        ("def f(p):\n    y = np.array([1.0, 1.0])\n    return 1 - np.sum((y - p)**2)/np.sum((y - np.mean(y))**2)"),
        [[1.0, 2.0]],
        "divide",
        "1/0",
        "no",
        "float32",
    ),
    "rodrigues": Known(
        ("def f(v):\n    th = np.sqrt(np.sum(v**2))\n    return (v*np.sin(th)/th)[1]"),
        [[0.0, 0.0, 0.0]],
        "divide",
        "0/0",
        "both",
        "float32",
        0.0,
        (0.0, 1.0, 0.0),
    ),
    "quat_w": Known(
        ("def f(v):\n    th = np.sqrt(np.sum(v*v))\n    return np.cos(th/2)"),
        [[0.0, 0.0, 0.0]],
        "sqrt",
        "inf*0 in the derivative",
        "both",
        "float32",
        1.0,
        (0.0, 0.0, 0.0),
    ),
    "norm_squared": Known(
        ("def f(x):\n    return np.sqrt(np.sum(x**2))**2"),
        [[0.0, 0.0]],
        "sqrt",
        "inf*0 in the derivative",
        "both",
        "float32",
        0.0,
        (0.0, 0.0),
    ),
    "sqrt_fourth": Known(
        ("def f(x):\n    return np.sqrt(x**4)"),
        [0.0],
        "sqrt",
        "inf*0 in the derivative",
        "both",
        "float32",
        0.0,
        (0.0,),
    ),
    "rbf_kernel": Known(
        (
            "def dist(a, b):\n"
            "    return np.sqrt(np.sum((a - b)**2))\n"
            "def f(a, b):\n"
            "    return np.exp(-0.5*dist(a, b)**2)"
        ),
        [[1.0, 2.0], [1.0, 2.0]],
        "sqrt",
        "inf*0 in the derivative",
        "both",
        "float32",
        1.0,
        (0.0, 0.0, 0.0, 0.0),
    ),
    "harmonic_mean": Known(
        ("def f(a, b):\n    return 2/(1/a + 1/b)"), [0.0, 2.0], "divide", "1/0", "both", "float32", 0.0, (2.0, 0.0)
    ),
    "lineweaver": Known(
        ("def f(s, V=2.0, K=0.5):\n    return 1/(1/V + K/(V*s))"),
        [0.0],
        "divide",
        "1/0",
        "both",
        "float32",
        0.0,
        (4.0,),
    ),
    "resistors": Known(
        ("def f(r):\n    total = 0.0\n    for i in range(3):\n        total = total + 1/r[i]\n    return 1/total"),
        [[1.0, 0.0, 4.0]],
        "divide",
        "1/0",
        "both",
        "float32",
        0.0,
        (0.0, 1.0, 0.0),
    ),
    "x2logx": Known(("def f(x):\n    return x**2*np.log(x)"), [0.0], "log", "0*-inf", "both", "float32", 0.0, (0.0,)),
    "squash_logp": Known(
        ("def f(x):\n    return np.log(1 - np.tanh(x)**2)"),
        [20.0],
        "log",
        "1 - 1, log of 0",
        "both",
        "float32",
        -38.61370564,
        (-2.0,),
    ),
    "log1m_sigmoid": Known(
        ("def f(x):\n    p = 1/(1 + np.exp(-x))\n    return -np.log(1 - p)"),
        [50.0],
        "log",
        "1 - 1, log of 0",
        "both",
        "float32",
        50.0,
        (1.0,),
    ),
    "conj_diff": Known(
        ("def f(x):\n    return 1/(np.sqrt(x**2 + 1) - x)"),
        [100000.0],
        "divide",
        "cancellation, 1/0",
        "both",
        "float32",
        200000.0,
        (2.0,),
    ),
    "neglog_exp": Known(
        ("def f(x):\n    return -np.log(np.exp(-x))"),
        [200.0],
        "log",
        "underflow, log of 0",
        "both",
        "float32",
        200.0,
        (1.0,),
    ),
    "sinh_over_cosh": Known(
        ("def f(x):\n    return np.sinh(x)/np.cosh(x)"),
        [200.0],
        "sinh",
        "overflow, inf/inf",
        "both",
        "float32",
        1.0,
        (0.0,),
    ),
    "kl_zero": Known(
        ("def f(p, q):\n    return np.sum(p*np.log(p/q))"),
        [[0.0, 1.0], [0.5, 0.5]],
        "log",
        "0*-inf",
        "value",
        "float32",
        0.6931471806,
    ),
    "js": Known(
        (
            "def kl(a, b):\n"
            "    return np.sum(a*np.log(a/b))\n"
            "def f(p, q):\n"
            "    m = (p + q)/2\n"
            "    return 0.5*kl(p, m) + 0.5*kl(q, m)"
        ),
        [[1.0, 0.0], [0.0, 1.0]],
        "log",
        "0*-inf",
        "value",
        "float32",
        0.6931471806,
    ),
    "attention_masked": Known(
        (
            "def f(s):\n"
            "    s = s + np.array([-np.inf, -np.inf])\n"
            "    e = np.exp(s - np.max(s))\n"
            "    return (e/np.sum(e))[0]"
        ),
        [[1.0, 2.0]],
        "subtract",
        "inf - inf",
        "no",
        "float32",
    ),
    "sign_by_root": Known(("def f(g):\n    return 0.1*g/np.sqrt(g**2)"), [0.0], "divide", "0/0", "no", "float32"),
    "d1_T0": Known(
        ("def f(S, T):\n    return np.log(S/100.0)/(0.2*np.sqrt(T))"), [100.0, 0.0], "divide", "0/0", "no", "float32"
    ),
    "corr_const": Known(
        (
            "def f(x, y):\n"
            "    a = x - np.mean(x); b = y - np.mean(y)\n"
            "    return np.sum(a*b)/np.sqrt(np.sum(a*a)*np.sum(b*b))"
        ),
        [[1.0, 1.0], [1.0, 2.0]],
        "divide",
        "0/0",
        "no",
        "float32",
    ),
    "unit_rows": Known(
        ("def f(X):\n    n = np.sqrt(np.sum(X**2, axis=1, keepdims=True))\n    return np.sum(X/n)"),
        [[[3.0, 4.0], [0.0, 0.0]]],
        "divide",
        "0/0 in one row",
        "no",
        "float32",
    ),
    "beta_logpdf": Known(
        ("def f(x):\n    return 1.0*np.log(x) + 2.0*np.log(1 - x)"), [0.0], "log", "log of 0", "no", "float32"
    ),
    "logit1": Known(("def f(p):\n    return np.log(p/(1 - p))"), [1.0], "divide", "1/0", "no", "float32"),
    "precision_empty": Known(("def f(tp, fp):\n    return tp/(tp + fp)"), [0.0, 0.0], "divide", "0/0", "no", "float32"),
}
