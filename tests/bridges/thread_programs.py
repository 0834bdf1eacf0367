"""Losses from public threads on a nan in PyTorch, and other common ones; the comments name the threads."""

import math

import torch
import torch.nn.functional as F


# akanazawa/cmr#11: a triangle inequality on side lengths, one edge of length 0
def triangle(v):
    a = torch.sqrt(((v[0] - v[1]) ** 2).sum())
    b = torch.sqrt(((v[1] - v[2]) ** 2).sum())
    return torch.relu(a - b) + a


# TFboys-lzz/MPSCL#2: ArcFace sine with a cosine above 1 by rounding
def arcface(w):
    cosine = w / 0.9
    sine = torch.sqrt(1.0 - torch.pow(cosine, 2))
    return (cosine * math.cos(0.5) - sine * math.sin(0.5)).sum()


# irfanICMLL/structure_knowledge_distillation#21 : root of the gradient's norm
def grad_norm(g):
    n = torch.sqrt(torch.sum(g * g, dim=1))
    return ((n - 1) ** 2).mean()


# jzi040941/PercepNet#37: (sqrt(g) - sqrt(g_hat)) ** 2
def percep(g):
    t = torch.tensor([0.5, 0.0, 0.2])
    return ((t.sqrt() - g.sqrt()) ** 2).mean()


# leftthomas/CGD#12: GeM pooling, negative feature to a fractional power
def gem(x):
    p = 3.0
    return F.avg_pool1d(x.pow(p), 4).pow(1.0 / p).sum()


# Li-Chongyi/Zero-DCE_extension#2: a colour loss
def color(m):
    r, g, b = m[0], m[1], m[2]
    return torch.pow(torch.pow(r - g, 2) + torch.pow(r - b, 2) + torch.pow(g - b, 2), 0.5)


# a forum thread on MseLossBackward: sqrt of mse at 0
def rmse(x):
    return torch.sqrt(F.mse_loss(x * 0, torch.zeros(2)))


# pytorch/pytorch#38714: pow with tensor exponent, base 0
def pow_pow(p):
    loss = (p - 1.0) ** 2
    loss = torch.pow(loss, (2 - loss) ** 2)
    return loss.sum()


# kornia/kornia#3275: se3 log theta
def se3(omega):
    theta = (omega * omega).sum(-1).sqrt()
    r = (1 - theta * torch.cos(theta / 2) / (2 * torch.sin(theta / 2))) / theta.pow(2)
    return (omega * torch.where(theta > 1e-8, r, torch.zeros(()))).sum()


# kornia/kornia#3949 quaternion to axis angle at identity
def quat(q):
    s2 = q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    s = torch.sqrt(s2)
    two = 2.0 * torch.atan2(s, q[0])
    k = torch.where(s2 > 0.0, two / s, 2.0 * torch.ones_like(s))
    return (q[1:] * k).sum()


# asteroid-team/asteroid#90 PMSQE: power 0 ** 0.5
def pmsqe(x):
    return (x.pow(2).sum(1) ** 0.5).mean()


# banctilrobitaille/torch-vectorized#7 : acos of trace ratio
def acos_eig(x):
    n = x / x.norm()
    return torch.acos(n[0]) * 2.0


# papagina/RotationContinuity#1: slightly larger than 1
def geodesic(m):
    cos = (m.diagonal().sum() - 1) / 2
    return torch.acos(cos)


# cpnota/autonomous-learning-library#139: tanh squash scaled by max action
def sac(mu):
    action = torch.tanh(mu) * 2.0
    logp = -0.5 * mu.pow(2) - torch.log(1 - action.pow(2) + 1e-6)
    return logp.sum()


# ray-project/ray#14878: atanh of a saturated action
def atanh_action(a):
    act = torch.tanh(a)
    return (-0.5 * torch.atanh(act) ** 2).sum()


# denisyarats/pytorch_sac#7: atanh by log1p
def atanh_by_log1p(a):
    x = torch.tanh(a)
    return (0.5 * (x.log1p() - (-x).log1p())).sum()


# pytorch/pytorch#7177: MDN with densities
def mdn(z):
    mu = torch.tensor([0.0, 1.0])
    pi = torch.softmax(z[:2], 0)
    p = torch.exp(-0.5 * ((z[2] - mu) / 0.01) ** 2) / (0.01 * math.sqrt(2 * math.pi))
    return -torch.log((pi * p).sum())


# pkmital/tensorflow_tutorials#23: log of tanh output, negative
def log_tanh(h):
    y = torch.tanh(h)
    t = torch.tensor([1.0, 0.0])
    return -(t * torch.log(y) + (1 - t) * torch.log(1 - y)).sum()


# a question on exp of a cross-entropy: exp of cross entropy
def exp_ce(z):
    return torch.exp(F.cross_entropy(z, torch.tensor([0])) / 0.5)


# a blog post on a token's penalty: log(1 - softmax)
def eos(z):
    p = F.softmax(z, -1)
    return -torch.log(1 - p[0])


# margin sign (forum): 1/ (m + sign(m) * t)
def margin_sign(m):
    d = m + torch.sign(m) * 1e-10
    return (F.softplus(1.0 - 1.0 / d) * d.abs()).sum()


# csteinmetz1/auraloss#25: SI-SDR with silent target
def sisdr(x):
    y = torch.zeros(4)
    alpha = (x * y).sum() / (y * y).sum()
    t = y * alpha
    e = x - t
    return -10 * torch.log10((t * t).sum() / ((e * e).sum() + 1e-8) + 1e-8)


