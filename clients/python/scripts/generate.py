"""Writes what is made here: crier/models.py, of the API's description, and crier/_sync, of crier/_async; and so the tasks
of the contract.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent.parent
PACKAGE = HERE / "src" / "crier"
CONTRACT = HERE / "contract"
DESCRIPTION = HERE.parent.parent / "schema" / "openapi" / "openapi.yaml"

Schema = dict[str, Any]

HEAD = '''"""What the API says and takes. Made by scripts/generate.py of the API's description: change neither by hand.

A model that is sent leaves out what was not set. A model that is read keeps what this package does not know, and texts
of a set may be others than those named here.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, TypeAlias

from ._model import Model
'''


# Objects that stand beside a name in a choice, whose own name the choice has.
OBJECTS = {"TargetInput": "Target", "ThreadTarget": "ThreadAccount"}


class Models:
    """Classes for schemas, each once, with those that they need."""

    def __init__(self, schemas: dict[str, Schema]) -> None:
        self.schemas = schemas
        self.aliases: dict[str, str] = {}
        self.classes: dict[str, str] = {}

    def reach(self, name: str) -> str:
        """Makes a schema's class or alias, and returns its name."""
        if name in self.classes or name in self.aliases:
            return name
        schema = self.flat(self.schemas[name])
        if "properties" in schema:
            self.classes[name] = ""  # so that one which names itself ends
            self.classes[name] = self.class_of(name, schema)
        else:
            self.aliases[name] = ""
            self.aliases[name] = self.type_of(name, schema)
        return name

    def flat(self, schema: Schema) -> Schema:
        """Puts together what allOf lists."""
        if "allOf" not in schema:
            return schema
        merged: Schema = {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            part = self.flat(self.schemas[part["$ref"].rpartition("/")[2]] if "$ref" in part else part)
            merged["properties"] = {**merged.get("properties", {}), **part.get("properties", {})}
            merged["required"] = [*merged.get("required", []), *part.get("required", [])]
            merged = {**part, **merged}
        if not merged["properties"]:
            del merged["properties"]
        return merged

    def class_of(self, name: str, schema: Schema) -> str:
        lines = [f"class {name}(Model):"]
        if text := schema.get("description"):
            lines.append(docstring(text))
        for field, value in schema["properties"].items():
            if value.get("const") is not True:  # success, which an answer that is read has
                lines.append(self.field(name, field, value, field in schema.get("required", [])))
        if len(lines) == 1:
            lines.append("    pass")
        return "\n".join(lines)

    def field(self, owner: str, name: str, schema: Schema, required: bool) -> str:
        kind = self.type_of(owner + name[0].upper() + name[1:], schema)
        if name in ("scheduledFor", "since") and kind == "str":
            kind = "datetime | str"
        if not required:
            kind = kind.removesuffix(" | None") + " | None"
        line = f"    {snake(name)}: {kind}" + ("" if required else " = None")
        text = schema.get("description")
        return line + "\n" + docstring(text) if text else line

    def type_of(self, name: str, schema: Schema) -> str:
        """Returns a schema's type; name is that of a class, if it needs one."""
        if "$ref" in schema:
            return self.reach(schema["$ref"].rpartition("/")[2])
        if len(schema.get("allOf", [])) == 1 or (schema.get("allOf") and "$ref" in schema["allOf"][0] and "properties" not in schema["allOf"][1]):
            return self.type_of(name, schema["allOf"][0])
        if "oneOf" in schema:
            return " | ".join(self.type_of(OBJECTS.get(name, name), one) for one in schema["oneOf"])
        if isinstance(schema.get("type"), list):
            kind = next(one for one in schema["type"] if one != "null")
            return self.type_of(name, {**schema, "type": kind}).removesuffix(" | None") + " | None"
        if "enum" in schema:
            return self.choice(schema["enum"])
        if isinstance(schema.get("const"), str):
            return f'Literal["{schema["const"]}"]'
        return self.plain(name, schema)

    def choice(self, values: list[Any]) -> str:
        named = ", ".join(f'"{one}"' for one in values if isinstance(one, str))
        return f"Literal[{named}] | str" + (" | None" if None in values else "")

    def plain(self, name: str, schema: Schema) -> str:
        match schema.get("type"):
            case "array":
                return f"list[{self.type_of(name.removesuffix('s'), schema['items'])}]"
            case "object" if "properties" in schema:
                self.classes[name] = self.class_of(name, schema)
                return name
            case "object":
                values = schema.get("additionalProperties")
                return f"dict[str, {self.type_of(name, values)}]" if isinstance(values, dict) else "dict[str, Any]"
            case "string":
                return {"date-time": "datetime", "date": "date"}.get(schema.get("format", ""), "str")
            case "integer" | "number" | "boolean" as kind:
                return {"integer": "int", "number": "float", "boolean": "bool"}[kind]
        return "Any"

    def text(self) -> str:
        """Aliases come first, unless they need classes."""
        first: list[str] = []
        last: list[str] = []
        for name, kind in self.aliases.items():
            needs = any(re.search(rf"\b{one}\b", kind) for one in self.classes)
            (last if needs else first).append(f"{name}: TypeAlias = {kind}")
        parts = [HEAD + "\n" + "\n".join(first), *self.classes.values(), "\n".join(last)]
        return "\n\n\n".join(part for part in parts if part) + "\n"


def snake(name: str) -> str:
    text = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().replace("-", "_")
    return text + "_" if text in ("from", "global", "schema", "copy", "json") else text


def docstring(text: str) -> str:
    lines = textwrap.wrap(" ".join(text.replace("\\", "\\\\").split()), 112)
    if len(lines) == 1:
        return f'    """{lines[0]}"""'
    return textwrap.indent('"""' + "\n".join(lines) + '\n"""', "    ")


# What differs between the two ways of calling: code of _async by these is that of _sync.
SYNC = [
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b(await|async) ", ""),
    (r"\b__a(enter|exit|iter)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\baiter_", "iter_"),
    (r"\bawaits\b", "waits"),
    (r"crier\._async", "crier._sync"),
]


def synchronous(code: str, source: str) -> str:
    for pattern, replacement in SYNC:
        code = re.sub(pattern, replacement, code)
    return f"# Made by scripts/generate.py of {source}.\n" + code


def main() -> None:
    description = yaml.safe_load(DESCRIPTION.read_text())
    models = Models(description["components"]["schemas"])
    # A post and a thread have the warnings of the answer that they came with.
    for name in ("Post", "Thread"):
        models.schemas[name]["properties"]["warnings"] = models.schemas["Warnings"]
    used = sorted({name for path in PACKAGE.rglob("*.py") for name in re.findall(r"\bmodels\.([A-Z]\w+)", path.read_text())})
    for name in used:  # a schema, or an object within one, whose name begins with the schema's
        models.reach(max((one for one in models.schemas if name.startswith(one)), key=len))
    (PACKAGE / "models.py").write_text(models.text())
    (PACKAGE / "_sync").mkdir(exist_ok=True)
    for path in (PACKAGE / "_async").glob("*.py"):
        (PACKAGE / "_sync" / path.name).write_text(synchronous(path.read_text(), "_async"))
    (CONTRACT / "sync_tasks.py").write_text(synchronous((CONTRACT / "async_tasks.py").read_text(), "async_tasks.py"))


if __name__ == "__main__":
    main()
