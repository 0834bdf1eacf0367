"""The teacher's desk: pages for reading and marking a class.

Read the files in this order: `frame` (requests, replies, the common parts of pages), `tables` (the class, a student),
`blind_reading` (the next unread answer), `wrong` (wrong answers by behaviour), `marking` (everything that writes), and
`desk`, whose `Desk.answer` makes every reply, independently of the server. Two servers call it: `local` on this
computer, and `extension` in a Jupyter Server.
"""
