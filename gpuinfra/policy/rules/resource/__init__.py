"""Rules over recorded resources, GI3001 and up."""
