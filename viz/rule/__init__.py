"""A rule that the reader writes below a picture: its language, its verdict, and the initial text of its field."""
