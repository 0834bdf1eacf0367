"""Programs written to get a wrong repair offered, with op, reason and true value written down before they were run."""

from tests.diagnostics.nan_programs import held

ATTACK = {
    "label smoothing with a softmax by hand": held(
        """
        p = mg.exp(z) / mg.sum(mg.exp(z), axis=1, keepdims=True)
        s = 0.9 * t + 0.1 / 3
        return -mg.mean(mg.sum(s * mg.log(p), axis=1))
        """,
        "exp divide", "overflow|inf / inf", "same", "log_softmax",
        "-np.mean(np.sum((0.9 * t + 0.1 / 3) * (z - np.logaddexp.reduce(z, axis=1, keepdims=True)), axis=1))", True,
        z=[[120.0, 0.0, -3.0], [1.0, 2.0, 3.0]], t=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ),
    "distillation at a low temperature": held(
        """
        p, q = mg.softmax(a / T), mg.softmax(b / T)
        return T ** 2 * mg.sum(p * mg.log(p / q))
        """,
        "softmax log divide multiply", "0 * inf|domain|overflow|0 / 0", "wider",
        "p * (log_softmax - log_softmax)",
        "0.02", a=[1.0, 2.0, 3.0], b=[3.0, 2.0, 1.0], T=0.01,
    ),
    "margin of an angle of a sure class": held(
        "mg.sum(mg.cos(mg.arccos(c) + 0.5))", "arccos", "domain|0 * inf", "limit", "clip inside of [-1, 1]",
        "np.sum(np.cos(np.arccos(c) + 0.5))", c=[1.0, 0.3],
    ),
    "great circle between equal places": held(
        "mg.arccos(mg.sin(a) * mg.sin(b) + mg.cos(a) * mg.cos(b) * mg.cos(d))",
        "arccos", "domain|0 * inf", "limit", "clip inside of [-1, 1]", "0.0", a=0.7, b=0.7, d=0.0,
    ),
    "weighted cross entropy of logits": held(
        """
        p = mg.sigmoid(z)
        return -mg.mean(3.0 * y * mg.log(p) + (1 - y) * mg.log(1 - p))
        """,
        "log sigmoid", "domain|0 * inf", "same", "log_sigmoid(z), log_sigmoid(-z)",
        "np.mean(3 * y * np.logaddexp(0, -z) + (1 - y) * np.logaddexp(0, z))", True,
        z=[-120.0, 120.0], y=[1.0, 0.0],
    ),
    "Tversky loss of an empty prediction": held(
        """
        tp, fp, fn = mg.sum(p * t), mg.sum(p * (1 - t)), mg.sum((1 - p) * t)
        return 1 - tp / (tp + 0.3 * fp + 0.7 * fn)
        """,
        "divide", "0 / 0", "limit", "a number by convention", p=[0.0, 0.0], t=[0.0, 0.0],
    ),
    "overlap of empty masks": held(
        """
        both = mg.sum(a * b)
        return both / (mg.sum(a) + mg.sum(b) - both)
        """,
        "divide", "0 / 0", "limit", "a number by convention", a=[0.0, 0.0], b=[0.0, 0.0],
    ),
    "Adam without epsilon": held(
        """
        m, v = 0.1 * g, 0.001 * g * g
        return mg.sum(w - lr * m / mg.sqrt(v))
        """,
        "sqrt divide", "0 / 0|domain|0 * inf", "", "an epsilon", g=[0.0, 1.0], w=[1.0, 2.0], lr=0.1,
    ),
    "epsilon that half precision cannot hold": held(
        "mg.sum(g / (mg.sqrt(v) + 1e-8))", "sqrt divide", "0 / 0|domain|0 * inf", "limit",
        "a larger epsilon", "1.0", dtype="float16", g=[0.0, 1.0], v=[0.0, 1.0],
    ),
    "sum of squares of an optimiser in half precision": held(
        "mg.sum(g / mg.sqrt(mg.sum(g * g) + 1e-3))", "multiply", "overflow", "", "float32", "1.4",
        dtype="float16", g=[300.0, 400.0],
    ),
    "mask of -1e9 in half precision": held(
        "mg.sum(mg.softmax(s + (1 - m) * -1e9) * v)", "multiply input constant", "0 * inf|input|overflow",
        "wider", "a mask of -1e4, or float32",
        "np.sum(np.exp([1.0, 2.0]) * [1, 2]) / np.sum(np.exp([1.0, 2.0]))",
        dtype="float16", s=[1.0, 2.0, 3.0], m=[1.0, 1.0, 0.0], v=[1.0, 2.0, 3.0],
    ),
    "mask times -inf": held(
        "mg.sum(mg.softmax(s + (1 - m) * -np.inf) * v)", "multiply input constant", "0 * inf|input",
        "", "where(m == 0, -inf, s)",
        "np.sum(np.exp([1.0, 2.0]) * [1, 2]) / np.sum(np.exp([1.0, 2.0]))",
        s=[1.0, 2.0, 3.0], m=[1.0, 1.0, 0.0], v=[1.0, 2.0, 3.0],
    ),
    "power of a relu": held(
        "mg.sum(mg.relu(x) ** 0.5)", "power", "domain|0 * inf", "", "nothing: all is finite",
        "np.sum(np.maximum(x, 0) ** 0.5)", True, x=[-1.0, 4.0],
    ),
    "root of a relu": held(
        "mg.sum(mg.sqrt(mg.relu(x - 1.0)))", "sqrt", "domain|0 * inf", "",
        "nothing: all is finite", "np.sum(np.sqrt(np.maximum(x - 1, 0)))", True, x=[0.5, 5.0],
    ),
    "penalty on the length of a gradient": held(
        "(mg.sqrt(mg.sum(g * g)) - 1) ** 2", "sqrt", "domain|0 * inf", "same", "norm(g)", "1.0",
        g=[0.0, 0.0],
    ),
    "similarities of rows of which one is 0": held(
        """
        n = x / mg.sqrt(mg.sum(x ** 2, axis=1, keepdims=True))
        return mg.sum(n @ n.T)
        """,
        "sqrt divide", "0 / 0|domain|0 * inf", "convention", "a floor for the length", x=[[0.0, 0.0], [3.0, 4.0]],
    ),
    "exponential numbers from a uniform 1": held(
        "mg.mean(-mg.log(1 - u) / rate)", "log", "domain", "", "none: the value is inf", "np.inf", u=[1.0, 0.5],
        rate=2.0,
    ),
    "Weibull density at 0 with a shape below 1": held(
        "mg.sum(mg.log(k) + (k - 1) * mg.log(t) - t ** k)", "log power", "domain|0 * inf", "",
        "none: the value is inf", "np.inf", k=0.5, t=[0.0, 1.0],
    ),
    "Weibull density at 0 with the shape 1": held(
        "mg.sum(mg.log(k) + (k - 1) * mg.log(t) - t ** k)", "log power", "domain|0 * inf", "limit",
        "xlogy(k - 1, t)", "-1.0", k=1.0, t=[0.0, 1.0],
    ),
    "logarithm of a beta function at 0": held(
        "mg.gammaln(a) + mg.gammaln(b) - mg.gammaln(a + b)", "gammaln", "domain|overflow|inf - inf", "",
        "none: the value is inf", "np.inf", a=0.0, b=2.0,
    ),
    "factorial by the gamma function": held(
        "mg.exp(mg.gammaln(n + 1.0))", "exp", "overflow", "wider", "float64",
        "np.exp(np.sum(np.log(np.arange(1, 41))))", n=40.0,
    ),
    "binomial coefficient by gamma functions": held(
        "mg.exp(mg.gammaln(n + 1)) / (mg.exp(mg.gammaln(k + 1)) * mg.exp(mg.gammaln(n - k + 1)))",
        "exp", "overflow|inf / inf", "wider", "exp of a difference", "1770.0", n=60.0, k=2.0,
    ),
    "quantile loss of a relative error": held(
        """
        r = y / f - 1
        return mg.mean(mg.maximum(0.9 * r, -0.1 * r))
        """,
        "divide", "0 / 0", "convention", "a floor for f", y=[0.0, 2.0], f=[0.0, 1.0],
    ),
    "smooth absolute error of width 0": held(
        """
        d = mg.abs(x - y)
        return mg.sum(mg.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta))
        """,
        "divide", "masked branch|0 / 0|domain", "limit", "a where around the divisor", "2.0",
        x=[1.0, 3.0], y=[1.0, 1.0], beta=0.0,
    ),
    "pseudo Huber loss of width 0": held(
        "mg.sum(d ** 2 * (mg.sqrt(1 + (r / d) ** 2) - 1))", "divide", "domain|overflow|0 / 0|0 * inf",
        "limit", "d * sqrt(d**2 + r**2) - d**2", "0.0", d=0.0, r=[1.0, 2.0],
    ),
    "smoothed absolute value in half precision": held(
        "mg.sum(mg.sqrt(x * x + 1e-8))", "sqrt", "domain|0 * inf", "limit", "a larger epsilon",
        "np.sum(np.sqrt(x * x + 1e-8))", True, dtype="float16", x=[0.0, 1.0],
    ),
    "softplus by hand in half precision": held(
        "mg.sum(mg.log(1 + mg.exp(x)))", "exp", "overflow|0 * inf", "same", "softplus(x)", "np.sum(np.logaddexp(0, x))",
        True, dtype="float16", x=[12.0, -3.0],
    ),
    "secant by two exponentials": held(
        "mg.sum(2 / (mg.exp(x) + mg.exp(-x)))", "exp", "overflow|0 * inf", "wider", "1 / cosh", "1.0",
        x=[100.0, 0.0],
    ),
    "x times its hyperbolic cotangent": held(
        "mg.sum(x / mg.tanh(x))", "divide", "0 / 0", "same", "1 at 0",
        "np.sum(np.where(x == 0, 1.0, x / np.tanh(np.where(x == 0, 1.0, x))))", True, x=[0.0, 1.0],
    ),
    "partition function of bosons at a low energy": held(
        "mg.sum(-mg.log(1 - mg.exp(-x)))", "log", "domain", "same", "-log(-expm1(-x))",
        "-np.sum(np.log(-np.expm1(-x)))", x=[1e-9, 1.0],
    ),
    "perplexity of an impossible word": held(
        "mg.exp(-mg.mean(mg.log(p)))", "log", "domain|overflow", "", "none: the value is inf", "np.inf", p=[0.0, 0.5],
    ),
    "entropy in bits of counts": held(
        """
        p = h / mg.sum(h)
        return -mg.sum(p * mg.log2(p))
        """,
        "log2", "domain|0 * inf", "limit", "0 * log2(0) is 0", "1.0", h=[0.0, 2.0, 2.0],
    ),
    "effective number of masked shares": held(
        "mg.exp(-mg.sum(mg.where(p > 0, p * mg.log(p), 0.0)))", "log", "masked branch|domain|0 * inf", "limit",
        "xlogy, or a where inside of the log", "2.0", p=[0.5, 0.5, 0.0],
    ),
    "cross entropy by the numbers of the classes": held(
        "-mg.mean(mg.log(mg.softmax(z)[np.arange(2), [0, 1]]))", "log softmax", "domain|0 * inf", "same",
        "log_softmax(z)[...]", "np.mean(np.logaddexp.reduce(z, axis=1) - z[[0, 1], [0, 1]])", True, z=[[-150.0, 0.0],
        [0.0, 1.0]],
    ),
    "cross entropy by einsum": held(
        "-mg.einsum('ij,ij->', t, mg.log(mg.softmax(z)))", "log softmax", "domain|0 * inf", "same", "log_softmax(z)",
        "200.0", z=[[-200.0, 0.0]], t=[[1.0, 0.0]],
    ),
    "softmax that subtracts the mean": held(
        """
        e = mg.exp(z - mg.mean(z))
        return mg.sum((e / mg.sum(e)) ** 2)
        """,
        "exp divide", "overflow|inf / inf", "same", "softmax", "1.0", True, z=[300.0, 0.0, 0.0],
    ),
    "soft maximum with a factor": held(
        "mg.log(mg.sum(mg.exp(b * x))) / b", "exp", "overflow|0 * inf", "same", "logsumexp(b * x) / b",
        "np.logaddexp.reduce(b * x) / b", True, b=50.0, x=[3.0, 2.0],
    ),
    "bound by weights of importance": held(
        "mg.mean(mg.log(mg.mean(mg.exp(w), axis=1)))", "log", "domain|0 * inf", "same", "logsumexp(w) - log(2)",
        "np.mean(np.logaddexp.reduce(w, axis=1) - np.log(2))", True, w=[[-200.0, -210.0], [0.0, 1.0]],
    ),
    "soft minimum": held(
        "-mg.log(mg.sum(mg.exp(-x)))", "log", "domain|0 * inf", "same", "-logsumexp(-x)", "-np.logaddexp.reduce(-x)",
        True, x=[800.0, 900.0],
    ),
    "norm of the third power": held(
        "mg.sum(mg.abs(x) ** 3) ** (1 / 3)", "power", "domain|0 * inf", "limit", "0 at 0", "0.0",
        x=[0.0, 0.0],
    ),
    "length in half precision": held(
        "mg.sqrt(mg.sum(x * x))", "multiply", "overflow", "wider", "norm(x)", "np.sqrt(np.sum(x * x))", True,
        dtype="float16", x=[300.0, 400.0],
    ),
    "log of the variance of equal numbers": held(
        "0.5 * mg.log(mg.mean(x * x) - mg.mean(x) ** 2)", "log", "domain|0 * inf", "", "none: the value is -inf",
        "-np.inf", x=[3.0, 3.0, 3.0],
    ),
    "group norm of a constant group": held(
        """
        d = x - mg.mean(x, axis=1, keepdims=True)
        return mg.sum(w * d * mg.rsqrt(mg.mean(d * d, axis=1, keepdims=True)))
        """,
        "rsqrt", "domain|0 * inf|overflow", "limit", "an epsilon", x=[[1.0, 1.0], [0.0, 2.0]],
        w=[[1.0, 1.0], [1.0, 2.0]],
    ),
    "weights of a length and a direction 0": held(
        "mg.sum(g * v / mg.norm(v))", "divide", "0 / 0", "convention", "a floor for the norm", v=[0.0, 0.0], g=2.0,
    ),
    "power iteration that reaches 0": held(
        """
        u = W @ v
        u = u / mg.norm(u)
        return mg.sum(W) / (u @ (W @ v))
        """,
        "divide", "0 / 0", "", "none, or a floor for the norm", W=[[0.0, 0.0], [0.0, 1.0]], v=[1.0, 0.0],
    ),
    "Newton's root of 0 in a loop": held(
        """
        y = x
        for _ in range(3):
            y = 0.5 * (y + x / y)
        return y
        """,
        "divide", "0 / 0", "same", "1 for x / x", "0.125", x=0.0,
    ),
    "Lorenz system with a long step": held(
        """
        for _ in range(60):
            dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.7 * z
            x, y, z = x + 0.3 * dx, y + 0.3 * dy, z + 0.3 * dz
        return x + y + z
        """,
        "multiply subtract add", "overflow|inf - inf|0 * inf", "", "none: a shorter step", x=1.0, y=1.0, z=1.0,
    ),
    "charges of which each is at its own place": held(
        """
        r = mg.sqrt(mg.sum((x[:, None] - x[None]) ** 2, axis=-1))
        return mg.sum(mg.where(np.eye(3) == 1, 0.0, 1 / r)) / 2
        """,
        "sqrt divide", "masked branch|domain|0 * inf", "same", "a where inside", "1 + 1 + 1 / np.sqrt(2)",
        x=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    ),
    "angle of the identity as a quaternion": held(
        "2 * mg.arccos(w) / mg.sqrt(1 - w * w)", "arccos sqrt divide", "0 / 0|domain|0 * inf", "same",
        "2 at 1", "2.0", w=1.0,
    ),
    "log of the size of a determinant": held(
        "mg.log(mg.abs(mg.det(A)))", "log det", "domain|0 * inf|singular", "", "none: the value is -inf", "-np.inf",
        A=[[1.0, 2.0], [2.0, 4.0]],
    ),
    "volume of dependent columns": held(
        "mg.sqrt(mg.det(A.T @ A))", "sqrt det", "domain|0 * inf", "limit", "a floor below the root", "0.0",
        A=[[1.0, 2.0], [2.0, 4.0]],
    ),
    "inverse of two rows by hand": held(
        "(a + d - b - c) / (a * d - b * c)", "divide", "domain|0 / 0|overflow", "", "none: the value is inf", "np.inf",
        a=1.0, b=2.0, c=2.0, d=4.0,
    ),
    "Mahalanobis distance of the mean": held(
        "mg.sqrt(d @ P @ d)", "sqrt", "domain|0 * inf", "limit", "a floor below the root", "0.0",
        d=[0.0, 0.0], P=[[2.0, 1.0], [1.0, 2.0]],
    ),
    "custom logarithm with a bare quotient": held(
        """
        @mg.custom_gradient
        def safe_log(a):
            def grad(dy):
                return dy / a
            return mg.log(mg.maximum(a, 1e-6)), grad
        return mg.sum(safe_log(x))
        """,
        "safe_log divide", "custom rule", "", "none: the rule has to be mended", x=[0.0, 1.0],
    ),
    "custom entropy with a bare logarithm": held(
        """
        @mg.custom_gradient
        def entropy(p):
            def grad(dy):
                return -dy * (mg.log(p) + 1)
            return -mg.sum(mg.xlogy(p, p)), grad
        return 2.0 * entropy(p)
        """,
        "entropy log", "custom rule", "", "none: the rule has to be mended", p=[0.0, 1.0],
    ),
    "columns with a missing value, standardised": held(
        "mg.sum(w * ((X - mg.mean(X, axis=0)) / (mg.std(X, axis=0) + 1e-6)) ** 2)", "input leaf", "input", "",
        "leave the row out", X=[[1.0, 2.0], [float("nan"), 4.0], [3.0, 6.0]], w=[1.0, 1.0],
    ),
    "missing target with a mask that multiplies": held(
        """
        m = mg.cast(mg.isfinite(y), "float32")
        return mg.sum(m * (p - y) ** 2) / mg.sum(m)
        """,
        "input leaf", "input|0 * inf", "", "where(isfinite(y), ...)", "4.0",
        y=[1.0, float("nan")], p=[3.0, 5.0],
    ),
    "spread of the returns of a price of 0": held(
        "mg.std(mg.diff(mg.log(p)))", "log", "domain|inf - inf", "", "none", p=[1.0, 0.0, 2.0],
    ),
    "log of survival": held(
        "mg.sum(mg.log(mg.cumprod(s)))", "log", "domain|0 * inf", "limit", "cumsum(log(s))",
        "np.sum(np.cumsum(np.log(s)))", True, s=[0.1] * 50,
    ),
    "broken stick of which nothing is left": held(
        "mg.sum(mg.log(v) + mg.cumsum(mg.log(1 - v)))", "log", "domain|0 * inf", "", "none: the value is -inf",
        "-np.inf",
        v=[0.5, 1.0],
    ),
    "advantage of one sample": held(
        """
        a = (r - mg.mean(r)) / mg.std(r)
        return mg.sum(a * lp)
        """,
        "divide", "0 / 0", "", "an epsilon", r=[2.0], lp=[-1.0],
    ),
    "clipped ratio of a policy": held(
        """
        ratio = mg.exp(new - old)
        return mg.sum(mg.minimum(ratio * a, mg.clip(ratio, 0.8, 1.2) * a))
        """,
        "exp", "overflow|0 * inf|masked branch", "wider", "clip before exp", "np.sum(1.2 * a)",
        True,
        new=[100.0], old=[0.0], a=[1.0],
    ),
    "normal numbers from a uniform 1": held(
        "mg.sqrt(-2 * mg.log(u)) * mg.cos(6.2831855 * v)", "sqrt", "domain|0 * inf", "limit",
        "a floor below the root", "0.0", u=1.0, v=0.0,
    ),
    "discounted gain that counts from 0": held(
        "mg.sum((2.0 ** rel - 1) / mg.log2(i + 1))", "divide", "domain|overflow", "", "none: count from 1", "np.inf",
        rel=[3.0, 1.0], i=[0.0, 1.0],
    ),
    "F1 score of nothing": held(
        "2 * p * r / (p + r)", "divide", "0 / 0", "", "0", "0.0", p=0.0, r=0.0,
    ),
    "correlation of a table with an empty row": held(
        "(tp * tn - fp * fn) / mg.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))", "sqrt divide",
        "0 / 0|domain|0 * inf", "convention", "a number by convention", tp=0.0, fp=0.0, fn=0.0, tn=5.0,
    ),
    "bias of a moving average at step 0": held(
        "m / (1 - b ** t)", "divide", "0 / 0", "convention", "count from 1", m=0.0, b=0.9, t=0.0,
    ),
    "warm-up of a step length at step 0": held(
        "mg.minimum(s ** -0.5, 0.01 * s)", "power", "domain|0 * inf|masked branch|0 / 0", "limit|same",
        "a floor below the power", "0.01 * s", True, s=0.0,
    ),
    "growth of Gompertz long ago": held(
        "mg.exp(-mg.exp(-x))", "exp", "overflow|0 * inf", "wider", "a floor below exp", "0.0",
        True,
        x=-60.0 - 40.0,
    ),
    "complementary log-log of a rare case": held(
        "-mg.log(1 - mg.exp(-mg.exp(x)))", "log", "domain", "same", "-log(-expm1(-exp(x)))",
        "-np.log(-np.expm1(-np.exp(x)))", True, x=-30.0,
    ),
    "Student's loss of an outlier": held(
        "mg.sum(mg.log(1 + x ** 2 / 4.0))", "power multiply square", "overflow", "wider", "float64",
        "np.sum(np.log1p(x ** 2 / 4))", True, x=[1e25, 1.0],
    ),
    "Poisson counts with extra zeros": held(
        "mg.log(pi + (1 - pi) * mg.exp(-rate))", "log", "domain", "", "logaddexp, or float64", "-200.0",
        pi=0.0, rate=200.0,
    ),
    "Hill function of a large dose": held(
        "x ** n / (k ** n + x ** n)", "power", "overflow|inf / inf", "wider", "1 / (1 + (k / x)**n)", "1.0",
        x=1e20, n=4.0, k=1.0,
    ),
    "Arrhenius' law at no temperature": held(
        "mg.exp(-E / T)", "divide", "domain|0 * inf|overflow", "", "none: infinite for T < 0", "0.0",
        E=1.0, T=0.0,
    ),
    "difference of two sure log odds": held(
        "mg.log(p / (1 - p)) - mg.log(q / (1 - q))", "divide", "domain|inf - inf|overflow", "",
        "none, or a clip",
        p=1.0, q=1.0,
    ),
    "angle by the slope of a vertical line": held(
        "mg.arctan(y / x)", "divide", "domain|0 * inf|overflow", "", "arctan2(y, x)", "np.pi / 2",
        y=1.0, x=0.0,
    ),
    "quotients that are replaced when they are nan": held(
        "mg.sum(mg.where(mg.isnan(a / b), 0.0, a / b))", "divide", "masked branch|0 / 0", "same",
        "a where around the divisor", "1.0", a=[0.0, 1.0], b=[0.0, 1.0],
    ),
    "difference of two reciprocals": held(
        "1 / x - 1 / mg.sin(x)",
        "divide subtract", "domain|inf - inf", "same", "0", "0.0 if x == 0 else 1 / x - 1 / np.sin(x)", x=0.0,
    ),
    "Bernoulli's function": held(
        "1 / x - 1 / (mg.exp(x) - 1)",
        "divide subtract", "domain|inf - inf", "same", "1/2", "0.5", x=0.0,
    ),
    "x over a root minus 1": held(
        "mg.sum(x / (mg.sqrt(1 + x) - 1))",
        "divide", "0 / 0", "same", "2", "2.0 + 3 / (np.sqrt(4) - 1)", x=[0.0, 3.0],
    ),
    "a root minus 1 over x": held(
        "(mg.sqrt(1 + x) - 1) / x",
        "divide", "0 / 0", "same", "1/2", "0.5 if x == 0 else (np.sqrt(1 + x) - 1) / x", x=0.0,
    ),
    "two powers over their exponent": held(
        "(2.0 ** x - 3.0 ** x) / x",
        "divide", "0 / 0", "same", "log(2/3)", "np.log(2 / 3)", x=0.0,
    ),
    "wave that is squeezed": held(
        "x * mg.sin(1 / x)",
        "divide sin", "domain", "limit", "0", "0.0", x=0.0,
    ),
    "flat function": held(
        "mg.exp(-1 / x ** 2)",
        "divide", "0 * inf|domain", "same", "0", "0.0", x=0.0,
    ),
    "step by a pole": held(
        "1 / (1 + mg.exp(1 / x))",
        "divide exp", "0 * inf|domain", "", "none: two limits", x=0.0,
    ),
    "angle of a pole": held(
        "mg.arctan(1 / x)",
        "divide", "0 * inf|domain", "", "none: two limits", x=0.0,
    ),
    "quotient of two lengths": held(
        "mg.norm(x) / mg.norm(y)",
        "divide", "0 / 0", "convention", "none", x=[0.0, 0.0], y=[0.0, 0.0],
    ),
    "spread of one element": held(
        "mg.sum((x - mg.mean(x)) / mg.std(x, ddof=1))",
        "std", "domain", "", "none", x=[2.0],
    ),
    "coefficients of correlation with a constant": held(
        "mg.sum(mg.corrcoef(x))",
        "divide sqrt", "0 / 0|domain", "", "none", x=[[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]],
    ),
    "log of no states": held(
        "mg.logsumexp(x)",
        "leaf logsumexp", "domain|input", "", "none: the value is -inf", "-np.inf", x=[float("-inf"), float("-inf")],
    ),
    "half precision and a small epsilon under a quotient": held(
        "mg.sum(x / (mg.sum(x) + 1e-10))",
        "divide", "0 / 0", "wider", "a larger epsilon", "0.0", dtype="float16", x=[0.0, 0.0],
    ),
    "half precision and a small epsilon under a root": held(
        "mg.sum(d * mg.rsqrt(mg.mean(d * d) + 1e-8))",
        "multiply rsqrt", "0 * inf|domain", "wider", "a larger epsilon", "0.0", dtype="float16", d=[0.0, 0.0],
    ),
    "scaled loss in half precision": held(
        "mg.sum(1024.0 * (x - y) ** 2)",
        "multiply", "overflow", "wider", "float32", "1024 * np.sum((x - y) ** 2)", dtype="float16", x=[10.0, 1.0],
        y=[0.0, 0.0],
    ),
    "divergence of two normals of which one is a point": held(
        "mg.log(s / r) + (r ** 2 + 1.0) / (2 * s ** 2) - 0.5",
        "add log", "domain|inf - inf", "", "none: inf", "np.inf", s=0.0, r=1.0,
    ),
    "deviance of counts": held(
        "2 * mg.sum(y * mg.log(y / m) - (y - m))",
        "log multiply", "0 * inf|domain", "limit", "xlogy", "2 * (1.0 + 2 * np.log(2 / 3) + 1)", y=[0.0, 2.0],
        m=[1.0, 3.0],
    ),
    "Hellinger distance": held(
        "mg.sqrt(1 - mg.sum(mg.sqrt(p * q)))",
        "multiply sqrt", "0 * inf|domain", "limit", "a floor", "np.sqrt(1 - 0.5 ** 0.5)", p=[0.5, 0.5], q=[1.0, 0.0],
    ),
    "Bhattacharyya distance of disjoint shares": held(
        "-mg.log(mg.sum(mg.sqrt(p * q)))",
        "multiply sqrt", "0 * inf|domain", "", "none: inf", "np.inf", p=[1.0, 0.0], q=[0.0, 1.0],
    ),
    "deviance of Tweedie at 1": held(
        "mg.sum(y ** (1 - p) / (1 - p))",
        "divide power", "0 * inf|domain", "", "none: inf", "np.inf", y=[2.0], p=1.0,
    ),
    "exponential unit of slope 0": held(
        "mg.sum((mg.exp(a * x) - 1) / a)",
        "divide", "0 / 0", "", "x", x=[1.0, 2.0], a=0.0,
    ),
    "mean of the power 0": held(
        "mg.mean(x ** p) ** (1 / p)",
        "divide", "0 * inf|domain", "", "the geometric mean", x=[1.0, 4.0], p=0.0,
    ),
    "focal loss of a sure class": held(
        "-mg.sum((1 - p) ** 0.5 * mg.log(p))",
        "power", "0 * inf|domain", "limit", "0", "-np.sum((1 - p) ** 0.5 * np.log(p))", p=[1.0, 0.5],
    ),
    "distance to the nearest of equal points": held(
        "mg.min(mg.sqrt(mg.sum((x - y) ** 2, axis=1)))",
        "power sqrt", "0 * inf|domain", "same", "0", "0.0", x=[[1.0, 2.0], [3.0, 4.0]], y=[[1.0, 2.0], [0.0, 0.0]],
    ),
    "margin between equal distances": held(
        "mg.relu(mg.sqrt(mg.sum((a - p) ** 2)) - mg.sqrt(mg.sum((a - n) ** 2)) + 0.2)",
        "power sqrt", "0 * inf|domain", "same", "norm", "np.sqrt(2) + 0.2", a=[1.0, 1.0], p=[0.0, 0.0], n=[1.0, 1.0],
    ),
    "log odds of a count of 0": held(
        "mg.log(k + 0.0) - mg.log(n - k)",
        "log", "domain", "", "none: -inf", "-np.inf", k=0.0, n=5.0,
    ),
    "risk ratio of no cases": held(
        "mg.log((a / n) / (b / n))",
        "divide", "0 / 0", "", "none: two infinities", a=0.0, b=0.0, n=5.0,
    ),
    "Gini of nothing": held(
        "1 - mg.sum((h / mg.sum(h)) ** 2)",
        "divide", "0 / 0", "convention", "none", h=[0.0, 0.0],
    ),
    "time to a wall": held(
        "mg.minimum(d / v, 10.0)",
        "divide", "domain|masked branch", "", "none: two limits", d=1.0, v=0.0,
    ),
    "inverse distance weights at a place": held(
        "mg.sum(f / r) / mg.sum(1 / r)",
        "divide", "domain|inf / inf", "", "f at the place", f=[3.0, 7.0], r=[0.0, 1.0],
    ),
    "log of a cosine": held(
        "mg.log(mg.cos(x))",
        "log", "domain", "", "none: -inf, or nan", x=1.5707964,
    ),
    "arcsine of a ratio above 1": held(
        "mg.sum(mg.arcsin(a / c))",
        "arcsin", "domain", "limit", "a clip", "np.pi / 2 + np.arcsin(0.5)", a=[1.0, 1.0], c=[1.0, 2.0],
    ),
    "cubic root of a negative change": held(
        "mg.sum((x - y) ** (1 / 3))",
        "power", "domain", "convention", "cbrt", "-1.0", x=[1.0], y=[2.0],
    ),
    "discount by a rate of 0": held(
        "c * (1 - (1 + r) ** -n) / r",
        "divide", "0 / 0", "", "c * n", c=2.0, r=0.0, n=5.0,
    ),
    "sum of a geometric series": held(
        "(1 - q ** 5) / (1 - q)",
        "divide", "0 / 0", "same", "5", "5.0", q=1.0,
    ),
    "Newton's quotient": held(
        "(x ** 3 - 8.0) / (x - 2.0)",
        "divide", "0 / 0", "same", "12", "12.0", x=2.0,
    ),
    "mutual attraction with a cutoff": held(
        "mg.sum(mg.where(r < 1.0, 0.0, r ** -12 - r ** -6))",
        "power subtract", "inf - inf|masked branch", "same", "where inside", "2.0 ** -12 - 2.0 ** -6", r=[0.0, 2.0],
    ),
    "softmax of scores of -inf": held(
        "mg.sum(mg.softmax(s) * v)",
        "softmax", "domain", "convention", "none", s=[float("-inf"), float("-inf")], v=[1.0, 2.0],
    ),
    "likelihood of a normal without spread at its mean": held(
        "-mg.log(s) - (x - m) ** 2 / (2 * s ** 2)",
        "divide log", "0 / 0|domain", "", "none", x=1.0, m=1.0, s=0.0,
    ),
    "Sharpe ratio in logarithms of a ruin": held(
        "mg.mean(mg.log(1 + r)) / mg.std(mg.log(1 + r))",
        "log std", "domain", "", "none", r=[0.1, -1.0],
    ),
    "quaternion of no length": held(
        "mg.sum(w * q / mg.sqrt(q @ q))",
        "divide sqrt", "0 / 0|domain", "convention", "none", q=[0.0, 0.0, 0.0, 0.0], w=[1.0, 0.0, 0.0, 0.0],
    ),
    "cosh minus 1 over the square": held(
        "(mg.cosh(x) - 1) / (x * x)",
        "divide", "0 / 0", "same", "1/2", "0.5", x=0.0,
    ),
}  # fmt: skip
