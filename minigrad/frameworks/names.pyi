"""Written by `python -m minigrad.frameworks.stub`: the ops and TensorFlow's functions, as `import minigrad as tf` has them."""

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ..core.tensor import Tensor as Tensor, TensorLike as TensorLike

Axis = int | Sequence[int] | None
Each = tuple[int, ...]
Sizes = int | Sequence[int]
Padding = str | Sequence[Sequence[int]]

class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor

class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

import viz as viz
from .. import data as data
from .. import numpy as numpy
from .. import ops as ops
from .. import optim as optim
from .. import scipy as scipy
from ..bridges import explain_zero as explain_zero
from ..bridges import find_nan as find_nan
from ..core.custom import custom_gradient as custom_gradient
from ..core.custom import ignore_custom_gradients as ignore_custom_gradients
from ..core.gradients import UnconnectedGradients as UnconnectedGradients
from ..core.gradients import gradients as gradients
from ..core.support.scopes import AUTO_REUSE as AUTO_REUSE
from ..core.support.scopes import variable_scope as variable_scope
from ..core.support.tensor_values import default_dtype as default_dtype
from ..core.support.tensor_values import set_default_dtype as set_default_dtype
from ..core.tensor import Tensor as Tensor
from ..core.tensor import TensorLike as TensorLike
from ..core.tensor import constant as constant
from ..core.variable import Variable as Variable
from ..diagnostics.check_report import GradientCheck as GradientCheck
from ..diagnostics.check_report import GradientError as GradientError
from ..diagnostics.finite_differences import numeric_gradient as numeric_gradient
from ..diagnostics.gradient_check import check_gradients as check_gradients
from ..diagnostics.missing_gradient import Explanation as Explanation
from ..diagnostics.missing_gradient import explain_none as explain_none
from ..diagnostics.nan_sentences import NanReport as NanReport
from ..frameworks.registered_gradients import RegisterGradient as RegisterGradient
from ..frameworks.registered_gradients import gradient_override_map as gradient_override_map
from ..frameworks.registered_gradients import no_gradient as no_gradient
from ..frameworks.variable_store import get_variable as get_variable
from ..frameworks.variable_store import reset_default_graph as reset_default_graph
from ..ops.declare import defop as defop
from ..programs.compile_and_source import compile as compile
from ..programs.compile_and_source import source as source
from ..programs.refusals import NotAProgram as NotAProgram
from ..tracing.calls_and_scopes import scope as scope
from ..tracing.memory_use import saved as saved
from ..tracing.message_table import Message as Message
from ..tracing.message_table import Messages as Messages
from ..tracing.message_table import messages as messages
from ..tracing.recorder import backward_trace as backward_trace
from ..tracing.trace_schema import BackwardTrace as BackwardTrace
from ..tracing.user_lines import remember_lines as remember_lines
from ..transforms.gradient import elementwise_grad as elementwise_grad
from ..transforms.gradient import grad as grad
from ..transforms.gradient import value_and_grad as value_and_grad
from ..transforms.jacobians import hessian as hessian
from ..transforms.jacobians import hvp as hvp
from ..transforms.jacobians import jacobian as jacobian
from ..transforms.jacobians import jvp as jvp
from ..transforms.jacobians import vjp as vjp
from ..transforms.recompute import grad_pass_through as grad_pass_through
from ..transforms.recompute import recompute_grad as recompute_grad
from ..transforms.tape import GradientTape as GradientTape

def abs(x: TensorLike) -> Tensor:
    """The absolute value of each element."""

def absolute(x: TensorLike) -> Tensor:
    """The absolute value of each element."""

def acos(x: TensorLike) -> Tensor:
    """The angle from 0 to pi with this cosine."""

def acosh(x: TensorLike) -> Tensor:
    """Inverse of the hyperbolic cosine: the solution that is not negative."""

def add(x: TensorLike, y: TensorLike) -> Tensor:
    """The sum of two arrays, element by element."""

def add_n(inputs: Sequence[Any], name: Any = None) -> Tensor:
    """Return the sum of Tensors of the same shape."""

def all(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, where: TensorLike = True) -> Tensor:
    """True if all of the elements along `axis` that are in the mask `where` are true."""

def any(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, where: TensorLike = True) -> Tensor:
    """True if any of the elements along `axis` that are in the mask `where` is true."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """The numbers from `start` (by default 0) up to but not including `stop`."""

def arccos(x: TensorLike) -> Tensor:
    """The angle from 0 to pi with this cosine."""

def arccosh(x: TensorLike) -> Tensor:
    """Inverse of the hyperbolic cosine: the solution that is not negative."""

def arcsin(x: TensorLike) -> Tensor:
    """The angle from -pi/2 to pi/2 with this sine."""

def arcsinh(x: TensorLike) -> Tensor:
    """Inverse of the hyperbolic sine."""

def arctan(x: TensorLike) -> Tensor:
    """The angle between -pi/2 and pi/2 with this tangent."""

def arctan2(x: TensorLike, y: TensorLike) -> Tensor:
    """The angle, from -pi to pi, of the point with ordinate x and abscissa y."""

def arctanh(x: TensorLike) -> Tensor:
    """Inverse of the hyperbolic tangent."""

def argmax(input: Any, axis: int | None = None, output_type: Any = 'int64', name: Any = None) -> Tensor:
    """Return the index (int64 by default) of the largest element along `axis` (the first axis by default)."""

def argmin(input: Any, axis: int | None = None, output_type: Any = 'int64', name: Any = None) -> Tensor:
    """Return the index (int64 by default) of the smallest element along `axis` (the first axis by default)."""

def argsort(values: Any, axis: int = -1, direction: str = 'ASCENDING', stable: builtins.bool = False, name: Any = None) -> Tensor:
    """Return the indices that sort the elements along `axis`; equal elements keep their order, even if not `stable`."""

def array_split(x: TensorLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Cut `x` along `axis` like `split`, but allow parts of unequal length, the longer ones first."""

