"""Run a student's code within limits, and in processes that can be killed.

Read `timeout` (one call: its time limit, its errors) and `budgets` (how much a submission may use); then the files for
the judge, which trusts no process: `process` (one submission in a process, ended when it is late), `servers` and
`server` (which fork it), `channel` and `codec` (messages), `student` and `student_objects` (the other side), `sandbox`.

`server`, `student`, `student_objects`, `channel`, `codec`, `cell_statements`, `silence` and the sandbox run in the
student's process too, where minigrad may be missing: they import only each other, NumPy and the standard library.
"""
