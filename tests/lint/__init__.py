"""Plain Pulumi programs, judged by their preview, their state and their own code."""
