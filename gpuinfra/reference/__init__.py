"""The reference that is generated from code: spec fields, rules, instance types, command line."""

from .codes import all_codes, rule_page
from .concepts import GOLDENS
from .fields import SpecField, spec_fields
from .generate import difference, pages, write

__all__ = ["GOLDENS", "SpecField", "all_codes", "difference", "pages", "rule_page", "spec_fields", "write"]
