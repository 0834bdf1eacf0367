"""scene: the position and text of everything, for the current window.

A graph and a window become a picture in five stages, one file each: `order` puts boxes into columns, `rows` gives each
its height, `fit` turns both into pixels and opens the frames that have room, `words` decides what a box says, and
`scene` writes the SVG. Python runs them for the picture that a notebook saves, the browser for the one that is played:
`static/scene.js` is these files, translated by `python -m viz.scene.translate`.

So they use only features with the same meaning in both languages: functions and plain classes over lists, dicts with
text keys, numbers and text; no sets, no tuples as keys, no unpacking of stars, no `in` a dict, no empty list as a truth
value.
"""
