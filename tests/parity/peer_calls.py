"""Calls by the names and keywords of TensorFlow and Keras, which mean the same here: the table of `test_peer_calls`.

A line has a function and its arguments by the peer's keywords. Capital letters are random arrays, made anew for each
line; all of them are differentiated. Several calls of one function are separated by ";".
"""

from __future__ import annotations

import numpy as np

UNARY = "features"

TENSORFLOW = """
abs: x=M
acos: x=U
acosh: x=P+1
add: x=M, y=V
add_n: inputs=[M, M2]
argmax: input=M; input=M, axis=1; input=M, axis=-1, output_type='int32'
argmin: input=M; input=M, axis=1; input=M, axis=-1, output_type='int32'
argsort: values=M; values=M, axis=0, direction='DESCENDING', stable=True
asin: x=U
asinh: x=M
atan: x=M
atanh: x=U
bitwise.bitwise_and: x=K, y=K+1
bitwise.bitwise_or: x=K, y=K+1
bitwise.bitwise_xor: x=K, y=K+1
bitwise.invert: x=K
bitwise.left_shift: x=K, y=K
bitwise.right_shift: x=K, y=K
boolean_mask: tensor=M, mask=MASK; tensor=M, mask=[True,False,True]; tensor=M, mask=[True,False,True,True], axis=1
broadcast_to: input=V, shape=(3,4)
cast: x=M, dtype='int32'; x=M, dtype='float32'; x=K, dtype='float64'; x=K, dtype='bool'
clip_by_global_norm: t_list=[M, M2], clip_norm=1.5; t_list=[M, M2], clip_norm=150.0; t_list=[M], clip_norm=1.5, use_norm=2.0
clip_by_norm: t=M, clip_norm=1.0; t=M, clip_norm=100.0; t=M, clip_norm=0.5, axes=[1]; t=M, clip_norm=0.5, axes=1
clip_by_value: t=M, clip_value_min=-0.5, clip_value_max=0.5; t=M, clip_value_min=V, clip_value_max=V+1
concat: values=[M, M2], axis=0; values=[M, M2], axis=-1
constant: value=[1.0,2.0,3.0,4.0,5.0,6.0], shape=(2,3); value=7.0, shape=(2,2); value=[1,2,3]; value=[1,2], dtype='float64'
convert_to_tensor: value=[1.0,2.0]; value=[1,2], dtype='float32'; value=M, dtype_hint='float32'
cos: x=M
cosh: x=M
cumsum: x=M; x=M, axis=1, exclusive=True; x=M, axis=-1, reverse=True; x=M, axis=0, exclusive=True, reverse=True
divide: x=M, y=P
equal: x=K, y=K+0
exp: x=M
expand_dims: input=M, axis=0; input=M, axis=-1
eye: num_rows=3; num_rows=2, num_columns=3, dtype='float64'; num_rows=2, batch_shape=[3]
fill: dims=[2,3], value=7.0; dims=[], value=3; dims=[2], value=True
floor: x=M
gather: params=M, indices=[2,0]; params=M, indices=[[2,0],[1,1]], axis=1; params=M, indices=[[1],[0],[3]], batch_dims=1; params=T, indices=[[1,0],[0,0]], axis=2, batch_dims=1; params=T, indices=[[1,0],[0,1]], axis=-1, batch_dims=1; params=M, indices=1; params=M, indices=[0,2], axis=-1; params=T, indices=[[2,0,1],[1,1,0]], batch_dims=-1, axis=1; params=M, indices=[3,1,0], batch_dims=1
gather_nd: params=M, indices=[[0,1],[2,3]]; params=M, indices=[[2],[0]]; params=T, indices=[[1],[0]], batch_dims=1; params=T, indices=[[1,0],[0,1]], batch_dims=1
greater: x=M, y=V
greater_equal: x=M, y=V
identity: input=M
image.extract_patches: images=IMAGE, sizes=[1,2,3,1], strides=[1,1,2,1], rates=[1,1,1,1], padding='VALID'; images=IMAGE, sizes=[1,2,2,1], strides=[1,2,2,1], rates=[1,2,1,1], padding='SAME'
keras.losses.BinaryCrossentropy.__call__: y_true=L, y_pred=Q
keras.losses.mse: y_true=M, y_pred=M2
keras.losses.mean_squared_error: y_true=M, y_pred=M2
less: x=M, y=V
less_equal: x=M, y=V
linalg.band_part: input=S, num_lower=1, num_upper=0; input=T, num_lower=-1, num_upper=1
linalg.cholesky: input=SPD
linalg.cross: a=C, b=C2
linalg.det: input=S; input=BS
linalg.diag: diagonal=V; diagonal=M; diagonal=M, k=1; diagonal=V, k=-1
linalg.diag_part: input=S; input=BS, k=1; input=S, k=-1
linalg.eigvalsh: tensor=SPD
linalg.eye: num_rows=3
linalg.global_norm: t_list=[M, V]
linalg.inv: input=S; input=BS, adjoint=True
linalg.l2_normalize: x=M; x=M, axis=1; x=M, axis=[0], epsilon=3.0
linalg.logdet: matrix=SPD
linalg.lstsq: matrix=TALL, rhs=RHS, fast=False; matrix=TALL, rhs=RHS, l2_regularizer=0.3; matrix=TALL, rhs=RHS; matrix=WIDE, rhs=RHS3, l2_regularizer=0.3; matrix=WIDE, rhs=RHS3
linalg.matmul: a=M, b=TALL; a=M, b=M2, transpose_b=True; a=M, b=M2, adjoint_a=True
linalg.matrix_transpose: a=M; a=T, conjugate=True
linalg.matvec: a=M, b=V; a=M, b=R, transpose_a=True; a=M, b=R, adjoint_a=True
linalg.norm: tensor=M; tensor=M, ord=1; tensor=M, ord=2, axis=1; tensor=M, ord='fro', axis=[0,1], keepdims=True; tensor=M, ord=INF, axis=0; tensor=M, ord=1, axis=[-2,-1]; tensor=M, ord=3, axis=-1
linalg.pinv: a=TALL; a=WIDE, rcond=0.1
linalg.slogdet: input=S
linalg.solve: matrix=S, rhs=RHS3; matrix=BS, rhs=BR, adjoint=True; matrix=S, rhs=RHS3, adjoint=True
linalg.tensordot: a=M, b=M2, axes=2; a=M, b=M2, axes=[[0],[0]]
linalg.trace: x=S; x=BS
linalg.triangular_solve: matrix=S, rhs=RHS3; matrix=S, rhs=RHS3, lower=False; matrix=S, rhs=RHS3, adjoint=True; matrix=S, rhs=RHS3, lower=False, adjoint=True
linspace: start=A, stop=B, num=5; start=V, stop=V2, num=3, axis=1; start=A, stop=B, num=4, axis=-1
math.add_n: inputs=[M, M2]
math.atan2: y=M, x=M2; y=A, x=V
math.ceil: x=M
math.cumprod: x=M; x=M, axis=1, exclusive=True; x=M, axis=-1, reverse=True; x=M, exclusive=True, reverse=True
math.digamma: x=P
math.divide_no_nan: x=M, y=P; x=M, y=0.0*V; x=M, y=0.0*M2
math.erf: x=M
math.erfc: x=M
math.expm1: x=M
math.floordiv: x=M, y=P; x=-K, y=3
math.floormod: x=M, y=P; x=-K, y=3
math.is_finite: x=M
math.is_inf: x=M
math.is_nan: x=M
math.l2_normalize: x=M, axis=0, epsilon=1e-3
math.lgamma: x=P
math.log: x=P
math.log1p: x=P
math.log_sigmoid: x=M
math.logical_and: x=MASK, y=NASK
math.logical_not: x=MASK
math.logical_or: x=MASK, y=NASK
math.logical_xor: x=MASK, y=NASK
math.polygamma: a=1.0, x=P; a=2.0, x=P
math.reciprocal: x=P
math.reduce_euclidean_norm: input_tensor=M; input_tensor=M, axis=1, keepdims=True
math.reduce_std: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,2]
math.reduce_variance: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,2]
math.rsqrt: x=P
math.segment_sum: data=M, segment_ids=[0,0,2]
math.sigmoid: x=M
math.softplus: features=M
math.squared_difference: x=M, y=V
math.top_k: input=M, k=2; input=M; input=M, k=3, sorted=True, index_type='int64'
math.unsorted_segment_sum: data=M, segment_ids=[1,0,1], num_segments=3; data=M, segment_ids=[1,-1,1], num_segments=2
math.xlog1py: x=M, y=P
math.xlogy: x=M, y=P
matmul: a=M, b=TALL; a=M, b=M2, transpose_a=True; a=BS, b=BR
maximum: x=M, y=V
minimum: x=M, y=V
multiply: x=M, y=V
negative: x=M
nest.flatten: structure=[1,(2,{'b':3,'a':4})]
nest.pack_sequence_as: structure={'b':1,'a':[2]}, flat_sequence=[5,6]
nn.avg_pool: input=IMAGE, ksize=2, strides=2, padding='VALID'; input=IMAGE, ksize=[1,2,3,1], strides=[1,1,2,1], padding='SAME'
nn.avg_pool2d: input=IMAGE, ksize=[2,2], strides=[1,2], padding='SAME'; input=IMAGE, ksize=2, strides=1, padding='VALID', data_format='NHWC'
nn.batch_normalization: x=M, mean=V, variance=P[0], offset=V2, scale=V+1, variance_epsilon=0.1; x=M, mean=V, variance=P[0], offset=None, scale=None, variance_epsilon=1e-3; x=M, mean=V, variance=P[0], offset=None, scale=V2, variance_epsilon=1e-3
nn.bias_add: value=M, bias=V; value=T, bias=R, data_format='NCHW'; value=IMAGE, bias=W, data_format='NHWC'
nn.conv1d: input=LINE, filters=KERNEL1, stride=1, padding='SAME'; input=LINE, filters=KERNEL1, stride=2, padding='VALID'; input=LINE, filters=KERNEL1, stride=1, padding='VALID', dilations=2; input=LINE, filters=KERNEL1, stride=[1,2,1], padding='SAME', data_format='NWC'
nn.conv2d: input=IMAGE, filters=KERNEL, strides=1, padding='SAME'; input=IMAGE, filters=KERNEL, strides=[1,2,1,1], padding='VALID'; input=IMAGE, filters=KERNEL, strides=[2,1], padding=[[0,0],[1,0],[2,1],[0,0]]; input=IMAGE, filters=KERNEL, strides=1, padding='VALID', dilations=[1,2,1,1]; input=IMAGE, filters=KERNEL, strides=1, padding='SAME', dilations=[1,2]
nn.conv3d: input=BOX, filters=KERNEL3, strides=[1,1,1,1,1], padding='SAME'; input=BOX, filters=KERNEL3, strides=[1,2,1,1,1], padding='VALID'
nn.convolution: input=IMAGE, filters=KERNEL; input=IMAGE, filters=KERNEL, strides=2, padding='SAME'; input=LINE, filters=KERNEL1, dilations=2; input=IMAGE, filters=KERNEL, dilations=[1,2], padding='VALID'
nn.elu: features=M
nn.embedding_lookup: params=M, ids=[2,0,2]; params=M, ids=[[1],[2]]
nn.gelu: features=M; features=M, approximate=True
nn.l2_loss: t=M
nn.l2_normalize: x=M, axis=-1
nn.leaky_relu: features=M; features=M, alpha=0.5
nn.log_softmax: logits=M; logits=M, axis=0; logits=T, axis=1
nn.max_pool: input=IMAGE, ksize=2, strides=2, padding='VALID'; input=IMAGE, ksize=[1,2,3,1], strides=[1,1,2,1], padding='SAME'
nn.max_pool2d: input=IMAGE, ksize=[2,2], strides=[1,2], padding='SAME'
nn.moments: x=M, axes=[0]; x=T, axes=[0,2], keepdims=True; x=M, axes=1, shift=None
nn.relu: features=M
nn.relu6: features=5*M
nn.selu: features=M
nn.sigmoid: x=M
nn.sigmoid_cross_entropy_with_logits: labels=L, logits=M
nn.silu: features=M; features=M, beta=2.0
nn.softmax: logits=M; logits=M, axis=0; logits=T, axis=1
nn.softmax_cross_entropy_with_logits: labels=PROBS, logits=M; labels=PROBS0, logits=M, axis=0
nn.softplus: features=M
nn.softsign: features=M
nn.sparse_softmax_cross_entropy_with_logits: labels=[3,0,1], logits=M
nn.swish: features=M; features=M, beta=0.5
nn.tanh: x=M
nn.top_k: input=M, k=2
norm: tensor=M; tensor=M, axis=1, keepdims=True; tensor=V, ord=1
not_equal: x=K, y=K+0
one_hot: indices=[0,2,1], depth=3; indices=[0,2,-1], depth=4, on_value=5.0, off_value=-1.0; indices=[[0,1]], depth=2, axis=0; indices=[0,1], depth=3, dtype='int32'; indices=[0,1], depth=2, on_value=2, off_value=0; indices=[1], depth=2, on_value=True, off_value=False; indices=[[0,1]], depth=3, axis=1, on_value=3.0
ones: shape=(2,3); shape=[2], dtype='int32'
ones_like: input=M; input=M, dtype='int32'
pad: tensor=M, paddings=[[1,0],[0,2]]; tensor=M, paddings=[[1,0],[0,2]], constant_values=3.0; tensor=M, paddings=[[1,2],[0,3]], mode='REFLECT'; tensor=M, paddings=[[1,2],[0,3]], mode='SYMMETRIC'; tensor=M, paddings=[[1,0],[0,2]], mode='CONSTANT'
pow: x=P, y=M
range: start=5; start=2, limit=10, delta=3; start=0.0, limit=1.0, delta=0.25; start=1, limit=4, dtype='float64'; start=10, limit=0, delta=-3
rank: input=T
reduce_all: input_tensor=MASK; input_tensor=MASK, axis=1, keepdims=True
reduce_any: input_tensor=MASK; input_tensor=MASK, axis=[0], keepdims=False
reduce_logsumexp: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,2]
reduce_max: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,-1]
reduce_mean: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,-1]; input_tensor=K
reduce_min: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,-1]
reduce_prod: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,-1]
reduce_sum: input_tensor=M; input_tensor=M, axis=1, keepdims=True; input_tensor=T, axis=[0,-1]; input_tensor=K
repeat: input=M, repeats=2; input=M, repeats=2, axis=1; input=M, repeats=[1,0,2], axis=0
reshape: tensor=M, shape=[2,-1]; tensor=M, shape=(4,3); tensor=M, shape=[-1]
reverse: tensor=M, axis=[0]; tensor=M, axis=[0,-1]
roll: input=M, shift=1, axis=0; input=M, shift=[1,-2], axis=[0,1]
round: x=3*M; x=HALVES
scatter_nd: indices=[[0],[2],[0]], updates=M, shape=[4,4]; indices=[[0,1],[2,3],[0,1]], updates=R, shape=[3,4]
searchsorted: sorted_sequence=[1.0,2.0,4.0], values=[0.5,2.0,9.0]; sorted_sequence=[1.0,2.0,4.0], values=[0.5,2.0,9.0], side='right', out_type='int64'; sorted_sequence=[[1.0,2.0,4.0],[0.0,1.0,2.0]], values=[[0.5,2.0],[1.0,9.0]]
shape: input=T; input=T, out_type='int64'
sign: x=M
sin: x=M
sinh: x=M
size: input=T; input=T, out_type='int64'
slice: input_=M, begin=[0,1], size=[2,-1]; input_=T, begin=[1,0,1], size=[1,3,1]
sort: values=M; values=M, axis=0, direction='DESCENDING'
split: value=M, num_or_size_splits=2, axis=1; value=M, num_or_size_splits=[1,2]; value=M, num_or_size_splits=[1,3], axis=-1, num=2; value=M, num_or_size_splits=3
sqrt: x=P
square: x=M
squeeze: input=ONES; input=ONES, axis=[0]; input=ONES, axis=2; input=ONES, axis=[-1, 0]
stack: values=[M, M2]; values=[M, M2], axis=-1
stop_gradient: input=M
subtract: x=M, y=V
tan: x=U
tanh: x=M
tensor_scatter_nd_add: tensor=M, indices=[[0],[2],[0]], updates=M2; tensor=M, indices=[[0,1],[2,3]], updates=V[:2]
tensor_scatter_nd_update: tensor=M, indices=[[0],[2]], updates=M2[:2]; tensor=M, indices=[[0,1],[2,3]], updates=V[:2]
tensordot: a=M, b=M2, axes=[[1],[1]]; a=M, b=TALL, axes=1; a=V, b=V2, axes=0
tile: input=M, multiples=[2,1]; input=T, multiples=[1,2,3]
transpose: a=M; a=T; a=T, perm=[2,0,1]; a=T, perm=[1,0,2], conjugate=True
truediv: x=M, y=P; x=K, y=2
truncatemod: x=M, y=P
unstack: value=M; value=M, axis=1; value=M, num=3, axis=0; value=T, num=2, axis=-1
where: condition=MASK, x=M, y=M2; condition=MASK; condition=MASK, x=M, y=0.0
zeros: shape=(2,3); shape=[2], dtype='int32'
zeros_like: input=M; input=M, dtype='int32'
"""

