"""Feedback pages: a page for each student and a page for the class, each a single file that needs no network."""

from .of_class import class_page
from .of_student import student_page
from .writing import write_pages

__all__ = ["class_page", "student_page", "write_pages"]
