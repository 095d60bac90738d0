# SPDX-License-Identifier: MIT
"""Holds JSON exports to the schema that `ktime export --json-schema` prints, and lets them have no member beyond it.

usage: schema.py SCHEMA EXPORT...
"""
import json
import sys

import jsonschema


def closed(schema):
    """The schema, in which an object has the members that it names and no others."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(value) for name, value in schema.items()}
    return {"additionalProperties": False, **found} if isinstance(schema.get("properties"), dict) else found


def main():
    with open(sys.argv[1]) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(closed(schema))
    errors = []
    for path in sys.argv[2:]:
        with open(path) as file:
            errors += [f"{path}: {error.json_path}: {error.message}" for error in validator.iter_errors(json.load(file))]
    print("\n".join(errors))
    return 1 if errors else 0


sys.exit(main())