KERAS = """
abs: x=M
absolute: x=M
add: x1=M, x2=V
all: x=MASK; x=MASK, axis=1, keepdims=True
amax: x=M; x=M, axis=1, keepdims=True
amin: x=M; x=M, axis=1, keepdims=True
any: x=MASK; x=MASK, axis=1, keepdims=True
append: x1=M, x2=M2; x1=M, x2=M2, axis=0; x1=M, x2=M2, axis=-1
arange: start=5; start=1, stop=6, step=2; start=0.0, stop=1.0, step=0.25; start=1, stop=3, dtype='float64'
arccos: x=U
arccosh: x=P+1
arcsin: x=U
arcsinh: x=M
arctan: x=M
arctan2: x1=M, x2=M2; x1=A, x2=V
arctanh: x=U
argmax: x=M; x=M, axis=1; x=M, axis=0, keepdims=True
argmin: x=M; x=M, axis=1; x=M, axis=0, keepdims=True
argsort: x=M; x=M, axis=0
array_split: x=M, indices_or_sections=2; x=M, indices_or_sections=3, axis=1; x=M, indices_or_sections=[1,3], axis=1
average: x=M; x=M, axis=1; x=M, axis=1, weights=V; x=M, axis=0, weights=R; x=M, weights=M2
average_pool: inputs=IMAGE, pool_size=2; inputs=IMAGE, pool_size=(2,3), strides=(1,2), padding='same'; inputs=IMAGE, pool_size=2, data_format='channels_first'; inputs=LINE, pool_size=2, strides=1
batch_normalization: x=M, mean=V, variance=P[0], axis=1; x=M, mean=V, variance=P[0], axis=-1, offset=V2, scale=V+1, epsilon=0.1; x=T, mean=R, variance=R*R, axis=1, scale=R+1
binary_crossentropy: target=L, output=Q; target=L, output=M, from_logits=True
bitwise_and: x=K, y=K+1
bitwise_not: x=K
bitwise_or: x=K, y=K+1
bitwise_xor: x=K, y=K+1
broadcast_to: x=V, shape=(3,4)
cast: x=M, dtype='int32'; x=M, dtype='float32'; x=K, dtype='float64'; x=K, dtype='bool'
categorical_crossentropy: target=PROBS, output=Q; target=PROBS, output=M, from_logits=True; target=PROBS0, output=M, from_logits=True, axis=0
cbrt: x=M
ceil: x=M
cholesky: x=SPD; x=SPD, upper=True
clip: x=M, x_min=-0.5, x_max=0.5; x=M, x_min=V, x_max=V+1
concatenate: xs=[M, M2]; xs=[M, M2], axis=-1
conv: inputs=IMAGE, kernel=KERNEL; inputs=IMAGE, kernel=KERNEL, strides=2, padding='same'; inputs=IMAGE, kernel=KERNEL, dilation_rate=(1,2); inputs=CIMAGE, kernel=KERNEL, data_format='channels_first'; inputs=LINE, kernel=KERNEL1, strides=1, padding='valid', data_format='channels_last', dilation_rate=2; inputs=IMAGE, kernel=KERNEL, strides=(1,2), padding='valid'
conv_transpose: inputs=IMAGE, kernel=BACK; inputs=IMAGE, kernel=BACK, strides=2, padding='same'; inputs=CIMAGE, kernel=BACK, strides=2, data_format='channels_first'; inputs=IMAGE, kernel=BACK, strides=3, padding='valid', output_padding=1; inputs=LINE, kernel=BACK1, dilation_rate=2
convert_to_numpy: x=M
convert_to_tensor: x=[1.0,2.0], dtype='float64'; x=[1,2], dtype='float32'
copy: x=M
corrcoef: x=M
correlate: x1=V, x2=R; x1=V, x2=R, mode='same'; x1=V, x2=R, mode='full'
cos: x=M
cross: x1=C, x2=C2; x1=C, x2=C2, axis=1
cumprod: x=M; x=M, axis=1; x=M, axis=0, dtype='float64'
cumsum: x=M; x=M, axis=1; x=M, axis=0, dtype='float64'
deg2rad: x=M
det: x=S; x=BS
diag: x=V; x=V, k=1; x=S; x=S, k=-1
diagflat: x=V; x=M, k=1
diagonal: x=S; x=M, offset=1; x=T, offset=0, axis1=1, axis2=2
diff: a=M; a=M, n=2; a=M, n=1, axis=0
divide: x1=M, x2=P
dot: x1=M, x2=TALL; x1=V, x2=V2; x1=T, x2=V[:2]; x1=A, x2=M
einsum: subscripts='ij,jk->ik'
elu: x=M; x=M, alpha=0.5
equal: x1=K, x2=K+0
erf: x=M
erfc: x=M
exp: x=M
exp2: x=M
expand_dims: x=M, axis=0; x=M, axis=(0,-1)
expm1: x=M
eye: N=3; N=2, M=3, k=1; N=3, dtype='int32'
flip: x=M; x=M, axis=1; x=M, axis=(0,1)
floor: x=M
floor_divide: x1=M, x2=P
fmax: x1=M, x2=V
fmin: x1=M, x2=V
fmod: x1=M, x2=P
full: shape=(2,3), fill_value=2.0; shape=(2,), fill_value=3, dtype='int32'; shape=3, fill_value=1.5
full_like: x=M, fill_value=2.0; x=M, fill_value=3, dtype='int32'
gelu: x=M; x=M, approximate=False; x=M, approximate=True
get_item: x=M, key=1; x=M, key=(slice(None), 2)
glu: x=M; x=M, axis=1; x=T, axis=2
greater: x1=M, x2=V
greater_equal: x1=M, x2=V
hard_sigmoid: x=3*M
hstack: xs=[M, M2]; xs=[V, V2]
hypot: x1=M, x2=M2
identity: n=3; n=2, dtype='int32'
inner: x1=V, x2=V2; x1=M, x2=M2; x1=A, x2=M
inv: x=S; x=BS
isfinite: x=M
isinf: x=M
isnan: x=M
kron: x1=M, x2=S; x1=V, x2=R
layer_normalization: x=M; x=M, gamma=V, beta=V2, axis=-1, epsilon=0.1; x=T, axis=1; x=T, gamma=T[0], axis=(1,2); x=T, axis=[-1]; x=T, gamma=R, beta=R+1, axis=1; x=M, epsilon=1e-7; x=T, gamma=T[:,0], axis=(0,2); x=M, gamma=V, rms_scaling=True; x=M, rms_scaling=True
leaky_relu: x=M; x=M, negative_slope=0.5
left_shift: x=K, y=K
less: x1=M, x2=V
less_equal: x1=M, x2=V
linspace: start=A, stop=B; start=A, stop=B, num=5, endpoint=False; start=V, stop=V2, num=3, axis=1; start=A, stop=B, num=5, retstep=True; start=0, stop=3, num=4, dtype='int32'; start=V, stop=V2, num=3, endpoint=False, retstep=True
log: x=P
log10: x=P
log1p: x=P
log2: x=P
log_sigmoid: x=M
log_softmax: x=M; x=M, axis=0
logaddexp: x1=M, x2=V
logaddexp2: x1=M, x2=V
logdet: x=SPD
logical_and: x1=MASK, x2=NASK
logical_not: x=MASK
logical_or: x1=MASK, x2=NASK
logical_xor: x1=MASK, x2=NASK
logsumexp: x=M; x=M, axis=1, keepdims=True; x=T, axis=(0,2)
lstsq: a=TALL, b=RHS; a=TALL, b=V; a=TALL, b=V, rcond=0.01; a=WIDE, b=R
matmul: x1=M, x2=TALL; x1=BS, x2=BR; x1=M, x2=V
max: x=M; x=M, axis=1, keepdims=True; x=M, axis=0, initial=0.5
max_pool: inputs=IMAGE, pool_size=2; inputs=IMAGE, pool_size=(2,3), strides=(1,2), padding='same'; inputs=CIMAGE, pool_size=2, data_format='channels_first'; inputs=LINE, pool_size=2, strides=1
maximum: x1=M, x2=V
mean: x=M; x=M, axis=1, keepdims=True; x=T, axis=(0,2)
median: x=M; x=M, axis=1, keepdims=True; x=T, axis=(0,1)
meshgrid: indexing='ij'
min: x=M; x=M, axis=1, keepdims=True; x=M, axis=0, initial=-0.5
minimum: x1=M, x2=V
mod: x1=M, x2=P
moments: x=M, axes=(0,); x=T, axes=(0,2), keepdims=True; x=M, axes=1
moveaxis: x=T, source=0, destination=-1; x=T, source=(0,1), destination=(1,2)
multiply: x1=M, x2=V
nan_to_num: x=M; x=HOLES; x=HOLES, nan=1.0, posinf=2.0, neginf=-3.0
nancumprod: x=HOLED; x=HOLED, axis=1; x=HOLED, axis=0, dtype='float64'
nancumsum: x=HOLED; x=HOLED, axis=1; x=HOLED, axis=0, dtype='float64'
nanmax: x=HOLED; x=HOLED, axis=1, keepdims=True
nanmean: x=HOLED; x=HOLED, axis=1, keepdims=True
nanmedian: x=HOLED; x=HOLED, axis=1, keepdims=True
nanmin: x=HOLED; x=HOLED, axis=1, keepdims=True
nanpercentile: x=HOLED, q=30.0; x=HOLED, q=70.0, axis=1, keepdims=True
nanprod: x=HOLED; x=HOLED, axis=1, keepdims=True
nanquantile: x=HOLED, q=0.3; x=HOLED, q=0.7, axis=1, method='linear', keepdims=True
nanstd: x=HOLED; x=HOLED, axis=1, keepdims=True
nansum: x=HOLED; x=HOLED, axis=1, keepdims=True
nanvar: x=HOLED; x=HOLED, axis=1, keepdims=True
negative: x=M
norm: x=M; x=V, ord=1; x=M, ord='fro'; x=M, ord=1, axis=0; x=M, axis=1, keepdims=True; x=M, ord=INF; x=M, ord=1; x=M, ord=2; x=M, ord='nuc'; x=T, ord=2, axis=(1,2); x=M, ord=0, axis=1; x=T; x=M, ord=3, axis=1; x=M, ord=-2
normalize: x=M; x=M, axis=0, order=1; x=M, axis=-1, order=3; x=M, order=2, epsilon=2.0; x=0.0*M
not_equal: x1=K, x2=K+0
one_hot: x=[0,2,1], num_classes=3; x=[0,2,-1], num_classes=4, dtype='float64'; x=[[0,1]], num_classes=2, axis=0; x=[0,1], num_classes=3, dtype='int32', sparse=False
ones: shape=(2,3); shape=2, dtype='int32'
ones_like: x=M; x=M, dtype='int32'
outer: x1=V, x2=R; x1=M, x2=V
pad: x=M, pad_width=1; x=M, pad_width=((1,0),(0,2)); x=M, pad_width=((1,0),(0,2)), mode='constant', constant_values=3.0; x=M, pad_width=(1,2), mode='reflect'; x=M, pad_width=((1,1),(2,2)), mode='symmetric'; x=M, pad_width=((1,1),(2,2)), constant_values=None
percentile: x=M, q=30.0; x=M, q=70.0, axis=1, keepdims=True
pinv: x=TALL; x=WIDE, rcond=0.1
power: x1=P, x2=M
prod: x=M; x=M, axis=1, keepdims=True; x=M, dtype='float64'
quantile: x=M, q=0.3; x=M, q=0.7, axis=1, method='linear', keepdims=True; x=M, q=0.7, axis=1, method='lower'; x=M, q=0.4, method='midpoint'; x=M, q=0.4, method='nearest'; x=M, q=0.4, method='higher'
rad2deg: x=M
ravel: x=M
reciprocal: x=P
relu: x=M
relu6: x=5*M
repeat: x=M, repeats=2; x=M, repeats=2, axis=1; x=M, repeats=[1,0,2], axis=0
reshape: x=M, newshape=(2,-1); x=M, newshape=(4,3)
right_shift: x=K, y=K
roll: x=M, shift=2; x=M, shift=1, axis=0; x=M, shift=(1,2), axis=(0,1)
rot90: array=M; array=T, k=3, axes=(0,2)
round: x=3*M; x=M, decimals=1
rsqrt: x=P
scatter_update: inputs=M, indices=[[0],[2]], updates=M2[:2]; inputs=M, indices=[[0,1],[0,1]], updates=V[:2], reduction='add'
searchsorted: sorted_sequence=[1.0,2.0,4.0], values=[0.5,2.0,9.0]; sorted_sequence=[1.0,2.0,4.0], values=[0.5,2.0,9.0], side='right'
segment_sum: data=M, segment_ids=[0,0,2]; data=M, segment_ids=[1,0,1], num_segments=4; data=M, segment_ids=[0,1,1], num_segments=2, sorted=True
select: condlist=[MASK, NASK], choicelist=[M, M2]; condlist=[MASK, NASK], choicelist=[M, M2], default=7.0
selu: x=M
sigmoid: x=M
sign: x=M
silu: x=M
sin: x=M
sinc: x=M
sinh: x=M
slice: inputs=M, start_indices=(0,1), shape=(2,2)
slogdet: x=S
softmax: x=M; x=M, axis=0; x=T, axis=(1,2)
softplus: x=M
softsign: x=M
solve: a=S, b=RHS3; a=S, b=R; a=BS, b=BR
solve_triangular: a=S, b=RHS3; a=S, b=RHS3, lower=True; a=S, b=R; a=S, b=R, lower=False
sort: x=M; x=M, axis=0
sparse_categorical_crossentropy: target=[3,0,1], output=Q; target=[3,0,1], output=M, from_logits=True; target=[[3],[0],[1]], output=M, from_logits=True, axis=-1
split: x=M, indices_or_sections=2, axis=1; x=M, indices_or_sections=[1], axis=0; x=M, indices_or_sections=3; x=M, indices_or_sections=[1,3], axis=-1
sqrt: x=P
square: x=M
squeeze: x=ONES; x=ONES, axis=0; x=ONES, axis=-1
stack: x=[M, M2]; x=[M, M2], axis=-1
std: x=M; x=M, axis=1, keepdims=True; x=T, axis=(0,2)
stop_gradient: variable=M
subtract: x1=M, x2=V
sum: x=M; x=M, axis=1, keepdims=True; x=T, axis=(0,-1); x=K
swapaxes: x=T, axis1=0, axis2=2
swish: x=M
take: x=M, indices=[2,0]; x=M, indices=[2,0], axis=1; x=M, indices=1, axis=-1; x=M, indices=[[1,2]], axis=0
take_along_axis: x=M, indices=[[0],[2],[1]], axis=1; x=M, indices=[2,0,5]; x=M, indices=[[0,2,1,0]], axis=0
tan: x=U
tanh: x=M
tensordot: x1=M, x2=M2; x1=M, x2=TALL, axes=1; x1=M, x2=M2, axes=[[0],[0]]
tile: x=M, repeats=2; x=M, repeats=(2,1); x=M, repeats=(2,1,3)
top_k: x=M, k=2; x=M, k=3, sorted=True
trace: x=S; x=T, offset=0, axis1=1, axis2=2; x=M, offset=1
transpose: x=M; x=T; x=T, axes=(2,0,1)
trapezoid: y=M; y=M, dx=0.5, axis=0; y=M, x=[0.0,1.0,3.0,4.0]
tril: x=M; x=T, k=1
triu: x=M; x=T, k=-1
trunc: x=3*M
unstack: x=M; x=M, num=4, axis=1; x=T, axis=-1
var: x=M; x=M, axis=1, keepdims=True; x=T, axis=(0,2)
vdot: x1=V, x2=V2; x1=M, x2=M2
vstack: xs=[M, M2]; xs=[V, V2]
where: condition=MASK, x1=M, x2=M2; condition=MASK; condition=MASK, x1=M, x2=0.0
zeros: shape=(2,3); shape=2, dtype='int32'
zeros_like: x=M; x=M, dtype='int32'
"""


