"""Policy: rules over plans and resources."""
