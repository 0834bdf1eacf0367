"""``python -m minigrad`` is the command ``minigrad``."""

import sys

from minigrad.lab.cli import main

sys.exit(main())