def arrays(rng, dtype):
    """The arrays that the letters stand for."""
    normal = lambda *shape: rng.normal(size=shape)
    square, several, deep, exam = normal(3, 3), normal(2, 3, 3), normal(3, 3), normal(3, 4)
    exps, columns, output = np.exp(exam), np.exp(normal(3, 4)), np.exp(normal(3, 4))
    floats = dict(
        M=normal(3, 4), M2=normal(3, 4), V=normal(4), V2=normal(4), R=normal(3), W=normal(2), A=normal(), B=normal(),
        T=normal(2, 3, 2), P=rng.uniform(0.5, 2.5, (3, 4)), U=rng.uniform(-0.9, 0.9, (3, 4)), C=normal(2, 3),
        C2=normal(2, 3), S=square + 3 * np.eye(3), BS=several + 3 * np.eye(3), BR=normal(2, 3, 2),
        SPD=deep @ deep.T + np.diag([1.0, 2.0, 3.0]), TALL=normal(4, 2), WIDE=normal(3, 4), RHS=normal(4, 2),
        RHS3=normal(3, 2), IMAGE=normal(2, 5, 4, 2), CIMAGE=normal(2, 2, 5, 4), LINE=normal(2, 6, 2),
        BOX=normal(1, 3, 4, 3, 2), KERNEL=normal(2, 2, 2, 3), KERNEL1=normal(2, 2, 3), KERNEL3=normal(2, 2, 2, 2, 1),
        BACK=normal(2, 3, 3, 2), BACK1=normal(2, 3, 2), ONES=normal(1, 3, 1), L=rng.uniform(0, 1, (3, 4)),
        Q=output / output.sum(-1, keepdims=True), PROBS=exps / exps.sum(-1, keepdims=True),
        PROBS0=columns / columns.sum(0), HALVES=np.arange(-5.0, 6.0) / 2,
        HOLED=np.where(np.arange(12).reshape(3, 4) % 5 == 1, np.nan, normal(3, 4)),
        HOLES=np.array([1.0, np.nan, np.inf, -np.inf, -2.0]),
    )  # fmt: skip
    found = {name: np.asarray(value, dtype) for name, value in floats.items()}
    mask = rng.random((3, 4)) < 0.5
    return found | dict(K=rng.integers(0, 6, (3, 4)).astype("int32"), MASK=mask, NASK=rng.random((3, 4)) < 0.5, INF=np.inf)


def rows(table):
    """(function, arguments) for each call of a table."""
    for line in table.strip().splitlines():
        name, calls = line.split(": ", 1)
        for call in calls.split("; "):
            yield name, call
