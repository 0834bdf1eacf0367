"""What a student's process may not do: layers, each optional, each proven before it is relied on.

limits : 0, limits of the process itself, always there on Unix. This folder runs in the student's process too: it
imports the standard library only.
"""