def asin(x: TensorLike) -> Tensor:
    """The angle from -pi/2 to pi/2 with this sine."""

def asinh(x: TensorLike) -> Tensor:
    """Inverse of the hyperbolic sine."""

def astype(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """Convert to another dtype. Between float dtypes the gradient is converted back; integers get no gradient."""

def atan(x: TensorLike) -> Tensor:
    """The angle between -pi/2 and pi/2 with this tangent."""

def atanh(x: TensorLike) -> Tensor:
    """Inverse of the hyperbolic tangent."""

def atleast_1d(x: TensorLike) -> Tensor:
    """Add an axis to `x` if it has none."""

def atleast_2d(x: TensorLike) -> Tensor:
    """Add axes to `x` until it has two: a number or a row becomes a one-row matrix."""

def atleast_3d(x: TensorLike) -> Tensor:
    """Add axes to `x` until it has three: a row becomes shape (1, n, 1), a matrix (m, n, 1)."""

def avg_pool(x: TensorLike, pool_size: Sizes, strides: Sizes | None = None, padding: Padding = 'valid') -> Tensor:
    """The mean of each window of size `pool_size`; the zeros that "same" adds around `x` are not counted."""

bitwise: Any

def bitwise_and(x: TensorLike, y: TensorLike) -> Tensor:
    """The bits that are set in both integers; for bools, logical and."""

def bitwise_or(x: TensorLike, y: TensorLike) -> Tensor:
    """The bits that are set in at least one of two integers; for bools, logical or."""

def bitwise_xor(x: TensorLike, y: TensorLike) -> Tensor:
    """The bits that are set in exactly one of two integers; for bools, exclusive or."""

def block(arrays: TensorLike) -> Tensor:
    """Join blocks in nested lists into one array."""

bool: np.dtype[Any]

def boolean_mask(tensor: Any, mask: Any, axis: int | None = None, name: Any = 'boolean_mask') -> Tensor:
    """Return the elements or rows of `tensor` where `mask` is true; `mask` covers the axes from `axis` on."""

def broadcast_arrays(*arrays: TensorLike) -> tuple[Tensor, ...]:
    """Broadcast arrays to their common shape."""

def broadcast_to(input: TensorLike, shape: int | tuple[int, ...], name: Any = None) -> Tensor:
    """Repeat `x` along new axes and axes of length 1 until it has `shape`."""

def cast(x: TensorLike, dtype: DTypeLike, name: Any = None) -> Tensor:
    """Convert to another dtype. Between float dtypes the gradient is converted back; integers get no gradient."""

def cbrt(x: TensorLike) -> Tensor:
    """Cube root of each element; the root of a negative element is negative."""

def ceil(x: TensorLike) -> Tensor:
    """The smallest whole number that is not below each element."""

def cholesky(a: TensorLike) -> Tensor:
    """The lower triangular L with L @ L.T = a."""

def clip(a: TensorLike, low: TensorLike | None = None, high: TensorLike | None = None) -> Tensor:
    """`a` clipped to the range from `low` to `high`; None means no bound on that side."""

def clip_by_global_norm(t_list: Sequence[Any], clip_norm: float, use_norm: Any = None, name: Any = None) -> tuple[list[Tensor], Tensor]:
    """Scale the Tensors down together to a global norm of at most `clip_norm`; return them and the original norm."""

def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: Axis | None = None, name: Any = None) -> Tensor:
    """`x`, scaled down to the norm `clip_norm` if its norm is larger."""

def clip_by_value(t: TensorLike, clip_value_min: TensorLike | None, clip_value_max: TensorLike | None, name: Any = None) -> Tensor:
    """`a` clipped to the range from `low` to `high`; None means no bound on that side."""

def cofactor(a: TensorLike) -> Tensor:
    """The cofactor matrix, det(a) * inv(a).T if the inverse exists, computed from the singular values."""

compat: Any

def concat(values: Sequence[TensorLike], axis: int | None, name: Any = 'concat', *, dtype: DTypeLike | None = None, casting: Any = 'same_kind') -> Tensor:
    """Join arrays along an existing axis; None joins all their elements in C order."""

def concatenate(arrays: Sequence[TensorLike], axis: int | None = 0, *, dtype: DTypeLike | None = None, casting: Any = 'same_kind') -> Tensor:
    """Join arrays along an existing axis; None joins all their elements in C order."""

def cond(pred: Any, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None, name: Any = None) -> Any:
    """Call `true_fn()` if `pred` is true and `false_fn()` otherwise, and return the result."""

def condition_number(a: TensorLike, p: float | str | None = None) -> Tensor:
    """The condition number: the norm of `a` times the norm of its inverse."""

def conv(x: TensorLike, kernel: TensorLike, strides: Sizes = 1, padding: Padding = 'valid', dilation: Sizes = 1) -> Tensor:
    """Slide `kernel` over the spatial axes of `x` and sum the products at each position; the kernel is not flipped."""

def conv_transpose(inputs: TensorLike, kernel: TensorLike, strides: Sizes = 1, padding: str = 'valid', output_padding: Sizes | None = None, data_format: str | None = None, dilation_rate: Sizes = 1) -> Tensor:
    """The transpose of `conv`: each element, times `kernel`, is added at its position in a larger array."""

def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: Any = None) -> Tensor:
    """Return `value` as a Tensor; a Tensor is returned unchanged unless `dtype` differs from its dtype."""

def convolve(a: TensorLike, v: TensorLike, mode: str = 'full') -> Tensor:
    """The convolution of two one-dimensional arrays; see `conv` for network layers."""

def copy(x: TensorLike) -> Tensor:
    """The same value in newly allocated memory. Tensors never change, so `identity` is enough in most cases."""

def corrcoef(x: TensorLike, y: TensorLike | None = None, rowvar: builtins.bool = True) -> Tensor:
    """The correlations between variables: their covariances (see `cov`), divided by their standard deviations."""

