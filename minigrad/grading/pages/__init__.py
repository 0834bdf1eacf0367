"""Feedback pages: one for each student, and one for the class, each a single file that needs no network."""

from .of_class import class_page
from .of_student import student_page
from .writing import write_pages

__all__ = ["class_page", "student_page", "write_pages"]
