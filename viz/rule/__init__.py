"""A rule that the reader writes below a picture: its language, its verdict, and what its field opens with."""