def correlate(a: TensorLike, v: TensorLike, mode: str = 'valid') -> Tensor:
    """The cross-correlation of two one-dimensional arrays; `mode` as in `convolve`."""

def cos(x: TensorLike) -> Tensor:
    """Cosine of each element, an angle in radians."""

def cosh(x: TensorLike) -> Tensor:
    """Hyperbolic cosine of each element."""

def cosine(a: TensorLike, b: TensorLike) -> Tensor:
    """a / hypot(a, b), the cosine of the angle of the point (a, b), but 0 at the origin."""

def cov(m: TensorLike, y: TensorLike | None = None, rowvar: builtins.bool = True, bias: builtins.bool = False, ddof: float | None = None, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariances between variables, as in `np.cov`; each row of `m` holds one variable's observations."""

def cross(a: TensorLike, b: TensorLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    """The cross product of vectors of length 3."""

def cummax(x: TensorLike, axis: int = 0) -> Tensor:
    """The largest element so far along `axis`."""

def cumprod(x: TensorLike, axis: int | None = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """The running product along `axis`; None runs through all elements in C order."""

def cumsum(x: Any, axis: int = 0, exclusive: builtins.bool = False, reverse: builtins.bool = False, name: Any = None) -> Tensor:
    """The running sum along `axis`; None runs through all elements in C order."""

def cumulative_prod(x: TensorLike, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: builtins.bool = False) -> Tensor:
    """The running product along `axis` (optional for one-dimensional `x`); include_initial=True starts with 1."""

def cumulative_sum(x: TensorLike, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: builtins.bool = False) -> Tensor:
    """The running sum along `axis` (optional for one-dimensional `x`); include_initial=True starts with 0."""

debugging: Any

def deg2rad(x: TensorLike) -> Tensor:
    """Each angle in degrees converted to radians."""

def delete(x: TensorLike, obj: TensorLike, axis: int | None = None) -> Tensor:
    """`x` without the rows at `obj` (an int, several ints, a slice or a mask) along `axis`; None flattens `x` first."""

def det(a: TensorLike) -> Tensor:
    """The determinant of each matrix."""

def diag(x: TensorLike, k: int = 0) -> Tensor:
    """A matrix with the row `x` on diagonal number `k`; if `x` is a matrix, its diagonal number `k`."""

def diag_embed(x: TensorLike, k: int = 0) -> Tensor:
    """Matrices with the last axis of `x` on diagonal number `k`, and zeros elsewhere."""

def diagflat(x: TensorLike, k: int = 0) -> Tensor:
    """A matrix with all elements of `x`, in C order, on diagonal number `k`."""

def diagonal(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The elements x[i, i + offset] in the planes of two axes, along a new last axis."""

def diff(x: TensorLike, n: int = 1, axis: int = -1, prepend: TensorLike | None = None, append: TensorLike | None = None) -> Tensor:
    """The differences of neighbouring elements along `axis`, taken `n` times."""

def divide(x: TensorLike, y: TensorLike) -> Tensor:
    """The quotient of two arrays, element by element."""

def divmod(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """The rounded-down quotient, which has no gradient, and the remainder: (x // y, x % y)."""

def dot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products over the last axis of `a` and the second-last axis of `b`, as in `np.dot`."""

def dropout(x: TensorLike, rate: float, seed: int | np.random.Generator) -> Tensor:
    """`x` with about a fraction `rate` of its elements set to 0 and the others scaled up to keep the mean."""

def eigh(a: TensorLike, *, UPLO: str | None = None) -> EighResult:
    """The eigenvalues of a symmetric matrix, ascending, and its eigenvectors as the columns of a matrix."""

def eigvalsh(a: TensorLike, UPLO: str | None = None) -> Tensor:
    """The eigenvalues of a symmetric matrix, ascending; UPLO as in `eigh`."""

def einsum(subscripts: Any, *operands: TensorLike, optimize: TensorLike | None = None) -> Tensor:
    """Sums of products, written with a letter for each axis: letters absent from the result are summed over."""

def elu(x: TensorLike, alpha: Any = 1.0) -> Tensor:
    """`x` if it is positive, else alpha * (e**x - 1)."""

def embedding(table: TensorLike, indices: TensorLike) -> Tensor:
    """Row number `i` of `table` for each `i` in `indices`: shape `indices.shape + table.shape[1:]`."""

def equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether the elements are equal."""

def erf(x: TensorLike) -> Tensor:
    """The error function: the probability that a normal random number of variance 1/2 lies between -x and x."""

def erfc(x: TensorLike) -> Tensor:
    """1 - erf(x), which stays accurate where erf(x) is nearly 1."""

def euclidean_norm(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False) -> Tensor:
    """The length of `x` along `axis`: the square root of the sum of squares."""

def executing_eagerly() -> builtins.bool:
    """Return True: every op computes its value at once."""

def exp(x: TensorLike) -> Tensor:
    """Exponential of each element."""

def exp2(x: TensorLike) -> Tensor:
    """2 to the power of each element."""

def expand_dims(input: TensorLike, axis: Any, name: Any = None) -> Tensor:
    """Insert an axis of length 1 at position `axis`, an int or a tuple of ints."""

def expm1(x: TensorLike) -> Tensor:
    """Exponential of each element, minus 1, accurate for elements near 0."""

def eye(num_rows: int, num_columns: int | None = None, batch_shape: Any = None, dtype: Any = 'float32', name: Any = None) -> Tensor:
    """Return the identity matrix, or a Tensor of identity matrices whose leading axes are `batch_shape`."""

def fill(dims: Any, value: Any, name: Any = None, layout: Any = None) -> Tensor:
    """Return `value` repeated to fill the shape `dims`."""

def flip(x: TensorLike, axis: Axis | None = None) -> Tensor:
    """`x` with the order of its elements reversed along `axis` (an int, several, or None for all)."""

float16: np.dtype[Any]

float32: np.dtype[Any]

float64: np.dtype[Any]

def floor(x: TensorLike) -> Tensor:
    """The largest whole number that is not above each element."""

def floor_divide(x: TensorLike, y: TensorLike) -> Tensor:
    """The quotient of two arrays, element by element, rounded down: what `//` computes."""

def fmax(x: TensorLike, y: TensorLike) -> Tensor:
    """The larger of two elements; the other one if one of them is nan."""

def fmin(x: TensorLike, y: TensorLike) -> Tensor:
    """The smaller of two elements; the other one if one of them is nan."""

def fmod(x: TensorLike, y: TensorLike) -> Tensor:
    """The remainder of the division x / y, with the sign of x."""

def fold(pieces: TensorLike, space: Each, strides: Each, dilation: Each) -> Tensor:
    """An array (batch, *space, channels) with each piece added at its position."""

def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: builtins.bool = True, swap_memory: Any = False, name: Any = None) -> Any:
    """Call state = fn(state, row) for each row of `elems`, from first to last, and return the last state; see `scan`."""

def foldr(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: builtins.bool = True, swap_memory: Any = False, name: Any = None) -> Any:
    """Call state = fn(state, row) for each row of `elems`, from last to first, and return the last state; see `scan`."""

def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """`fill_value`, which may be a Tensor, repeated to fill `shape`."""

def full_like(x: TensorLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """`fill_value`, which may be a Tensor, repeated in the shape and dtype of `x`."""

def function(func: Callable[..., Any] | None = None, input_signature: Any = None, autograph: Any = True, jit_compile: Any = None, reduce_retracing: Any = False, experimental_implements: Any = None, experimental_autograph_options: Any = None, experimental_attributes: Any = None, experimental_relax_shapes: Any = None, experimental_compile: Any = None, experimental_follow_type_hints: Any = None) -> Callable[..., Any]:
    """Return `func` unchanged, because every op runs at once. Options are ignored; without `func`, return a decorator."""

def gammaln(x: TensorLike) -> Tensor:
    """The logarithm of the gamma function, which continues the factorial: gammaln(n + 1) is log(n!)."""

def gather(params: Any, indices: Any, validate_indices: Any = None, axis: int | None = None, batch_dims: int = 0, name: Any = None) -> Tensor:
    """Return the elements of `params` at `indices` along `axis`, which is `batch_dims` by default."""

def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: Any = None, bad_indices_policy: Any = '') -> Tensor:
    """Return the elements or rows of `params` at the positions in the last axis of `indices`."""

def gelu(x: TensorLike, approximate: builtins.bool = False) -> Tensor:
    """`x` times the probability that a standard normal number is below `x`; approximate=True uses tanh."""

def getitem(x: TensorLike, key: TensorLike) -> Tensor:
    """`x[key]` with every kind of NumPy index: ints, slices, None, ..., masks, arrays of integers."""

def glu(x: TensorLike, axis: int = -1) -> Tensor:
    """A gated linear unit: the first half of `x` along `axis` times the sigmoid of the second half."""

def greater(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether each element of x is greater than the element of y."""

def greater_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether each element of x is at least the element of y."""

def hessians(ys: Any, xs: Any, gate_gradients: Any = False, aggregation_method: Any = None, name: Any = 'hessians') -> list[Any]:
    """Return a list with the Hessian of the sum of `ys` for each x in `xs`, of shape x.shape + x.shape."""

def hypot(x: TensorLike, y: TensorLike) -> Tensor:
    """The hypotenuse of a right triangle with legs x and y, element by element."""

def identity(input: TensorLike, name: Any = None) -> Tensor:
    """The same value as a new node of the graph."""

image: Any

def index_add(x: TensorLike, key: TensorLike, value: TensorLike) -> Tensor:
    """A copy of `x` with `value` added at `x[key]`; if `key` repeats an element, each value is added to it."""

def index_set(x: TensorLike, key: TensorLike, value: TensorLike) -> Tensor:
    """A copy of `x` with `x[key]` replaced by `value`: the functional form of `x[key] = value`."""

def inner(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products over the last axis of both arrays."""

def insert(x: TensorLike, obj: TensorLike, values: TensorLike, axis: int | None = None) -> Tensor:
    """`x` with `values` inserted before the rows at `obj` (an int, several ints, a slice or a mask) along `axis`."""

int16: np.dtype[Any]

int32: np.dtype[Any]

int64: np.dtype[Any]

int8: np.dtype[Any]

def interp(x: TensorLike, xp: TensorLike, fp: TensorLike, left: TensorLike | None = None, right: TensorLike | None = None, period: float | None = None) -> Tensor:
    """Linear interpolation at `x` between the points (xp, fp), differentiable in all three."""

def inv(a: TensorLike) -> Tensor:
    """The inverse of each matrix."""

def inverse_or_inf(a: TensorLike) -> Tensor:
    """The inverse of each matrix; if a matrix is singular, all elements of its inverse are inf."""

def invert(x: TensorLike) -> Tensor:
    """Each integer with all of its bits inverted, -1 - x; for bools, logical not."""

def is_tensor(x: Any) -> builtins.bool:
    """Return whether `x` is a Tensor. A Variable is a Tensor, but an array is not."""

def isfinite(x: TensorLike) -> Tensor:
    """Whether each element is a number other than nan, inf and -inf."""

def isinf(x: TensorLike) -> Tensor:
    """Whether each element is inf or -inf."""

def isnan(x: TensorLike) -> Tensor:
    """Whether each element is nan."""

keras: Any

def kron(a: TensorLike, b: TensorLike) -> Tensor:
    """The matrix of blocks a[i, j] * b."""

def layer_norm(x: TensorLike, gamma: TensorLike | None = None, beta: TensorLike | None = None, axis: Axis = -1, epsilon: Any = 0.001) -> Tensor:
    """`x` shifted and scaled to mean 0 and variance 1 along `axis`, then times `gamma`, plus `beta`."""

def leaky_relu(x: TensorLike, negative_slope: Any = 0.2) -> Tensor:
    """`x` if it is positive, else negative_slope * x."""

def left_shift(x: TensorLike, y: TensorLike) -> Tensor:
    """The bits of x moved y places to the left: x times 2 to the power y."""

def less(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether each element of x is less than the element of y."""

def less_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether each element of x is at most the element of y."""

linalg: Any

def linspace(start: TensorLike, stop: TensorLike, num: int, name: Any = None, axis: int = 0, *, endpoint: builtins.bool = True) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, along a new axis; differentiable in both ends."""

def log(x: TensorLike) -> Tensor:
    """Natural logarithm of each element."""

def log10(x: TensorLike) -> Tensor:
    """Logarithm of each element to the base 10."""

def log1p(x: TensorLike) -> Tensor:
    """Natural logarithm of 1 plus each element, accurate for elements near 0."""

def log2(x: TensorLike) -> Tensor:
    """Logarithm of each element to the base 2."""

def log_sigmoid(x: TensorLike) -> Tensor:
    """log(sigmoid(x)), which stays finite where sigmoid(x) is 0."""

def log_softmax(x: TensorLike, axis: Axis = -1) -> Tensor:
    """log(softmax(x)), computed without taking the logarithm of a number that may have underflowed to 0."""

def logaddexp(x: TensorLike, y: TensorLike) -> Tensor:
    """Logarithm of the sum of two exponentials, computed so that it does not overflow."""

def logaddexp2(x: TensorLike, y: TensorLike) -> Tensor:
    """Logarithm to the base 2 of the sum of two powers of 2, computed so that it does not overflow."""

def logdet(a: TensorLike) -> Tensor:
    """The logarithm of the absolute value of the determinant, which does not overflow."""

def logical_and(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether both elements are true, that is, not 0."""

def logical_not(x: TensorLike) -> Tensor:
    """Whether each element is false, that is, 0."""

def logical_or(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether at least one of the two elements is true, that is, not 0."""

def logical_xor(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether exactly one of the two elements is true, that is, not 0."""

def logit(x: TensorLike) -> Tensor:
    """log(x / (1 - x)), the inverse of sigmoid."""

def logsumexp(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False) -> Tensor:
    """log(sum(exp(x))) along `axis`, computed relative to the largest element so that nothing overflows."""

def lstsq(a: TensorLike, b: TensorLike, rcond: float | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The shortest x that brings a @ x closest to `b`, with residuals, rank and singular values, as in NumPy."""

def map_fn(fn: Callable[[Any], Any], elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: builtins.bool = True, swap_memory: Any = False, infer_shape: Any = True, name: Any = None, fn_output_signature: Any = None) -> Any:
    """Call `fn` on each row of `elems`, and return the stacked results."""

math: Any

def matmul(a: Any, b: Any, transpose_a: builtins.bool = False, transpose_b: builtins.bool = False, adjoint_a: builtins.bool = False, adjoint_b: builtins.bool = False, a_is_sparse: Any = False, b_is_sparse: Any = False, output_type: Any = None, grad_a: Any = False, grad_b: Any = False, name: Any = None) -> Tensor:
    """Return the matrix product, with `a` or `b` transposed first if one of that argument's flags is true."""

def matrix_power(a: TensorLike, n: int) -> Tensor:
    """The matrix to the integer power `n`; a negative power is a power of the inverse."""

def matvec(a: TensorLike, b: TensorLike) -> Tensor:
    """A matrix times a vector; either may be a batch."""

def max(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, *, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The largest element along `axis`."""

def max_pool(x: TensorLike, pool_size: Sizes, strides: Sizes | None = None, padding: Padding = 'valid') -> Tensor:
    """The largest element of each window of size `pool_size`; `strides` is `pool_size` by default."""

def maximum(x: TensorLike, y: TensorLike) -> Tensor:
    """The larger of two elements; nan if one of them is nan."""

def mean(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, *, dtype: DTypeLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The mean of the elements along `axis`."""

def median(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False) -> Tensor:
    """The middle element along `axis`, or the mean of the middle two; nan for an empty array."""

def meshgrid(*xs: TensorLike, indexing: str = 'xy') -> list[Tensor]:
    """The coordinates of a grid, one array for each row in `xs`; with "xy" the second row runs along the first axis."""

def min(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, *, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The smallest element along `axis`."""

def minimum(x: TensorLike, y: TensorLike) -> Tensor:
    """The smaller of two elements; nan if one of them is nan."""

def mod(x: TensorLike, y: TensorLike) -> Tensor:
    """The remainder of the division x / y, with the sign of y: what `%` computes."""

def moveaxis(x: TensorLike, source: Any, destination: Any) -> Tensor:
    """Move the axes `source` to the positions `destination`; the others keep their order."""

def multiply(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of two arrays, element by element."""

def nan_to_num(x: TensorLike, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """`x` with nan, inf and -inf replaced by numbers: by default 0 and the largest numbers of the dtype."""

def nancumprod(x: TensorLike, axis: int | None = None) -> Tensor:
    """The running product along `axis`, with nan counted as 1."""

def nancumsum(x: TensorLike, axis: int | None = None) -> Tensor:
    """The running sum along `axis`, with nan counted as 0."""

def nanmax(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, *, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The largest element along `axis` that is not nan; see `max` for the keywords."""

def nanmean(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, **keywords: Any) -> Tensor:
    """The mean along `axis` of the elements that are not nan, nan if there are none; see `mean` for the keywords."""

def nanmedian(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False) -> Tensor:
    """The median of the elements that are not nan."""

def nanmin(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, *, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The smallest element along `axis` that is not nan; see `min` for the keywords."""

def nanpercentile(x: TensorLike, q: Any, axis: Axis | None = None, method: str = 'linear', keepdims: builtins.bool = False) -> Tensor:
    """`quantile` of the elements that are not nan, with `q` from 0 to 100."""

def nanprod(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, **keywords: Any) -> Tensor:
    """The product along `axis` of the elements that are not nan, 1 if there are none; see `prod` for the keywords."""

def nanquantile(x: TensorLike, q: TensorLike, axis: Axis | None = None, method: str = 'linear', keepdims: builtins.bool = False) -> Tensor:
    """`quantile` of the elements that are not nan."""

def nanstd(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, ddof: float = 0, **keywords: Any) -> Tensor:
    """The standard deviation along `axis` of the elements that are not nan; see `std` for the keywords."""

def nansum(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, **keywords: Any) -> Tensor:
    """The sum along `axis` of the elements that are not nan, 0 if there are none; see `sum` for the keywords."""

def nanvar(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, ddof: float = 0, **keywords: Any) -> Tensor:
    """The variance along `axis` of the elements that are not nan; see `var` for the keywords."""

def negative(x: TensorLike) -> Tensor:
    """Each element with the opposite sign."""

nest: Any

nn: Any

def norm(tensor: Any, ord: Any = 'euclidean', axis: Axis | None = None, keepdims: builtins.bool | None = None, name: Any = None) -> Tensor:
    """Return the norm of vectors along one axis, of matrices along two axes, or of all elements if `axis` is None."""

def not_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether the elements differ."""

def one_hot(indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None, dtype: Any = None, name: Any = None) -> Tensor:
    """Return a row of length `depth` for each index, with `on_value` at the index and `off_value` elsewhere."""

def ones(shape: Any, dtype: Any = 'float32', name: Any = None, layout: Any = None) -> Tensor:
    """A Tensor of ones with the default float dtype."""

def ones_like(input: TensorLike, dtype: DTypeLike | None = None, name: Any = None, layout: Any = None) -> Tensor:
    """Ones in the shape and dtype of `x`."""

optimizers: Any

def outer(a: TensorLike, b: TensorLike) -> Tensor:
    """The matrix of products of each element of `a` with each element of `b`."""

def pad(tensor: TensorLike, paddings: Any, mode: str = 'CONSTANT', constant_values: Any | None = 0, name: Any = None, *, stat_length: Any = None, end_values: Any = 0, reflect_type: str = 'even') -> Tensor:
    """`x` with elements added before and after along each axis, as in `np.pad`."""

def percentile(x: TensorLike, q: TensorLike, axis: Axis | None = None, method: str = 'linear', keepdims: builtins.bool = False) -> Tensor:
    """`quantile` with `q` from 0 to 100."""

def pinv(a: TensorLike, *, rcond: float | None = None, rtol: float | None = None) -> Tensor:
    """The pseudoinverse of each matrix; its product with `b` is the shortest solution of the least-squares problem."""

def polygamma(n: Any, x: TensorLike) -> Tensor:
    """The derivative of order n + 1 of gammaln; polygamma(0, x) is also called digamma."""

def polyval(p: TensorLike, x: TensorLike) -> Tensor:
    """The polynomial with coefficients `p`, highest power first, evaluated at `x` by Horner's scheme."""

def positive(x: TensorLike) -> Tensor:
    """Each element unchanged, in a new node of the graph."""

def pow(x: TensorLike, y: TensorLike) -> Tensor:
    """x to the power y. Squares and cubes are computed as products: 4 times as fast, or 70 times for negative `x`."""

def power(x: TensorLike, y: TensorLike) -> Tensor:
    """x to the power y. Squares and cubes are computed as products: 4 times as fast, or 70 times for negative `x`."""

def prod(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, *, dtype: DTypeLike | None = None, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The product of the elements along `axis`."""

def product_of_others(x: TensorLike, axis: Axis | None = None) -> Tensor:
    """For each element, the product of all other elements along `axis`, computed without a division."""

def put_along_axis(x: TensorLike, indices: TensorLike, values: TensorLike, axis: int = -1) -> Tensor:
    """A copy of `x` with `values` written to each row along `axis`, at the indices in the same row of `indices`."""

def qr(a: TensorLike) -> QRResult:
    """Q with orthonormal columns and R upper triangular, with Q @ R = a."""

def quantile(x: TensorLike, q: TensorLike, axis: Axis | None = None, method: str = 'linear', keepdims: builtins.bool = False) -> Tensor:
    """The number below which a fraction `q` of the elements along `axis` lies, differentiable in `x`."""

def rad2deg(x: TensorLike) -> Tensor:
    """Each angle in radians converted to degrees."""

random: Any

def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: Any = 'range') -> Tensor:
    """Return the numbers from `start` up to but not including `limit`."""

def rank(input: Any, name: Any = None) -> Tensor:
    """Return the number of axes of `input`, as a Tensor."""

def ravel(x: TensorLike, order: str = 'C') -> Tensor:
    """Flatten `x` to one axis; `order` is as in `reshape`."""

def reciprocal(x: TensorLike) -> Tensor:
    """1 divided by each element."""

def reduce_all(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None, *, where: TensorLike = True) -> Tensor:
    """True if all of the elements along `axis` that are in the mask `where` are true."""

def reduce_any(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None, *, where: TensorLike = True) -> Tensor:
    """True if any of the elements along `axis` that are in the mask `where` is true."""

def reduce_logsumexp(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None) -> Tensor:
    """log(sum(exp(x))) along `axis`, computed relative to the largest element so that nothing overflows."""

def reduce_max(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None, *, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The largest element along `axis`."""

def reduce_mean(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None, *, dtype: DTypeLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The mean of the elements along `axis`."""

def reduce_min(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None, *, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The smallest element along `axis`."""

def reduce_prod(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None, *, dtype: DTypeLike | None = None, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The product of the elements along `axis`."""

def reduce_sum(input_tensor: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, name: Any = None, *, dtype: DTypeLike | None = None, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The sum of the elements along `axis` (an int, a tuple of ints, or None for all)."""

def relu(x: TensorLike) -> Tensor:
    """Each element where it is positive, else 0: the rectified linear unit."""

def repeat(input: TensorLike, repeats: int | tuple[int, ...], axis: int | None = None, name: Any = None) -> Tensor:
    """`x` with each element repeated along `axis`; by default `x` is flattened first."""

def reshape(tensor: TensorLike, shape: int | Sequence[int], name: Any = None, *, order: str = 'C') -> Tensor:
    """Arrange the elements in a different shape; one length may be -1."""

def reverse(tensor: TensorLike, axis: Axis, name: Any = None) -> Tensor:
    """`x` with the order of its elements reversed along `axis` (an int, several, or None for all)."""

def right_shift(x: TensorLike, y: TensorLike) -> Tensor:
    """The bits of x moved y places to the right: x divided by 2 to the power y, rounded down."""

def roll(input: TensorLike, shift: int | tuple[int, ...], axis: Axis, name: Any = None) -> Tensor:
    """`x` with its elements shifted along `axis`; elements pushed off one end reappear at the other."""

def rollaxis(x: TensorLike, axis: int, start: int = 0) -> Tensor:
    """Move `axis` to just before the axis currently at `start`; `moveaxis` takes the final position instead."""

def rot90(x: TensorLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """`x` rotated in the plane of two axes by `k` quarter turns, from the first axis towards the second."""

def round(x: TensorLike, name: Any = None, *, decimals: int = 0) -> Tensor:
    """`x` rounded to the nearest number with `decimals` decimal places; halves go to the even neighbour."""

def rsqrt(x: TensorLike) -> Tensor:
    """1 divided by the square root of each element."""

def scan(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: builtins.bool = True, swap_memory: Any = False, infer_shape: Any = True, reverse: builtins.bool = False, name: Any = None) -> Tensor:
    """Call state = fn(state, row) for each row of `elems`, and return the stacked states, one for each row."""

def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: Any = '', name: Any = None) -> Tensor:
    """Return zeros of shape `shape` with `updates` added at the positions in the last axis of `indices`."""

def scatter_sum(*values: TensorLike, shape: tuple[int, ...], keys: tuple[TensorLike, ...]) -> Tensor:
    """Zeros of shape `shape`, with `values[i]` added at `keys[i]` for each i: the gradient of several indexings of `x`."""

def searchsorted(sorted_sequence: Any, values: Any, side: Any = 'left', out_type: Any = 'int32', name: Any = None) -> Tensor:
    """Return the positions, int32 by default, for inserting `values` so that the sequence stays sorted."""

def select(condlist: TensorLike, choicelist: Any, default: TensorLike = 0) -> Tensor:
    """Each element from the first choice whose condition is true for that element, else from `default`."""

def shape(input: Any, out_type: Any = None, name: Any = None) -> Tensor:
    """Return the shape of `input` as a Tensor of integers, int32 by default; `x.shape` is a tuple."""

def sigmoid(x: TensorLike) -> Tensor:
    """1 / (1 + e**-x), computed from e**-|x| so that nothing overflows."""

def sigmoid_cross_entropy(logits: TensorLike, labels: TensorLike) -> Tensor:
    """The cross entropy between labels from 0 to 1 and sigmoid(logits), element by element."""

def sigmoid_slope(x: TensorLike) -> Tensor:
    """sigmoid(x) * sigmoid(-x), the derivative of the sigmoid."""

def sign(x: TensorLike) -> Tensor:
    """The sign of each element: -1, 0 or 1."""

def silu(x: TensorLike) -> Tensor:
    """`x` times sigmoid(x), also called swish."""

def sin(x: TensorLike) -> Tensor:
    """Sine of each element, an angle in radians."""

def sinc(x: TensorLike) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""

def sinc_derivative(n: int, x: TensorLike) -> Tensor:
    """The n-th derivative of sinc, for an integer n >= 0."""

def sinh(x: TensorLike) -> Tensor:
    """Hyperbolic sine of each element."""

def size(input: Any, out_type: Any = None, name: Any = None) -> Tensor:
    """Return the number of elements of `input`, as a Tensor of integers, int32 by default."""

def slice(input_: Any, begin: Sequence[Any], size: Sequence[Any], name: Any = None) -> Tensor:
    """Return the block of `x` that starts at `begin` and has the shape `size`; a size of -1 means the rest of the axis."""

def slogdet(a: TensorLike) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its absolute value, which does not overflow."""

def softmax(x: TensorLike, axis: Axis = -1) -> Tensor:
    """exp(x) / sum(exp(x)) along `axis`: positive numbers that add up to 1."""

def softmax_cross_entropy(logits: TensorLike, labels: TensorLike) -> Tensor:
    """The cross entropy between labels and softmax(logits) over the last axis, one number for each row."""

def softplus(x: TensorLike) -> Tensor:
    """log(1 + e**x), computed as max(x, 0) + log1p(e**-|x|) so that nothing overflows."""

def solve(a: TensorLike, b: TensorLike) -> Tensor:
    """The x with a @ x = b. A `b` with one axis is a vector; with more axes, it is a batch of matrices."""

def sort(values: Any, axis: int = -1, direction: str = 'ASCENDING', name: Any = None) -> Tensor:
    """Return the elements in sorted order along `axis`."""

def split(value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: Any = 'split') -> tuple[Tensor, ...]:
    """Cut `value` along `axis` into a number of equal parts, or into parts of given sizes; one -1 means the rest."""

def sqrt(x: TensorLike) -> Tensor:
    """Square root of each element."""

def square(x: TensorLike) -> Tensor:
    """Each element times itself."""

def squeeze(input: TensorLike, axis: int | tuple[int, ...] | None = None, name: Any = None) -> Tensor:
    """Drop axes of length 1: all of them, or those named by `axis`."""

def stack(values: Sequence[TensorLike], axis: int = 0, name: Any = 'stack', *, dtype: DTypeLike | None = None, casting: Any = 'same_kind') -> Tensor:
    """Join arrays of the same shape along a new axis. dtype, casting : as for concatenate."""

def std(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, ddof: float = 0, *, dtype: DTypeLike | None = None, where: TensorLike | None = None, correction: float | None = None) -> Tensor:
    """The square root of the variance along `axis`; see `var` for the arguments."""

def stop_gradient(input: TensorLike, name: Any = None) -> Tensor:
    """The same value as a constant: no gradient passes through it."""

def subtract(x: TensorLike, y: TensorLike) -> Tensor:
    """The difference of two arrays, element by element."""

def sum(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, *, dtype: DTypeLike | None = None, initial: TensorLike | None = None, where: TensorLike | None = None) -> Tensor:
    """The sum of the elements along `axis` (an int, a tuple of ints, or None for all)."""

def sum_to(x: TensorLike, shape: tuple[int, ...]) -> Tensor:
    """Sum `x` over the axes along which an array of shape `shape` would be broadcast to the shape of `x`."""

def svd(a: TensorLike, full_matrices: builtins.bool = True, compute_uv: builtins.bool = True) -> SVDResult:
    """The matrix U, the singular values in descending order, and V transposed."""

def svdvals(a: TensorLike) -> Tensor:
    """The singular values, descending."""

def swapaxes(x: TensorLike, axis1: Any, axis2: Any) -> Tensor:
    """Exchange two axes."""

def take(x: TensorLike, indices: TensorLike, axis: int | None = None, mode: str = 'raise') -> Tensor:
    """The elements, rows or planes of `x` at `indices` along `axis`; None takes from all elements in C order."""

def take_along_axis(x: TensorLike, indices: TensorLike, axis: int | None = -1) -> Tensor:
    """From each row of `x` along `axis`, the elements at the indices in the same row of `indices`."""

def tan(x: TensorLike) -> Tensor:
    """Tangent of each element, an angle in radians."""

def tanh(x: TensorLike) -> Tensor:
    """Hyperbolic tangent of each element, between -1 and 1."""

def tanh_slope(x: TensorLike) -> Tensor:
    """1 / cosh(x)**2, the derivative of tanh."""

def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = '', name: Any = None) -> Tensor:
    """Return a copy of `tensor` with `updates` added at the positions in the last axis of `indices`."""

def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: Any = None) -> Tensor:
    """Return a copy of `tensor` with `updates` at the positions in the last axis of `indices`."""

def tensordot(a: TensorLike, b: TensorLike, axes: int | tuple[Axis, Axis], name: Any = None) -> Tensor:
    """The sum of products over pairs of axes."""

def tile(input: TensorLike, multiples: int | tuple[int, ...], name: Any = None) -> Tensor:
    """`x` repeated as a whole, `reps` times along each axis."""

def top_k(x: TensorLike, k: int, sorted: builtins.bool = True) -> tuple[Tensor, Tensor]:
    """The `k` largest elements along the last axis, the largest first, and their indices."""

def trace(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The sum of a diagonal."""

def transpose(a: TensorLike, perm: Sequence[int] | None = None, conjugate: Any = False, name: Any = 'transpose') -> Tensor:
    """Reorder the axes; by default their order is reversed."""

def trapezoid(y: TensorLike, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """The integral of `y` along `axis` by the trapezoidal rule."""

def triangular_solve(a: TensorLike, b: TensorLike, lower: builtins.bool = True) -> Tensor:
    """The x with a @ x = b, using only the lower (or upper) triangle of `a`."""

def tril(x: TensorLike, k: int = 0) -> Tensor:
    """The lower triangle, with zeros above diagonal number `k`."""

def triu(x: TensorLike, k: int = 0) -> Tensor:
    """The upper triangle, with zeros below diagonal number `k`."""

def truediv(x: TensorLike, y: TensorLike) -> Tensor:
    """The quotient of two arrays, element by element."""

def trunc(x: TensorLike) -> Tensor:
    """Each element without its fraction: rounded towards 0."""

def truncatemod(x: TensorLike, y: TensorLike) -> Tensor:
    """The remainder of the division x / y, with the sign of x."""

uint8: np.dtype[Any]

def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: Any = 'unstack') -> tuple[Tensor, ...]:
    """Cut `x` into its slices along `axis`, and drop that axis: the inverse of `stack`."""

def var(x: TensorLike, axis: Axis | None = None, keepdims: builtins.bool = False, ddof: float = 0, *, dtype: DTypeLike | None = None, where: TensorLike | None = None, correction: float | None = None) -> Tensor:
    """The mean squared distance from the mean along `axis`; the sum of the squares is divided by n - ddof."""

def vdot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products of all elements."""

def vecdot(a: TensorLike, b: TensorLike, axis: int = -1) -> Tensor:
    """The sum of products along one axis of both arrays, which broadcast against each other."""

def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: Any = True, warn: Any = True) -> Any:
    """Call `f` on each row of `elements`, and return the stacked results. Both may be nested structures."""

def where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Tensor:
    """Return `x` where the condition is true, else `y`; without `x` and `y`, return the int64 indices as rows."""

def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None, parallel_iterations: Any = 10, back_prop: builtins.bool = True, swap_memory: Any = False, maximum_iterations: int | None = None, name: Any = None) -> Any:
    """Replace `loop_vars` with body(*loop_vars) as long as cond(*loop_vars) is true, and return the last values."""

def windows(x: TensorLike, size: Each, strides: Each, dilation: Each) -> Tensor:
    """All windows of size `size` of an array (batch, *space, channels): (batch, *positions, *size, channels)."""

def xlog1py(x: TensorLike, y: TensorLike) -> Tensor:
    """x * log(1 + y), but 0 where x is 0 and y is -1."""

def xlogy(x: TensorLike, y: TensorLike) -> Tensor:
    """x * log(y), but 0 where both are 0."""

def zeros(shape: Any, dtype: Any = 'float32', name: Any = None, layout: Any = None) -> Tensor:
    """A Tensor of zeros with the default float dtype."""

def zeros_like(input: TensorLike, dtype: DTypeLike | None = None, name: Any = None, layout: Any = None) -> Tensor:
    """Zeros in the shape and dtype of `x`."""
