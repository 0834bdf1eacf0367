"""The command line, and JupyterLab with the lessons."""
