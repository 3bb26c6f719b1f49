"""Rules over the plan and the account that it is to stand in, GI4001 and up."""
