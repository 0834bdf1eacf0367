"""The sandbox of a student's process: layers, each of them optional, and tested before it is relied on.

Read `layers` (their names, and how a process applies them), then `linux_kernel` (the restrictions that Linux offers).
This folder runs in the student's process too: it imports only the standard library.
"""
