"""The site: `python -m docs OUT`. Its pages are written from the lessons, the ops, the docstrings and the guides.

Each file writes the pages of one part and returns them by path: lessons, guides, handbook, api, errors, gallery.
`build` puts them into a folder, with the few pages that are written by hand (`pages/`), and runs Sphinx on it.
`browser` makes the course that runs in a browser.
"""
