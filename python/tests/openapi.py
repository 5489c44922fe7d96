"""Checks requests and answers against `server/openapi.json`, and refuses every keyword of a schema that it does not know."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCUMENT = json.loads((Path(__file__).parents[2] / "server" / "openapi.json").read_text(encoding="utf-8"))

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": int, "null": type(None)}
SAID_ELSEWHERE = {"description", "example", "examples", "format", "default", "type", "$ref"}


class Wrong(AssertionError):
    """Something is not as the document says."""


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        target: Any = DOCUMENT
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node


def is_of(value: object, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and not (isinstance(value, bool) and kind in ("number", "integer"))


def check(value: Any, schema: dict[str, Any], place: str = "body") -> None:
    schema = resolved(schema)

    def demand(holds: bool, what: str) -> None:
        if not holds:
            raise Wrong(f"{place}: expected {what}, found {value!r}")

    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        demand(any(is_of(value, kind) for kind in kinds), " or ".join(kinds))
    for word, rule in schema.items():
        if word in SAID_ELSEWHERE:
            continue
        if word == "enum":
            demand(value in rule, f"one of {rule}")
        elif word in ("oneOf", "anyOf"):
            fits = [option for option in rule if not problems(value, option, place)]
            demand(len(fits) == 1 or (word == "anyOf" and len(fits) > 1), f"{word} {rule}")
        elif word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            if is_of(value, "number"):
                holds = {"minimum": value >= rule, "maximum": value <= rule, "exclusiveMinimum": value > rule, "exclusiveMaximum": value < rule}
                demand(holds[word], f"{word} {rule}")
        elif word in ("minLength", "maxLength"):
            if isinstance(value, str):
                demand(len(value) >= rule if word == "minLength" else len(value) <= rule, f"{word} {rule}")
        elif word == "pattern":
            if isinstance(value, str):
                demand(re.search(rule, value) is not None, f"the pattern {rule}")
        elif word in ("minItems", "maxItems"):
            if isinstance(value, list):
                demand(len(value) >= rule if word == "minItems" else len(value) <= rule, f"{word} {rule}")
        elif word == "items":
            if isinstance(value, list):
                for index, item in enumerate(value):
                    check(item, rule, f"{place}[{index}]")
        elif word in ("minProperties", "maxProperties"):
            if isinstance(value, dict):
                demand(len(value) >= rule if word == "minProperties" else len(value) <= rule, f"{word} {rule}")
        elif word == "required":
            if isinstance(value, dict):
                demand(set(rule) <= set(value), f"the fields {rule}")
        elif word in ("properties", "additionalProperties"):
            if isinstance(value, dict) and word == "properties":
                for name, inner in rule.items():
                    if name in value:
                        check(value[name], inner, f"{place}.{name}")
            elif isinstance(value, dict):
                for name in set(value) - set(schema.get("properties", {})):
                    demand(rule is not False, f"no field {name!r}")
                    if isinstance(rule, dict):
                        check(value[name], rule, f"{place}.{name}")
        else:
            raise Wrong(f"{place}: the keyword {word} of a schema is not known to this test")


def problems(value: Any, schema: dict[str, Any], place: str) -> str:
    try:
        check(value, schema, place)
    except Wrong as error:
        return str(error)
    return ""


def operation(method: str, path: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    """The path's template, what the document says of it, and the values of its parameters."""
    for template, item in DOCUMENT["paths"].items():
        names = re.findall(r"{(\w+)}", template)
        match = re.fullmatch(re.sub(r"{\w+}", "([^/?]+)", template), path)
        if match and method.lower() in item:
            values = dict(zip(names, match.groups()))
            for parameter in map(resolved, item.get("parameters", [])):
                check(values[parameter["name"]], parameter["schema"], f"path parameter {parameter['name']}")
            return template, item[method.lower()], values
    raise Wrong(f"{method} {path} is not in the document")


def check_request(called: dict[str, Any], content_type: str | None, body: bytes) -> Any:
    """The value of a request's body."""
    expected = called.get("requestBody")
    if not body:
        if expected is not None and expected["required"]:
            raise Wrong("expected a body, found none")
        return None
    if expected is None:
        raise Wrong("expected no body, found one")
    if content_type not in expected["content"]:
        raise Wrong(f"expected one of {list(expected['content'])}, found {content_type}")
    value = json.loads(body)
    check(value, expected["content"][content_type]["schema"])
    return value


def check_answer(called: dict[str, Any], status: int, content_type: str, value: Any) -> None:
    """An answer is one of those that the document lists."""
    answers = called["responses"]
    if str(status) not in answers:
        raise Wrong(f"the document knows no answer {status}")
    content = resolved(answers[str(status)])["content"]
    if content_type not in content:
        raise Wrong(f"expected one of {list(content)}, found {content_type}")
    check(value, content[content_type]["schema"])
