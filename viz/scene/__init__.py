"""scene: the position and text of everything in a picture, for the current window.

A graph and a window become a picture in five stages, with a file for each: `order` puts boxes into columns, `rows`
gives
each box its row, `fit` converts both to pixels and opens the frames that have room, `words` chooses the text of a box,
and `scene` writes the SVG. Python runs these files for the picture that a notebook saves. The browser runs
`static/scene.js`, their translation by `python -m viz.scene.translate`, for the picture that a reader plays.

So the files use only features with the same meaning in both languages: functions and plain classes over lists, dicts
with text keys, numbers and text. They do not use sets, tuples as keys, starred unpacking, `in` with a dict, or an empty
list as a truth value.
"""
