"""Prior knowledge as a file: YAML where PyYAML is there, JSON always; nothing is executed."""

from __future__ import annotations

import json
from pathlib import Path

from dagdecor.errors import BadKnowledge, MissingPackage, UnreadableFile
from dagdecor.knowledge.stated import Knowledge

LARGEST = 2**24  # bytes


def read_knowledge(path: str | Path) -> Knowledge:
    """The knowledge of a .json, .yaml or .yml file: a mapping with the fields of `Knowledge`."""
    place = Path(path)
    try:
        if place.stat().st_size > LARGEST:
            raise UnreadableFile(place, f"it is larger than {LARGEST // 2**20} MiB")
        text = place.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UnreadableFile(place, "there is no such file") from None
    except IsADirectoryError:
        raise UnreadableFile(place, "it is a folder") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(place, str(error)) from None
    kind = place.suffix.lower()
    if kind not in {".json", ".yaml", ".yml"}:
        raise UnreadableFile(place, "knowledge is a .yaml or .json file")
    body = _json(place, text) if kind == ".json" else _yaml(place, text)
    try:
        return Knowledge.from_dict({} if body is None else body)
    except BadKnowledge as error:
        raise BadKnowledge(f"{str(place)!r}: {error}") from None


def _json(place: Path, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(place, f"it is not JSON ({error})") from None


def _yaml(place: Path, text: str) -> object:
    try:
        import yaml
    except ImportError:
        raise MissingPackage("pyyaml", "a .yaml file (a .json file does without)", "yaml") from None
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = " ".join(str(error).split())
        raise UnreadableFile(place, f"it is not YAML ({line})") from None