# pytorch/pytorch#4320
def std0(a):
    return a.std(dim=0).mean()


# huggingface/trl#7221 entropy_from_logits
def entropy_logits(z):
    logits = torch.cat([z, torch.tensor([float("-inf")])])
    logps = F.log_softmax(logits, dim=-1)
    return -(torch.exp(logps) * logps).sum(-1)


# huggingface/trl#7252: nan_to_num after
def entropy_nan_to_num(z):
    logits = torch.cat([z, torch.tensor([float("-inf")])])
    logps = F.log_softmax(logits, dim=-1)
    return -(torch.exp(logps) * logps).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0).sum(-1)


# pytorch/pytorch#49724: logaddexp(-inf, -inf)
def lae(x):
    low = torch.full((), float("-inf"))
    return torch.logaddexp(torch.logaddexp(low * torch.ones(()), low + 0 * x), x)


# pankajmishra000/VT-ADL#10: a / exp(logvar)
def mdn_exp(lv):
    a = torch.tensor([1.0, 4.0])
    return (lv + a / torch.exp(lv)).sum()


# pyg-team/pytorch_geometric#500 VGAE
def vgae(ls):
    mu = torch.tensor([0.1, 0.2])
    return -0.5 * (1 + 2 * ls - mu**2 - ls.exp() ** 2).sum()


# yaringal/multi-task-learning-example#14: exp(-log_var)
def multi(lv):
    return (torch.exp(-lv) * torch.tensor([0.5, 0.0]) + lv).sum()


# paultsw/nice_pytorch#2: log(1 + exp(h)) + log(1 + exp(-h))
def logistic_prior(h):
    return (torch.log(1 + torch.exp(h)) + torch.log(1 + torch.exp(-h))).sum()


# ABCNN/siamese: cosine distance of a zero vector
def cosine0(u):
    v = torch.tensor([1.0, 2.0])
    return 1 - (u * v).sum() / (u.norm() * v.norm())


# focal loss: p ** gamma log p
def focal(x):
    p = torch.sigmoid(x)
    return -((1 - p) ** 2.0 * torch.log(p)).sum()


# Dice with empty mask, no smooth
def dice(z):
    t = torch.zeros(3)
    p = torch.relu(z)
    return 1 - 2 * (p * t).sum() / (p.sum() + t.sum())


# pairwise distance by gram + sqrt (triplet batch hard)
def batch_hard(e):
    dot = e @ e.T
    sq = dot.diagonal()
    d = (sq[None] - 2 * dot + sq[:, None]).clamp(min=0).sqrt()
    return d.mean()


# Gumbel softmax: log(-log(u)) with u = 0
def gumbel(z):
    u = torch.tensor([0.0, 0.3, 0.9])
    g = -torch.log(-torch.log(u))
    return (torch.softmax((z + g) / 0.5, 0) * torch.arange(3.0)).sum()


# Poincare / hyperbolic distance at the same point (arccosh at 1)
def poincare(x):
    y = torch.tensor([0.1, 0.2])
    d2 = ((x - y) ** 2).sum()
    return torch.acosh(1 + 2 * d2 / ((1 - (x**2).sum()) * (1 - (y**2).sum())))


# batch-wise standardise advantages, batch of one
def advantage(a):
    return ((a - a.mean()) / (a.std() + 1e-8)).sum()


# transformer attention with everything masked
def attention(q):
    k = torch.ones(3, 2)
    s = (q @ k.T).masked_fill(torch.tensor([[True, True, True]]), float("-inf"))
    return torch.softmax(s, -1).sum()


# logit of probabilities
def logit_p(p):
    return (torch.logit(p) ** 2).sum()


# NeRF: alpha compositing, 0 / 0 weights in sample_pdf
def nerf(w):
    pdf = w / w.sum()
    cdf = torch.cumsum(pdf, 0)
    return (cdf**2).sum()


# disp = 1 / max(depth / sum(weights)) (nerf-pytorch#38)
def nerf_disp(w):
    depth = (w * torch.tensor([1.0, 2.0])).sum()
    return 1.0 / torch.max(1e-10 * torch.ones(()), depth / w.sum())


# GIoU/EIoU with degenerate boxes: area zero
def iou(b):
    t = torch.tensor([1.0, 1.0, 1.0, 1.0])
    w = (torch.min(b[2], t[2]) - torch.max(b[0], t[0])).clamp(min=0)
    h = (torch.min(b[3], t[3]) - torch.max(b[1], t[1])).clamp(min=0)
    inter = w * h
    area = (b[2] - b[0]) * (b[3] - b[1]) + (t[2] - t[0]) * (t[3] - t[1])
    return 1 - inter / (area - inter)


# log_prob of Normal by hand with scale 0
def normal0(s):
    return (-0.5 * ((0.5 - 0.5) / s) ** 2 - torch.log(s)).sum()


# harmonic mean / f1 loss
def f1(tp):
    precision = tp / (tp + 0.0)
    recall = tp / (tp + 3.0)
    return 1 - 2 * precision * recall / (precision + recall)


# SSIM-like contrast: sqrt of a small negative variance
def contrast(x):
    v = (x * x).mean() - x.mean() ** 2
    return torch.sqrt(v - 1e-3) + x.sum()
