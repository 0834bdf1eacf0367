"""The README as an index of packages shows it: without the links to files of this repository, or with whole ones.

An index has no files beside the page. So pictures and relative links lead into the repository at the tag of the
version, if `[project.urls]` in pyproject.toml has its address as `Repository`. Without one, links become plain text and
pictures go with their captions.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = r"<picture>.*?</picture>\n\n\*.*?\*\n\n|!\[[^\]]*\]\((?!\w+://)[^)]*\)\n\n"


class Description(MetadataHookInterface):
    """What hatchling calls while it collects the metadata, for a wheel and for a source distribution."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        address = metadata.get("urls", {}).get("Repository", "").rstrip("/")
        if address:
            at = f"v{metadata['version']}"
            text = re.sub(r'(srcset|src)="(?!\w+://)', rf'\1="{address}/raw/{at}/', text)
            text = re.sub(r"(!\[[^\]]*\]\()(?!\w+://|#)", rf"\1{address}/raw/{at}/", text)
            text = re.sub(r"(?<!!)(\[[^\]]*\]\()(?!\w+://|#)", rf"\1{address}/blob/{at}/", text)
        else:
            text = re.sub(PICTURE, "", text, flags=re.DOTALL)
            text = re.sub(r"\[([^\]]*)\]\((?!\w+://|#)[^)]*\)", r"\1", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
