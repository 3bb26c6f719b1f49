"""Rules over the plan, GI2200 and up."""
