"""scene: the position and text of everything in a picture, for the current window.

A graph and a window become a picture in five stages, with a file for each: `order` puts boxes into columns, `rows`
gives each box its row, `fit` converts both to pixels and opens the frames that have room, `words` chooses the text of a
box, and `scene` writes the SVG. For the picture saved in a notebook, Python runs these files. For the picture that a
reader plays, the browser runs `static/scene.js`, which `python -m viz.scene.translate` generates from them.

So the files use only features with the same meaning in both languages: functions and plain classes over lists, dicts
with string keys, numbers and strings. They do not use sets, tuples as keys, starred unpacking, `in` with a dict, or the
truth value of a list.
"""
