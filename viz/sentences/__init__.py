"""The point of a pass in one sentence, for the reader who looks for ten seconds.

`point_of` tries what may matter most first: a nan or inf (`births`), what a rule sends in place of what it replaces
(`replaced_rules`), a gradient that fades or grows (`fading`), a sum over many uses and how the result depends on each
input (`inputs`). `both_of` compares two passes (`two_passes`). A sentence claims no more than the numbers show.
"""
