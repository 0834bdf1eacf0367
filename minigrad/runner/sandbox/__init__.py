"""The sandbox of a student's process; it consists of optional layers, and each layer is tested before it is relied on.

Read `layers` (their names, and how a process applies them), then `linux_kernel` (the restrictions that Linux offers).
The code in this folder also runs in the student's process, so it imports only the standard library.
"""
