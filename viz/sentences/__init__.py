"""The headline of a pass: one sentence for a reader who looks at the picture for only ten seconds.

`point_of` tries these subjects in order: a nan or inf (`births`); a rule whose messages differ from those of the ops it
replaces (`replaced_rules`); a gradient that fades or grows (`fading`); a sum over many uses, and how the result depends
on each input (`dependence`). `both_of` compares two passes (`two_passes`). A sentence claims only what the numbers
show.
"""
